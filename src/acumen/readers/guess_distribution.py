"""Which columns hold probabilities of levels: by what is in them, for ``acumen map``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from acumen.readers.distribution import MOST_OFF, Entry, entry_of
from acumen.readers.guess import Column, Guess
from acumen.readers.records import ABSENT, Records, Rows

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
            texts = {repr(cell) for cell in rows.column(name) if cell is not None}
            column = Column(name, (), count=len(texts))
            return Guess(column, "each cell holds probabilities"), inside
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


def _holds_probabilities(rows: Rows, name: str) -> bool:
    """Whether the first cells of a column hold lists or mappings of probabilities."""
    if not (rows.is_text or isinstance(rows, Records)):
        return False
    column = rows.ids(name)
    cells = column.values if hasattr(column, "values") else column
    there = (c for c in cells if c is not None and c is not ABSENT and c != "")
    first = list(islice(there, LOOKED_AT))
    if not all(isinstance(c, list | dict) or str(c).lstrip()[:1] in ("[", "{") for c in first):
        return False
    entries = [entry_of(cell) for cell in first]
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
