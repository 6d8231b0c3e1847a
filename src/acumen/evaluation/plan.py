"""What to evaluate, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from acumen.defaults import AREA_COVERAGE, CONFIDENCE, COVERAGE_GRID, LOSS
from acumen.errors import UsageError
from acumen.inference.options import Options
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.table.judgments import Judgments
from acumen.table.losses import find_loss
from acumen.types import Floats
from acumen.views.ranking import Ranking, rank_judgments

AREAS: Final = ("aurc_at_coverage", "augrc_at_coverage")
RISK_AT: Final = "mae_at_coverage"
_ELSEWHERE: Final = {"augrc_pairs", "aurc_random_ties", RISK_AT, *AREAS}
"""The same number by another road, a convention, or a metric asked for at given coverages."""


@dataclass(frozen=True)
class Plan:
    """What to evaluate, and how."""

    confidence: str = CONFIDENCE
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Confidence functions that are plain callables, by the name they go under."""
    loss: str = LOSS
    coverage_grid: tuple[float, ...] = COVERAGE_GRID
    area_coverage: float = AREA_COVERAGE
    options: Options = Options()  # noqa: RUF009  (frozen)
    calibration: Any = None
    intersection_only: bool = False
    texts: bool = False
    """Whether the artifact keeps the evidence that a run quotes: texts of cases."""

    def __post_init__(self) -> None:
        find_loss(self.loss)
        if not self.coverage_grid:
            raise UsageError("the coverage grid is empty: give at least one coverage")
        for coverage in (*self.coverage_grid, self.area_coverage):
            if not 0.0 < coverage <= 1.0:
                raise UsageError(f"a coverage must be in (0, 1], not {coverage:g}")

    def metrics(self) -> list[Metric]:
        """The metrics of a ranking, those at a coverage spelled out for each."""
        return [
            *(m for m in metrics_of(Ranking) if m.name not in _ELSEWHERE),
            *self.areas().values(),
            *self.risks().values(),
        ]

    def areas(self) -> dict[str, Metric]:
        """The areas up to a coverage, by the name of the family."""
        return {name: METRICS[name].at(coverage=self.area_coverage) for name in AREAS}

    def risks(self) -> dict[float, Metric]:
        """The risk at each coverage of the grid."""
        return {c: METRICS[RISK_AT].at(coverage=c) for c in self.coverage_grid}

    def rank(self, table: Judgments, confidence: Floats) -> Ranking:
        """A table ranked by a confidence."""
        return rank_judgments(
            table, confidence, self.loss, grid=self.coverage_grid, cuts=(self.area_coverage,)
        )
