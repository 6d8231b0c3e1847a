"""Judgments: the one table in the middle.

A row is one (case, item) with its truth, its prediction or abstention, and the signals captured
beside it. Columns are NumPy arrays; ids and item names are stored once and referred to by code.
Everything is checked when the table is made, so nothing downstream checks again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, is_invisible, label, source_name
from acumen.table.scale import Scale
from acumen.types import CaseId

NO_PREDICTION: Final = -1
LARGEST: Final = sys.float_info.max
WEIGHTS: Final = (1e-50, 1e50)
"""The least and the most that a row may weigh, if anything: fourth powers must not overflow."""
_COLUMNS: Final = (
    *("case", "item", "truth", "prediction", "outcome"),
    *("risk_score", "weight", "line"),
)


class Outcome(IntEnum):
    """What became of a judgment. Three different things, never merged."""

    ANSWERED = 0
    ABSTAINED = 1
    FAILED = 2


class SignalState(IntEnum):
    """Whether a signal's value is there: a number, null, no such key, or something else."""

    NUMBER = 0
    NULL = 1
    ABSENT = 2
    OTHER = 3


@dataclass(frozen=True, eq=False)
class Signal:
    """A raw number per row. Missing is missing: ``state`` tells how, ``values`` is NaN there."""

    values: NDArray[np.float64]
    state: NDArray[np.uint8]
    other: Mapping[int, object] = field(default_factory=dict)
    """What came instead of a number, by row, where ``state`` is OTHER."""

    def __post_init__(self) -> None:
        self.values.setflags(write=False)
        self.state.setflags(write=False)

    @classmethod
    def of_numbers(cls, values: NDArray[Any], null: NDArray[np.bool_] | None = None) -> Signal:
        """A signal whose every value is a number, or null where ``null`` says so."""
        numbers = np.array(values, np.float64)  # a copy: the caller's array stays his to change
        state = np.zeros(len(numbers), np.uint8)
        if null is not None and null.any():
            state[null] = SignalState.NULL
            numbers[null] = np.nan
        return cls(numbers, state)

    @classmethod
    def of_objects(cls, values: Sequence[object], absent: object) -> Signal:
        """A signal from values as JSON has them; ``absent`` marks rows without the key."""
        state = np.zeros(len(values), np.uint8)
        numbers = np.full(len(values), np.nan)
        other: dict[int, object] = {}
        for row, entry in enumerate(values):
            value = entry.item() if isinstance(entry, np.generic) else entry
            if value is absent:
                state[row] = SignalState.ABSENT
            elif value is None:
                state[row] = SignalState.NULL
            elif isinstance(value, bool) or not isinstance(value, int | float):
                state[row] = SignalState.OTHER
                other[row] = value
            else:
                # a whole number may be beyond what a float holds
                beyond = abs(value) > LARGEST
                numbers[row] = (math.inf if value > 0 else -math.inf) if beyond else value
        return cls(numbers, state, other)

    def take(self, rows: NDArray[Any]) -> Signal:
        """The signal of some rows, given by their positions."""
        others = enumerate(rows.tolist()) if self.other else ()
        other = {at: self.other[row] for at, row in others if row in self.other}
        return Signal(self.values[rows], self.state[rows], other)


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case without a usable reply, and why."""

    case: CaseId
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table came from."""

    path: str | None = None
    sha256: str | None = None
    run_id: str | None = None
    git_commit: str | None = None
    mode: str | None = None
    is_long: bool = True
    """Whether it came as rows of columns (a frame, a CSV file), not as the records of a run."""

    @property
    def name(self) -> str | None:
        """How messages name it: the file's own name, without the folders above it."""
        return None if self.path is None else source_name(self.path)


