"""The few compiled loops. One source: compiled by Numba, or run as it stands for tests.

Rows come ranked, in blocks of equal confidence (``ends`` are the blocks' exclusive ends). A row's
weight in replicate ``b`` is ``counts[index[row], b]``, times ``row_weight[row]`` when the rows have
weights of their own. Losses are whole units wherever they can be, so sums of losses and of whole
weights are exact whatever the order of the rows; divisions come last.

``k`` is the weight accepted so far, ``l`` its summed loss, ``n`` the weight of all rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.compiled import compiled, inlined

Array = NDArray[Any]


SHORT = 0.05  # how far apart, relative to their sum, two numbers may be for a series of their logs


@inlined
def log_ratio(a: float, b: float) -> float:
    """ln(b/a) for b ≥ a > 0, to full relative precision also when b is close to a."""
    z = (b - a) / (b + a)
    return math.log(b / a) if z > SHORT else short_log_ratio(z)


@inlined
def short_log_ratio(z: float) -> float:
    """The same by its series in z = (b − a)/(b + a), where that is at most ``SHORT``."""
    s = z * z
    series = 1.0 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s / 13)))))
    return 2.0 * z * series


@inlined
def harmonic_step(a: float, b: float) -> float:
    """1/(a+1) + … + 1/b, continued between whole numbers: ψ(b+1) − ψ(a+1)."""
    total = 0.0
    while a < 20.0 and a + 1.0 <= b:
        a += 1.0
        total += 1.0 / a
    if a < 20.0:
        return total + digamma(b + 1.0) - digamma(a + 1.0) if a < b else total
    # both series in powers of 1/(x + ½)², subtracted term by term so that nothing cancels
    p, q = 1.0 / (a + 0.5), 1.0 / (b + 0.5)
    p, q = p * p, q * q
    return total + log_ratio(a + 0.5, b + 0.5) - half_series(p) + half_series(q)


@inlined
def half_series(s: float) -> float:
    """ψ(x + 1) − ln(x + ½) as a series in s = 1/(x + ½)², for x ≥ 20."""
    return s * (1 / 24 - s * (7 / 960 - s * (31 / 8064 - s * (127 / 30720 - s * (511 / 67584)))))


@inlined
def digamma(x: float) -> float:
    """ψ(x) for x > 0: recurrence up to 20, then the asymptotic series."""
    shift = 0.0
    while x < 20.0:
        shift -= 1.0 / x
        x += 1.0
    s = 1.0 / (x * x)
    tail = s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132)))))
    return shift + math.log(x) - 0.5 / x - tail


@compiled
def weigh_columns(columns: Floats, counts: Array) -> Floats:
    """Per-case sums (one row a statistic) under each weighting: ``columns @ counts``, in order."""
    out = np.zeros((columns.shape[0], counts.shape[1]))
    for s in range(columns.shape[0]):
        for c in range(columns.shape[1]):
            value = columns[s, c]
            if value != 0.0:
                for b in range(counts.shape[1]):
                    out[s, b] += value * counts[c, b]
    return out


@compiled
def areas(
    index: Array,
    loss: Array,
    ends: Array,
    counts: Array,
    row_weight: Floats | None,
    reach: Floats,
    cut: Floats,
    most_risk: Floats,
    slack: float,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Trapezoid areas, and what happens on the way at given weights; many replicates abreast.

    ``reach[t, b]`` and ``cut[t, b]`` are accepted weights, rising in ``t``. Returns the doubled
    areas (under risk, under summed loss), ``(k, l)`` at the first working point that reaches each
    ``reach`` and at the one before it, up to each ``cut`` the two doubled areas and the loss, of a
    tie in proportion (NaN where never reached), and the most weight within each risk (in units,
    but for ``slack``), of a tie in proportion too.
    """
    lanes = counts.shape[1]
    total = np.zeros((2, lanes))
    reached = np.full((4, reach.shape[0], lanes), np.nan)
    cut_area = np.full((3, cut.shape[0], lanes), np.nan)
    within = np.zeros((most_risk.shape[0], lanes))
    k, l, r = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)  # noqa: E741
    k0, l0, r0 = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
    next_reach, next_cut = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
    alarm = np.empty(lanes)
    for b in range(lanes):
        alarm[b] = next_alarm(reach, cut, 0, 0, b)
    row = 0
    for end in ends:
        while row < end:
            here, cost = index[row], float(loss[row])
            if row_weight is None:  # a branch of its own: a weight of 1.0 costs 40% more time
                for b in range(lanes):
                    w = float(counts[here, b])
                    k[b] += w
                    l[b] += w * cost
            else:
                for b in range(lanes):
                    w = float(counts[here, b]) * row_weight[row]
                    k[b] += w
                    l[b] += w * cost
            row += 1
        ringing = 0
        for b in range(lanes):
            # the risk before the first working point is the risk at it
            r[b] = l[b] / max(k[b], 1e-300)
            r0[b] = r[b] if k0[b] == 0.0 else r0[b]
            ringing += k[b] >= alarm[b]
        if ringing > 0:
            for b in range(lanes):
                while k[b] > 0.0 and k[b] >= alarm[b]:
                    t = next_reach[b]
                    if t < reach.shape[0] and k[b] >= reach[t, b]:
                        reached[0, t, b], reached[1, t, b] = k[b], l[b]
                        reached[2, t, b], reached[3, t, b] = k0[b], l0[b]
                        next_reach[b] += 1
                    t = next_cut[b]
                    if t < cut.shape[0] and k[b] >= cut[t, b]:
                        x = cut[t, b] - k0[b]
                        share = x / (k[b] - k0[b]) if k[b] > k0[b] else 0.0
                        r_cut = r0[b] + (r[b] - r0[b]) * share
                        l_cut = l0[b] + (l[b] - l0[b]) * share
                        cut_area[0, t, b] = total[0, b] + x * (r0[b] + r_cut)
                        cut_area[1, t, b] = total[1, b] + x * (l0[b] + l_cut)
                        cut_area[2, t, b] = l_cut
                        next_cut[b] += 1
                    alarm[b] = next_alarm(reach, cut, next_reach[b], next_cut[b], b)
        for t in range(most_risk.shape[0]):
            limit = most_risk[t]
            for b in range(lanes):
                # what is left below the risk before this tie, and what the tie has beyond it
                room, over = limit * k0[b] - l0[b], (l[b] - l0[b]) - limit * (k[b] - k0[b])
                part = k0[b] + (k[b] - k0[b]) * max(room, 0.0) / max(over, 1e-300)
                was_within = k0[b] > 0.0 and room >= -slack * k0[b]
                part = part if was_within else within[t, b]
                within[t, b] = k[b] if over <= room + slack * k[b] else part
        for b in range(lanes):
            step = k[b] - k0[b]
            total[0, b] += step * (r[b] + r0[b])
            total[1, b] += step * (l[b] + l0[b])
            k0[b], l0[b], r0[b] = k[b], l[b], r[b]
    return total, reached, cut_area, within


