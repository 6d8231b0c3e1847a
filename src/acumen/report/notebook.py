"""Blocks as a notebook shows them: plain HTML that takes the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from acumen.report.blocks import (
    UNRELIABLE,
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
    Tone,
    Warnings,
)

FIRST_CASES = 10
"""Rows of a table of cases that are shown."""


def html(parts: Iterable[Section | Block]) -> str:
    """The blocks, every text of them escaped."""
    return f"<div>{''.join(map(_part, parts))}</div>"


def _part(part: Section | Block) -> str:
    match part:
        case Section():
            return f"<h4>{escape(part.title)}</h4>{''.join(map(_part, part.blocks))}"
        case Paragraph():
            tag = {Tone.PLAIN: "span", Tone.STRONG: "b", Tone.QUIET: "small"}[part.tone]
            return f"<p><{tag}>{_lines(part.text)}</{tag}></p>"
        case Facts():
            facts = (f"{escape(f.label)}: {_cell(f.cell)} {escape(f.note)}" for f in part.facts)
            return f"<p>{'<br>'.join(facts)}</p>"
        case Notes():
            return _list([n.text + UNRELIABLE * n.marked for n in part.notes])
        case Warnings():
            return _list([f"warning: {warning}" for warning in part.warnings])
        case Table():
            return _table(part)
        case Folded():
            caption = f"<summary>{escape(part.table.caption)}</summary>"
            return f"<details>{caption}{_table(part.table)}</details>"
        case Plot():
            return f"<h5>{escape(part.title)}</h5>{_table(part.table)}"
        case Cases():
            note = f"<p>{escape(part.note)}</p>" if part.note else ""
            return f"{note}{_table(part.first(FIRST_CASES))}"


def _lines(text: str) -> str:
    return "<br>".join(map(escape, text.split("\n")))


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table(table: Table) -> str:
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(cell: Cell) -> str:
    below = f"<br>{escape(cell.interval)}" if cell.interval else ""
    return f"{_lines(cell.text)}{below}{UNRELIABLE if cell.marked else ''}"
