"""Section by section, the selective metrics in exact fractions; logarithms by mpmath.

Nothing here is shared with the package. A weight k is written as the row k times.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise

import mpmath

mpmath.mp.dps = 50


@dataclass(frozen=True)
class Row:
    loss: int
    confidence: float
    answered: bool = True
    weight: int = 1


def written_out(rows: list[Row]) -> list[Row]:
    return [Row(r.loss, r.confidence, r.answered) for r in rows for _ in range(r.weight)]


def points(losses_in_ties: list[list[int]]) -> list[tuple[int, int]]:
    """(accepted rows, summed loss) after each tie."""
    k, total, out = 0, 0, []
    for tie in losses_in_ties:
        k += len(tie)
        total += sum(tie)
        out.append((k, total))
    return out


def ties(rows: list[Row]) -> list[list[int]]:
    ranked = sorted((r for r in rows if r.answered), key=lambda r: -r.confidence)
    return [[r.loss for r in tie] for _, tie in groupby(ranked, key=lambda r: r.confidence)]


def trapezoid_risk(pts: list[tuple[int, int]], n: int) -> Fraction:
    area, x0, y0 = Fraction(0), Fraction(0), Fraction(pts[0][1], pts[0][0])
    for k, total in pts:
        x, y = Fraction(k, n), Fraction(total, k)
        area += (x - x0) * (y + y0) / 2
        x0, y0 = x, y
    return area


def trapezoid_loss(pts: list[tuple[int, int]], n: int) -> Fraction:
    area, x0, y0 = Fraction(0), Fraction(0), Fraction(0)
    for k, total in pts:
        x, y = Fraction(k, n), Fraction(total, n)
        area += (x - x0) * (y + y0) / 2
        x0, y0 = x, y
    return area


def truncated(pts: list[tuple[int, int]], n: int, c: Fraction, *, generalized: bool) -> Fraction:
    c = min(c, Fraction(pts[-1][0], n))
    xs = [Fraction(0)] + [Fraction(k, n) for k, _ in pts]
    ys = [Fraction(t, n) if generalized else Fraction(t, k) for k, t in pts]
    ys.insert(0, Fraction(0) if generalized else ys[0])
    area = Fraction(0)
    for x0, x1, y0, y1 in zip(xs, xs[1:], ys, ys[1:], strict=False):
        if x0 >= c:
            break
        end = min(x1, c)
        y_end = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
        area += (end - x0) * (y0 + y_end) / 2
    return area


def exact_area(pts: list[tuple[int, int]], n: int) -> mpmath.mpf:
    """∫ G(x)/x dx over coverage, G linear between points and from the origin."""
    k0, l0 = pts[0]
    area = mpmath.mpf(l0)
    for k, total in pts[1:]:
        slope = Fraction(total - l0, k - k0)
        rest = l0 - slope * k0
        area += mpmath.mpf(total - l0)
        area += _mp(rest) * mpmath.log(mpmath.mpf(k) / k0)
        k0, l0 = k, total
    return area / n


def _mp(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def lower_hull(pts: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Every point that no chord of two others passes under or through: by definition, O(n³)."""
    keep = []
    for x, y in pts:
        hidden = any(
            x0 < x < x1 and y0 + (y1 - y0) * (x - x0) / (x1 - x0) <= y
            for x0, y0 in pts
            for x1, y1 in pts
        )
        if not hidden:
            keep.append((x, y))
    return keep


