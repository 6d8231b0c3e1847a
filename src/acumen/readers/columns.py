"""Columns of a long table, one row a judgment -> the table. Shared by arrays, frames and CSV."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.errors import DataError, OffScaleError, Problem, printable, what_came
from acumen.readers.series import is_missing, plain_column
from acumen.table.judgments import (
    NO_PREDICTION,
    FailedCase,
    Judgments,
    Outcome,
    Signal,
    Source,
    check_ids,
    factorize,
    repeated,
    unjudged_items,
)
from acumen.table.scale import Scale, find_scale
from acumen.types import CaseId

Column = Sequence[Any] | NDArray[Any]
Fault = tuple[int, str | ValueError]
"""A row, and what is wrong in it."""
_NEVER: Final = object()
_OUTCOMES = {o.name.lower(): o for o in Outcome}


def from_columns(
    *,
    case: Column,
    truth: Column,
    prediction: Column,
    item: Column | None = None,
    scale: str | Scale = "phq8",
    confidence: ArrayLike | None = None,
    outcome: Column | None = None,
    risk_score: Column | None = None,
    weight: Column | None = None,
    signals: Mapping[str, ArrayLike | Signal] | None = None,
    failed: Sequence[FailedCase] = (),
    source: Source = Source(),  # noqa: B008  (frozen)
    lines: Sequence[int] | None = None,
    warnings: Sequence[str] = (),
    complete: bool = True,
) -> Judgments:
    """The table from plain columns. A missing prediction (None, NaN) is an abstention.

    ``confidence`` becomes the signal of that name; ``lines`` lets messages name a file's lines.
    Every case that did not fail must have every item, unless ``complete`` is false: rows of which
    it is not known which belong together cannot be asked for it.

    >>> items = ["Sleep", "Tired"]
    >>> table = from_columns(case=[1, 1], item=items, truth=[0, 3], prediction=[0, None])
    >>> table.answered
    array([ True, False])
    """
    scale = find_scale(scale)
    inputs = dict(signals or {}) | ({} if confidence is None else {"confidence": confidence})
    plain = {name: plain_column(column, name) for name, column in inputs.items()}
    columns: dict[str, Any] = {"case": case, "item": item, "truth": truth}
    columns |= {"prediction": prediction, "outcome": outcome}
    columns |= {"risk_score": risk_score, "weight": weight}
    columns = {name: plain_column(column, name) for name, column in columns.items()}
    _check_lengths(columns | plain, source.name)
    rows = _Rows(columns["case"], columns["item"], lines, scale)
    captured = {name: c if isinstance(c, Signal) else _signal(c) for name, c in plain.items()}
    values = _values(rows, columns | {"confidence": captured.get("confidence")}, source)
    listed = {f.case for f in failed}
    codes = _codes(rows, values.outcome, listed, source, complete=complete)
    marked = np.unique(codes.case[values.outcome == Outcome.FAILED]).tolist()
    reasons = [
        FailedCase(codes.cases[c], "marked as failed")
        for c in marked
        if codes.cases[c] not in listed
    ]
    return Judgments(
        scale=scale,
        cases=codes.cases,
        items=codes.items,
        case=codes.case,
        item=codes.item,
        truth=values.truth,
        prediction=values.prediction,
        outcome=values.outcome,
        signals=captured,
        risk_score=values.risk_score,
        weight=values.weight,
        failed=(*failed, *reasons),
        warnings=(*warnings, *codes.warnings),
        source=source,
        line=None if lines is None else np.array(lines, np.int64),
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which case, item and line each row is: how its problems are told."""

    case: Column
    item: Column | None
    lines: Sequence[int] | None
    scale: Scale

    def problem(self, row: int, fault: str | ValueError, field: str | None = None) -> Problem:
        return Problem(
            str(fault),
            case=self.case[row],
            item=None if self.item is None else str(self.item[row]),
            field=field,
            line=None if self.lines is None else self.lines[row],
            noun=self.scale.case,
            off_scale=isinstance(fault, OffScaleError),
        )

    def problems(self, faults: Iterable[Fault], field: str) -> list[Problem]:
        return [self.problem(row, fault, field) for row, fault in faults]


@dataclass(frozen=True, slots=True)
class _Values:
    """The columns of values, checked."""

    truth: NDArray[np.int16]
    prediction: NDArray[np.int16]
    outcome: NDArray[np.uint8]
    risk_score: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None


