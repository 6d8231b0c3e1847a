"""The totals of the cases of a table, each with the range that its open items leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, label
from acumen.table.judgments import LEFT_OUT, NO_TRUTH, Judgments
from acumen.table.totals import Total, tidy
from acumen.totals.formula import Codes, Formula, Mask
from acumen.types import CaseId, Floats

OPEN: Final = -1
"""The side, or the band, of a case whose range reaches more than one."""


@dataclass(frozen=True, eq=False)
class Sums:
    """The cases of one system: what their items add, and what is open."""

    formula: Formula
    cases: tuple[CaseId, ...]
    added: Floats
    """``(case, item)``; NaN where it is open."""
    failed: Mask
    """``(case, item)``: open because no usable reply came, or there is no row."""
    true: Floats
    """What the truth adds; NaN where it is not known."""
    least: float | None = None
    """The share of items, answered, from which on a total is prorated."""

    def __len__(self) -> int:
        return len(self.cases)

    def take(self, rows: NDArray[Any]) -> Sums:
        """Some of the cases."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        cases = tuple(self.cases[row] for row in rows.tolist())
        parts = {name: getattr(self, name)[rows] for name in ("added", "failed", "true")}
        return replace(self, cases=cases, **parts)

    @cached_property
    def open(self) -> Mask:
        """Which items are open: ``(case, item)``."""
        return np.isnan(self.added)

    @cached_property
    def n_open(self) -> Codes:
        """How many items of each case are open."""
        counts: Codes = self.open.sum(axis=1)
        return counts

    @property
    def complete(self) -> Mask:
        """Which cases have every item."""
        complete: Mask = self.n_open == 0
        return complete

    @cached_property
    def low(self) -> Floats:
        """The least that the total of each case may be."""
        low: Floats = tidy(np.where(self.open, self.formula.lowest, self.added).sum(axis=1))
        return low

    @cached_property
    def high(self) -> Floats:
        """The most."""
        high: Floats = tidy(np.where(self.open, self.formula.highest, self.added).sum(axis=1))
        return high

    @cached_property
    def prorated(self) -> Mask:
        """Which cases have a total from a part of their items."""
        if self.least is None:
            return np.zeros(len(self), bool)
        answered = (~self.open).sum(axis=1)
        needed = max(self.least * self.open.shape[1] - 1e-9, 1)
        prorated: Mask = ~self.complete & (answered >= needed)
        return prorated

    @cached_property
    def estimate(self) -> Floats:
        """Each total as its answers make it likely: as far up as these lie between their ends.

        Of complete cases this is their sum; without any answer it is the middle.
        """
        span = self.formula.highest - self.formula.lowest
        above = np.where(self.open, 0.0, self.added - self.formula.lowest).sum(axis=1)
        reach = np.where(self.open, 0.0, span).sum(axis=1)
        share = np.divide(above, reach, out=np.full(len(self), 0.5), where=reach > 0)
        prorated = tidy(self.formula.ends[0] + share * span.sum())
        estimate: Floats = np.where(self.complete, self.low, prorated)
        return estimate

    @property
    def spread(self) -> Floats:
        """How far estimates stray, next to those of complete cases: √(1 + open items)."""
        spread: Floats = np.sqrt(1.0 + self.n_open)
        return spread

    @cached_property
    def total(self) -> Floats:
        """The total of each case: its sum, or prorated; NaN where there is neither."""
        total: Floats = np.where(self.complete | self.prorated, self.estimate, np.nan)
        return total

    @cached_property
    def truth(self) -> Floats:
        """The true total of each case; NaN where an item has no truth."""
        truth: Floats = tidy(self.true.sum(axis=1))
        return truth

    @property
    def has_truth(self) -> bool:
        """Whether there are true totals to hold these against."""
        return bool(len(self)) and not np.isnan(self.truth).any()

    @property
    def reach(self) -> tuple[Floats, Floats]:
        """The ends by which a case is decided: twice its total, where it has one."""
        known = ~np.isnan(self.total)
        ends = (np.where(known, self.total, end) for end in (self.low, self.high))
        low, high = ends
        return low, high

    @cached_property
    def side(self) -> Codes:
        """1 on the side of the cut that is looked for, 0 on the other, OPEN where it is not known.

        Which side is looked for turns neither end round: a range is on one side or it is open.
        """
        low, high = (self.formula.is_positive(end) for end in self.reach)
        return np.where(low == high, low, OPEN).astype(np.int64)

    @property
    def true_side(self) -> Codes:
        """The same of the true totals."""
        return self.formula.is_positive(self.truth).astype(np.int64)

    @cached_property
    def band(self) -> Codes:
        """The band of each case, OPEN where its range reaches more than one."""
        low, high = map(self.formula.band, self.reach)
        return np.where(low == high, low, OPEN)


