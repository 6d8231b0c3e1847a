"""A case as one judgment: its total, or its side of the cut, with a confidence of its own.

So everything that is known of judgments (risk–coverage, thresholds with a promise) is known of
cases: a case with an open item, or an open side, is one that was not answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from acumen import confidence as confidences
from acumen.errors import UsageError, printable
from acumen.inference.infer import infer
from acumen.inference.matched import compare_matched
from acumen.inference.options import Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.readers.columns import from_columns
from acumen.results.totals import PairOfRisks, Selective, WorkingPoint
from acumen.table.judgments import Judgments
from acumen.table.levels import MOST_LEVELS
from acumen.table.scale import Scale
from acumen.totals.sums import OPEN, Sums
from acumen.types import Floats
from acumen.views.ranking import Ranking, rank_judgments

AGGREGATES: Final[Mapping[str, Callable[..., Any]]] = {"min": np.nanmin, "mean": np.nanmean}
"""How the confidences of a case's items become one."""
MEASURES: Final = ("coverage", "mean_loss", "aurc", "augrc", "failure_auroc")
IN_POINTS: Final = ("mean_loss", "aurc", "augrc")
SIDES: Final = ("negative", "positive")
MOST_POINTS: Final = 200


def confidence_of(sums: Sums, table: Judgments, name: str, aggregate: str) -> Floats:
    """A confidence of each case: that of its least sure answer, or their mean."""
    if aggregate not in AGGREGATES:
        known = ", ".join(AGGREGATES)
        raise UsageError(f"no aggregate '{printable(aggregate)}'; there are {known}")
    place = {case: at for at, case in enumerate(sums.cases)}
    column = {item: at for at, item in enumerate(sums.formula.items)}
    cells = np.full(sums.added.shape, np.nan)
    for part in (table,) if table.unlabelled is None else (table, table.unlabelled):
        rows, values = part.included, confidences.compute(name, part)
        case = np.array([place.get(case, -1) for case in rows.cases])[rows.case]
        item = np.array([column.get(item, -1) for item in rows.items])[rows.item]
        there = (case >= 0) & (item >= 0) & rows.answered
        cells[case[there], item[there]] = values[there]
    out, some = np.full(len(sums), np.nan), ~np.isnan(cells).all(axis=1)
    out[some] = AGGREGATES[aggregate](cells[some], axis=1)
    return out


@dataclass(frozen=True, eq=False)
class CaseTable:
    """Cases as judgments, and what one rung of their scale is worth."""

    table: Judgments
    step: float
    loss: str

    @cached_property
    def view(self) -> Ranking:
        """The cases, surest first."""
        return rank_judgments(self.table, self.table.signals["confidence"].values, self.loss)

    def selective(self, level: float) -> Selective:
        """Risk against coverage, over the cases."""
        view, options = self.view, Options(resamples=0, confidence_level=level)
        numbers = infer([METRICS[name] for name in MEASURES], view, options)
        curve = view.curve()
        places = np.unique(np.linspace(0, len(curve) - 1, MOST_POINTS).round().astype(int))
        return Selective(
            cases=len(self.table),
            answered=int(self.table.answered.sum()),
            measures={
                name: inference.measured.times(self.step if name in IN_POINTS else 1.0)
                for name, inference in numbers.items()
            },
            curve=[
                WorkingPoint(
                    threshold=float(curve.threshold[at]),
                    coverage=float(curve.coverage[at]),
                    risk=float(curve.selective_risk[at]) * self.step,
                )
                for at in (places.tolist() if len(curve) else ())
            ],
        )


def compared(left: CaseTable, right: CaseTable, level: float) -> PairOfRisks:
    """Two systems at the coverage that both reach, and their areas; of the same cases."""
    options = Options(resamples=0, confidence_level=level)
    matched = compare_matched(left.view, right.view, options)
    areas = compare([METRICS["augrc"]], left.view, right.view, options)["augrc"]
    # numbers with their intervals: no side is called the better one
    risk, augrc = (
        delta.model_copy(update={"p_value": None, "favours": None}).times(left.step)
        for delta in (matched.difference, areas.delta())
    )
    return PairOfRisks(coverage=matched.coverage, risk=risk, augrc=augrc)


def by_total(sums: Sums, confidence: Floats) -> CaseTable | None:
    """Cases on the scale of their totals; None where that has too many levels, or is no scale."""
    low, high = sums.formula.ends
    step = step_of(sums.formula.points)
    size = round((high - low) / step) + 1
    ranks = (sums.truth - low) / step
    if size > MOST_LEVELS or np.abs(ranks - ranks.round()).max() > 1e-6:
        return None
    known = ~np.isnan(sums.total)
    nearest = np.round((np.where(known, sums.total, low) - low) / step)
    numbers = [low + step * k for k in range(size)]
    levels = [int(n) if float(n).is_integer() else round(n, 9) for n in numbers]
    scale = Scale("total", tuple(levels), case="case")
    own = [levels[int(k)] if there else None for k, there in zip(nearest, known, strict=True)]
    truth = [levels[int(k)] for k in ranks.round()]
    table = _table(sums, truth, own, np.where(known, confidence, np.nan), scale)
    return CaseTable(table, step, "abs")


def by_side(sums: Sums, confidence: Floats) -> CaseTable:
    """Cases on the two sides of the cut."""
    own = [None if side == OPEN else SIDES[side] for side in sums.side.tolist()]
    truth = [SIDES[side] for side in sums.true_side.tolist()]
    there = np.where(sums.side == OPEN, np.nan, confidence)
    return CaseTable(_table(sums, truth, own, there, Scale("side", SIDES)), 1.0, "zero_one")


def case_tables(sums: Sums, confidence: Floats) -> Mapping[str, CaseTable]:
    """Cases as judgments, by what is judged of them."""
    total = by_total(sums, confidence)
    tables = {} if total is None else {"total": total}
    return (
        tables if sums.formula.total.cut is None else {**tables, "side": by_side(sums, confidence)}
    )


def _table(
    sums: Sums, truth: list[Any], own: list[Any], confidence: Floats, scale: Scale
) -> Judgments:
    return from_columns(
        case=list(sums.cases), truth=truth, prediction=own, confidence=confidence, scale=scale
    )


def step_of(points: Floats) -> float:
    """The largest distance that all totals are multiples of, from the lowest.

    >>> step_of(np.array([[0, 4, 8], [0, 6, 12]])), step_of(np.array([[0, 0.3], [0, 0.2]]))
    (2.0, 0.1)
    """
    steps = {Fraction(str(float(step))) for step in np.abs(points[:, 1] - points[:, 0]).round(9)}
    shared = math.lcm(*(step.denominator for step in steps))
    return math.gcd(*(int(step * shared) for step in steps)) / shared
