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
NARROWEST: Final = 50
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
        force_jupyter=False,  # in a notebook it would show itself and leave no text
        no_color=not color,
        highlight=False,
        markup=False,  # a name with brackets in it is a name
        emoji=False,
    )
    for part in parts:
        drawn = _section(part, width) if isinstance(part, Section) else _block(part, width)
        for block in drawn:
            console.print(block)
    lines = [line.rstrip() for line in out.getvalue().split("\n")]
    return "\n".join(lines).rstrip("\n") + "\n"


def print_parts(parts: Iterable[Section | Block]) -> None:
    """The blocks on standard output, in colour on a terminal, in plain ASCII where need be."""
    from rich.console import Console

    console = Console(highlight=False)
    color = console.is_terminal and not console.no_color
    text = render(parts, width=max(NARROWEST, console.width), color=color)
    sys.stdout.write(in_letters_of(sys.stdout.encoding or "ascii", text))
    sys.stdout.flush()


def _section(section: Section, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    yield Text(section.title, style="bold")
    for block, after in zip(section.blocks, [*section.blocks[1:], None], strict=True):
        if isinstance(block, Paragraph) and isinstance(after, Table):
            yield Text(block.text, style=_STYLES[block.tone])  # its table follows at once
        else:
            yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[RenderableType]:
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
            lines = "\n".join(f"warning: {warning}" for warning in block.warnings)
            yield Padding(Text(lines, style="yellow"), (0, 0, 1, 0))
        case Table():
            yield Padding(_table(block, width), (0, 0, 1, 0))
        case Folded():
            yield from _block(block.table, width)
        case Plot():
            yield Text(block.title, style="bold")
            yield from _block(block.table, width)
        case Cases():
            first = block.first(FIRST_CASES)
            yield Text(f"{block.title}: {len(first.rows)} of {block.n} rows", style="bold")
            if block.note:
                yield Text(block.note)
            yield from _block(first, width)


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


def _table(block: Table, width: int) -> RenderableType:
    """A box; numbers with an interval need the room and have none.

    An interval stands beside its number where all of them have the room, else below.
    """
    from rich import box
    from rich.table import Table as Box

    dense = any(cell.interval for row in block.rows for cell in row)
    heads, rows = list(block.columns), [[_below(cell) for cell in row] for row in block.rows]
    table = Box(box=box.SQUARE, header_style="bold")
    if dense:
        reaches = [
            max(len(_reach(cell)) for cell in column) for column in zip(*block.rows, strict=True)
        ]
        beside = [list(map(_beside, row, reaches)) for row in block.rows]
        heads = ["\n".join(wrap(header, HEADER_WIDTH)) for header in heads]
        fits = _width(heads, beside) <= width
        rows = beside if fits else [[_broken(row[0]), *row[1:]] for row in rows]
        table = Box(
            title=block.caption or None, title_justify="left", title_style="bold", box=None,
            header_style="bold", show_header=any(heads), padding=(0, 1 + fits, 0, 0),
            pad_edge=False,
        )  # fmt: skip
    for head, aside in zip(heads, block.numeric, strict=True):
        table.add_column(head, justify="right" if aside else "left", no_wrap=aside, overflow="fold")
    for texts in rows:
        table.add_row(*texts)
    return table


def _width(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> int:
    """How wide a table is, two blanks after every column."""
    columns = zip(heads, *rows, strict=True)
    return sum(
        2 + max(len(line) for cell in c for line in [*cell.split("\n"), ""]) for c in columns
    )


def _reach(cell: Cell) -> str:
    return f"{cell.interval}{UNRELIABLE if cell.marked else ''}"


def _beside(cell: Cell, reach: int) -> str:
    return f"{cell.text}  {_reach(cell):>{reach}}" if reach else _below(cell)


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


def _below(cell: Cell) -> str:
    mark = UNRELIABLE if cell.marked else ""
    return f"{cell.text}\n{cell.interval}{mark}" if cell.interval else f"{cell.text}{mark}"
