"""Which columns hold probabilities of levels: by what is in them, for ``acumen map``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from acumen.readers.distribution import MOST_OFF, Entry, entry_of
from acumen.readers.guess import Column, Guess
from acumen.readers.records import ABSENT, Records, Rows
from acumen.table.levels import number_in

ENOUGH: Final = 0.9
"""Share of the rows that must sum to 1: a few may be damaged, and are told when it is read."""
LOOKED_AT: Final = 50
_LAST_PART: Final = re.compile(r"(\d+(\.\d+)?|[^\W_]+)$")


def guess_distribution(rows: Rows, columns: Sequence[Column]) -> tuple[Guess, set[str]] | None:
    """The probabilities of the levels, and the columns that are parts of them."""
    for name in rows.names:
        if _holds_probabilities(rows, name):
            inside = {
                c.path
                for c in columns
                if c.path == name or c.path.startswith((f"{name}.", f"{name}["))
            }
            return Guess(_column(rows, name), "each cell holds probabilities"), inside
    stems: dict[str, list[Column]] = {}
    for column in columns:
        if column.is_numeric and column.distinct[0] >= 0 and column.distinct[-1] <= 1:
            stems.setdefault(_LAST_PART.sub("", column.path), []).append(column)
    for stem, parts in stems.items():
        paths = [part.path for part in parts]
        if len(parts) > 1 and _sum_to_one([list(part.values) for part in parts]):
            is_nested = isinstance(rows, Records) and stem.endswith(".")
            path = stem.removesuffix(".") if is_nested else ",".join(paths)
            return Guess(Column(path, ()), "its numbers sum to 1 in each row"), {*paths}
    return None


def _sum_to_one(columns: Sequence[Sequence[Any]]) -> bool:
    sums = [
        sum(value or 0 for value in row)
        for row in zip(*columns, strict=True)
        if any(value is not None for value in row)
    ]
    near = sum(abs(total - 1) <= MOST_OFF for total in sums)
    return bool(sums) and near >= ENOUGH * len(sums)


def guess_draws(rows: Rows, truth: Column) -> Guess | None:
    """A column of lists, each of several of the truth's levels: what draws came to."""
    levels = {*truth.distinct}
    for name in rows.names:
        entries = [entry_of(cell) for cell in _lists(rows, name)]
        drawn = [[v for v in e.numbers if v is not None] for e in entries if not e.names]
        fits = [len(d) > 1 and all(_level_of(v) in levels for v in d) for d in drawn]
        if sum(fits) >= max(1, ENOUGH * len(entries)):
            return Guess(_column(rows, name), "each cell holds several levels")
    return None


def _level_of(value: Any) -> Any:
    number = number_in(value)
    return (str(value) if isinstance(value, list | dict) else value) if number is None else number


def _column(rows: Rows, name: str) -> Column:
    return Column(name, (), count=len({repr(c) for c in rows.column(name) if c is not None}))


def _lists(rows: Rows, name: str) -> list[Any]:
    """The first cells of a column of lists or mappings; none of another."""
    if not (rows.is_text or isinstance(rows, Records)):
        return []
    column = rows.ids(name)
    cells = column.values if hasattr(column, "values") else column
    there = (c for c in cells if c is not None and c is not ABSENT and c != "")
    first = list(islice(there, LOOKED_AT))
    are_lists = all(isinstance(c, list | dict) or str(c).lstrip()[:1] in ("[", "{") for c in first)
    return first if are_lists else []


def _holds_probabilities(rows: Rows, name: str) -> bool:
    """Whether the first cells of a column hold lists or mappings of probabilities."""
    entries = [entry_of(cell) for cell in _lists(rows, name)]
    numbers = [v for e in entries for v in e.numbers if isinstance(v, int | float)]
    are_logs = bool(numbers) and max(numbers) <= 0 and min(numbers) < 0
    fits = [e.refused or _is_probable(e, are_logs=are_logs) for e in entries]
    return any(len(e.numbers) > 1 for e in entries) and sum(fits) >= ENOUGH * len(fits)


def _is_probable(entry: Entry, *, are_logs: bool) -> bool:
    numbers = [v for v in entry.numbers if isinstance(v, int | float) and not isinstance(v, bool)]
    if not numbers or len(numbers) < len(entry.numbers):
        return False
    if are_logs:
        return bool(entry.names)
    return min(numbers) >= 0 and abs(sum(numbers) - 1) <= MOST_OFF
