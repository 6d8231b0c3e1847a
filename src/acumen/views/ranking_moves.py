r"""How the sums of a ranking move with the weight of a case.

Areas are made of points of a curve. A row moves all points at and after its own: their weight by 1,
their loss by its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.tangents import Part, Tangent, by_case, of_pairs, summed
from acumen.views.weights import CaseWeights, Sum, tie_of_row

if TYPE_CHECKING:
    from acumen.views.ranking import Ranking

_PIECES: Final = 1 << 16
"""Pieces of a curve that are looked at together."""


def tangent(ranking: Ranking, block: CaseWeights) -> Tangent | None:
    """The tangent of the sums that a block remembers."""
    # where a right answer costs or a wrong one is free, failures are ranked by a view of their own
    # and so is the optimum where several raters have a row each
    is_other = not (ranking.by_right is ranking.by_judgment is ranking)
    if not len(ranking.order) or is_other or not ranking.row_weight[ranking.order].any():
        return None
    parts = _totals_of(ranking, block) | _areas_of(ranking, block)
    ends = np.cumsum([len(some) for some in parts.values()]).tolist()

    def name(moved: list[Floats]) -> Mapping[Sum, Any]:
        known: dict[Sum, Any] = {}
        for key, start, end in zip(parts, [0, *ends], ends, strict=False):
            own = moved[start:end]
            match key.name:
                case "totals":
                    totals = ranking.totals(block)
                    known[key] = replace(totals, rows=own[0][0], by_kind=own[1])
                case "area":
                    known[key] = own[0][0]
                case _:
                    known[key] = np.vstack(own)
        return known

    return Tangent([part for some in parts.values() for part in some], name) if parts else None


def _totals_of(ranking: Ranking, block: CaseWeights) -> dict[Sum, list[Part]]:
    if not block.sums_of(ranking, "totals"):
        return {}
    totals, columns = ranking.totals(block), ranking.case_columns
    rows = Part.dense(totals.rows[0], columns[0])
    kinds = Part(totals.by_kind[:, 0], lambda slope: np.asarray(slope @ columns[1:]))
    return {Sum(ranking, "totals"): [rows, kinds]}


def _areas_of(ranking: Ranking, block: CaseWeights) -> dict[Sum, list[Part]]:
    """The areas that a block remembers."""
    from acumen.views.ranking_kernels import hull_corners

    asked = [name for name in ("areas", "exact", "hull") if block.sums_of(ranking, name)]
    if not asked:
        return {}
    own, tie = ranking.row_weight[ranking.order], tie_of_row(ranking.ends)
    x, y = (summed(tie, own * part).cumsum() for part in (1.0, ranking.loss))
    heavy = np.diff(x, prepend=0.0) > 0.0
    curve, reach = (x[heavy], y[heavy]), x[tie] * (1 - 1e-12)
    first = np.searchsorted(curve[0], reach)
    of_case = by_case(ranking)

    def along(points: tuple[Floats, ...], part: Callable[..., tuple[Floats, ...]]) -> Floats:
        place = first if points is curve else np.searchsorted(points[0], reach)
        return of_case(_along(ranking, place, points, part))

    known: dict[Sum, list[Part]] = {}
    under_loss = along(curve, _by_loss)
    if "areas" in asked:
        by_risk = Part.dense(ranking.area(block, "risk")[0], along(curve, _by_risk))
        known[Sum(ranking, "area", ("risk",))] = [by_risk]
        by_loss = Part.dense(ranking.area(block, "loss")[0], under_loss)
        known[Sum(ranking, "area", ("loss",))] = [by_loss]
        for row, (of, part) in enumerate((("risk", _by_risk), ("loss", _by_loss))):
            for cut, total in zip(ranking.cuts, ranking.areas(block).cut[row, :, 0], strict=True):
                by_row = _up_to(ranking, curve, first, cut, part)
                known[Sum(ranking, "area", (of, cut))] = [Part.dense(total, of_case(by_row))]
    if "exact" in asked:
        pairs = np.append(of_pairs(tie, own, ranking.loss > 0), 0.0)
        of_exact = along(curve, _exactly), of_case(pairs), under_loss
        known[Sum(ranking, "exact")] = _dense(ranking.exact(block), *of_exact)
    for key in block.sums_of(ranking, "hull"):
        if key.arguments == ("risk",):
            corners = hull_corners(curve[0], curve[1] / curve[0])
            slopes = [2 * along((corners[0], corners[0] * corners[1]), _by_risk)]
        else:
            with_origin = hull_corners(*(np.append(0.0, part) for part in curve))
            hull = tuple(part[1:] for part in with_origin)
            slopes = [2 * along(hull, _by_loss), along(hull, _exactly)]
        known[key] = _dense(ranking.hull(block, *key.arguments), *slopes)
    return known


def _dense(sums: Floats, *by_case: Floats) -> list[Part]:
    # the hull of risk has no exact area: its second row is nothing
    return [Part.dense(total, slope) for (total,), slope in zip(sums, by_case, strict=False)]


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