def _values(rows: _Rows, columns: Mapping[str, Any], source: Source) -> _Values:
    """Every column of values; all that is wrong in any of them is told at once."""
    problems = rows.problems(_bad_ids(rows.case), "case")
    problems += rows.problems(_bad_items(rows.item, rows.scale), "item")
    truth, no_truth, bad = ranks(columns["truth"], rows.scale)
    problems += rows.problems(bad, "truth")
    prediction, none, bad = ranks(columns["prediction"], rows.scale)
    problems += rows.problems(bad, "prediction")
    outcome, bad = _outcomes(columns["outcome"], none)
    problems += rows.problems(bad, "outcome")
    risk_score, bad = _numbers(columns["risk_score"])
    problems += rows.problems(bad, "risk_score")
    weight, bad = _numbers(columns["weight"])
    problems += rows.problems(bad, "weight")
    # nobody looks at the confidence of a row that was not answered
    bad = [t for t in _not_numbers(columns["confidence"]) if outcome[t[0]] == Outcome.ANSWERED]
    problems += rows.problems(bad, "confidence")
    missing = ((row, "a truth is missing") for row in np.flatnonzero(no_truth).tolist())
    problems += rows.problems(missing, "truth")
    if len(rows.case) == 0:
        problems.append(Problem("there are no rows in it"))
    if problems:
        raise DataError(rows.scale.hint(problems), source=source.name)
    answers = np.where(outcome == Outcome.ANSWERED, prediction, NO_PREDICTION)
    return _Values(truth, answers.astype(np.int16), outcome, risk_score, weight)


@dataclass(frozen=True, slots=True)
class _Codes:
    """Cases and items, and the code of each row's."""

    cases: tuple[CaseId, ...]
    items: tuple[str, ...]
    case: NDArray[np.int32]
    item: NDArray[np.int32]
    warnings: list[str]


def _codes(
    rows: _Rows,
    outcome: NDArray[np.uint8],
    listed: Container[CaseId],
    source: Source,
    *,
    complete: bool,
) -> _Codes:
    """Ids and items as codes; ids that collide, rows given twice and items not given are told."""
    noun = rows.scale.case
    cases, case = factorize(rows.case)
    items, item, problems = _item_codes(rows.item, len(rows.case), rows.scale)
    collisions, warnings = check_ids(cases, noun)
    problems += collisions
    gaps: list[Problem] = []
    if rows.item is not None:
        warnings += unjudged_items(items, rows.scale)
        gone = np.fromiter((c in listed for c in cases), bool, len(cases))
        gone[case[outcome == Outcome.FAILED]] = True
        gaps = [
            Problem(message, case=cases[c], item=missing, noun=noun)
            for c, missing, message in (_ragged(case, item, items, gone, noun) if complete else ())
        ]
    word = "rows" if rows.lines is None else "lines"
    places = range(1, len(case) + 1) if rows.lines is None else rows.lines
    hint = "; a column of items would tell them apart" if rows.item is None else ""
    problems += [
        rows.problem(a, f"duplicate: given twice, in {word} {places[a]} and {places[b]}{hint}")
        for a, b in repeated(case, item, len(items))
    ]
    problems += gaps
    if problems:
        raise DataError(problems, source=source.name)
    return _Codes(cases, items, case, item, warnings)


def ranks(column: Column, scale: Scale) -> tuple[NDArray[np.int16], NDArray[np.bool_], list[Fault]]:
    """Levels as ranks, which rows are null, and what is wrong at which row."""
    values = column if isinstance(column, np.ndarray) else None
    if values is None or values.dtype.kind not in "iuf" or not scale.is_numeric:
        return _ranks_one_by_one(column, scale)
    null = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    lowest = scale.levels[0]
    assert isinstance(lowest, int)
    with np.errstate(invalid="ignore"):
        good = (values >= lowest) & (values <= lowest + scale.range)
        if values.dtype.kind == "f":
            good &= values == np.floor(values)
    out = np.full(len(values), NO_PREDICTION, np.int16)
    # widened first: -2 is no uint8, and 100 - -100 is no int8
    out[good] = values[good].astype(np.int64) - lowest
    bad = np.flatnonzero(~good & ~null)
    return out, null, [(row, _refusal(scale, values[row].item())) for row in bad.tolist()]


def _refusal(scale: Scale, value: object) -> ValueError:
    try:
        scale.rank(value)
    except ValueError as error:
        return error
    raise AssertionError(f"{value} is a level after all")


def _ranks_one_by_one(
    column: Column, scale: Scale
) -> tuple[NDArray[np.int16], NDArray[np.bool_], list[Fault]]:
    out = np.full(len(column), NO_PREDICTION, np.int16)
    null = np.zeros(len(column), bool)
    bad: list[Fault] = []
    for row, value in enumerate(column.tolist() if isinstance(column, np.ndarray) else column):
        if is_missing(value):
            null[row] = True
            continue
        try:
            out[row] = scale.rank(value.item() if isinstance(value, np.generic) else value)
        except ValueError as error:
            bad.append((row, error))
    return out, null, bad


def _check_lengths(columns: Mapping[str, Any], source: str | None) -> None:
    lengths = {
        name: len(column.values if isinstance(column, Signal) else column)
        for name, column in columns.items()
        if column is not None
    }
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{printable(name)} {n}" for name, n in lengths.items())
        raise DataError([f"columns differ in length: {sizes}"], source=source)


def _numbers(column: Column | None) -> tuple[NDArray[np.float64] | None, list[Fault]]:
    """A column of the table's own floats, NaN where there is none, and what is no number."""
    if column is None:
        return None, []
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return column.astype(np.float64), []
    # one by one: NumPy would turn a text beside numbers into texts all over
    signal = Signal.of_objects(np.asarray(column, object).tolist(), absent=_NEVER)
    return signal.values, _not_numbers(signal)