@inlined
def next_alarm(reach: Floats, cut: Floats, at_reach: int, at_cut: int, b: int) -> float:
    """The next accepted weight at which replicate ``b`` has something to note."""
    first = reach[at_reach, b] if at_reach < reach.shape[0] else np.inf
    second = cut[at_cut, b] if at_cut < cut.shape[0] else np.inf
    return min(first, second)


@inlined
def ready(loss: Array, ends: Array) -> tuple[Floats, Array]:
    """Losses as floats, and which rows end a tie: what :func:`walk` reads, once for all lanes."""
    last = np.zeros(loss.shape[0], np.bool_)
    for end in ends:
        last[end - 1] = True
    return loss.astype(np.float64), last


@inlined
def walk(
    index: Array,
    cost: Floats,
    last: Array,
    lane: Floats,
    row_weight: Floats | None,
    k: Floats,
    l: Floats,  # noqa: E741
) -> int:
    """Cumulate one replicate's working points; blocks without weight are skipped."""
    size, before = 0, 0.0
    k_now, l_now = 0.0, 0.0
    for row in range(index.shape[0]):
        w = lane[index[row]]
        if row_weight is not None:
            w *= row_weight[row]
        k_now += w
        l_now += w * cost[row]
        # written always, kept if it ends a block with weight: a branch would be a coin toss
        k[size], l[size] = k_now, l_now
        size += last[row] & (k_now > before)
        before = k_now if last[row] else before
    return size


@inlined
def exact_area(k: Floats, l: Floats, size: int) -> float:  # noqa: E741
    """∫ l(x)/x dx with l linear between the points, and from the origin to the first."""
    total = 0.0
    if size > 0:
        total += l[0]
    for j in range(1, size):
        width = k[j] - k[j - 1]
        slope = (l[j] - l[j - 1]) / width
        total += slope * width + (l[j - 1] - slope * k[j - 1]) * log_ratio(k[j - 1], k[j])
    return total


@inlined
def prune(k: Floats, y: Floats, size: int, out_k: Floats, out_y: Floats) -> int:
    """Leave out points that are not below the chord of their neighbours; in place if asked.

    Only these can be on a lower hull, and without a branch this is far quicker than the hull.
    """
    if size < 3:
        for j in range(size):  # a slice would take two seconds to compile
            out_k[j], out_y[j] = k[j], y[j]
        return size
    k0, y0, k1, y1 = k[0], y[0], k[1], y[1]
    out_k[0], out_y[0] = k0, y0
    top = 1
    for j in range(2, size):
        k2, y2 = k[j], y[j]
        out_k[top], out_y[top] = k1, y1
        top += (y1 - y0) * (k2 - k1) < (y2 - y1) * (k1 - k0)
        k0, y0, k1, y1 = k1, y1, k2, y2
    out_k[top], out_y[top] = k1, y1
    return top + 1


