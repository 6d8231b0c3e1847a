"""How the sums of a forecast move: with the weight of a case, and without groups of cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import BINS
from acumen.types import Floats
from acumen.views.bins import equal_width_bin
from acumen.views.groups import Prefixes, left
from acumen.views.tangents import Part, Tangent, by_case
from acumen.views.weights import CaseWeights, KnownSums, Sum

if TYPE_CHECKING:
    from acumen.views.forecast import Forecast


def tangent(view: Forecast, block: CaseWeights) -> Tangent | None:
    """The tangent of the sums that a block remembers."""
    if not len(view.order):
        return None
    p, y, of_case, steps = view.probability, view.target, by_case(view, view.atom), 0.0
    scale = float(view.row_weight[view.order].sum())
    parts: dict[Sum, Part] = {}

    def along_bins(bins: int) -> Callable[[Floats], Floats]:
        def along(slope: Floats) -> Floats:
            weight, probability, target = slope.reshape(3, bins)[:, equal_width_bin(p, bins)]
            return of_case(np.append(weight + probability * p + target * y, 0.0))

        return along

    def along_cosines(slope: Floats) -> Floats:
        from acumen.views.cell_kernels import cosine_series

        return of_case(np.append((y - p) * cosine_series(slope, p), 0.0))

    for key in block.sums_of(view, "moments"):
        moments = view.moments(block)
        sums = np.concatenate([getattr(moments, name) for name in moments.__slots__])
        parts[key] = Part(sums, lambda slope: np.asarray(slope @ view.moment_columns), scale)
    for key in block.sums_of(view, "bins"):
        (bins,) = key.arguments
        parts[key] = Part(view.bins(block, bins).ravel(), along_bins(bins), scale)
    for key in block.sums_of(view, "cosines"):
        parts[key] = Part(view.cosines(block)[:, 0], along_cosines, scale)
    for key in block.sums_of(view, "pooled"):
        squares, steps = view.pooled(block)[:, 0]
        fit = view.isotonic()
        # the regression has the least squares, so only the row's own square moves them
        parts[key] = Part.dense(squares, of_case(np.append(fit * (2 * y - fit), 0.0)))

    def name(moved: list[Floats]) -> Mapping[Sum, Any]:
        known: dict[Sum, Any] = {}
        for key, own in zip(parts, moved, strict=True):
            match key.name:
                case "moments":
                    known[key] = type(view.moments(block))(*own)
                case "bins":
                    known[key] = own.reshape(3, *key.arguments, -1)
                case "pooled":
                    known[key] = np.vstack([own, np.full_like(own, steps)])
                case _:
                    known[key] = own
        return known

    return Tangent([*parts.values()], name) if parts else None


def without(view: Forecast, block: CaseWeights, group: NDArray[np.int64], groups: int) -> KnownSums:
    """What jumps from row to row, without each group of cases."""
    from acumen.views.cell_kernels import BOUNDARY_TOLERANCE

    own = view.row_weight[view.order]
    p, y, ends = view.by_answered_row
    prefixes = Prefixes.of(ends, [own, own * p, own * y], group[view.index], groups)
    moments = type(view.moments(block))(*left(view.moment_columns, group, groups))
    share = (np.arange(1, BINS) - BOUNDARY_TOLERANCE) / BINS
    edges = prefixes.reaching(np.outer(moments.weight, share), middle=True)
    total = prefixes.without(np.full((groups, 1), len(ends)), prefixes.start[1:, None])
    # beyond the last middle there is nothing: its bins are empty
    edges = np.where(np.isnan(edges), total, edges)
    bins = np.diff(np.concatenate([0.0 * total, edges, total], axis=2), axis=2)
    known = {Sum(view, "moments"): moments}
    return KnownSums(
        groups, known | {Sum(view, "equal_mass_bins", (BINS,)): bins.transpose(0, 2, 1)}
    )