def _not_numbers(signal: Signal | None) -> list[Fault]:
    other = {} if signal is None else signal.other
    return [(row, f"must be a number, not {what_came(v)}") for row, v in other.items()]


def _bad_ids(case: Column) -> list[Fault]:
    if isinstance(case, np.ndarray) and case.dtype.kind in "iu":
        return []
    bad: list[Fault] = [
        (row, f"must be a whole number or a text, not {what_came(value)}")
        for row, value in enumerate(case)
        if isinstance(value, bool | np.bool_)
        or not isinstance(value, int | str | np.integer)
        or value == ""
    ]
    if bad and isinstance(case[bad[0][0]], float | np.floating):
        # pandas makes floats of a column of ids as soon as one is missing
        row, message = bad[0]
        bad[0] = (row, f"{message}; if the column holds whole numbers, cast it to them")
    return bad


def _bad_items(item: Column | None, scale: Scale) -> list[Fault]:
    if item is None:
        return []
    known = set(scale.items)
    values = item.tolist() if isinstance(item, np.ndarray) else item
    names = {str} if known else {str, int}
    if set(map(type, values)) <= names and (not known or known >= set(values)):
        return []
    named = str if known else str | int | np.integer
    return [
        (row, _foreign(scale, value) if known else f"{what_came(value)} is not a name")
        for row, value in enumerate(values)
        if isinstance(value, bool) or not isinstance(value, named) or (known and value not in known)
    ]


def _foreign(scale: Scale, item: object) -> ValueError:
    return OffScaleError(f"{what_came(item)} {scale.foreign}")


def _item_codes(
    item: Column | None, size: int, scale: Scale
) -> tuple[tuple[str, ...], NDArray[np.int32], list[Problem]]:
    """Items in the scale's order, then by name; one item when there is no column of them."""
    if item is None:
        name = scale.items[0] if len(scale.items) == 1 else "item"
        return (name,), np.zeros(size, np.int32), []
    values, codes = factorize(item)
    problems, _ = check_ids(values, "item")
    names = [str(value) for value in values]
    place = {name: i for i, name in enumerate(scale.items)}
    order = sorted(range(len(names)), key=lambda i: (place.get(names[i], len(place)), names[i]))
    recode = np.empty(len(names), np.int32)
    recode[order] = np.arange(len(names), dtype=np.int32)
    return tuple(names[i] for i in order), recode[codes], problems


def _ragged(
    case: NDArray[np.int32],
    item: NDArray[np.int32],
    items: tuple[str, ...],
    failed: NDArray[np.bool_],
    noun: str,
) -> list[tuple[int, str, str]]:
    """Cases that lack an item others have: the case, the first such item, and what to say.

    One for each case, not for each gap: a file of many cases and many items is mostly gaps.
    """
    if failed.any():
        whole = ~failed[case]
        case, item = case[whole], item[whole]
    judged = np.flatnonzero(np.bincount(item, minlength=len(items))).tolist()
    counts = np.bincount(case, minlength=len(failed))
    short = (counts < len(judged)) & ~failed
    if not short.any():
        return []
    had: dict[int, set[int]] = {c: set() for c in np.flatnonzero(short).tolist()}
    rows = np.flatnonzero(short[case])
    for c, i in zip(case[rows].tolist(), item[rows].tolist(), strict=True):
        had[c].add(i)
    gaps = []
    for c, present in had.items():
        first = next(i for i in judged if i not in present)
        more = len(judged) - len(present) - 1
        rest = f", nor {more} more of the {len(judged)} items" if more else ""
        message = f"is not there, though other {noun}s have it{rest}; an abstention is a row too"
        gaps.append((c, items[first], message))
    return gaps


def _outcomes(
    outcome: Column | None, none: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], list[Fault]]:
    """Outcomes as stated, else answered where there is a prediction."""
    derived = np.where(none, Outcome.ABSTAINED, Outcome.ANSWERED).astype(np.uint8)
    if outcome is None:
        return derived, []
    out = derived.copy()
    bad: list[Fault] = []
    for row, value in enumerate(outcome):
        stated = value if isinstance(value, Outcome) else _OUTCOMES.get(str(value).strip().lower())
        if stated is None:
            bad.append((row, f"{what_came(value)} is not one of {', '.join(_OUTCOMES)}"))
        elif stated == Outcome.ANSWERED and none[row]:
            bad.append((row, "answered, but there is no prediction"))
        elif stated == Outcome.ABSTAINED and not none[row]:
            bad.append((row, "abstained, but there is a prediction"))
        else:
            out[row] = stated
    return out, bad


def _signal(column: Column) -> Signal:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return Signal.of_numbers(column)
    if set(map(type, column)) <= {int, float}:
        values = np.asarray(column)
        if values.dtype.kind in "iuf":  # else a whole number is beyond what NumPy holds
            return Signal.of_numbers(values)
    # one by one: NumPy would make 1.0 of true beside numbers, and text of numbers beside text
    plain = column.tolist() if isinstance(column, np.ndarray) else column
    return Signal.of_objects(
        [v if isinstance(v, float | np.floating) or not is_missing(v) else None for v in plain],
        absent=_NEVER,
    )
