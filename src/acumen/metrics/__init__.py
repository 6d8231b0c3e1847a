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
from acumen.views.forecast import forecast_judgments
from acumen.views.ranking import Ranking

__all__ = [
    "METRICS",
    "Estimate",
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
