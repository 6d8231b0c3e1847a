r"""Tangents: how the sums of a view move with the weight of a row.

A smooth metric is a function of a few sums of its view, and the view remembers them in a block of
weightings. Here is a block whose lane i holds these sums moved a step along the weight of row i; a
metric called on it does the chain rule by itself. So every smooth metric has the influence of every
row, :math:`\partial T/\partial w_i`, in one pass, and a new one has it for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.confusion import Confusion
from acumen.views.forecast import BINS, FREQUENCIES, Forecast, Moments, equal_width_bin, log_loss
from acumen.views.ranking import MOST_RISK, Areas, Ranking, Totals
from acumen.views.severity import SeverityRanking, ThresholdSums
from acumen.views.weights import CaseWeights

STEP: Final = 1e-3
"""In weights of a row. The error of a central difference is a millionth of its third derivative."""


@dataclass(frozen=True, eq=False)
class Tangent:
    """The sums of a view along the weight of each row."""

    lane: NDArray[np.int64]
    """Lane of every row of the table."""
    moved: Callable[[float], dict[Hashable, Any]]
    """What the block remembers after such a step, by key."""

    def slope(self, function: Callable[[CaseWeights], Floats], n_cases: int) -> Floats:
        """∂T/∂w of every row of the table, per unit of its weight."""
        up, down = (
            function(CaseWeights(np.ones((n_cases, 1), np.uint16), self.moved(sign * STEP)))
            for sign in (1, -1)
        )
        along: Floats = ((up - down) / (2 * STEP))[..., self.lane]
        return along


def tangent(view: Any) -> Tangent | None:
    """The tangent of a view; None where its sums are not known."""
    make = _MAKERS.get(type(view))
    if make is None or not len(view.order):
        return None
    # where a right answer costs or a wrong one is free, failures are ranked by a view of their own
    # and so is the optimum where several raters have a row each
    is_other = isinstance(view, Ranking) and not (view.by_right is view.by_judgment is view)
    return None if is_other else make(view)


def _of_ranking(ranking: Ranking) -> Tangent:
    from acumen.views.ranking_kernels import hull_corners

    once, size = CaseWeights.once(ranking.n_cases), len(ranking.order)
    totals, areas = ranking.totals(once), ranking.areas(once)
    exact, hulls = ranking.exact(once, MOST_RISK), ranking.hulls(once)
    lanes = np.full(len(ranking), size)  # the last lane is an abstained row: it moves no area
    lanes[ranking.order] = np.arange(size)
    of_kind = np.zeros((len(totals.by_kind), size + 1))
    of_kind[ranking.kind, np.arange(size)] = 1.0
    own, tie = ranking.row_weight[ranking.order], _tie_of_row(ranking.ends)
    x, y = (_sums(tie, own * part).cumsum() for part in (1.0, ranking.loss))
    heavy = np.diff(x, prepend=0.0) > 0.0
    curve = x[heavy], y[heavy]
    corners = hull_corners(curve[0], curve[1] / curve[0])
    hull = tuple(part[1:] for part in hull_corners(*(np.append(0.0, part) for part in curve)))
    under_risk, under_loss, under_exact, hull_risk, hull_loss, hull_exact = (
        _along(ranking, x[tie], points, part)
        for points, part in (
            (curve, _by_risk), (curve, _by_loss), (curve, _exactly),
            ((corners[0], corners[0] * corners[1]), _by_risk), (hull, _by_loss), (hull, _exactly),
        )
    )  # fmt: skip
    pairs = np.append(_of_pairs(tie, own, ranking.loss > 0), 0.0)
    none = np.full_like(pairs, np.nan)

    def moved(step: float) -> dict[Hashable, Any]:
        return {
            (ranking, "totals", ()): Totals(
                totals.rows + step * np.ones(size + 1),
                totals.by_kind + step * of_kind,
                ranking.grades,
            ),
            (ranking, "areas", ()): Areas(
                areas.risk + step * under_risk,
                areas.loss + step * under_loss,
                np.full((2, len(ranking.grid), size + 1), np.nan),
                np.full((2, len(ranking.cuts), size + 1), np.nan),
            ),
            (ranking, "exact", (MOST_RISK,)): exact
            + step * np.stack([under_exact, none, pairs, under_loss, none]),
            (ranking, "hulls", ()): hulls
            + step * np.stack([2 * hull_risk, 2 * hull_loss, hull_exact]),
        }

    return Tangent(lanes, moved)


def _along(
    ranking: Ranking,
    reach: Floats,
    points: tuple[Floats, ...],
    part: Callable[..., tuple[Floats, ...]],
) -> Floats:
    """Slope of an area over points (accepted weight, its loss) along every ranked row, and 0.

    A row moves all points at and after its own: their weight by 1, their loss by its own.
    """
    x, y = points
    start_x, start_y, end_x, end_y = part(x[:-1], y[:-1], x[1:], y[1:])
    # before the first point the risk is that of the first: the area there is its loss
    by_x = np.append(0.0, end_x) + np.append(start_x, 0.0)
    by_y = np.append(1.0, end_y) + np.append(start_y, 0.0)
    if part is _by_loss:  # but that of the loss is a triangle
        by_x[0], by_y[0] = by_x[0] + y[0] / 2, by_y[0] - 1.0 + x[0] / 2
    first = np.searchsorted(x, reach * (1 - 1e-12))
    from_x, from_y = (np.append(by[::-1].cumsum()[::-1], 0.0)[first] for by in (by_x, by_y))
    return np.append(from_x + ranking.loss * from_y, 0.0)


def _by_risk(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> tuple[Floats, ...]:
    """Of a trapezoid under risk: its slopes in the two coordinates of either end."""
    r0, r1, width = y0 / x0, y1 / x1, x1 - x0
    height = (r0 + r1) / 2
    starts = -height - width * r0 / (2 * x0), width / (2 * x0)
    return *starts, height - width * r1 / (2 * x1), width / (2 * x1)


def _by_loss(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> tuple[Floats, ...]:
    height, half = (y0 + y1) / 2, (x1 - x0) / 2
    return -height, half, height, half


def _exactly(x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> tuple[Floats, ...]:
    width, log = x1 - x0, np.log(x1 / x0)
    steep = (y1 - y0) / width
    at_zero = y0 - steep * x0
    starts = -log * steep * x1 / width - at_zero / x0, log * x1 / width - 1
    return *starts, log * steep * x0 / width + at_zero / x1, 1 - log * x0 / width


def _of_confusion(table: Confusion) -> Tangent:
    base = table.sums(CaseWeights.once(table.n_cases))
    cells = table.levels * (table.levels + 1)
    one = np.eye(cells).reshape(*base.shape[:2], cells)
    return Tangent(table.cell, lambda step: {(table, "sums", ()): base + step * one})


def _of_forecast(view: Forecast) -> Tangent:
    once, size = CaseWeights.once(view.n_cases), len(view.probability)
    p, y = view.probability, view.target
    lanes = np.full(len(view.case), size)  # the last lane is an abstained row: it moves nothing
    lanes[view.order] = view.atom
    moments, bins, cosines = view.moments(once), view.bins(once), view.cosines(once)
    of_moments = _padded(np.stack([np.ones(size), y, y * y, (p - y) ** 2, log_loss(p, y)]))
    in_bin = np.zeros((3, BINS, size))
    in_bin[:, equal_width_bin(p), np.arange(size)] = np.ones(size), p, y
    of_cosines = (y - p) * np.cos(np.pi * np.arange(FREQUENCIES)[:, None] * p)
    sums = np.stack([getattr(moments, name) for name in Moments.__slots__])

    def moved(step: float) -> dict[Hashable, Any]:
        return {
            (view, "moments", ()): Moments(*(sums + step * of_moments)),
            (view, "bins", (BINS,)): bins + step * _padded(in_bin),
            (view, "cosines", ()): cosines + step * _padded(of_cosines),
        }

    return Tangent(lanes, moved)


def _padded(values: Floats) -> Floats:
    """One more lane, of zeros."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)


