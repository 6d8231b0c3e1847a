"""A table as text: cells with commas, semicolons, tabs or bars between, one line a row."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import Final

from acumen.errors import DataError, Problem, label, refuse
from acumen.files.json import decode_text
from acumen.readers.content import HEAD, Content
from acumen.readers.records import Rows, refuse_wide
from acumen.readers.sheet import Sheet, as_table, header_of

_OTHERS: Final = {
    b"\xd0\xcf\x11\xe0": "an old workbook of Excel (.xls)",
    b"%PDF-": "a PDF",
    b"$FL2": "a file of SPSS",
    b"<stata_dta>": "a file of Stata",
    b"\x93NUMPY": "an array of NumPy",
    b"\x80\x04\x95": "a pickle of Python, which is never opened",
    b"\x80\x05\x95": "a pickle of Python, which is never opened",
    b"SQLite format 3": "a database of SQLite",
    b"<?xml": "XML",
}
"""How files begin that people have beside tables."""
_RULE: Final = re.compile(r":?-{2,}:?")
BIG: Final = 1 << 20
"""Bytes from which on a file is worth reading with pyarrow, where it is there."""


def read_delimited(content: Content) -> Rows:
    """The rows of a text table with a header; ids stay text, so 0101 and 101 are two cases."""
    is_yaml = content.head.suffix in (".yaml", ".yml")
    for magic, kind in [*_OTHERS.items(), *([(b"", "YAML")] if is_yaml else [])]:
        if content.head.start.startswith(magic):
            hint = "Save it as CSV or .xlsx" if magic.startswith(b"\xd0") else "Write it as CSV"
            raise DataError([f"is {kind}, and no table of text. {hint}"], source=content.name)
    if b"\0" in content.head.start:
        decode_text(content.start[:HEAD], content.name)  # it may be UTF-16, which is told
        hint = "is it a spreadsheet or a database? Save it as CSV"
        raise DataError([f"is no text: it holds NUL bytes; {hint}"], source=content.name)
    if content.size >= BIG:
        from acumen.readers.arrow import read_clean_csv

        if (sheet := read_clean_csv(content)) is not None:
            return sheet
    header, rows, lines, notes = _parse(content.text, content.name)
    cells = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    return Sheet(
        columns=cells,
        size=len(rows),
        lines=lines,
        warnings=tuple(notes),
        format="csv",
        is_text=True,
    )


def named_header(header: list[str], line: int) -> tuple[list[str], list[Problem]]:
    """A header whose columns all have names, and what is wrong with it.

    >>> named_header(["", "gt", ""], 1)
    (['index', 'gt', 'column 3'], [])
    """
    names = []
    for at, name in enumerate(header):
        other = "index" if at == 0 and "index" not in header else f"column {at + 1}"
        names.append(name or other)  # pandas leaves the name of its index out
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    return names, [Problem(f"column {label(name)} is there twice", line=line) for name in twice]


def _parse(text: str, name: str) -> tuple[list[str], list[list[str]], list[int], list[str]]:
    """Header, rows, the line each row begins on, and what to tell."""
    mark, start, _ = header_of(text)
    reader = csv.reader(io.StringIO(text[start:], newline=""), delimiter=mark, strict=True)
    above = text.count("\n", 0, start)
    header: list[str] = []
    rows, lines, problems = [], [], []
    line = 1
    try:
        for cells in reader:
            if mark == "|":  # as in a page of text: blanks around, a rule below the header
                cells = [cell.strip() for cell in cells]
                cells = [] if header and all(map(_RULE.fullmatch, filter(None, cells))) else cells
            if cells and not header:
                header = [cell.strip() for cell in cells]
                refuse_wide(header, name)
            elif any(cells):
                if len(cells) != len(header):
                    message = f"has {len(cells)} fields, expected {len(header)}"
                    problems.append(Problem(message, line=line + above))
                rows.append(cells)
                lines.append(line + above)
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(str(error), line=line + above))
    header, faults = named_header(header, 1 + above)
    problems += faults
    if not rows:
        problems.append(Problem("there are no rows in it"))
    refuse(problems, name)
    notes = []
    if text[:start].strip() and not text[:start].lower().startswith("sep="):
        notes = [f"the table begins in line {1 + above}; the lines above it are ignored"]
    header, rows, lines, more = as_table(header, rows, lines)
    return header, rows, lines, [*notes, *more]
