"""Metrics of one view as one statistic, and what every row does to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.inference.resample import Statistic
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.views.tangents import tangent
from acumen.views.weights import CaseWeights


def statistic_of(metrics: Sequence[Metric], view: Any) -> Statistic:
    """All metrics of a view as one statistic of a block of weightings."""

    def statistic(block: CaseWeights) -> Floats:
        return np.stack([np.asarray(metric(view, block)) for metric in metrics])

    return statistic


def row_influence(metrics: Sequence[Metric], view: Any) -> dict[str, Floats]:
    """What every row of the table does to the metrics for which that is known; it sums to 0."""
    smooth = [m for m in metrics if m.smooth]
    along = tangent(view) if smooth else None
    if along is None:
        return {}
    slopes = along.slope(statistic_of(smooth, view), view.n_cases) * view.row_weight
    return {
        m.name: by_row - by_row.sum() * view.row_weight / view.row_weight.sum()
        for m, by_row in zip(smooth, slopes, strict=True)
        if np.isfinite(by_row).all()
    }
