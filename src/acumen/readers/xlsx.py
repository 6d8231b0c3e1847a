"""Workbooks of Excel (``.xlsx``): the first sheet that holds a table, read by the standard library.

A workbook is a zip of XML. Its members are bounded by :class:`~acumen.files.archive.Archive`, a
document type, where entities could be declared, is refused, and so are tables beyond what Excel
itself can hold. Formulas are not computed: what Excel kept as their value is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from acumen.errors import DataError, Problem, label, refuse
from acumen.files.archive import Archive
from acumen.readers.content import FREE, MOST_SWELL, Content
from acumen.readers.delimited import named_header
from acumen.readers.sheet import Sheet

MOST_ROWS: Final = 1 << 20
MOST_COLUMNS: Final = 1 << 14
"""What a sheet of Excel can hold."""
MOST_PARTS: Final = 1_000_000
"""Elements of a row or a text, and of what stands between two of them: all are held at once."""
MOST_PLACES: Final = 16
"""Places of the table for each cell that holds something, beyond the free ones."""
FREE_PLACES: Final = 4_000_000
_PLACE: Final = re.compile(r"([A-Z]{1,3})(\d{1,7})", re.ASCII)
_PIECE: Final = 1 << 16


def read_xlsx(content: Content) -> Sheet:
    """The rows of a workbook's first sheet with a table; cells are texts, as in a file of text."""
    archive = Archive(content.data, content.name, FREE, MOST_SWELL)
    sheets = _sheets(archive)
    texts = _shared(archive)
    tables = ((name, _table(archive, member, texts)) for name, member in sheets)
    holding = [(name, rows) for name, rows in tables if rows]
    if not holding:
        raise DataError(["there are no rows in it"], content.name)
    holding.sort(key=lambda table: len(table[1]) < 2 or max(map(len, table[1].values())) < 2)
    (name, rows), *others = holding
    widest = max(map(len, rows.values()))
    titles = [row for row in sorted(rows) if len(rows[row]) == 1] if widest > 2 else []
    above = [row for row, title in zip(sorted(rows), titles, strict=False) if row == title]
    first, *below = sorted(rows.keys() - {*above})
    header = {at: text.strip() for at, text in rows[first].items()}
    used = sorted({at for row in rows.values() for at in row})
    cells = sum(map(len, rows.values()))
    if len(used) * len(rows) > FREE_PLACES + MOST_PLACES * cells:
        message = f"spreads {cells:,} cells over {len(used):,} columns and {len(rows):,} rows"
        raise DataError([f"{message}: refused; save it as CSV if you trust it"], content.name)
    names, problems = named_header([header.get(at, "") for at in range(used[-1] + 1)], first)
    if not below:
        problems.append(Problem("there are no rows in it"))
    refuse(problems, content.name)
    notes = [f"the table begins in row {first}; the lines above it are ignored"] if above else []
    if others:
        more = ", ".join(label(other) for other, _ in others)
        notes += [f"sheet {label(name)} is read; there is more in {more}"]
    columns = {names[at]: [rows[row].get(at, "") for row in below] for at in used}
    return Sheet(
        columns=columns,
        size=len(below),
        lines=below,
        warnings=tuple(notes),
        format="xlsx",
        is_text=True,
    )


def _sheets(archive: Archive) -> list[tuple[str, str]]:
    """Name and member of each sheet, in the workbook's order; hidden ones last."""
    book, links = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
    if book not in archive or links not in archive:
        raise DataError(["is a zip archive, and no workbook of Excel"], archive.source)
    targets = {e.get("Id"): e.get("Target", "") for e in _elements(archive, links, "Relationship")}
    sheets = []
    for element in _elements(archive, book, "sheet"):
        key = next((v for k, v in element.items() if k.endswith("}id")), None)
        target = targets.get(key, "").lstrip("/")
        member = target if target.startswith("xl/") else f"xl/{target}"
        if member in archive:
            is_hidden = element.get("state", "visible") != "visible"
            sheets.append((is_hidden, element.get("name", "sheet"), member))
    return [(name, member) for _, name, member in sorted(sheets, key=lambda s: s[0])]