@inlined
def lower_hull(k: Floats, y: Floats, size: int, hull_k: Floats, hull_y: Floats) -> int:
    """Lower convex hull of the points (k, y), left to right."""
    size = prune(k, y, size, hull_k, hull_y)
    for _ in range(2):
        size = prune(hull_k, hull_y, size, hull_k, hull_y)
    top = 0
    for j in range(size):
        k2, y2 = hull_k[j], hull_y[j]
        while top > 1:
            k0, y0, k1, y1 = hull_k[top - 2], hull_y[top - 2], hull_k[top - 1], hull_y[top - 1]
            if (y1 - y0) * (k2 - k1) < (y2 - y1) * (k1 - k0):
                break
            top -= 1
        hull_k[top], hull_y[top] = k2, y2
        top += 1
    return top


@compiled
def exact(
    index: Array,
    loss: Array,
    ends: Array,
    counts: Array,
    row_weight: Floats | None,
) -> Floats:
    """By row: exact area, concordant pairs, lost pairs.

    The area is that of :func:`exact_area`. A pair is concordant whose right row is surer than the
    wrong one, and lost is each loss times the weight below it; a tie counts half.
    """
    lanes = counts.shape[1]
    out = np.zeros((3, lanes))
    k, l, wrong = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)  # noqa: E741
    k0, l0, wrong0 = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
    right_above, log = np.zeros(lanes), np.zeros(lanes)
    row = 0
    for end in ends:
        while row < end:
            here, cost, own = index[row], float(loss[row]), 1.0
            if row_weight is not None:
                own = row_weight[row]
            errs = 1.0 if cost > 0.0 else 0.0
            for b in range(lanes):
                w = float(counts[here, b]) * own
                k[b] += w
                l[b] += w * cost
                wrong[b] += w * errs
            row += 1
        far = 0
        for b in range(lanes):
            z = (k[b] - k0[b]) / max(k[b] + k0[b], 1e-300)
            log[b] = short_log_ratio(z)
            far += z > SHORT
        if far > 0:  # a loop of its own: with a logarithm in it lanes do not go abreast
            for b in range(lanes):
                log[b] = log_ratio(k0[b], k[b]) if k0[b] > 0.0 else 0.0
        for b in range(lanes):
            width = k[b] - k0[b]
            slope = (l[b] - l0[b]) / max(width, 1e-300)
            step = slope * width + (l0[b] - slope * k0[b]) * log[b]
            out[0, b] += step if k0[b] > 0.0 else l[b]
            wrong_here = wrong[b] - wrong0[b]
            right_here = width - wrong_here
            out[1, b] += wrong_here * (right_above[b] + right_here / 2)
            right_above[b] += right_here
            out[2, b] -= (l[b] - l0[b]) * (k[b] + k0[b]) / 2
            k0[b], l0[b], wrong0[b] = k[b], l[b], wrong[b]
    for b in range(lanes):
        out[2, b] += l[b] * k[b]
    return out


@compiled
def tie_orders(ranked: Any) -> Floats:
    """Σ over accepted rows of the risk so far, averaged over all orders inside each tie."""
    index, loss, ends, counts, row_weight = ranked
    out = np.zeros(counts.shape[1])
    k, l = np.zeros(ends.shape[0] + 2), np.zeros(ends.shape[0] + 2)  # noqa: E741
    cost, last = ready(loss, ends)
    for b in range(counts.shape[1]):
        lane = counts[:, b].astype(np.float64)
        for j in range(walk(index, cost, last, lane, row_weight, k[1:], l[1:])):
            slope = (l[j + 1] - l[j]) / (k[j + 1] - k[j])
            first = l[j] - slope * k[j]
            out[b] += slope * (k[j + 1] - k[j]) + first * harmonic_step(k[j], k[j + 1])
    return out


