"""Evaluation -> Altair charts: the same objects in a notebook, in the page and in a figure file.

A chart draws what the artifact holds and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from acumen.charts import curves, intervals, reliability, slices, tables
from acumen.charts.theme import Figure
from acumen.charts.theme import name as theme_name
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.errors import UsageError, printable
from acumen.results.kinds import title_of
from acumen.results.metrics import MetricsArtifact
from acumen.results.verdicts import PairDocument

T = TypeVar("T")
BOARD: Final = "leaderboard"
"""The chart that systems and methods share."""
CHARTS: Final[Mapping[str, Callable[[MetricsArtifact], Figure | None]]] = {
    "risk-coverage": curves.risk_coverage,
    "generalized-risk": curves.generalized_risk,
    "forest": intervals.forest,
    "deltas": intervals.deltas,
    BOARD: intervals.leaderboard,
    "reliability": reliability.reliability,
    "calibration": intervals.calibration,
    "confidence": tables.confidence,
    "agreement": intervals.agreement,
    "confusion": tables.confusion,
    "precision-recall": tables.precision_recall,
    "risk-by-item": intervals.risk_by_item,
    "risk-by-level": intervals.risk_by_level,
    "slices": slices.slices,
}
"""Name of a chart -> what draws it; None where the artifact has nothing for it."""
OF_FUNCTIONS: Final = ("risk-coverage", "generalized-risk", "reliability")
"""Charts that a figure file names after their function where they have one alone."""
NAMED: Final = 2
"""Systems that such a name has; of more, each is named at its curve or above its small chart."""


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


def chart(name: str, document: Any, functions: Sequence[str] | None = None) -> Figure:
    """A chart by its name, which shows itself; refused with the reason where there is none."""
    from acumen.charts.export import offline  # vl-convert: for a notebook, not for a page

    if isinstance(document, MetricsArtifact):
        figure = _of_metrics(name, document, functions)
    elif isinstance(document, PairDocument):
        draw = _find(name, {**VERDICT_CHARTS, BOARD: intervals.leaderboard}, " of results")
        what = document if name == BOARD else document.systems
        figure = _drawn(draw(what), name, "the results hold")
    else:
        raise UsageError(f"there is no single chart of {title_of(document)}")
    figure.description = available()[name]
    return offline(figure)


def _of_metrics(name: str, artifact: MetricsArtifact, functions: Sequence[str] | None) -> Figure:
    draw = _find(name, CHARTS)
    artifact.check()
    if functions is not None:
        artifact = with_functions(artifact, functions)
    figure = _drawn(draw(artifact), name, "the artifact holds")
    if name in OF_FUNCTIONS and len(artifact.functions) == 1:
        systems = [" and ".join(artifact.input_names)] if len(artifact.inputs) <= NAMED else []
        figure.title = ", ".join([theme_name(artifact.functions[0]), *systems])
    return figure


def _find(name: str, charts: Mapping[str, Callable[[Any], Figure | None]], of: str = "") -> Any:
    if name not in charts:
        raise UsageError(f"no chart '{printable(name)}'{of}; there are {', '.join(charts)}")
    return charts[name]


def _drawn(figure: Figure | None, name: str, holder: str) -> Figure:
    if figure is None:
        raise UsageError(f"{holder} nothing to draw for the chart '{name}'")
    return figure


def available() -> dict[str, str]:
    """Every chart by name, with what it shows."""
    every: dict[str, Any] = {**VERDICT_CHARTS, **CHARTS}
    return {name: (draw.__doc__ or name).strip().splitlines()[0] for name, draw in every.items()}
