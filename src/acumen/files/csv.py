"""The one CSV writer: numbers stay numbers, and text never becomes a spreadsheet's formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""A spreadsheet runs text that starts with one of these, some after blanks, some in full width."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and rows as comma-separated values; empty where there is no value.

    >>> print(csv_text(["name", "delta"], [["=1+1", -0.5], ["plain", None]]), end="")
    name,delta
    '=1+1,-0.5
    plain,
    """
    lines = []
    for row in (header, *rows):
        file = io.StringIO()
        # the writer quotes what is in its line end: with "\n" alone, a bare "\r" would begin a row
        csv.writer(file, lineterminator="\r\n").writerow(map(cell, row))
        lines.append(file.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def cell(value: object) -> object:
    """A value as a cell: text that a spreadsheet would run is disarmed with a single quote.

    >>> cell("-2+3"), cell(-2), cell(None)
    ("'-2+3", -2, '')
    """
    if isinstance(value, str) and any(t.startswith(FORMULA_STARTS) for t in (value, value.strip())):
        return f"'{value}"
    return "" if value is None else value
