"""Judgments: the one table in the middle.

A row is one judgment: a (case, item), and a repeat, a rater or a system where there are several,
with its truth, its prediction or what came instead, and the signals captured beside it. Columns
are NumPy arrays; ids and item names are stored once and referred to by code. Everything is checked
when the table is made, so nothing downstream checks again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from itertools import compress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, label, source_name
from acumen.table.coded import Coded
from acumen.table.scale import Scale
from acumen.types import CaseId

NO_PREDICTION: Final = -1
NO_TRUTH: Final = -1
ONE_ITEM: Final = "item"
"""What the item is called where there is no column of them."""
LARGEST: Final = sys.float_info.max
WEIGHTS: Final = (1e-50, 1e50)
"""The least and the most that a row may weigh, if anything: fourth powers must not overflow."""
_COLUMNS: Final = (
    *("case", "item", "truth", "prediction", "outcome"),
    *("truth_rank", "risk_score", "weight", "line", "unanswerable", "missing"),
    *("distribution", "own", "score"),
)
_CODED: Final = ("repeat", "rater", "system")


class Outcome(IntEnum):
    """What became of a judgment. Six different things, never merged."""

    ANSWERED = 0
    """A level was given."""
    ABSTAINED = 1
    """The system said that it does not know."""
    FAILED = 2
    """No usable reply came."""
    REFUSED = 3
    """The system declined."""
    UNPARSEABLE = 4
    """A reply came, and no level could be read from it."""
    UNSCORED = 5
    """Whoever scores the reply failed, not the system."""


LEFT_OUT: Final = (Outcome.UNSCORED, Outcome.FAILED)
"""Rows of these outcomes are in no metric; all others are judged: coverage is a share of them."""
JUDGED: Final = (Outcome.ANSWERED, Outcome.ABSTAINED, Outcome.REFUSED, Outcome.UNPARSEABLE)


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
    labels: tuple[str, ...] = ()
    """What there is to say of files of labels that were joined to it."""

    @property
    def name(self) -> str | None:
        """How messages name it: the file's own name, without the folders above it."""
        return None if self.path is None else source_name(self.path)


