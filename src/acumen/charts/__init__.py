"""Evaluation -> Altair charts: the same objects in a notebook, in the page and in a figure file.

A chart draws what the artifact holds and computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from acumen.charts import curves, intervals, tables
from acumen.charts.theme import Figure
from acumen.errors import UsageError, printable
from acumen.results.metrics import Evaluated, MetricsArtifact

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


def chart(name: str, evaluation: Evaluated | MetricsArtifact) -> Figure:
    """A chart by its name; refused with the reason where there is nothing to draw."""
    if name not in CHARTS:
        raise UsageError(f"no chart '{printable(name)}'; there are {', '.join(CHARTS)}")
    artifact = evaluation.artifact if isinstance(evaluation, Evaluated) else evaluation
    artifact.check()
    figure = CHARTS[name](artifact)
    if figure is None:
        raise UsageError(f"the artifact holds nothing to draw for the chart '{name}'")
    return figure