def _of_severity(ranking: SeverityRanking) -> Tangent:
    once, size = CaseWeights.once(ranking.n_cases), len(ranking.order)
    own, tie = ranking.row_weight[ranking.order], _tie_of_row(ranking.ends)
    lanes = np.full(len(ranking.case), size)
    lanes[ranking.order] = np.arange(size)
    base, level = ranking.sums(once), ranking.level
    levels = np.arange(1, ranking.levels)[:, None]
    high = level >= levels
    precision = np.stack([_of_precision(tie, own, own * row, row) for row in high])
    outranked = np.stack([_of_pairs(tie, own, row) for row in high])
    risky, top = own * (level > 0), level == ranking.levels - 1
    ordering = np.where(level > 0, _of_precision(tie, risky, risky * top, top), 0.0)
    slopes = (np.ones(size), high.astype(np.float64), precision, outranked, ordering)

    def moved(step: float) -> dict[Hashable, Any]:
        names = ThresholdSums.__slots__
        parts = zip(names, slopes, strict=True)
        sums = (getattr(base, name) + step * _padded(part) for name, part in parts)
        return {(ranking, "sums", ()): ThresholdSums(*sums)}

    return Tangent(lanes, moved)


def _of_precision(
    tie: NDArray[np.int64], weight: Floats, hits: Floats, is_hit: NDArray[np.bool_]
) -> Floats:
    """Slope of Σ over hits of the precision at their tie, along each row."""
    here, hits_here = _sums(tie, weight), _sums(tie, hits)
    reach, hits_until = here.cumsum(), hits_here.cumsum()
    reach = np.where(reach > 0, reach, np.inf)
    gained, lost = (
        part[::-1].cumsum()[::-1] for part in (hits_here / reach, hits_here * hits_until / reach**2)
    )
    return np.asarray(np.where(is_hit, (hits_until / reach + gained)[tie], 0.0) - lost[tie])


def _of_pairs(tie: NDArray[np.int64], own: Floats, lower: NDArray[np.bool_]) -> Floats:
    """Slope of the weight of pairs in which one of the others lies above, ties counting half."""
    of_lower, of_others = (_sums(tie, own * part) for part in (lower, ~lower))
    above = of_others.cumsum() - of_others / 2
    below = of_lower.sum() - of_lower.cumsum() + of_lower / 2
    return np.where(lower, above[tie], below[tie])


def _tie_of_row(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


def _sums(index: NDArray[np.int64], values: Floats) -> Floats:
    return np.bincount(index, weights=values).astype(np.float64)


_MAKERS: Final[dict[type, Callable[[Any], Tangent]]] = {
    Ranking: _of_ranking,
    Confusion: _of_confusion,
    Forecast: _of_forecast,
    SeverityRanking: _of_severity,
}