@dataclass(frozen=True, eq=False)
class Read:
    """The cases that can be summed, and those that cannot, each with its reason."""

    sums: Sums
    failed: tuple[CaseId, ...]
    """Cases without a usable reply."""
    new: Sums
    """Cases that lack the truth of an item, where there is truth at all: they are not scored."""


def read_sums(table: Judgments, total: Total, least: float | None = None) -> Read:
    """The totals of the cases of a table."""
    parts = [table] if table.unlabelled is None else [table, table.unlabelled]
    formula = Formula.of(total, table)
    place = {item: at for at, item in enumerate(formula.items)}
    cases = tuple(dict.fromkeys(case for part in parts for case in part.cases))
    code = {case: at for at, case in enumerate(cases)}
    shape = len(cases), len(formula.items)
    added, true, failed = np.full(shape, np.nan), np.full(shape, np.nan), np.ones(shape, bool)
    for part in parts:
        _refuse(part)
        column = np.array([place.get(item, -1) for item in part.items], np.int64)
        rows = np.flatnonzero(column[part.item] >= 0)
        case = np.array([code[c] for c in part.cases], np.int64)[part.case[rows]]
        item, answered = column[part.item[rows]], part.answered[rows]
        ranks = part.prediction[rows]
        added[case[answered], item[answered]] = formula.points[item[answered], ranks[answered]]
        failed[case, item] = np.isin(part.outcome[rows], LEFT_OUT)
        exact = part.exact_truth[rows].astype(np.float64)
        true[case, item] = np.where(exact == NO_TRUTH, np.nan, formula.at_ranks(item, exact))
    return _sorted_out(Sums(formula, cases, added, failed, true, least), table)


def _sorted_out(sums: Sums, table: Judgments) -> Read:
    """The cases that count; a case fails as a whole where it says so, or every item did."""
    names = {f.case for f in table.failed}
    gone = np.fromiter((case in names for case in sums.cases), bool, len(sums))
    gone |= sums.failed.all(axis=1)
    lacking = ~gone & np.isnan(sums.truth) & table.has_truth
    failed = dict.fromkeys([*(f.case for f in table.failed), *sums.take(gone).cases])
    read = Read(sums.take(~gone & ~lacking), tuple(failed), sums.take(lacking))
    if not len(read.sums):
        raise DataError([_none_left(read, table.scale.case)], source=table.source.name)
    return read


def _none_left(read: Read, noun: str) -> str:
    """Why no case is left; of one that lacks truths, which."""
    counts = f"{len(read.failed)} failed, {len(read.new)} lack the truth of an item"
    if not len(read.new):
        return f"no {noun} is left: {counts}"
    return f"no {noun} is left: {counts} ({first_without_truth(read.new)})"


def first_without_truth(new: Sums) -> str:
    """Of the first case that is not scored, the items whose truth it lacks."""
    lacks = np.isnan(new.true[0])
    items = [item for item, there in zip(new.formula.items, lacks, strict=True) if there]
    return f"{label(new.cases[0])} lacks that of {', '.join(map(label, items))}"


def _refuse(table: Judgments) -> None:
    if not table.once.all():
        raise UsageError("a total has one truth: of several raters, say which by --truth-is")
    if table.weight is not None:
        raise UsageError("totals count every case alike; leave the weights out")
    keys = table.row_keys()
    if len(np.unique(keys)) < len(keys):
        column = "repeat" if table.repeat is not None else "system"
        raise UsageError(f"an item has one answer in a total: choose a {column} with --where")
