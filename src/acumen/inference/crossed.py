"""Items that are a sample too: what leaving out each item does, beside leaving out each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.inference.influence import row_influence, statistic_of
from acumen.inference.jackknife import Jackknife
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.views.weights import CaseWeights


def cross(metrics: Sequence[Metric], view: Any, jackknives: Sequence[Jackknife]) -> list[Jackknife]:
    """The jackknives of metrics with that of the items beside; a view without items has none."""
    if getattr(view, "item", None) is None:
        return [replace(jackknife, items=Jackknife(np.empty(0))) for jackknife in jackknives]
    codes = np.unique(view.item, return_inverse=True)[1]
    n, k = view.n_cases, int(codes.max(initial=-1)) + 1
    cell = view.case * k + codes
    counts = np.bincount(cell, minlength=n * k)
    is_full = len(set(counts.tolist())) == 1
    known = row_influence(metrics, view) if k > 1 else {}
    rest = [m for m in metrics if m.name not in known]
    left_out = dict(zip((m.name for m in rest), _without_items(rest, view, codes, k), strict=True))
    both = []
    for metric, jackknife in zip(metrics, jackknives, strict=True):
        cells: Floats | None = None
        items = Jackknife(np.empty(0))
        if metric.name in known:
            sums = np.bincount(cell, known[metric.name], n * k).reshape(n, k)
            cells = sums.astype(np.float64)
            items = Jackknife.of_influence(cells.sum(axis=0))
        elif k > 1:
            items = Jackknife.of(left_out[metric.name])
        whole = is_full and jackknife.n == n
        both.append(replace(jackknife, items=items, cells=cells if whole else None))
    return both


def _without_items(metrics: Sequence[Metric], view: Any, item: Any, k: int) -> list[Floats]:
    """Values of metrics without each item in turn: its rows weigh nothing."""
    if not metrics:
        return []
    once = CaseWeights.once(view.n_cases)
    weights = (view.row_weight * (item != i) for i in range(k))
    values = [statistic_of(metrics, replace(view, weight=weight))(once) for weight in weights]
    return list(np.concatenate(values, axis=1))