@dataclass(frozen=True, eq=False)
class Judgments:
    """A study: one row a judgment. Make one with :func:`judgments` or a reader.

    ``case`` and ``item`` are codes into ``cases`` and ``items``; ``truth`` and ``prediction`` are
    ranks on the scale, ``prediction`` −1 where there is none, ``truth`` −1 throughout in a study
    without truth. ``failed`` lists cases that failed as a whole; their rows, where the truth is
    known, stay in the table with outcome FAILED.
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
    repeat: Coded | None = None
    """Which draw of one judgment each row is, where there are several."""
    rater: Coded | None = None
    """Who gave the truth, where several did."""
    system: Coded | None = None
    """Whose prediction it is, where there are several."""
    groups: Mapping[str, Coded] = field(default_factory=dict)
    """Columns to slice by."""
    truth_rank: NDArray[np.float64] | None = None
    """The truth as a rank, where some lie between two levels; ``truth`` is −1 in those rows."""
    unanswerable: NDArray[np.bool_] | None = None
    """Rows whose truth says that they cannot be judged, where words for that were declared; their
    ``truth`` is −1, and what is right is to abstain."""
    distribution: NDArray[np.float64] | None = None
    """``(row, level)``: the probability of each level, where the system gave them; a row without
    any is NaN throughout."""
    point: str | None = None
    """By which point the predictions were taken from these; None where they are the system's own.
    """
    own: NDArray[np.int16] | None = None
    """The system's own answer as a rank, where a point took its place; −1 where it has none."""
    missing: NDArray[np.bool_] | None = None
    """Rows that came to nothing usable, where they are kept (as open ones) to say what they might
    have been."""
    score: NDArray[np.float64] | None = None
    """The prediction as a rank, where it lies between two levels; ``prediction`` is the level next
    to it."""
    no_truth: int = 0
    """Rows that were left out because they have no truth."""
    unlabelled: Judgments | None = None
    """These rows."""
    skips: int = 0
    """Rows of raters who gave no rating, where others of the judgment did."""
    planned: int | None = None
    """Rows that were planned, where the source broke off before it had them all."""

    def __post_init__(self) -> None:
        problems = [*duplicate_rows(self), *_bad_weights(self)]
        if problems:
            raise DataError(problems, source=self.source.name)
        for name in _COLUMNS:
            column = getattr(self, name)
            if column is not None:
                column.setflags(write=False)

    def __len__(self) -> int:
        return len(self.case)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {name}" for name, n in self.outcomes.items() if n) or "no"
        return (
            f"<Judgments: {len(self.cases)} {self.scale.case}s × {len(self.items)} items, "
            f"{counts} rows; {len(self.failed)} failed; scale {self.scale.name}>"
        )

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows were answered."""
        answered: NDArray[np.bool_] = self.outcome == Outcome.ANSWERED
        return answered

    @property
    def has_truth(self) -> bool:
        """Whether there is a truth to hold the predictions against."""
        known = bool((self.truth != NO_TRUTH).any()) or self.truth_rank is not None
        return not len(self.truth) or known

    @cached_property
    def judgment(self) -> NDArray[np.int64] | None:
        """Which judgment each row is of, where raters of one have a row each."""
        if self.rater is None:
            return None
        codes: NDArray[np.int64] = np.unique(
            self.row_keys("repeat", "system"), return_inverse=True
        )[1]
        return codes

    @cached_property
    def once(self) -> NDArray[np.bool_]:
        """The first row of each judgment: what counts judgments, however many rated them."""
        once = np.ones(len(self), bool)
        if self.judgment is not None:
            once[:] = False
            once[np.unique(self.judgment, return_index=True)[1]] = True
        return once

    @property
    def share(self) -> NDArray[Any]:
        """What part of its judgment each row is: all of it, unless several raters have a row."""
        one, of = np.ones(len(self), np.int64), self.judgment
        return one if of is None else 1 / np.bincount(of)[of]

    @property
    def exact_truth(self) -> NDArray[Any]:
        """The truth as a rank, between two where it lies there."""
        return self.truth if self.truth_rank is None else self.truth_rank

    @property
    def on_levels(self) -> Judgments:
        """The rows whose truth is a level."""
        is_whole = self.truth_rank is None and self.unanswerable is None
        return self if is_whole else self.take(self.truth != NO_TRUTH)

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """How many rows came to what; ``no_truth`` counts those that are not in the table."""
        return self._counts(self.outcome, self.no_truth + self.skips)

    @cached_property
    def tally(self) -> dict[str, int]:
        """The same of judgments: each counts once, however many raters have a row of it."""
        return self._counts(self.outcome[self.once], self.no_truth)

    def _counts(self, outcome: NDArray[Any], no_truth: int) -> dict[str, int]:
        counts = np.bincount(outcome, minlength=len(Outcome)).tolist()
        return {o.name.lower(): counts[o] for o in (*JUDGED, *LEFT_OUT)} | {"no_truth": no_truth}

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Which rows are judged: those of every case that did not fail."""
        rows: NDArray[np.bool_] = ~np.isin(self.outcome, LEFT_OUT)
        if self.failed:
            gone = {f.case for f in self.failed}
            rows &= ~np.fromiter((c in gone for c in self.cases), bool, len(self.cases))[self.case]
        return rows

    @property
    def included(self) -> Judgments:
        """The table the metrics see: every judged row of every case that did not fail."""
        # not kept where it is the table itself: a ring would hold the rows of every part
        return self if self._included is None else self._included  # one without rows is false

    @cached_property
    def _included(self) -> Judgments | None:
        rows = self.judged
        if rows.all() and not self.failed and not self.empty_cases.any():
            return None
        return replace(self.take(np.flatnonzero(rows)), failed=())

    @property
    def scored(self) -> Judgments:
        """The same, refused where there is no truth to score it by."""
        if not self.has_truth:
            message = "there is no truth in it, so nothing can be compared with it"
            raise DataError([message], source=self.source.name)
        return self.included

    @property
    def empty_cases(self) -> NDArray[np.bool_]:
        """Which cases have no row."""
        empty: NDArray[np.bool_] = np.bincount(self.case, minlength=len(self.cases)) == 0
        return empty

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
        return replace(self._rows(rows), cases=cases, case=case[rows], failed=failed)

    def take(self, rows: NDArray[Any]) -> Judgments:
        """Some rows, given by their positions or a mask, and the cases that they are of."""
        part = self._rows(np.flatnonzero(rows) if rows.dtype == bool else rows)
        empty = part.empty_cases
        if not empty.any():
            return part
        cases = tuple(compress(part.cases, (~empty).tolist()))
        recode = np.cumsum(~empty, dtype=np.int32) - np.int32(1)
        return replace(part, cases=cases, case=recode[part.case])

    def where(self, **groups: object) -> Judgments:
        """The rows of groups, and the cases that they are of.

        >>> import acumen
        >>> table = acumen.from_columns(case=[1, 2, 3], truth=[0, 1, 2], prediction=[0, 1, 1],
        ...                             groups={"sex": ["f", "m", "f"]})
        >>> table.where(sex="f").cases
        (1, 3)
        """
        rows = np.ones(len(self), bool)
        for name, value in groups.items():
            column = self.groups.get(name)
            if column is None or value not in column.values:
                what = "column of groups" if column is None else f"group {label(value)} in"
                raise UsageError(f"no {what} {label(name)} in the table")
            rows &= column.codes == column.values.index(value)
        part = self.take(rows)
        return replace(part, failed=tuple(f for f in self.failed if f.case in part.cases))

    def leave_open(self, rows: NDArray[np.bool_]) -> Judgments:
        """The same with these answers, where they are answers, as abstentions."""
        return replace(
            self,
            prediction=np.where(rows, NO_PREDICTION, self.prediction),
            outcome=np.where(self.answered & rows, Outcome.ABSTAINED, self.outcome),
        )

    def of_system(self, name: object) -> Judgments:
        """The rows of one system."""
        system = self.system
        if system is None or name not in system.values:
            raise UsageError(f"no system {label(name)} in the table")
        part = self.take(system.codes == system.values.index(name))
        other = self.unlabelled
        if other is not None:
            known = other.system is not None and name in other.system.values
            other = other.of_system(name) if known else None
        return replace(part, system=None, unlabelled=other)

    def _rows(self, rows: NDArray[Any]) -> Judgments:
        every = ((name, getattr(self, name)) for name in _COLUMNS)
        columns: dict[str, Any] = {n: column[rows] for n, column in every if column is not None}
        coded = ((name, getattr(self, name)) for name in _CODED)
        columns |= {n: column.take(rows) for n, column in coded if column is not None}
        signals = {name: signal.take(rows) for name, signal in self.signals.items()}
        groups = {name: group.take(rows) for name, group in self.groups.items()}
        return replace(self, signals=signals, groups=groups, **columns)

    def on_scale(self, scale: Scale) -> Judgments:
        """The same judgments on another scale that has every level of theirs.

        Only a scale that was inferred gives way: one that was named for these data is theirs.
        """
        other = None if self.unlabelled is None else self.unlabelled.on_scale(scale)
        if self.scale.levels == scale.levels:
            return replace(self, scale=scale, unlabelled=other)
        if not self.scale.inferred or not {*self.scale.levels} <= {*scale.levels}:
            raise UsageError(
                f"the table is on the scale {self.scale.name} ({self.scale.allowed}), "
                f"not on {scale.name} ({scale.allowed}); leave the scale out"
            )
        # the last entry: −1 stays −1
        ranks = np.array([*(scale.rank(level) for level in self.scale.levels), -1], np.int16)
        exact = self.truth_rank
        if exact is not None:
            exact = np.interp(exact, np.arange(len(ranks) - 1), ranks[:-1])
        truth, prediction, p = ranks[self.truth], ranks[self.prediction], self.distribution
        if p is not None:
            wider = np.where(np.isnan(p[:, :1]), np.nan, np.zeros(len(scale.levels)))
            wider[:, ranks[:-1]] = p
            p = wider
        own = None if self.own is None else ranks[self.own]
        score = self.score
        if score is not None:
            score = np.interp(score, np.arange(len(ranks) - 1), ranks[:-1])
        ranked = replace(
            self, truth=truth, truth_rank=exact, prediction=prediction, distribution=p, own=own
        )
        ranked = replace(ranked, score=score)
        return replace(ranked, scale=scale, unlabelled=other)

    def row_keys(self, *names: str) -> NDArray[np.int64]:
        """One number for each row, equal where case, item and the columns named are equal."""
        key = self.case.astype(np.int64) * max(len(self.items), 1) + self.item
        for name in names:
            column: Coded | None = getattr(self, name)
            if column is not None:
                # small again, so that many columns do not overflow
                key = np.unique(key, return_inverse=True)[1] * (len(column.values) + 1)
                key += column.codes + 1
        return key

    def problem(self, row: int, message: str, field: str | None = None) -> Problem:
        """A problem at a row, told by its case and item, and by its line where it has one."""
        case = self.cases[self.case[row]]
        item = None if self.items == (ONE_ITEM,) else self.items[self.item[row]]
        line = None if self.line is None else int(self.line[row])
        return Problem(message, case, item, field, line, noun=self.scale.case)