@dataclass(frozen=True, eq=False)
class Judgments:
    """A study: one row a judgment. Make one with :func:`judgments` or a reader.

    ``case`` and ``item`` are codes into ``cases`` and ``items``; ``truth`` and ``prediction`` are
    ranks on the scale, ``prediction`` −1 where there is none. ``failed`` lists the failed cases;
    their rows, where the truth is known, stay in the table with outcome FAILED.
    """

    scale: Scale
    cases: tuple[CaseId, ...]
    items: tuple[str, ...]
    case: NDArray[np.int32]
    item: NDArray[np.int32]
    truth: NDArray[np.int16]
    prediction: NDArray[np.int16]
    outcome: NDArray[np.uint8]
    signals: Mapping[str, Signal] = field(default_factory=dict)
    risk_score: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | None = None
    failed: tuple[FailedCase, ...] = ()
    warnings: tuple[str, ...] = ()
    source: Source = Source()
    line: NDArray[np.int64] | None = None
    """The line of the file that each row begins on, where it has lines."""

    def __post_init__(self) -> None:
        problems = [*_duplicate_rows(self), *_half_failed(self), *_bad_weights(self)]
        if problems:
            raise DataError(problems, source=self.source.name)
        for name in _COLUMNS:
            column = getattr(self, name)
            if column is not None:
                column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.case)

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.outcome == o).sum())} {o.name.lower()}" for o in Outcome)
        return (
            f"<Judgments: {len(self.cases)} {self.scale.case}s × {len(self.items)} items, "
            f"{counts} rows; {len(self.failed)} failed; scale {self.scale.name}>"
        )

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows were answered."""
        answered: NDArray[np.bool_] = self.outcome == Outcome.ANSWERED
        return answered

    @cached_property
    def included(self) -> Judgments:
        """The table the metrics see: every row of every case that did not fail."""
        if not self.failed:
            return self
        gone = {f.case for f in self.failed}
        return self.of_cases([c for c in self.cases if c not in gone])

    def of_cases(self, cases: Iterable[CaseId]) -> Judgments:
        """The rows of some cases, in the order the cases are given; failed ones among them stay."""
        cases = tuple(cases)
        code_of = {c: code for code, c in enumerate(cases)}
        if len(code_of) < len(cases):
            raise UsageError(f"a {self.scale.case} is asked for twice")
        unknown = code_of.keys() - set(self.cases)
        if unknown:
            raise UsageError(f"no {self.scale.case} {label(next(iter(unknown)))} in the table")
        recode = np.array([code_of.get(c, -1) for c in self.cases], np.int32)
        case = recode[self.case] if len(recode) else self.case
        rows = np.flatnonzero(case >= 0)
        failed = tuple(f for f in self.failed if f.case in code_of)
        return replace(self.take(rows), cases=cases, case=case[rows], failed=failed)

    def take(self, rows: NDArray[Any]) -> Judgments:
        """Some rows, given by their positions; cases and items stay as they are."""
        every = ((name, getattr(self, name)) for name in _COLUMNS)
        columns: dict[str, Any] = {n: column[rows] for n, column in every if column is not None}
        signals = {name: signal.take(rows) for name, signal in self.signals.items()}
        return replace(self, signals=signals, **columns)

    def problem(self, row: int, message: str, field: str | None = None) -> Problem:
        """A problem at a row, told by its case and item, and by its line where it has one."""
        case, item = self.cases[self.case[row]], self.items[self.item[row]]
        line = None if self.line is None else int(self.line[row])
        return Problem(message, case, item, field, line, noun=self.scale.case)


def factorize(ids: Sequence[CaseId] | NDArray[Any]) -> tuple[tuple[CaseId, ...], NDArray[np.int32]]:
    """Distinct ids in a canonical order (numbers, then texts) and the code of each.

    The order does not depend on the order of rows, so neither do resamples. 101 and "101" are two
    ids; a table that holds both is refused by :func:`check_ids`.
    """
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuU":
        values, codes = np.unique(ids, return_inverse=True)
        return tuple(values.tolist()), codes.astype(np.int32)
    plain = [i.item() if isinstance(i, np.generic) else i for i in ids]
    distinct = sorted(set(plain), key=lambda x: (isinstance(x, str), x))
    code_of = {value: code for code, value in enumerate(distinct)}
    return tuple(distinct), np.fromiter((code_of[i] for i in plain), np.int32, len(plain))


def check_ids(ids: Iterable[CaseId], noun: str) -> tuple[list[Problem], list[str]]:
    """Ids that would be one after coercion (problems) or that hide what they are (warnings)."""
    ids = list(ids)
    texts = {i for i in ids if isinstance(i, str)}
    problems = [
        Problem("is there twice, as a number and as text: a duplicate?", case=i, noun=noun)
        for i in ids
        if isinstance(i, int) and str(i) in texts
    ]
    hidden = [i for i in texts if any(is_invisible(c) for c in i)]
    blank = [i for i in texts if i != i.strip() and i not in hidden]
    warnings = [
        f"ids with {what}: {', '.join(label(i) for i in sorted(odd)[:5])}"
        for what, odd in (("invisible or bidi characters", hidden), ("blanks at an end", blank))
        if odd
    ]
    return problems, warnings


def unjudged_items(items: Sequence[str], scale: Scale) -> list[str]:
    """A warning where fewer items are judged than the scale declares."""
    missing = [i for i in scale.items if i not in items]
    if not missing:
        return []
    return [
        f"{len(items)} of the {len(scale.items)} items of {scale.title or scale.name} are judged; "
        f"not in the file: {', '.join(missing)}"
    ]


def repeated(
    case: NDArray[np.int32], item: NDArray[np.int32], n_items: int
) -> list[tuple[int, int]]:
    """Pairs of rows that hold the same (case, item)."""
    key = case.astype(np.int64) * n_items + item
    if len(key) == 0:
        return []
    if key.max() < 8 * len(key):
        if np.bincount(key).max() <= 1:
            return []
    elif len(np.unique(key)) == len(key):
        return []
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order][1:] == key[order][:-1])
    return [(int(order[at]), int(order[at + 1])) for at in twice.tolist()]


def _duplicate_rows(table: Judgments) -> list[Problem]:
    return [
        table.problem(a, f"duplicate: given twice, in rows {a + 1} and {b + 1}")
        for a, b in repeated(table.case, table.item, len(table.items))
    ]


def _half_failed(table: Judgments) -> list[Problem]:
    failed_rows = table.outcome == Outcome.FAILED
    if not table.failed and not failed_rows.any():
        return []
    size = len(table.cases)
    failed = {f.case for f in table.failed}
    listed = np.fromiter((c in failed for c in table.cases), bool, size)
    n_failed = np.bincount(table.case[failed_rows], minlength=size)
    n_rows = np.bincount(table.case, minlength=size)
    some = n_failed > 0
    faults = {
        "has failed rows and others: a case fails as a whole": some & (n_failed < n_rows),
        "has failed rows but is not listed as failed": some & ~listed,
        "is listed as failed but has rows that did not fail": listed & ~some & (n_rows > 0),
    }
    return [
        Problem(message, case=table.cases[c], noun=table.scale.case)
        for message, which in faults.items()
        for c in np.flatnonzero(which).tolist()
    ]


def _bad_weights(table: Judgments) -> list[Problem]:
    if table.weight is None:
        return []
    low, high = WEIGHTS
    good = (table.weight == 0) | ((table.weight >= low) & (table.weight <= high))
    problems = []
    for row in np.flatnonzero(~good).tolist():
        value = table.weight[row]
        message = "is missing" if np.isnan(value) else f"{value:g} must be finite and not negative"
        if np.isfinite(value) and value > 0:
            message = f"{value:g} must be 0, or between {low:g} and {high:g}"
        problems.append(table.problem(row, message, "weight"))
    return problems
