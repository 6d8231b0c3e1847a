"""Metrics: each is one decorated function of (view, weights), found in the registry."""

# imported because their functions register themselves
from acumen.metrics import agreement, exact, ordinal, reasoning, reliability, selective  # noqa: F401
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
    "find_metric",
    "kin_of",
    "metric",
    "metrics_of",
]
