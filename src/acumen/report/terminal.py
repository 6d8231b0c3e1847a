"""Blocks as a terminal shows them. Nothing is computed here."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Final

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
from acumen.report.letters import in_letters_of

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH: Final = 80
"""A narrower terminal gets no narrower tables: squeezed, they would lose their names."""
NAME_WIDTH: Final = 18
"""Names are folded to this width in tables whose numbers have an interval below them."""
HEADER_WIDTH: Final = 13
"""Titles of columns are broken at this width in such tables."""
FIRST_CASES: Final = 10
"""Rows of a table of cases that are shown."""

_STYLES: Final = {Tone.PLAIN: "", Tone.STRONG: "bold", Tone.QUIET: "dim"}


def render(parts: Iterable[Section | Block], width: int = WIDTH, *, color: bool = False) -> str:
    """The blocks as text, without blanks at line ends."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,  # a name with brackets in it is a name
        emoji=False,
    )
    for part in parts:
        for drawn in _section(part) if isinstance(part, Section) else _block(part):
            console.print(drawn)
    lines = [line.rstrip() for line in out.getvalue().split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n"


def print_parts(parts: Iterable[Section | Block]) -> None:
    """The blocks on standard output, in colour on a terminal, in plain ASCII where need be."""
    from rich.console import Console

    console = Console(highlight=False)
    color = console.is_terminal and not console.no_color
    text = render(parts, width=max(WIDTH, console.width), color=color)
    sys.stdout.write(in_letters_of(sys.stdout.encoding or "ascii", text))
    sys.stdout.flush()


def _section(section: Section) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(section.title, style="bold")
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    match block:
        case Paragraph():
            yield Padding(Text(block.text, style=_STYLES[block.tone]), (0, 0, 1, 0))
        case Facts():
            for fact in block.facts:
                note = f"  ({fact.note})" if fact.note else ""
                yield Text(f"{fact.label}: {_line(fact.cell)}{note}")
            yield Text("")
        case Notes():
            yield _notes(block)
        case Warnings():
            for warning in block.warnings:
                yield Padding(Text(f"warning: {warning}", style="yellow"), (0, 0, 1, 0))
        case Table():
            yield Padding(_table(block), (0, 0, 1, 0))
        case Folded():
            yield from _block(block.table)
        case Plot():
            yield Text(block.title, style="bold")
            yield from _block(block.table)
        case Cases():
            first = block.first(FIRST_CASES)
            yield Text(f"{block.title}: {len(first.rows)} of {block.n} rows", style="bold")
            if block.note:
                yield Text(block.note)
            yield from _block(first)


def _notes(block: Notes) -> RenderableType:
    """Notes one below the other, each once, the lines of one hanging together."""
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 1, 0, 0))
    for note in dict.fromkeys(block.notes):
        grid.add_row(UNRELIABLE if note.marked else "-", Text(note.text))
    return Padding(grid, (0, 0, 1, 0))


def _line(cell: Cell) -> str:
    mark = UNRELIABLE if cell.marked else ""
    return f"{cell.text} [{cell.interval}]{mark}" if cell.interval else f"{cell.text}{mark}"


def _table(block: Table) -> RenderableType:
    """A box; rows of two lines, a number and its interval, need the room and have none."""
    from rich import box
    from rich.table import Table as Box

    dense = any(cell.interval for row in block.rows for cell in row)
    table = Box(
        title=block.caption if dense and block.caption else None,
        title_justify="left",
        box=box.SIMPLE_HEAD if dense else box.SQUARE,
        header_style="bold",
        pad_edge=not dense,
        padding=(0, 0) if dense else (0, 1),
    )
    for at, header in enumerate(block.columns):
        if block.is_numeric(at):
            header = "\n".join(wrap(header, HEADER_WIDTH)) if dense else header
            table.add_column(header, justify="right", no_wrap=True, min_width=9 if dense else None)
        else:
            widest = NAME_WIDTH if dense and at == 0 else None
            table.add_column(header, overflow="fold", max_width=widest)
    for first, *others in block.rows:
        name = _broken(first.text) if dense else _cell(first)
        table.add_row(name, *map(_cell, others))
    return table


def _broken(text: str) -> str:
    """A long name in two lines, broken after a mark near its middle.

    >>> _broken("retrieval_similarity_mean").splitlines()
    ['retrieval_', 'similarity_mean']
    """
    breaks = [i + 1 for i, c in enumerate(text[:-1]) if c in "_:+"]
    if len(text) <= NAME_WIDTH or "\n" in text or not breaks:
        return text
    at = min(breaks, key=lambda i: abs(i - len(text) / 2))
    return f"{text[:at]}\n{text[at:]}"


def _cell(cell: Cell) -> str:
    mark = UNRELIABLE if cell.marked else ""
    return f"{cell.text}\n{cell.interval}{mark}" if cell.interval else f"{cell.text}{mark}"
