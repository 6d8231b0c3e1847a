"""A table as text: cells with commas, semicolons, tabs or bars between, one line a row."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, Problem, label, refuse
from acumen.files.json import decode_text
from acumen.readers.cells import any_number
from acumen.readers.content import HEAD, Content
from acumen.readers.records import Rows
from acumen.table.coded import Coded

MARKS: Final = (",", ";", "\t", "|")
"""What may stand between cells; the one that divides the header most is taken."""
BIG: Final = 1 << 20
"""Bytes from which on a file is worth reading with pyarrow, where it is there."""
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


def read_delimited(content: Content) -> Rows:
    """The rows of a text table with a header; ids stay text, so 0101 and 101 are two cases."""
    if b"\0" in content.head.start:
        decode_text(content.start[:HEAD], content.name)  # it may be UTF-16, which is told
        hint = "is it a spreadsheet or a database? Save it as CSV"
        raise DataError([f"is no text: it holds NUL bytes; {hint}"], source=content.name)
    if content.size >= BIG:
        from acumen.readers.arrow import read_clean_csv

        if (sheet := read_clean_csv(content)) is not None:
            return sheet
    header, rows, lines = _parse(content.text, content.name)
    cells = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    return Sheet(columns=cells, size=len(rows), lines=lines, format="csv", is_text=True)


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


def _parse(text: str, name: str) -> tuple[list[str], list[list[str]], list[int]]:
    """Header, rows and the line each row begins on."""
    mark, start, _ = header_of(text)
    reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=mark, strict=True)
    above = text.count("\n", 0, start)
    header: list[str] = []
    rows, lines, problems = [], [], []
    line = 1
    try:
        for cells in reader:
            if cells and not header:
                header = [cell.strip() for cell in cells]
            elif any(cells):
                if len(cells) != len(header):
                    message = f"has {len(cells)} fields, expected {len(header)}"
                    problems.append(Problem(message, line=line + above))
                rows.append(cells)
                lines.append(line + above)
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(str(error), line=line + above))
    twice = sorted(h for h, times in Counter(header).items() if times > 1)
    problems += [Problem(f"column {label(h)} is there twice", line=1 + above) for h in twice]
    if not rows:
        problems.append(Problem("there are no rows in it"))
    refuse(problems, name)
    return header, rows, lines
