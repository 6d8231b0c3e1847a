"""Blocks as a notebook shows them: plain HTML that takes the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from acumen.report.blocks import (
    UNRELIABLE,
    Block,
    Cell,
    Notes,
    Paragraph,
    Section,
    Table,
    Text,
    Tone,
    Warnings,
    in_text,
)


def html(parts: Iterable[Section | Block]) -> str:
    """The blocks, every text of them escaped."""
    return f"<div>{''.join(map(_part, in_text(parts)))}</div>"


def _part(part: Text) -> str:
    match part:
        case Paragraph(tone=Tone.HEADING):
            return f"<h4>{escape(part.text)}</h4>"
        case Paragraph():
            tags = {Tone.STRONG: "b", Tone.QUIET: "small", Tone.COMMAND: "code"}
            tag = tags.get(part.tone, "span")
            return f"<p><{tag}>{_lines(part.text)}</{tag}></p>"
        case Notes():
            return _list([n.text + UNRELIABLE * n.marked for n in part.notes])
        case Warnings():
            return _list([f"warning: {warning}" for warning in part.warnings])
        case Table():
            return _table(part)


def _lines(text: str) -> str:
    return "<br>".join(map(escape, text.split("\n")))


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table(table: Table) -> str:
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    below = f"<br>{escape(cell.interval)}" if cell.interval else ""
    return f"{_lines(cell.text)}{below}{UNRELIABLE if cell.marked else ''}"