def unjudged_items(items: Sequence[str], scale: Scale) -> list[str]:
    """A warning where fewer items are judged than the scale declares."""
    missing = [i for i in scale.items if i not in items]
    if not missing:
        return []
    return [
        f"{len(items)} of the {len(scale.items)} items of {scale.title or scale.name} are judged; "
        f"not in the file: {', '.join(missing)}"
    ]


_MOST_TWICE: Final = 1000
"""Rows given twice that are told one by one."""


def duplicate_rows(table: Judgments) -> list[Problem]:
    """Rows that are the same judgment twice: one problem for each."""
    key = table.row_keys(*_CODED)
    if (key[1:] > key[:-1]).all():  # as most files are
        return []
    if key.max() < 8 * len(key):
        if np.bincount(key).max() <= 1:
            return []
    elif len(np.unique(key)) == len(key):
        return []
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order][1:] == key[order][:-1]).tolist()
    word = "rows" if table.line is None else "lines"
    place = np.arange(1, len(key) + 1) if table.line is None else table.line
    roles = {"--item": len(table.items) > 1 or None, "--repeat": table.repeat}
    roles |= {"--rater": table.rater, "--system": table.system}
    lacking = [option for option, there in roles.items() if there is None]
    hint = f"; is there a column that tells them apart ({', '.join(lacking)})?" if lacking else ""
    pairs = [(int(order[at]), int(order[at + 1])) for at in twice[:_MOST_TWICE]]
    said = (f"given twice, in {word} {place[a]} and {place[b]}{hint}" for a, b in pairs)
    problems = [
        replace(table.problem(a, f"duplicate: {text}"), is_twice=True)
        for (a, _), text in zip(pairs, said, strict=True)
    ]
    return problems if len(problems) == len(twice) else [replace(problems[0], rows=len(twice))]


def _bad_weights(table: Judgments) -> list[Problem]:
    if table.weight is None:
        return []
    low, high = WEIGHTS
    good = (table.weight == 0) | ((table.weight >= low) & (table.weight <= high))
    problems = []
    for row in np.flatnonzero(~good).tolist():
        value = table.weight[row]
        message = "is missing" if np.isnan(value) else f"{value:g} must be finite and not negative"
        if 0.0 < value < np.inf:
            message = f"{value:g} must be 0, or between {low:g} and {high:g}"
        problems.append(table.problem(row, message, "weight"))
    return problems
