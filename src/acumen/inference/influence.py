"""What every row does to the metrics of a view; and items that are a sample, as the cases are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.inference.jackknife import Jackknife
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


def cross(metrics: Sequence[Metric], view: Any, jackknives: Sequence[Jackknife]) -> list[Jackknife]:
    """The jackknives of metrics with that of the items beside; a view without items has none."""
    if getattr(view, "item", None) is None:
        return [replace(jackknife, items=Jackknife(np.empty(0))) for jackknife in jackknives]
    codes = np.unique(view.item, return_inverse=True)[1]
    n, k = view.n_cases, int(codes.max(initial=-1)) + 1
    cell = view.case.astype(np.int64) * k + codes
    is_full = k > 0 and len(cell) % (n * k) == 0 and (np.bincount(cell) * n * k == len(cell)).all()
    known = row_influence(metrics, view) if k > 1 else {}
    rest = [m for m in metrics if m.name not in known]
    left_out = dict(zip((m.name for m in rest), _without_items(rest, view, codes, k), strict=True))
    both = []
    for metric, jackknife in zip(metrics, jackknives, strict=True):
        cells, items = None, Jackknife(np.empty(0))
        if metric.name in known:
            by_row = known[metric.name]
            items = Jackknife.of_influence(np.bincount(codes, by_row).astype(np.float64))
            if is_full and jackknife.n == n:
                cells = np.bincount(cell, by_row).astype(np.float64).reshape(n, k)
        elif k > 1:
            items = Jackknife.of(left_out[metric.name])
        both.append(replace(jackknife, items=items, cells=cells))
    return both


def _without_items(metrics: Sequence[Metric], view: Any, item: Any, k: int) -> list[Floats]:
    """Values of metrics without each item in turn: its rows weigh nothing."""
    if not metrics:
        return []
    once = CaseWeights.once(view.n_cases)
    weights = (view.row_weight * (item != i) for i in range(k))
    values = [statistic_of(metrics, replace(view, weight=weight))(once) for weight in weights]
    return list(np.concatenate(values, axis=1))
