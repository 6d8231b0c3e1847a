"""Blocks as text for papers and spreadsheets, and as records for programs.

Names come from files: in every format they are text and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from acumen.errors import printable
from acumen.files.csv import csv_text
from acumen.files.json import to_json
from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Cases,
    Cell,
    Facts,
    Folded,
    Notes,
    Paragraph,
    Plot,
    Section,
    Table,
    Warnings,
)

Parts = Iterable[Section | Block]
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
    }
)


def _flat(parts: Parts) -> Iterator[str | Table]:
    """Headings and sentences as texts, everything else as tables, in their order."""
    for part in parts:
        match part:
            case Section():
                yield part.title
                yield from _flat(part.blocks)
            case Paragraph():
                yield part.text
            case Notes():
                yield from (note.text for note in part.notes)
            case Warnings():
                yield from (f"warning: {warning}" for warning in part.warnings)
            case Facts():
                rows = tuple((Cell(f.label), f.cell, Cell(f.note)) for f in part.facts)
                yield Table("", ("measure", "value", "of"), rows)
            case Table():
                yield part
            case Folded():
                yield part.table
            case Plot():
                yield part.title
                yield part.table
            case Cases():
                yield part.title
                yield part.first(part.n)


def as_markdown(parts: Parts) -> str:
    """Paragraphs and tables with intervals."""

    def escaped(text: str) -> str:
        return " ".join(text.split()).translate(_MARKDOWN)

    chunks = []
    for part in _flat(parts):
        if isinstance(part, str):
            chunks.append(escaped(part))
            continue
        lines = ["| " + " | ".join(map(escaped, part.columns)) + " |"]
        sides = ("---:" if is_number else "---" for is_number in part.numeric)
        lines.append("|" + "|".join(sides) + "|")
        lines += ["| " + " | ".join(_cells(row, escaped, r"\*")) + " |" for row in part.rows]
        chunks.append("\n".join(lines))
    return "\n\n".join(chunks) + "\n"


def as_latex(parts: Parts) -> str:
    """Paragraphs and tables (booktabs) with intervals."""

    def escaped(text: str) -> str:
        return " ".join(text.split()).translate(_LATEX)

    chunks = []
    for part in _flat(parts):
        if isinstance(part, str):
            chunks.append(escaped(part))
            continue
        sides = "".join("r" if is_number else "l" for is_number in part.numeric)
        lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule"]
        lines += [" & ".join(map(escaped, part.columns)) + r" \\", r"\midrule"]
        lines += [" & ".join(_cells(row, escaped, "$^{*}$")) + r" \\" for row in part.rows]
        chunks.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]))
    return "\n\n".join(chunks) + "\n"


def _cells(row: Iterable[Cell], escaped: Callable[[str], str], mark: str) -> Iterator[str]:
    """The cells of a row, a number with its interval, marked where that is unreliable."""
    for cell in row:
        interval = f" [{cell.interval}]" if cell.interval not in ("", UNDEFINED) else ""
        yield f"{escaped(cell.text)}{interval}{mark if cell.marked else ''}"


def as_csv(parts: Parts) -> str:
    """Comma-separated values, each table with its header; a text is a row of its own."""
    chunks = []
    for part in _flat(parts):
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
    for part in _flat(parts):
        entries += [part] if isinstance(part, str) else list(_records(part))
    return to_json(entries)


def _records(table: Table) -> Iterator[dict[str, object]]:
    """Rows by column; the ends of an interval and what is said of it have their own columns."""
    columns = list(enumerate(table.columns))
    with_ends = {at for at, _ in columns if any(row[at].ends for row in table.rows)}
    alone = {at for at in with_ends if all(row[at].value is None for row in table.rows)}
    for row in table.rows:
        record: dict[str, object] = {}
        for at, column in columns:
            cell, prefix = row[at], "" if at in alone else f"{column}_"
            text = None if cell.text == UNDEFINED else cell.text
            if at not in alone:
                record[column] = text if cell.value is None else cell.value
            if at in with_ends:
                low, high = cell.ends or (None, None)
                record |= {f"{prefix}low": low, f"{prefix}high": high, f"{prefix}note": cell.hint}
        yield record


FORMATS: Final[Mapping[str, Callable[[Parts], str]]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": as_json,
}
FOR_PROGRAMS: Final = ("csv", "json")
"""Formats that hold numbers to the last digit, and no sentences."""
