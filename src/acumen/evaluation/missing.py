"""Rows that came to nothing usable: put into bounds, or counted as wrong answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError, printable
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats

How = Literal["drop", "wrong", "bound"]
MISSING: Final = (Outcome.FAILED, Outcome.UNPARSEABLE, Outcome.UNSCORED)
"""Outcomes after which nobody knows how good the row would have been."""


def how_of(missing: str) -> How:
    """What is done with missing rows, refused where it is none of the three."""
    for how in get_args(How):
        if missing == how:
            return how  # type: ignore[no-any-return]  # one of the words of How
    raise UsageError(f"missing rows are drop, wrong or bound, not '{printable(str(missing))}'")


def missing_rows(table: Judgments) -> NDArray[np.bool_]:
    """Which rows came to nothing usable, those of cases that failed as a whole among them."""
    rows: NDArray[np.bool_] = np.isin(table.outcome, MISSING)
    gone = {failure.case for failure in table.failed}
    of_failed = np.fromiter((case in gone for case in table.cases), bool, len(table.cases))
    return rows | of_failed[table.case] if gone else rows


def unknown_cases(table: Judgments) -> int:
    """Cases that failed and have no row: their truth is not known, so nothing bounds them."""
    return len({failure.case for failure in table.failed} - {*table.cases})


def keep(table: Judgments) -> Judgments:
    """The table with every missing row in it, as an open one that is marked."""
    rows = missing_rows(table)
    there = {*table.cases}
    return replace(
        table,
        missing=rows,
        prediction=np.where(rows, NO_PREDICTION, table.prediction),
        outcome=np.where(rows, Outcome.ABSTAINED, table.outcome),
        failed=tuple(failure for failure in table.failed if failure.case not in there),
    )


def count_as_wrong(table: Judgments, loss: AnyLoss) -> Judgments:
    """The table with every missing row as an answer that costs as much as any could there."""
    if not table.has_truth:
        raise UsageError("without a truth no missing row is wrong: leave them out (missing: drop)")
    whole = keep(table)
    assert whole.missing is not None
    rows = np.flatnonzero(whole.missing)
    levels = losses_by_level(whole, rows, loss)
    judgment = rows if whole.judgment is None else whole.judgment[rows]
    _, of = np.unique(judgment, return_inverse=True)
    weight = np.ones(len(rows)) if whole.weight is None else whole.weight[rows]
    # raters of one judgment see one answer: the level that costs most in all
    costs = np.zeros((int(of.max(initial=-1)) + 1, levels.shape[1]))
    np.add.at(costs, of, weight[:, None] * levels)
    prediction, outcome = whole.prediction.copy(), whole.outcome.copy()
    prediction[rows] = costs.argmax(axis=1)[of]
    outcome[rows] = Outcome.ANSWERED
    return replace(whole, prediction=prediction, outcome=outcome)


def losses_by_level(table: Judgments, rows: NDArray[Any], loss: AnyLoss) -> Floats:
    """What each of some rows would lose at each level: ``(row, level)``."""
    part, costs = table.take(rows), []
    for level in range(len(table.scale.levels)):
        of_rows = np.full(len(rows), level), part.exact_truth, part.unanswerable
        grades, kinds = find_loss(loss).graded(table.scale, *of_rows)
        costs.append(grades.cost[kinds] * grades.unit)
    return np.column_stack(costs).astype(np.float64)


def without_missing(table: Judgments) -> Judgments:
    """The table as it is to whoever asks for signals: missing rows have none, so they are open."""
    return table if table.missing is None else table.leave_open(table.missing)


def least_sure(table: Judgments, values: Floats) -> Floats:
    """A confidence whose missing rows, where they count as answers, are the least sure of all."""
    if table.missing is None:
        return values
    rows = table.missing & table.answered
    known = values[table.answered & ~rows]
    return np.where(rows, known.min(initial=np.inf) if len(known) else 0.0, values)
