"""Blocks as text for papers and spreadsheets, and as records for programs.

Names come from files: in every format they are text and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from acumen.errors import printable
from acumen.files.csv import csv_text
from acumen.files.json import to_json
from acumen.report.blocks import (
    FIRST_CASES,
    UNDEFINED,
    Block,
    Cell,
    Notes,
    Paragraph,
    Section,
    Table,
    Warnings,
    in_text,
)
from acumen.report.terms import MINUS

Parts = Iterable[Section | Block]
EVERY_CASE: Final = sys.maxsize
LONGEST_NAME: Final = 1000
"""Of a name in a file for machines; longer ones are cut."""

_MARKDOWN: Final = str.maketrans({c: f"\\{c}" for c in r"\`*_[]<>!|~$&:@"})
_LATEX: Final = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        # at the start of a row these would be read as arguments of the \\ or \midrule before it
        **{c: f"{{{c}}}" for c in "[*"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # LaTeX knows letters with accents, and no sign of these
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "≈": r"$\approx$",
        "≠": r"$\neq$",
        "∞": r"$\infty$",
        "−": "$-$",
        "→": r"$\to$",
        "✓": r"$\surd$",
        "δ": r"$\delta$",
        "ε": r"$\varepsilon$",
        "α": r"$\alpha$",
        "κ": r"$\kappa$",
        "λ": r"$\lambda$",
        "π": r"$\pi$",
        "ρ": r"$\rho$",
        "σ": r"$\sigma$",
        "τ": r"$\tau$",
    }
)


def _flat(parts: Parts, most: int = FIRST_CASES) -> Iterator[str | Table]:
    """Sentences as texts, all else as tables, each below what it is called, in their order."""
    for part in in_text(parts, most):
        match part:
            case Paragraph():
                yield part.text
            case Notes():
                yield from (note.text for note in part.notes)
            case Warnings():
                yield from (f"warning: {warning}" for warning in part.warnings)
            case Table():
                yield part


def as_markdown(parts: Parts) -> str:
    """Paragraphs and tables with intervals."""

    def drawn(table: Table, escaped: Callable[[str], str]) -> Iterator[str]:
        yield "| " + " | ".join(map(escaped, table.columns)) + " |"
        sides = ("---:" if is_number else "---" for is_number in table.numeric)
        yield "|" + "|".join(sides) + "|"
        for row in table.rows:
            yield "| " + " | ".join(_cells(row, escaped, r"\*")) + " |"

    return _written(parts, _MARKDOWN, drawn)


def as_latex(parts: Parts) -> str:
    """Paragraphs and tables (booktabs) with intervals, for any of LaTeX's engines."""

    def drawn(table: Table, escaped: Callable[[str], str]) -> Iterator[str]:
        sides = "".join("r" if is_number else "l" for is_number in table.numeric)
        yield r"% \usepackage{booktabs}"
        yield from (rf"\begin{{tabular}}{{{sides}}}", r"\toprule")
        yield from (" & ".join(map(escaped, table.columns)) + r" \\", r"\midrule")
        for row in table.rows:
            yield " & ".join(_cells(row, escaped, "$^{*}$")) + r" \\"
        yield from (r"\bottomrule", r"\end{tabular}")

    return _written(parts, _LATEX, drawn, MINUS)


def _written(
    parts: Parts,
    letters: Mapping[int, str],
    drawn: Callable[[Table, Callable[[str], str]], Iterator[str]],
    minus: re.Pattern[str] | None = None,
) -> str:
    def escaped(text: str) -> str:
        text = " ".join(text.split())
        return (minus.sub("−", text) if minus else text).translate(letters)

    chunks = (
        escaped(p) if isinstance(p, str) else "\n".join(drawn(p, escaped)) for p in _flat(parts)
    )
    return "\n\n".join(chunks) + "\n"


def _cells(row: Iterable[Cell], escaped: Callable[[str], str], mark: str) -> Iterator[str]:
    """The cells of a row, a number with its interval, marked where that is unreliable."""
    for cell in row:
        interval = f" {escaped(cell.interval)}" if cell.interval not in ("", UNDEFINED) else ""
        yield f"{escaped(cell.text)}{interval}{mark if cell.marked else ''}"


def as_csv(parts: Parts) -> str:
    """Comma-separated values, each table with its header; a text is a row of its own."""
    chunks = []
    for part in _flat(parts, EVERY_CASE):
        if isinstance(part, str):
            chunks.append(csv_text([printable(part, limit=LONGEST_NAME)], []))
            continue
        records = list(_records(part))
        keys = list(records[0]) if records else list(part.columns)
        rows = ([_cut(record[key]) for key in keys] for record in records)
        chunks.append(csv_text([printable(key, limit=LONGEST_NAME) for key in keys], rows))
    return "".join(chunks)


def _cut(value: object) -> object:
    return printable(value, limit=LONGEST_NAME) if isinstance(value, str) else value


def as_json(parts: Parts) -> str:
    """The rows of the tables as records; the sentences between them as texts."""
    entries: list[object] = []
    for part in _flat(parts, EVERY_CASE):
        entries += [part] if isinstance(part, str) else list(_records(part))
    return to_json(entries)


def _records(table: Table) -> Iterator[dict[str, object]]:
    """Rows by column; a measured number is its estimate, low, high, unit and note.

    Where a table has several, what stands above each names its estimate and begins the others.
    """
    columns = list(enumerate(table.columns))
    with_ends = {at for at, _ in columns if any(row[at].ends for row in table.rows)}
    is_only = len(with_ends) == 1
    for row in table.rows:
        record: dict[str, object] = {}
        for at, column in columns:
            cell = row[at]
            text = None if cell.text == UNDEFINED else cell.text
            value = text if cell.value is None else cell.value
            if at not in with_ends:
                record[column] = value
                continue
            low, high = cell.ends or (None, None)
            prefix = "" if is_only else f"{column}_"
            record["estimate" if is_only else column] = value
            record |= {f"{prefix}low": low, f"{prefix}high": high, f"{prefix}note": cell.hint}
            record[f"{prefix}unit"] = cell.unit or None
        yield record


FORMATS: Final[Mapping[str, Callable[[Parts], str]]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": as_json,
}
FOR_PROGRAMS: Final = ("csv", "json")
"""Formats that hold numbers to the last digit, and no sentences."""
