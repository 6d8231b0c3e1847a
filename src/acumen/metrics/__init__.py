"""Metrics: each is one decorated function of (view, weights), found in the registry."""

from acumen.metrics import agreement, exact, ordinal, reasoning, reliability, selective
from acumen.metrics.registry import (
    METRICS,
    Estimate,
    Metric,
    Unit,
    find_metric,
    kin_of,
    metric,
    metrics_of,
)

__all__ = [
    "METRICS",
    "Estimate",
    "Metric",
    "Unit",
    "agreement",
    "exact",
    "find_metric",
    "kin_of",
    "metric",
    "metrics_of",
    "ordinal",
    "reasoning",
    "reliability",
    "selective",
]