def area_under(pts: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum(
        ((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(pts)),
        Fraction(0),
    )


def random_ties(tied: list[list[int]], n: int) -> Fraction:
    """Mean over the rows of the expected risk so far, each order inside a tie equally likely."""
    total, k, loss = Fraction(0), 0, Fraction(0)
    for tie in tied:
        mean = Fraction(sum(tie), len(tie))
        for _ in tie:
            k += 1
            loss += mean
            total += loss / k
    return total / n


def auroc(rows: list[Row]) -> Fraction | None:
    right = [r.confidence for r in rows if r.answered and r.loss == 0]
    wrong = [r.confidence for r in rows if r.answered and r.loss > 0]
    if not right or not wrong:
        return None
    halves = sum((a > b) + (a >= b) for a in right for b in wrong)
    return Fraction(halves, 2) / (len(right) * len(wrong))


def surest(losses: list[Fraction], k: Fraction) -> Fraction:
    """Summed loss of the first k, the last of them in part."""
    whole = int(k)
    part = (k - whole) * losses[whole] if whole < k else Fraction(0)
    return sum(losses[:whole], Fraction(0)) + part


def all_metrics(rows: list[Row], coverage: Fraction, risk: Fraction) -> dict[str, object]:
    """Every metric by name; None where it is undefined."""
    rows = written_out(rows)
    n = len(rows)
    tied = ties(rows)
    if not tied:
        return {"coverage": Fraction(0)}
    pts = points(tied)
    answered, lost = pts[-1]
    losses = sorted(loss for tie in tied for loss in tie)
    cmax = Fraction(answered, n)
    singles = points([[loss] for loss in losses])
    by_loss = points([list(g) for _, g in groupby(losses)])
    hull_risk = lower_hull([(Fraction(k, n), Fraction(t, k)) for k, t in pts])
    hull_loss = lower_hull(
        [(Fraction(0), Fraction(0))] + [(Fraction(k, n), Fraction(t, n)) for k, t in pts]
    )
    aurc, augrc = trapezoid_risk(pts, n), trapezoid_loss(pts, n)
    aurc_opt, augrc_opt = trapezoid_risk(singles, n), trapezoid_loss(singles, n)
    achievable = area_under(hull_risk) + hull_risk[0][0] * hull_risk[0][1]
    exact, exact_opt = exact_area(pts, n), exact_area(by_loss, n)
    hull_points = [(int(x * n), int(y * n)) for x, y in hull_loss[1:]]
    first = next(((k, t) for k, t in pts if Fraction(k, n) >= coverage), None)
    written = [Fraction(sum(tie), len(tie)) for tie in tied for _ in tie]  # each at its tie's mean
    inside = [i for i, (k, t) in enumerate(pts) if Fraction(t, k) <= risk]
    within = Fraction(0)
    if inside:
        k, t = pts[inside[-1]]
        within = Fraction(k)
        if k < answered:  # so far into the next tie that its loss uses up the room
            within += (risk * k - t) / (written[k] - risk)
    silent = n - answered
    risk_end, risk_all = Fraction(lost, answered), Fraction(lost + silent, n)
    charged = pts + ([(n, lost + silent)] if silent else [])
    extended = pts + ([(n, lost)] if silent else [])
    pairs = Fraction(0)
    for i, tie in enumerate(tied):
        below = sum(len(t) for t in tied[i + 1 :])
        pairs += sum(tie) * (below + Fraction(len(tie), 2))
    return {
        "coverage": cmax,
        "mean_loss": risk_end,
        "accuracy": Fraction(losses.count(0), answered),
        "off_by_one_accuracy": Fraction(sum(x <= 1 for x in losses), answered),
        "aurc": aurc,
        "augrc": augrc,
        "aurc_optimal": aurc_opt,
        "augrc_optimal": augrc_opt,
        "eaurc": aurc - aurc_opt,
        "eaugrc": augrc - augrc_opt,
        "aurc_gap_pct": 100 * (aurc - aurc_opt) / aurc_opt if aurc_opt else None,
        "augrc_gap_pct": 100 * (augrc - augrc_opt) / augrc_opt if augrc_opt else None,
        "aurc_achievable": achievable,
        "achievable_gain_pct": 100 * (aurc - achievable) / aurc if aurc else None,
        "aurc_at_coverage": truncated(pts, n, coverage, generalized=False),
        "augrc_at_coverage": truncated(pts, n, coverage, generalized=True),
        "mean_loss_at_coverage": surest(written, coverage * n) / (coverage * n) if first else None,
        "mean_loss_at_cut": Fraction(first[1], first[0]) if first else None,
        "coverage_at_risk": within / n if inside else None,
        "failure_auroc": auroc(rows),
        "aurc_exact": exact,
        "aurc_exact_optimal": exact_opt,
        "aurc_exact_excess": exact - exact_opt,
        "aurc_exact_achievable": exact_area(hull_points, n),
        "augrc_achievable": area_under(hull_loss),
        "aurc_normalized": aurc / cmax,
        "augrc_normalized": augrc / cmax**2,
        "aurc_charge": trapezoid_risk(charged, n),
        "augrc_charge": trapezoid_loss(charged, n),
        "aurc_extend": trapezoid_risk(extended, n),
        "augrc_extend": trapezoid_loss(extended, n),
        "aurc_random_ties": random_ties(tied, n),
        "augrc_pairs": pairs / n**2,
        "_risk_all": risk_all,
    }
