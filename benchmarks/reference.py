"""Selective metrics over a list of objects, one sort and one walk a metric: as people write it.

Correct, readable, and what the compiled engine is measured against. Nothing here is clever on
purpose; ``shared=True`` gives all metrics one curve, as a careful author would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float, float]
"""Coverage, selective risk, generalized risk."""
GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass
class Item:
    """One judgment."""

    case: int
    prediction: int | None
    truth: int
    confidence: float

    @property
    def loss(self) -> int:
        return 0 if self.prediction is None else abs(self.prediction - self.truth)


def collect(by_case: dict[int, list[Item]], drawn: list[int]) -> list[Item]:
    """The rows of the cases that were drawn."""
    return [item for case in drawn for item in by_case[case]]


def curve(items: list[Item]) -> list[Point]:
    """Working points, one for each distinct confidence."""
    answered = [item for item in items if item.prediction is not None]
    answered.sort(key=lambda item: item.confidence, reverse=True)
    points: list[Point] = []
    accepted, lost, index = 0, 0.0, 0
    while index < len(answered):
        confidence = answered[index].confidence
        while index < len(answered) and answered[index].confidence == confidence:
            accepted += 1
            lost += answered[index].loss
            index += 1
        points.append((accepted / len(items), lost / accepted, lost / len(items)))
    return points


def best_curve(items: list[Item]) -> list[Point]:
    """The curve had the answered rows been ranked by loss, one row a point."""
    losses = sorted(item.loss for item in items if item.prediction is not None)
    points: list[Point] = []
    lost = 0.0
    for place, loss in enumerate(losses, start=1):
        lost += loss
        points.append((place / len(items), lost / place, lost / len(items)))
    return points


def area_of_risk(points: list[Point], most: float = 1.0) -> float:
    """Trapezoids under selective risk, flat before the first point, up to a coverage."""
    area, x0, y0 = 0.0, 0.0, points[0][1]
    for x, y, _ in points:
        if x > most:
            y_cut = y0 + (y - y0) * (most - x0) / (x - x0)
            return area + (most - x0) * (y_cut + y0) / 2
        area += (x - x0) * (y + y0) / 2
        x0, y0 = x, y
    return area


def area_of_loss(points: list[Point], most: float = 1.0) -> float:
    """Trapezoids under generalized risk, from the origin, up to a coverage."""
    area, x0, y0 = 0.0, 0.0, 0.0
    for x, _, y in points:
        if x > most:
            y_cut = y0 + (y - y0) * (most - x0) / (x - x0)
            return area + (most - x0) * (y_cut + y0) / 2
        area += (x - x0) * (y + y0) / 2
        x0, y0 = x, y
    return area


def area_of_hull(points: list[Point]) -> float:
    """Area under the lower convex hull of (coverage, selective risk)."""
    hull: list[Point] = []
    for point in points:
        while len(hull) > 1:
            (x0, y0, _), (x1, y1, _) = hull[-2], hull[-1]
            if (y1 - y0) * (point[0] - x1) < (point[1] - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append(point)
    return area_of_risk(hull)


def area_of_loss_hull(points: list[Point]) -> float:
    """Area under the lower convex hull of the origin and (coverage, generalized risk)."""
    hull = [(0.0, 0.0)]
    for x, _, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(hull))


def risk_to_the_end(points: list[Point]) -> float:
    """AURC to full coverage, the abstained rows entering last at no loss."""
    cmax, risk, lost = points[-1]
    return area_of_risk(points) + (1 - cmax) * (lost + risk) / 2


def loss_to_the_end(points: list[Point]) -> float:
    """AUGRC to full coverage, the abstained rows entering last at no loss."""
    cmax, _, lost = points[-1]
    return area_of_loss(points) + (1 - cmax) * lost


def risk_at(points: list[Point], coverage: float) -> float | None:
    """Mean loss of the surest rows up to a coverage, a tie in proportion."""
    before, lost_before = 0.0, 0.0
    for x, _, lost in points:
        if x >= coverage - 1e-9:
            part = min(1.0, (coverage - before) / (x - before))
            return (lost_before + (lost - lost_before) * part) / min(coverage, x)
        before, lost_before = x, lost
    return None


def percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


Curves = tuple[list[Point], list[Point]]
FromCurves = Callable[[Curves], float | None]


def at(coverage: float) -> FromCurves:
    """The mean loss at a coverage, as a metric."""
    return lambda curves: risk_at(curves[0], coverage)


METRICS: dict[str, FromCurves] = {
    "coverage": lambda c: c[0][-1][0],
    "mean_loss": lambda c: c[0][-1][1],
    "aurc": lambda c: area_of_risk(c[0]),
    "augrc": lambda c: area_of_loss(c[0]),
    "aurc_optimal": lambda c: area_of_risk(c[1]),
    "augrc_optimal": lambda c: area_of_loss(c[1]),
    "eaurc": lambda c: area_of_risk(c[0]) - area_of_risk(c[1]),
    "eaugrc": lambda c: area_of_loss(c[0]) - area_of_loss(c[1]),
    "aurc_gap_pct": lambda c: percent(area_of_risk(c[0]) - area_of_risk(c[1]), area_of_risk(c[1])),
    "augrc_gap_pct": lambda c: percent(area_of_loss(c[0]) - area_of_loss(c[1]), area_of_loss(c[1])),
    "aurc_achievable": lambda c: area_of_hull(c[0]),
    "achievable_gain_pct": lambda c: percent(
        area_of_risk(c[0]) - area_of_hull(c[0]), area_of_risk(c[0])
    ),
    "aurc_at_coverage": lambda c: area_of_risk(c[0], 0.5),
    "augrc_at_coverage": lambda c: area_of_loss(c[0], 0.5),
    "augrc_achievable": lambda c: area_of_loss_hull(c[0]),
    "aurc_normalized": lambda c: area_of_risk(c[0]) / c[0][-1][0],
    "augrc_normalized": lambda c: area_of_loss(c[0]) / c[0][-1][0] ** 2,
    "aurc_extend": lambda c: risk_to_the_end(c[0]),
    "augrc_extend": lambda c: loss_to_the_end(c[0]),
    **{f"mean_loss_at_coverage@{x:g}": at(x) for x in GRID},
}
NEEDS_BEST = frozenset(
    ("aurc_optimal", "augrc_optimal", "eaurc", "eaugrc", "aurc_gap_pct", "augrc_gap_pct")
)


def replicate(
    by_case: dict[int, list[Item]], drawn: list[int], *, shared: bool
) -> dict[str, float | None]:
    """All metrics of one resample; each with rows and curves of its own unless they are shared."""
    if shared:
        items = collect(by_case, drawn)
        both = curve(items), best_curve(items)
        return {name: metric(both) for name, metric in METRICS.items()}
    return {name: alone(name, collect(by_case, drawn)) for name in METRICS}


def alone(name: str, items: list[Item]) -> float | None:
    """One metric from the rows: sort, walk, integrate."""
    best = best_curve(items) if name in NEEDS_BEST else []
    return METRICS[name]((curve(items), best))