def _shared(archive: Archive) -> list[str]:
    """Texts that cells refer to by number."""
    member = "xl/sharedStrings.xml"
    if member not in archive:
        return []
    return [_text(element) for element in _elements(archive, member, "si")]


def _text(element: Element) -> str:
    """The text of a cell, of all its runs; what is shown above it, such as furigana, is not."""
    parts = []
    for child in element:
        tag = _tag(child)
        if tag == "t":
            parts.append(child.text or "")
        elif tag == "r":
            parts += [run.text or "" for run in child if _tag(run) == "t"]
    return "".join(parts)


def _table(archive: Archive, member: str, texts: Sequence[str]) -> dict[int, dict[int, str]]:
    """Row of the sheet -> column -> text; blank cells and rows are left out."""
    rows: dict[int, dict[int, str]] = {}
    number = 0
    for row in _elements(archive, member, "row"):
        number = _number(row.get("r"), number + 1)
        cells: dict[int, str] = {}
        column = -1
        for cell in (child for child in row if _tag(child) == "c"):
            place = _PLACE.fullmatch(cell.get("r", ""))
            column = _column(place[1]) if place else column + 1
            text = _cell(cell, texts, archive, f"{_letters(column)}{number}")
            if text.strip():
                cells[column] = text
        if number > MOST_ROWS or (cells and max(cells) >= MOST_COLUMNS):
            raise DataError(["is larger than a sheet of Excel can be"], archive.source)
        if cells:
            rows[number] = cells
    return rows


def _cell(cell: Element, texts: Sequence[str], archive: Archive, place: str) -> str:
    kind, parts = cell.get("t", "n"), {_tag(child): child for child in cell}
    value = (parts["v"].text or "") if "v" in parts else ""
    match kind:
        case "s":
            at = _number(value, -1)
            if not 0 <= at < len(texts):
                message = "refers to a text that the workbook does not have: is it damaged?"
                raise DataError([Problem(message, field=f"cell {place}")], archive.source)
            return texts[at]
        case "inlineStr":
            return _text(parts["is"]) if "is" in parts else ""
        case "b":
            return "true" if value.strip() == "1" else "false" if value else ""
        case "e":
            return ""  # #N/A and its like: there is no value
        case "str" | "d":
            return value
        case _:
            return _plain(value)


def _plain(value: str) -> str:
    """A number as it is shown: Excel keeps 0.1 + 0.2 with 17 digits, and 3 as 3.0 in some tools.

    >>> _plain("0.30000000000000004"), _plain("3.0"), _plain("7")
    ('0.3', '3', '7')
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.15g}"


def _elements(archive: Archive, member: str, tag: str) -> Iterator[Element]:
    """The elements of a name in a member, one after the other; each is forgotten after it."""
    data = archive.read(member)
    head = data[:_PIECE]
    if b"\0" in head or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        message = "declares what no workbook needs (a document type, or another encoding): refused"
        raise DataError([Problem(message, field=f"member {member}")], archive.source)
    parser: Any = XMLPullParser(("start", "end"))
    depth = parts = 0
    try:
        for start in range(0, len(data), _PIECE):
            parser.feed(data[start : start + _PIECE])
            for event, element in parser.read_events():
                depth += 1 if event == "start" else -1
                parts += event == "start"
                if parts > MOST_PARTS:
                    raise DataError([f"member {member}: holds too many parts"], archive.source)
                if depth > 50:
                    raise DataError([f"member {member}: is nested too deep"], archive.source)
                if event == "end" and _tag(element) == tag:
                    yield element
                    element.clear()
                    parts = 0
        parser.close()
    except ParseError as error:
        message = f"is no XML that can be read ({error}): is the workbook damaged?"
        raise DataError([Problem(message, field=f"member {member}")], archive.source) from None


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _number(text: Any, other: int) -> int:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 10 else other


def _column(letters: str) -> int:
    """A column by its letters, from 0.

    >>> _column("A"), _column("AA")
    (0, 26)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _letters(column: int) -> str:
    out, number = "", column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        out = chr(65 + rest) + out
    return out
