"""Metrics: each is one decorated function of (view, weights), found in the registry."""

# imported because their functions register themselves
from acumen.metrics import (  # noqa: F401
    abstention,
    agreement,
    decimals,
    exact,
    levels,
    ordinal,
    reasoning,
    reliability,
    selective,
)
from acumen.metrics.registry import (
    METRICS,
    Estimate,
    Kind,
    Metric,
    Unit,
    find_metric,
    kin_of,
    metric,
    metrics_of,
    ratio,
)
from acumen.types import Floats
from acumen.views.forecast import forecast_judgments
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

__all__ = [
    "METRICS",
    "CaseWeights",
    "Estimate",
    "Floats",
    "Kind",
    "Metric",
    "Ranking",
    "Unit",
    "find_metric",
    "forecast_judgments",
    "kin_of",
    "metric",
    "metrics_of",
    "ratio",
]
