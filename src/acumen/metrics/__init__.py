"""Metrics: each is one decorated function of (view, weights), found in the registry."""

from acumen.metrics import exact, selective
from acumen.metrics.registry import METRICS, Estimate, Metric, metric, metrics_of

__all__ = ["METRICS", "Estimate", "Metric", "exact", "metric", "metrics_of", "selective"]
