r"""Tangents: how the sums of a view move with the weight of a row.

A smooth metric is a function of a few sums of its view, and the view remembers them in a block of
weightings. Here is a block in which each sum in turn is moved a little; a metric called on it gives
its slope along each sum, and the chain rule does the rest. So every smooth metric has the influence
of every row, :math:`\partial T/\partial w_i`, in one pass, and a new one has it for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.confusion import Confusion
from acumen.views.forecast import BINS, Forecast, Moments, equal_width_bin
from acumen.views.ranking import Areas, Ranking, Totals
from acumen.views.reasoning import Reasoning
from acumen.views.severity import SeverityRanking, ThresholdSums
from acumen.views.weights import CaseWeights, tie_of_row

STEP: Final = 2e-5
"""As a share of a sum: half the digits of a central difference are rounding, half its curvature."""
_AT_ONCE: Final = 256
"""Sums that are moved together: a scale of 101 levels has ten thousand, one a cell."""
_PIECES: Final = 1 << 16
"""Pieces of a curve that are looked at together."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some sums of a view, and how they move with its rows."""

    sums: Floats
    along: Callable[[Floats], Floats]
    """Slopes along these sums -> slope along each case."""
    scale: float | None = None
    """The size of what is summed, where the sums themselves may cancel."""

    @classmethod
    def dense(cls, total: Any, by_case: Floats) -> Part:
        """One sum, with what every case adds to it."""
        return cls(np.atleast_1d(np.float64(total)), lambda slope: slope[0] * by_case)

    @property
    def steps(self) -> Floats:
        """How far each sum is moved; one that no row adds to stays."""
        size: Floats = np.abs(self.sums) if self.scale is None else self.sums * 0.0 + self.scale
        return STEP * size


@dataclass(frozen=True, eq=False)
class Tangent:
    """The sums of a view, and how every case moves them."""

    parts: Sequence[Part]
    remember: Callable[[list[Floats]], dict[Hashable, Any]]
    """The sums of each part, ``(sum, lane)`` -> what a block remembers, by key."""

    def slopes(self, function: Callable[[CaseWeights], Floats], n_cases: int) -> Iterator[Floats]:
        """∂T/∂w of every case, one statistic after another."""
        steps = np.concatenate([part.steps for part in self.parts])
        ends = np.cumsum([len(part.sums) for part in self.parts])[:-1]
        some = np.flatnonzero(steps > 0)
        columns = [self._moved(function, n_cases, steps, ends, at) for at in _chunks(some)]
        gradient = np.zeros((len(columns[0]), len(steps)))
        gradient[:, some] = np.hstack(columns)
        for slope in gradient:
            pieces = zip(self.parts, np.split(slope, ends), strict=True)
            along = [part.along(piece) for part, piece in pieces if piece.any()]
            yield np.asarray(sum(along, np.zeros(1)))

    def _moved(
        self,
        function: Callable[[CaseWeights], Floats],
        n_cases: int,
        steps: Floats,
        ends: NDArray[np.int64],
        at: NDArray[np.int64],
    ) -> Floats:
        """Slopes of every statistic along some of the sums."""
        moves, place = np.zeros((len(steps), 2 * len(at))), np.arange(len(at))
        moves[at, place], moves[at, place + len(at)] = steps[at], -steps[at]
        moved = [
            part.sums[:, None] + move
            for part, move in zip(self.parts, np.split(moves, ends), strict=True)
        ]
        block = CaseWeights(np.ones((n_cases, 1), np.uint16), self.remember(moved))
        up, down = np.split(function(block), 2, axis=1)
        return np.asarray((up - down) / (2 * steps[at]))


