"""Blocks as a terminal shows them. Nothing is computed here."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, Final

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

_STYLES: Final = {Tone.PLAIN: "", Tone.QUIET: "dim", Tone.STRONG: "bold", Tone.HEADING: "bold"}


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
    blocks = list(in_text(parts))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        console.print(_block(block, width, is_lead=isinstance(after, Table)))
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


def _block(block: Text, width: int, *, is_lead: bool) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text as Line

    match block:
        case Paragraph():  # what it leads to follows at once
            leads = is_lead or block.tone is Tone.HEADING
            drawn: RenderableType = Line(block.text, style=_STYLES[block.tone])
            return drawn if leads else Padding(drawn, (0, 0, 1, 0))
        case Notes():
            drawn = _notes(block)
        case Warnings():
            lines = "\n".join(f"warning: {warning}" for warning in block.warnings)
            drawn = Line(lines, style="yellow")
        case Table():
            drawn = _table(block, width)
    return Padding(drawn, (0, 0, 1, 0))


def _notes(block: Notes) -> RenderableType:
    """Notes one below the other, each once, the lines of one hanging together."""
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 1, 0, 0))
    for note in dict.fromkeys(block.notes):
        grid.add_row(UNRELIABLE if note.marked else "-", Text(note.text))
    return grid


def _table(block: Table, width: int) -> RenderableType:
    """Columns without lines; an interval is beside its number where there is room, else below."""
    from rich.table import Table as Box

    heads = ["\n".join(wrap(header, HEADER_WIDTH)) for header in block.columns]
    columns = zip(*block.rows, strict=True)
    reaches = [max(len(_reach(cell)) for cell in column) for column in columns]
    rows = [list(map(_beside, row, reaches)) for row in block.rows]
    fits = _width(heads, rows) <= width
    if not fits and any(reaches):
        rows = [[_broken(row[0].text), *map(_below, row[1:])] for row in block.rows]
    table = Box(
        box=None, header_style="bold", show_header=any(heads), padding=(0, 1 + fits, 0, 0),
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
