"""Compiled loops over levels: confusion tables, and severity rankings at every threshold at once.

As in :mod:`acumen.views.ranking_kernels`, a row's weight in replicate ``b`` is
``counts[index[row], b]``, times ``row_weight[row]`` when the rows have weights of their own.
"""

from __future__ import annotations

import numpy as np

from acumen.types import Floats
from acumen.views.compiled import compiled
from acumen.views.ranking_kernels import Array


@compiled
def cell_sums(
    index: Array, cell: Array, counts: Array, row_weight: Floats | None, cells: int
) -> Floats:
    """Weight of the rows that fall into each cell: ``(cell, replicate)``."""
    lanes = counts.shape[1]
    out = np.zeros((cells, lanes))
    for row in range(index.shape[0]):
        here, into = index[row], cell[row]
        if row_weight is None:  # a branch of its own: a weight of 1.0 costs a third more time
            for b in range(lanes):
                out[into, b] += counts[here, b]
        else:
            for b in range(lanes):
                out[into, b] += counts[here, b] * row_weight[row]
    return out


@compiled
def severity_sums(
    index: Array,
    level: Array,
    ends: Array,
    counts: Array,
    row_weight: Floats | None,
    thresholds: int,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """One pass down a severity ranking, for every threshold k = 1 … K−1 (row k−1 of a result).

    Returns the weight of all rows; of the rows at or above each threshold; Σ over those rows of
    the precision at their tie; the weight of pairs where a row below the threshold outranks one at
    or above it (a tie counts half); Σ over top-level rows of their precision among levels ≥ 1.
    Ties without any row above level 0 only add to the weight, so they cost one addition.
    """
    lanes = counts.shape[1]
    weight, before = np.zeros(lanes), np.zeros(lanes)
    above, above_before = np.zeros((thresholds, lanes)), np.zeros((thresholds, lanes))
    precision, outranked = np.zeros((thresholds, lanes)), np.zeros((thresholds, lanes))
    ordering, w = np.zeros(lanes), np.zeros(lanes)
    row = 0
    for end in ends:
        highest = 0
        for place in range(row, end):
            highest = max(highest, level[place])
        if highest > 0:
            before[:] = weight
            above_before[:highest] = above[:highest]
        while row < end:
            here = index[row]
            own = 1.0 if row_weight is None else row_weight[row]
            for b in range(lanes):
                w[b] = counts[here, b] * own
                weight[b] += w[b]
            for k in range(level[row]):
                for b in range(lanes):
                    above[k, b] += w[b]
            row += 1
        for k in range(highest):
            for b in range(lanes):
                gained = above[k, b] - above_before[k, b]
                precision[k, b] += gained * (above[k, b] / max(weight[b], 1e-300))
                below_before = before[b] - above_before[k, b]
                below_here = weight[b] - before[b] - gained
                outranked[k, b] += gained * (below_before + below_here / 2)
        if highest == thresholds:
            for b in range(lanes):
                gained = above[thresholds - 1, b] - above_before[thresholds - 1, b]
                share = above[thresholds - 1, b] / max(above[0, b], 1e-300)
                ordering[b] += gained * share
    return weight, above, precision, outranked, ordering
