"""Evaluation -> Altair charts: the same objects in a notebook, in the page and in a figure file.

A chart draws what the artifact holds and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from acumen.charts import curves, intervals, tables
from acumen.charts.theme import Figure
from acumen.charts.theme import name as theme_name
from acumen.errors import UsageError, printable
from acumen.results.metrics import Evaluated, MetricsArtifact

T = TypeVar("T")
CHARTS: Final[Mapping[str, Callable[[MetricsArtifact], Figure | None]]] = {
    "risk-coverage": curves.risk_coverage,
    "generalized-risk": curves.generalized_risk,
    "forest": intervals.forest,
    "deltas": intervals.deltas,
    "leaderboard": intervals.leaderboard,
    "reliability": tables.reliability,
    "calibration": intervals.calibration,
    "confidence": tables.confidence,
    "agreement": intervals.agreement,
    "confusion": tables.confusion,
    "precision-recall": tables.precision_recall,
    "risk-by-item": intervals.risk_by_item,
    "risk-by-level": intervals.risk_by_level,
}
"""Name of a chart -> what draws it; None where the artifact has nothing for it."""
OF_FUNCTIONS: Final = ("risk-coverage", "generalized-risk", "reliability")
"""Charts that a figure file names after their function where they have one alone."""


def with_functions(artifact: MetricsArtifact, functions: Sequence[str]) -> MetricsArtifact:
    """The artifact with these confidence functions alone."""
    unknown = [name for name in functions if name not in artifact.confidence_variants]
    if unknown:
        there = ", ".join(map(printable, artifact.confidence_variants)) or "none"
        raise UsageError(f"it holds no function '{printable(unknown[0])}'; there is {there}")

    def among(parts: Mapping[str, T]) -> dict[str, T]:
        return {name: part for name, part in parts.items() if name in functions}

    compared = artifact.comparison
    parts = {"matched": among(compared.matched), "deltas": among(compared.deltas or {})}
    summaries = [s.model_copy(update={"functions": among(s.functions)}) for s in artifact.summaries]
    best = artifact.best
    update = {
        "confidence_variants": among(artifact.confidence_variants),
        "comparison": compared.model_copy(update=parts),
        "summaries": summaries,
        "best": best if best is not None and best.name in functions else None,
    }
    return artifact.model_copy(update=update)


def chart(
    name: str, evaluation: Evaluated | MetricsArtifact, functions: Sequence[str] | None = None
) -> Figure:
    """A chart by its name; refused with the reason where there is nothing to draw."""
    if name not in CHARTS:
        raise UsageError(f"no chart '{printable(name)}'; there are {', '.join(CHARTS)}")
    artifact = evaluation.artifact if isinstance(evaluation, Evaluated) else evaluation
    artifact.check()
    if functions is not None:
        artifact = with_functions(artifact, functions)
    figure = CHARTS[name](artifact)
    if figure is None:
        raise UsageError(f"the artifact holds nothing to draw for the chart '{name}'")
    if name in OF_FUNCTIONS and len(artifact.functions) == 1:
        systems = " and ".join(artifact.input_names)
        figure.title = f"{theme_name(artifact.functions[0])}, {systems}"
    return figure
