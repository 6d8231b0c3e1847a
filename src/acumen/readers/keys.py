"""Which judgment each row is: its case and item as codes, and how its problems are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.errors import OffScaleError, Problem, refuse, what_came
from acumen.readers.answers import SHOWN_VALUES, Fault, Mask
from acumen.table.coded import Coded, check_ids
from acumen.table.judgments import ONE_ITEM, FailedCase, Outcome, Source, unjudged_items
from acumen.table.scale import Scale
from acumen.types import CaseId


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns that tell what each row is: how its problems are told."""

    coded: Mapping[str, Coded]
    lines: Sequence[int] | NDArray[Any] | None
    scale: Scale
    source: Source

    def problem(self, fault: Fault, field: str | None = None) -> Problem:
        """A fault with its place."""
        at = fault.row
        columns = {name: self.coded[name] for name in ("case", "item") if name in self.coded}
        place = {name: c.values[c.codes[at]] for name, c in columns.items() if c.codes[at] >= 0}
        item = place.get("item")
        return Problem(
            str(fault.message),
            case=place.get("case"),
            item=str(item) if isinstance(item, int | str) else None,
            field=field,
            line=None if self.lines is None else int(self.lines[at]),
            noun=self.scale.case,
            off_scale=isinstance(fault.message, OffScaleError),
            rows=fault.rows,
        )

    def problems(self, faults: Iterable[Fault], field: str) -> list[Problem]:
        """Faults of a column, each with its place."""
        return [self.problem(fault, field) for fault in faults]

    def odd(
        self, name: str, problem_of: Callable[[Any], str | ValueError | None], if_missing: str
    ) -> list[Problem]:
        """What is wrong with the values of a column, each told once, and with rows that lack it."""
        column = self.coded.get(name)
        if column is None:
            return []
        is_plain = column.kinds == {str} and "" not in column.values
        faults = [
            Fault(int(column.first[code]), message, int(column.counts[code]))
            for code, value in enumerate(() if is_plain and name == "case" else column.values)
            if (message := problem_of(value)) is not None and column.counts[code]
        ]
        if (missing := column.missing).any():
            faults.append(Fault(int(np.argmax(missing)), if_missing, int(missing.sum())))
        faults.sort(key=lambda fault: fault.row)
        if len(faults) > SHOWN_VALUES:
            faults = [replace(faults[0], rows=sum(fault.rows for fault in faults))]
        return self.problems(faults, name)


@dataclass(frozen=True, slots=True)
class Codes:
    """Cases and items, and the code of each row's."""

    cases: tuple[CaseId, ...]
    items: tuple[str, ...]
    case: NDArray[np.int32]
    item: NDArray[np.int32]
    warnings: list[str]


def code_rows(
    rows: Rows, outcome: NDArray[np.uint8], listed: set[CaseId], *, complete: bool
) -> Codes:
    """Ids and items as codes; ids that collide, rows given twice and items not given are told."""
    noun = rows.scale.case
    case = rows.coded["case"].in_order()
    items, item, problems = _item_codes(rows.coded.get("item"), len(case), rows.scale)
    collisions, warnings = check_ids(case, noun)
    problems += collisions
    if "item" in rows.coded:
        warnings += unjudged_items(items, rows.scale)
    if complete and "item" in rows.coded:
        gone = np.fromiter((c in listed for c in case.values), bool, len(case.values))
        gone[case.codes[outcome == Outcome.FAILED]] = True
        problems += _ragged(case, item, items, gone, noun)
    refuse(problems, rows.source.name)
    return Codes(case.values, items, case.codes, item, warnings)


def failed_cases(
    codes: Codes, outcome: NDArray[np.uint8], failed: Sequence[FailedCase]
) -> list[FailedCase]:
    """Cases all of whose rows failed, and that nobody listed."""
    if not (outcome == Outcome.FAILED).any():
        return []
    size, listed = len(codes.cases), {f.case for f in failed}
    of_failed = np.bincount(codes.case[outcome == Outcome.FAILED], minlength=size)
    whole = (of_failed > 0) & (of_failed == np.bincount(codes.case, minlength=size))
    cases = (codes.cases[c] for c in np.flatnonzero(whole).tolist())
    return [FailedCase(case, "marked as failed") for case in cases if case not in listed]


def bad_id(value: object) -> str | None:
    """What is wrong with an id, if anything."""
    if isinstance(value, int | str) and not isinstance(value, bool) and value != "":
        return None
    return f"must be a whole number or a text, not {what_came(value)}"


def bad_item(value: object, scale: Scale) -> str | ValueError | None:
    """What is wrong with an item, if anything."""
    if scale.items:
        foreign = OffScaleError(f"{what_came(value)} {scale.foreign}")
        return None if value in scale.items else foreign
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return None if is_name else f"{what_came(value)} is not a name"


def _item_codes(
    item: Coded | None, size: int, scale: Scale
) -> tuple[tuple[str, ...], NDArray[np.int32], list[Problem]]:
    """Items in the scale's order, then by name; one item when there is no column of them."""
    if item is None:
        name = scale.items[0] if len(scale.items) == 1 else ONE_ITEM
        return (name,), np.zeros(size, np.int32), []
    problems, _ = check_ids(item, "item")
    place = {name: i for i, name in enumerate(scale.items)}
    item = item.in_order(lambda value: (place.get(str(value), len(place)), str(value)))
    return tuple(map(str, item.values)), item.codes, problems


def _ragged(
    case: Coded, item: NDArray[np.int32], items: tuple[str, ...], failed: Mask, noun: str
) -> Iterator[Problem]:
    """Cases that lack an item others have: one for each case, as many cases are mostly gaps."""
    whole = ~failed[case.codes]
    pairs = np.unique(case.codes[whole].astype(np.int64) * len(items) + item[whole])
    judged = np.unique(pairs % len(items)).tolist()
    of_case, starts = np.unique(pairs // len(items), return_index=True)
    for c, own in zip(of_case.tolist(), np.split(pairs % len(items), starts[1:]), strict=True):
        if len(own) == len(judged):
            continue
        there = {*own.tolist()}
        first, more = next(i for i in judged if i not in there), len(judged) - len(own) - 1
        rest = f", nor {more} more of the {len(judged)} items" if more else ""
        message = f"is not there, though other {noun}s have it{rest}; an abstention is a row too"
        yield Problem(message, case=case.values[c], item=items[first], noun=noun)
