"""Rows of a text table, whoever read them, and how its header says what divides cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.readers.cells import any_number
from acumen.readers.records import Rows
from acumen.table.coded import Coded

MARKS: Final = (",", ";", "\t", "|")
"""What may stand between cells; the one that divides the header most is taken."""
_MARK_LINE = re.compile(r"sep=(.)\s*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Sheet(Rows):
    """Rows of a text table: cells are texts, or floats where a fast reader was sure of a column."""

    columns: Mapping[str, Any]
    size: int
    again: Callable[[str], Any] | None = None
    """Reads a column of floats once more, as the texts that are written."""

    def __len__(self) -> int:
        return self.size

    @property
    def names(self) -> Sequence[str]:
        """The header."""
        return list(self.columns)

    def column(self, name: str) -> Any:
        """The cells below a header."""
        return self.columns[name]

    def ids(self, name: str) -> Any:
        """The same as texts."""
        column = self.columns[name]
        return self.again(name) if self.again and isinstance(column, np.ndarray) else column

    def has_numbers(self, name: str) -> bool:
        """Whether some cell is a number: a text among them is a mistake then, and is told.

        A column of nothing but blanks is one of numbers that are all missing.
        """
        column = self.columns[name]
        if isinstance(column, np.ndarray):
            return True
        return any_number(column.values if isinstance(column, Coded) else set(column))


def mark_of(header: str) -> str:
    """What divides a header; a comma where nothing does.

    >>> mark_of("id;name, first;score"), mark_of('a,"b;c;d"')
    (';', ',')
    """
    bare = re.sub(r'"[^"]*"', "", header)
    return max(MARKS, key=lambda mark: (bare.count(mark), mark == ","))


def header_of(text: str) -> tuple[str, int, str]:
    """The mark between cells, where the header begins, and its line."""
    first = text[: text.find("\n") + 1 or len(text)]
    said = _MARK_LINE.fullmatch(first)
    if said:
        rest = text[len(first) :]
        return said[1], len(first), rest[: rest.find("\n") + 1 or len(rest)]
    header = next((line for line in text[: 1 << 20].splitlines() if line.strip()), "")
    return mark_of(header), 0, header