@compiled
def risks_at(ranked: Any, reach: Floats, unit: float) -> Floats:
    """``(lane, reach)``: risk of rising accepted weights, as ``np.interp`` has it; NaN beyond."""
    index, loss, ends, counts, row_weight = ranked
    out = np.full(reach.shape, np.nan)
    k, l = np.zeros(ends.shape[0] + 2), np.zeros(ends.shape[0] + 2)  # noqa: E741
    cost, last = ready(loss, ends)
    for b in range(reach.shape[0]):
        lane = counts[:, b].astype(np.float64)
        size, j = walk(index, cost, last, lane, row_weight, k[1:], l[1:]), 0
        for t in range(reach.shape[1]):
            x = reach[b, t]
            while j < size and k[j + 1] <= x:
                j += 1
            if 0.0 < x <= k[size] + 1e-9:
                lost = l[j] * unit
                if j < size and k[j] < x:
                    lost += (l[j + 1] * unit - lost) / (k[j + 1] - k[j]) * (x - k[j])
                out[b, t] = lost / x
    return out


@compiled
def hulls(ranked: Any, of_loss: bool) -> Floats:
    """The doubled area under the lower hull of risk; or of summed loss, and the exact area too."""
    index, loss, ends, counts, row_weight = ranked
    blocks, lanes = ends.shape[0], counts.shape[1]
    out = np.zeros((2, lanes))
    # the origin stands in front: it belongs to the hull of summed loss, not to that of risk
    k, l = np.zeros(blocks + 2), np.zeros(blocks + 2)  # noqa: E741
    risk, (cost, last) = np.empty(blocks + 1), ready(loss, ends)
    hull_k, hull_y = np.empty(blocks + 2), np.empty(blocks + 2)
    for b in range(lanes):
        lane = counts[:, b].astype(np.float64)
        size = walk(index, cost, last, lane, row_weight, k[1:], l[1:])
        if of_loss:
            top = lower_hull(k, l, size + 1, hull_k, hull_y)
            out[1, b] = exact_area(hull_k[1:], hull_y[1:], top - 1)
        else:
            for j in range(size):
                risk[j] = l[j + 1] / k[j + 1]
            top = lower_hull(k[1:], risk, size, hull_k, hull_y)
            out[0, b] = 2.0 * hull_k[0] * hull_y[0] if top > 0 else 0.0
        area = 0.0
        for j in range(1, top):
            area += (hull_k[j] - hull_k[j - 1]) * (hull_y[j] + hull_y[j - 1])
        out[0, b] += area
    return out


@compiled
def hull_corners(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of the lower convex hull of points by rising ``x``."""
    hull_x, hull_y = np.empty(x.shape[0]), np.empty(x.shape[0])
    top = lower_hull(x, y, x.shape[0], hull_x, hull_y)
    return hull_x[:top], hull_y[:top]


@compiled
def optimum(by_kind: Floats, costs: Floats) -> Floats:
    """Areas when rows are ranked by loss, from the weight of each kind, cheapest first.

    Under risk with one row a point, under summed loss (both doubled), under risk with ties kept.
    """
    out = np.zeros((3, by_kind.shape[1]))
    for b in range(by_kind.shape[1]):
        k0, l0, first, last = 0.0, 0.0, -1.0, 0.0
        for kind in range(by_kind.shape[0]):
            cost, width = costs[kind], by_kind[kind, b]
            if width <= 0.0:
                continue
            k1, l1 = k0 + width, l0 + cost * width
            below = l0 - cost * k0
            if first < 0.0:
                first = cost
            out[0, b] += 2.0 * (cost * width + below * harmonic_step(k0, k1))
            out[1, b] += width * (l0 + l1)
            out[2, b] += cost * width + (below * log_ratio(k0, k1) if k0 > 0.0 else 0.0)
            last = l1 / k1
            k0, l0 = k1, l1
        out[0, b] += first - last if first >= 0.0 else 0.0
    return out


@compiled
def first_without(
    whole: Floats, own: Floats, tie: Array, start: Array, need: Floats, middle: bool
) -> tuple[Array, Array]:
    """Without each group: how many ties reach a sum, and where the group's rows in them end.

    ``whole`` and ``own`` cumulate the sum over ties and over the rows of the groups, ``tie`` is
    that of those rows. Of a ``middle`` the ties before the one whose middle reaches it are meant.
    """
    ties, (groups, needs) = whole.shape[0] - 1, need.shape
    until, rows = np.empty((groups, needs), np.int64), np.empty((groups, needs), np.int64)
    for g in range(groups):
        first, last = start[g], start[g + 1]
        of_group = tie[first:last]
        for j in range(needs):
            low, high = 0, ties
            while low < high:
                mid = (low + high) // 2
                at = first + np.searchsorted(of_group, mid + 1)
                here = whole[mid + 1] - (own[at] - own[first])
                if middle:
                    at = first + np.searchsorted(of_group, mid)
                    here = (here + whole[mid] - (own[at] - own[first])) / 2
                if here >= need[g, j]:
                    high = mid
                else:
                    low = mid + 1
            until[g, j] = low if middle and low < ties else low + 1
            rows[g, j] = first + np.searchsorted(of_group, until[g, j])
    return until, rows
