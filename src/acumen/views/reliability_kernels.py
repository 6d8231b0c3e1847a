"""Compiled loops for calibration: bins of equal weight, and pooling of adjacent violators."""

from __future__ import annotations

import numpy as np

from acumen.types import Floats
from acumen.views.compiled import compiled, inlined
from acumen.views.ranking_kernels import Array

BOUNDARY_TOLERANCE = 1e-9


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
    """Mean over the grid of |basis @ coefficients|, per weighting, summed in one fixed order."""
    lanes = coefficients.shape[1]
    out, value = np.zeros(lanes), np.empty(lanes)
    for t in range(basis.shape[0]):
        value[:] = 0.0
        for k in range(basis.shape[1]):
            cosine = basis[t, k]
            for b in range(lanes):
                value[b] += cosine * coefficients[k, b]
        for b in range(lanes):
            out[b] += abs(value[b])
    mean: Floats = out / basis.shape[0]
    return mean
