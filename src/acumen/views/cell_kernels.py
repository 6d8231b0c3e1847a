"""Compiled loops over cells, levels and bins: agreement, severity and calibration.

As in :mod:`acumen.views.ranking_kernels`, a row's weight in replicate ``b`` is
``counts[index[row], b]``, times ``row_weight[row]`` when the rows have weights of their own.
"""

from __future__ import annotations

import math

import numpy as np

from acumen.types import Floats
from acumen.views.compiled import compiled, inlined
from acumen.views.ranking_kernels import Array

BOUNDARY_TOLERANCE = 1e-9
NOTHING = 1e-40  # of a coefficient: no sum notices it, and smoothing makes half of them smaller


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
        for b in range(lanes if highest > 0 else 0):  # a slice would take a second to compile
            before[b] = weight[b]
        for k in range(highest):
            for b in range(lanes):
                above_before[k, b] = above[k, b]
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


@inlined
def _row_weight(counts: Array, at: int, lane: int, own: Floats | None, row: int) -> float:
    weight = float(counts[at, lane])
    return weight if own is None else weight * own[row]


@compiled
def equal_mass(
    probability: Floats,
    target: Floats,
    ends: Array,
    index: Array,
    counts: Array,
    own: Floats | None,
    total: Floats,
    bins: int,
) -> Floats:
    """Weight, summed probability and target in bins that hold equal weight, per weighting.

    A tie goes whole to the bin in which the middle of its weight lies, so the order of rows inside
    a tie does not matter.
    """
    lanes = counts.shape[1]
    out = np.zeros((3, bins, lanes))
    for lane in range(lanes):
        below, start = 0.0, 0
        for tie in range(ends.shape[0]):
            weight, p, y = 0.0, 0.0, 0.0
            for row in range(start, ends[tie]):
                w = _row_weight(counts, index[row], lane, own, row)
                weight += w
                p += w * probability[row]
                y += w * target[row]
            start = ends[tie]
            if weight > 0.0:
                middle = (below + weight / 2) / total[lane]
                into = min(bins - 1, int(middle * bins + BOUNDARY_TOLERANCE))
                out[0, into, lane] += weight
                out[1, into, lane] += p
                out[2, into, lane] += y
                below += weight
    return out


@compiled
def pooled_squares(
    target: Floats, ends: Array, index: Array, counts: Array, own: Floats | None
) -> Floats:
    """Sum over blocks of (summed target)²/weight, and how many blocks there are.

    Blocks are made by pooling adjacent violators: the isotonic regression of the target.
    """
    lanes = counts.shape[1]
    out = np.zeros((2, lanes))
    weight, summed = np.empty(ends.shape[0]), np.empty(ends.shape[0])
    for lane in range(lanes):
        blocks, start = 0, 0
        for tie in range(ends.shape[0]):
            w_tie, y_tie = 0.0, 0.0
            for row in range(start, ends[tie]):
                w = _row_weight(counts, index[row], lane, own, row)
                w_tie += w
                y_tie += w * target[row]
            start = ends[tie]
            if w_tie == 0.0:
                continue
            # a block whose mean is not above its predecessor's is merged into it
            while blocks > 0 and summed[blocks - 1] * w_tie >= y_tie * weight[blocks - 1]:
                blocks -= 1
                w_tie += weight[blocks]
                y_tie += summed[blocks]
            weight[blocks], summed[blocks] = w_tie, y_tie
            blocks += 1
        for block in range(blocks):
            out[0, lane] += summed[block] * summed[block] / weight[block]
        out[1, lane] = blocks
    return out


@compiled
def mean_absolute(basis: Floats, coefficients: Floats) -> Floats:
    """Mean over the grid of |basis.T @ coefficients|, per weighting, summed in one fixed order."""
    frequencies, points = basis.shape
    out, value = np.zeros(coefficients.shape[1]), np.empty(points)
    for b in range(coefficients.shape[1]):
        value[:], used = 0.0, frequencies
        while used > 0 and abs(coefficients[used - 1, b]) < NOTHING:
            used -= 1
        for k in range(used):
            height = coefficients[k, b]
            for t in range(points):  # innermost, so that points of the grid go abreast
                value[t] += basis[k, t] * height
        for t in range(points):
            out[b] += abs(value[t])
    mean: Floats = out / points
    return mean


@compiled
def cosine_series(coefficients: Floats, at: Floats) -> Floats:
    """Σ over k of coefficient k · cos(πk·at): Clenshaw's sum."""
    out = np.empty(at.shape[0])
    for i in range(at.shape[0]):
        x, later, last = math.cos(math.pi * at[i]), 0.0, 0.0
        for k in range(coefficients.shape[0] - 1, 0, -1):
            later, last = coefficients[k] + 2.0 * x * later - last, later
        out[i] = coefficients[0] + x * later - last
    return out


@compiled
def pool(weight: Floats, summed: Floats) -> Floats:
    """The isotonic regression of ties, by their weight and summed target."""
    w, y, last = weight.copy(), summed.copy(), np.empty(weight.shape[0], np.int64)
    blocks, out = 0, np.empty(weight.shape[0])
    for tie in range(weight.shape[0]):
        w[blocks], y[blocks], last[blocks] = weight[tie], summed[tie], tie
        blocks += 1
        while blocks > 1 and y[blocks - 2] * w[blocks - 1] >= y[blocks - 1] * w[blocks - 2]:
            blocks -= 1
            w[blocks - 1] += w[blocks]
            y[blocks - 1] += y[blocks]
            last[blocks - 1] = tie
    start = 0
    for block in range(blocks):
        mean = y[block] / w[block] if w[block] > 0.0 else 0.0
        out[start : last[block] + 1] = mean
        start = last[block] + 1
    return out


@compiled
def cosine_sums(mass: Floats, at: Floats, group: Array, groups: int, frequencies: int) -> Floats:
    """``(frequency k, group)``: Σ of mass · cos(πk·at), by the cosine's recurrence."""
    out = np.zeros((groups, frequencies))
    for i in range(at.shape[0]):
        x, into = math.cos(math.pi * at[i]), out[group[i]]
        before, here = x, 1.0
        for k in range(frequencies):
            into[k] += mass[i] * here
            before, here = here, 2.0 * x * here - before
    return out.T.copy()
