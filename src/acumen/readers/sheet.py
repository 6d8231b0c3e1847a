"""Rows of a text table, whoever read them, and how its header says what divides cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from acumen.readers.cells import any_number
from acumen.readers.records import Rows
from acumen.readers.roles import CONVENTIONS, folded_name
from acumen.table.coded import Coded

MARKS: Final = (",", ";", "\t", "|")
"""What may stand between cells; the one that divides the header most is taken."""
MOST_ABOVE: Final = 20
"""Lines above a header that are looked at."""
_BARE: Final = re.compile(r'"[^"]*"')
_IMPORT: Final = '"ImportId"'
_JUDGED: Final = ("truth", "prediction")
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

    @cached_property
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
    bare = _BARE.sub("", header)
    return max(MARKS, key=lambda mark: (bare.count(mark), mark == ","))


def header_of(text: str) -> tuple[str, int, str]:
    """The mark between cells, where the header begins, and its line."""
    first = text[: text.find("\n") + 1 or len(text)]
    said = _MARK_LINE.fullmatch(first)
    if said:
        rest = text[len(first) :]
        return said[1], len(first), rest[: rest.find("\n") + 1 or len(rest)]
    start = _title(text[: 1 << 16])
    header = next(
        (line for line in text[start : start + (1 << 20)].splitlines() if line.strip()), ""
    )
    return mark_of(header), start, header


def _title(text: str) -> int:
    """Where a table begins below a title or remarks; 0 where it begins at once.

    >>> _title("# by a tool\\n\\nid;gt;pred\\n1;2;3\\n"), _title("#,gt\\n1,2\\n")
    (13, 0)
    """
    at, lines = 0, []
    for line in text.splitlines(keepends=True)[:MOST_ABOVE]:
        lines += [(at, _BARE.sub("", line))] if line.strip() else []
        at += len(line)
    marks = [max(line.count(mark) for mark in MARKS) for _, line in lines]
    above = 0
    while above + 2 < len(lines) and (not marks[above] or lines[above][1].startswith("# ")):
        above += 1
    is_table = len(lines) > above + 1 and marks[above] and marks[above] == marks[above + 1]
    return lines[above][0] if is_table else 0


def as_table(
    header: list[str], rows: list[list[str]], lines: list[int]
) -> tuple[list[str], list[list[str]], list[int], list[str]]:
    """A header, rows and their lines without what a tool wrote between, and what to tell of it.

    Qualtrics writes the questions and its ids below the header, and a form may have its cases side
    by side: then each line is what others have as a column.

    >>> as_table(["", "p1", "p2"], [["truth", "1", "2"], ["prediction", "1", "1"]], [2, 3])[:2]
    (['case', 'truth', 'prediction'], [['p1', '1', '1'], ['p2', '2', '1']])
    """
    if len(rows) > 2 and all(_IMPORT in cell for cell in rows[1] if cell):
        note = "the two lines below the header say what its columns are, and are ignored"
        return header, rows[2:], lines[2:], [note]
    names = [cells[0].strip() for cells in rows]
    roles = {role for role in _JUDGED for name in names if folded_name(name) in CONVENTIONS[role]}
    if roles == {*_JUDGED} and len({*names}) == len(rows) < len(header):
        turned = [list(cells) for cells in zip(header, *rows, strict=True)][1:]
        note = f"cases stand side by side: each line is a column of theirs ({', '.join(names)})"
        return ["case", *names], turned, [lines[0]] * len(turned), [note]
    return header, rows, lines, []