def _chunks(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return np.split(places, range(_AT_ONCE, len(places), _AT_ONCE))


def tangent(view: Any, block: CaseWeights) -> Tangent | None:
    """The tangent of the sums that a block of one weighting remembers; None where unknown."""
    if parts := getattr(view, "parts", ()):
        return _of_parts(list(dict.fromkeys(parts)), block)
    make = _MAKERS.get(type(view))
    if make is None or not len(getattr(view, "order", view)):
        return None
    # where a right answer costs or a wrong one is free, failures are ranked by a view of their own
    # and so is the optimum where several raters have a row each
    is_other = isinstance(view, Ranking) and not (view.by_right is view.by_judgment is view)
    is_void = isinstance(view, Ranking) and not view.row_weight[view.order].any()
    return None if is_other or is_void else make(view, block)


def _of_parts(views: Sequence[Any], block: CaseWeights) -> Tangent | None:
    """The tangent of a view that is made of others of the same cases: theirs, case by case."""
    known = [along for view in views if (along := tangent(view, block)) is not None]
    if len(known) < len(views):
        return None
    ends = np.cumsum([len(along.parts) for along in known]).tolist()

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        spans = zip(known, [0, *ends], ends, strict=False)
        own = (along.remember(moved[start:end]) for along, start, end in spans)
        return {key: sums for memory in own for key, sums in memory.items()}

    return Tangent([part for along in known for part in along.parts], remember)


def _uses(block: CaseWeights, sums: str) -> bool:
    return any(key[1] == sums for key in block.memory)  # type: ignore[index]  # once_a_block's keys


def _by_case(view: Any, lane: NDArray[Any] | None = None) -> Callable[[Floats], Floats]:
    """What moves with each lane of the rows in order -> with each case, by the weights of its rows.

    By default each row has a lane; after all comes that of abstained rows, which move no area.
    Of very many rows these columns are added up as they are made, not held.
    """
    silent = view.case_weight - np.bincount(view.index, view.own, view.n_cases)

    def add_up(by_lane: Floats) -> Floats:
        rows = by_lane[:-1] if lane is None else by_lane[lane]
        rows = rows if view.own is None else rows * view.own
        return np.asarray(np.bincount(view.index, rows, view.n_cases) + by_lane[-1] * silent)

    return add_up


def _of_ranking(ranking: Ranking, block: CaseWeights) -> Tangent:
    totals, by_case = ranking.totals(block), ranking.case_columns
    families = {
        "totals": [
            Part.dense(totals.rows[0], by_case[0]),
            Part(totals.by_kind[:, 0], lambda slope: np.asarray(slope @ by_case[1:])),
        ]
    }
    if any(_uses(block, name) for name in ("areas", "exact", "hull")):
        families |= _areas_of(ranking, block)
    ends = np.cumsum([len(parts) for parts in families.values()]).tolist()

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        starts = zip(families, [0, *ends], ends, strict=False)
        sums = {name: moved[start:end] for name, start, end in starts}
        rows, by_kind = sums["totals"]
        none = np.full_like(rows, np.nan)
        memory: dict[Hashable, Any] = {
            (ranking, "totals", ()): Totals(rows[0], by_kind, ranking.grades)
        }
        if "areas" in sums:
            risk, loss, *cuts = sums["areas"]
            reached = np.broadcast_to(none, (2, len(ranking.grid), none.shape[1]))
            shape = (2, len(ranking.cuts), none.shape[1])
            cut = np.concatenate([none[:0], *cuts]).reshape(shape)
            within = np.broadcast_to(none, (len(ranking.risks), none.shape[1]))
            memory[ranking, "areas", ()] = Areas(risk[0], loss[0], reached, cut, within)
        if "exact" in sums:
            memory[ranking, "exact", ()] = np.vstack(sums["exact"])
        if "hull" in sums:
            memory[ranking, "hull", ("risk",)], *of_loss = sums["hull"]
            memory[ranking, "hull", ("loss",)] = np.vstack(of_loss)
        return memory

    return Tangent([p for parts in families.values() for p in parts], remember)


def _areas_of(ranking: Ranking, block: CaseWeights) -> dict[str, list[Part]]:
    """The areas that a block remembers, by what it calls them."""
    from acumen.views.ranking_kernels import hull_corners

    own, tie = ranking.row_weight[ranking.order], tie_of_row(ranking.ends)
    x, y = (_sums(tie, own * part).cumsum() for part in (1.0, ranking.loss))
    heavy = np.diff(x, prepend=0.0) > 0.0
    curve, reach = (x[heavy], y[heavy]), x[tie] * (1 - 1e-12)
    first = np.searchsorted(curve[0], reach)
    families: dict[str, list[Part]] = {}
    by_case = _by_case(ranking)

    def along(points: tuple[Floats, ...], part: Callable[..., tuple[Floats, ...]]) -> Floats:
        place = first if points is curve else np.searchsorted(points[0], reach)
        return by_case(_along(ranking, place, points, part))

    under_loss = along(curve, _by_loss)
    if _uses(block, "areas"):
        areas = ranking.areas(block)
        families["areas"] = [
            Part.dense(areas.risk[0], along(curve, _by_risk)),
            Part.dense(areas.loss[0], under_loss),
            *(
                Part.dense(total, by_case(_up_to(ranking, curve, first, cut, part)))
                for totals, part in zip(areas.cut[..., 0], (_by_risk, _by_loss), strict=True)
                for total, cut in zip(totals, ranking.cuts, strict=True)
            ),
        ]
    if _uses(block, "exact"):
        exact = ranking.exact(block)[:, 0]
        pairs = np.append(_of_pairs(tie, own, ranking.loss > 0), 0.0)
        families["exact"] = [
            Part.dense(exact[0], along(curve, _exactly)),
            Part.dense(exact[1], by_case(pairs)),
            Part.dense(exact[2], under_loss),
        ]
    if _uses(block, "hull"):
        corners = hull_corners(curve[0], curve[1] / curve[0])
        hull = tuple(part[1:] for part in hull_corners(*(np.append(0.0, part) for part in curve)))
        slopes = (
            2 * along((corners[0], corners[0] * corners[1]), _by_risk),
            2 * along(hull, _by_loss),
            along(hull, _exactly),
        )
        areas_of_hull = ranking.hull(block, "risk")[0, 0], *ranking.hull(block, "loss")[:, 0]
        families["hull"] = [Part.dense(*pair) for pair in zip(areas_of_hull, slopes, strict=True)]
    return families


def _along(
    ranking: Ranking,
    first: NDArray[np.int64],
    points: tuple[Floats, ...],
    part: Callable[..., tuple[Floats, ...]],
) -> Floats:
    """Slope of an area over points (accepted weight, its loss) along every ranked row, and 0.

    A row moves all points at and after its ``first``: their weight by 1, their loss by its own.
    """
    x, y = points
    by_x, by_y = np.zeros((2, len(x) + 1))
    by_y[0] = 1.0  # before the first point the risk is that of the first: the area is its loss
    for start in range(0, len(x) - 1, _PIECES):
        here, there = (slice(start + i, min(start + _PIECES, len(x) - 1) + i) for i in (0, 1))
        start_x, start_y, end_x, end_y = part(x[here], y[here], x[there], y[there])
        by_x[here] += start_x
        by_y[here] += start_y
        by_x[there] += end_x
        by_y[there] += end_y
    if part is _by_loss:  # but that of the loss is a triangle
        by_x[0], by_y[0] = by_x[0] + y[0] / 2, by_y[0] - 1.0 + x[0] / 2
    for by in (by_x, by_y):
        np.cumsum(by[::-1], out=by[::-1])
    along = np.zeros(len(first) + 1)
    np.multiply(ranking.loss, by_y[first], out=along[:-1])
    along[:-1] += by_x[first]
    return along


def _up_to(
    ranking: Ranking,
    points: tuple[Floats, ...],
    tie: NDArray[np.int64],
    coverage: float,
    part: Callable[..., tuple[Floats, ...]],
) -> Floats:
    """Slope of an area up to a coverage, which moves with the weight of all rows."""
    x, y = points
    stop = coverage * float(ranking.row_weight.sum())
    last = int(np.searchsorted(x, stop))
    if last == len(x):
        return _along(ranking, tie, points, part)
    is_risk = part is _by_risk
    x0, y0 = (x[last - 1], y[last - 1]) if last else (0.0, 0.0)
    x1, y1 = x[last], y[last]
    width, share = stop - x0, (stop - x0) / (x1 - x0)
    high = y1 / x1 if is_risk else y1
    low = (y0 / x0 if last else high) if is_risk else y0
    rise = high - low
    # the last piece is width · (low + rise · share / 2); before the first point risk is flat
    by_high = width if is_risk and not last else width * share / 2
    by_low = width - by_high
    first = -low - rise * share * (1 - share / 2), by_low
    second = -rise * share * share / 2, by_high
    if is_risk:
        first = (first[0] - by_low * low / x0, by_low / x0) if last else (0.0, 0.0)
        second = second[0] - by_high * high / x1, by_high / x1
    along = np.zeros(len(tie) + 1)
    if last:
        along = _along(ranking, np.minimum(tie, last), (x[:last], y[:last]), part)
        along[:-1] += (tie < last) * (first[0] + ranking.loss * first[1])
    along[:-1] += (tie <= last) * (second[0] + ranking.loss * second[1])
    return np.asarray(along + coverage * (low + rise * share))


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


def _of_confusion(table: Confusion, block: CaseWeights) -> Tangent:
    base = table.sums(block)[..., 0]

    def along(slope: Floats) -> Floats:
        rows = slope[table.cell] * (1.0 if table.weight is None else table.weight)
        return np.bincount(table.case, rows, table.n_cases).astype(np.float64)

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        return {(table, "sums", ()): moved[0].reshape(*base.shape, -1)}

    return Tangent([Part(base.ravel(), along)], remember)


def _of_forecast(view: Forecast, block: CaseWeights) -> Tangent:
    p, y, moments = view.probability, view.target, view.moments(block)
    by_case = _by_case(view, view.atom)
    sums = np.concatenate([getattr(moments, name) for name in Moments.__slots__])
    scale, steps = float(sums[0]), 0.0

    def along_bins(slope: Floats) -> Floats:
        weight, probability, target = slope.reshape(3, BINS)[:, equal_width_bin(p)]
        return by_case(np.append(weight + probability * p + target * y, 0.0))

    def along_cosines(slope: Floats) -> Floats:
        from acumen.views.cell_kernels import cosine_series

        return by_case(np.append((y - p) * cosine_series(slope, p), 0.0))

    parts = {"moments": Part(sums, lambda slope: np.asarray(slope @ view.moment_columns), scale)}
    if _uses(block, "bins"):
        parts["bins"] = Part(view.bins(block, BINS).ravel(), along_bins, scale)
    if _uses(block, "cosines"):
        parts["cosines"] = Part(view.cosines(block)[:, 0], along_cosines, scale)
    if _uses(block, "pooled"):
        squares, steps = view.pooled(block)[:, 0]
        fit = view.isotonic()
        # the regression has the least squares, so only the row's own square moves them
        parts["pooled"] = Part.dense(squares, by_case(np.append(fit * (2 * y - fit), 0.0)))

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        known = dict(zip(parts, moved, strict=True))
        memory: dict[Hashable, Any] = {(view, "moments", ()): Moments(*known["moments"])}
        if "bins" in known:
            memory[view, "bins", (BINS,)] = known["bins"].reshape(3, BINS, -1)
        if "cosines" in known:
            memory[view, "cosines", ()] = known["cosines"]
        if "pooled" in known:
            squares = known["pooled"]
            memory[view, "pooled", ()] = np.vstack([squares, np.full_like(squares, steps)])
        return memory

    return Tangent([*parts.values()], remember)


def _of_severity(ranking: SeverityRanking, block: CaseWeights) -> Tangent:
    # rows of one tie and level move alike: of predicted levels there are a few such lanes
    code = tie_of_row(ranking.ends) * ranking.levels + ranking.level
    there = np.zeros(len(ranking.ends) * ranking.levels, bool)
    there[code] = True
    lane = (np.cumsum(there, dtype=np.int32) - 1)[code]
    tie, level = np.divmod(np.flatnonzero(there), ranking.levels)
    by_case = _by_case(ranking, lane)
    size, own = len(tie), _sums(lane, ranking.row_weight[ranking.order])
    base = ranking.sums(block)
    high = level >= np.arange(1, ranking.levels)[:, None]
    risky, top = own * (level > 0), level == ranking.levels - 1
    ordering = np.where(level > 0, _of_precision(tie, risky, risky * top, top), 0.0)
    slopes: tuple[Sequence[Floats], ...] = (
        [np.ones(size)],
        [*high.astype(np.float64)],
        [_of_precision(tie, own, own * row, row) for row in high],
        [_of_pairs(tie, own, row) for row in high],
        [ordering],
    )
    names = ThresholdSums.__slots__
    sizes = np.cumsum([len(part) for part in slopes])[:-1]
    sums = [np.atleast_2d(getattr(base, name))[:, 0] for name in names]
    parts = [
        Part.dense(total, by_case(np.append(by_lane, 0.0)))
        for totals, rows in zip(sums, slopes, strict=True)
        for total, by_lane in zip(totals, rows, strict=True)
    ]

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        weight, above, precision, outranked, order = np.split(np.vstack(moved), sizes)
        sums = ThresholdSums(weight[0], above, precision, outranked, order[0])
        return {(ranking, "sums", ()): sums}

    return Tangent(parts, remember)


def _of_reasoning(view: Reasoning, block: CaseWeights) -> Tangent:
    names, columns = list(view.right), view.columns
    sums = Part(columns.sum(axis=1), lambda slope: slope @ columns)

    def remember(moved: list[Floats]) -> dict[Hashable, Any]:
        right, of = np.split(moved[0], 2)
        return {(view, "sums", ()): dict(zip(names, zip(right, of, strict=True), strict=True))}

    return Tangent([sums], remember)


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


def _sums(index: NDArray[np.int64], values: Floats) -> Floats:
    return np.bincount(index, weights=values).astype(np.float64)


_MAKERS: Final[dict[type, Callable[[Any, CaseWeights], Tangent]]] = {
    Ranking: _of_ranking,
    Confusion: _of_confusion,
    Forecast: _of_forecast,
    SeverityRanking: _of_severity,
    Reasoning: _of_reasoning,
}
