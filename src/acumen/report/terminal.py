"""Blocks as a terminal shows them. Nothing is computed here."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
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
FOLDED: Final = 18
"""Words of a wide table are folded to this width, where a table is cut in two."""
HEADER_WIDTH: Final = 13
"""Titles of columns are broken at this width in such tables."""

_STYLES: Final = {
    Tone.PLAIN: "",
    Tone.QUIET: "dim",
    Tone.STRONG: "bold",
    Tone.HEADING: "bold",
    Tone.COMMAND: "bold",
}


def render(parts: Iterable[Section | Block], width: int = WIDTH, *, color: bool = False) -> str:
    """The blocks as text, without blanks at line ends."""
    from rich.console import Console
    from rich.text import Text as Line

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
        if isinstance(block, Paragraph) and block.tone is Tone.COMMAND:
            line = Line(f"{block.text}\n", style=_STYLES[block.tone])
            console.print(line, soft_wrap=True)  # a command that is broken cannot be copied
            continue
        lead, noted = _leads_to(after), _is_quiet(after)
        console.print(_block(block, width, is_lead=lead, is_noted=noted))
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


def _leads_to(after: Text | None) -> bool:
    """Whether a sentence stands right above what follows: a table, or a command."""
    is_command = isinstance(after, Paragraph) and after.tone is Tone.COMMAND
    return is_command or isinstance(after, Table)


def _is_quiet(block: Text | None) -> bool:
    """Whether it is a remark, which stands right below the table it is of."""
    return isinstance(block, Paragraph) and block.tone is Tone.QUIET


def height(parts: Iterable[Section | Block], width: int = WIDTH) -> int:
    """How many lines the blocks take, without drawing them."""
    blocks = list(in_text(parts))
    lines = 0
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        match block:
            case Paragraph():
                own = sum(max(1, len(wrap(line, width))) for line in block.text.split("\n"))
                lead = _leads_to(after) or block.tone is Tone.HEADING
                lines += own + (not lead)
            case Notes():
                lines += sum(len(wrap(note.text, width - 2)) for note in block.notes) + 1
            case Warnings():
                lines += sum(len(wrap(f"warning: {w}", width)) for w in block.warnings) + 1
            case Table():
                lines += _table_height(block, width) + (not _is_quiet(after))
    return lines


def _table_height(block: Table, width: int) -> int:
    heads = _heads(block)
    head = max((h.count("\n") + bool(h) for h in heads), default=0)
    beside = [list(map(_beside, row, _reaches(block))) for row in block.rows]
    if _width(heads, beside) <= width:
        return head + len(block.rows)
    rows = _stacked(block)
    tall = sum(max(cell.count("\n") + 1 for cell in row) for row in rows)
    return (head + tall + 1) * len(list(_parts(block, width))) - 1


def _block(block: Text, width: int, *, is_lead: bool, is_noted: bool) -> RenderableType:
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
            if is_noted:
                return drawn
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
    """Columns without lines; an interval is beside its number where there is room, else below.

    What is wider even so stands in several tables, each with the columns that name the rows.
    """
    from rich.console import Group

    beside = [list(map(_beside, row, _reaches(block))) for row in block.rows]
    if _width(_heads(block), beside) <= width:
        return _drawn(block, beside, blanks=2)
    parts = list(_parts(block, width))
    drawn: list[RenderableType] = []
    for part in parts:
        drawn += ["", _drawn(part, _stacked(part), blanks=1)]
    return Group(*drawn[1:])


def _drawn(block: Table, rows: Sequence[Sequence[str]], blanks: int) -> RenderableType:
    from rich.table import Table as Box

    heads = _heads(block)
    table = Box(
        box=None, header_style="bold", show_header=any(heads), padding=(0, blanks, 0, 0),
        pad_edge=False,
    )  # fmt: skip
    for head, aside in zip(heads, block.numeric, strict=True):
        table.add_column(head, justify="right" if aside else "left", no_wrap=aside, overflow="fold")
    for texts in rows:
        table.add_row(*texts)
    return table


def _heads(block: Table) -> list[str]:
    """What stands above the columns, broken where it is wider than what is below it."""
    widths = [
        max((len(_beside(cell, len(_reach(cell)))) for cell in column), default=0)
        for column in zip(*block.rows, strict=True)
    ] or [0] * len(block.columns)
    return [
        "\n".join(wrap(head, max(HEADER_WIDTH, width)))
        for head, width in zip(block.columns, widths, strict=True)
    ]


def _reaches(block: Table) -> list[int]:
    """How wide the intervals of each column are."""
    return [max(len(_reach(cell)) for cell in column) for column in zip(*block.rows, strict=True)]


def _stacked(block: Table) -> list[list[str]]:
    """The cells with intervals below their numbers."""
    if not any(_reaches(block)):
        return [[cell.text for cell in row] for row in block.rows]
    return [[_broken(row[0].text), *map(_below, row[1:])] for row in block.rows]


def _parts(block: Table, width: int) -> Iterator[Table]:
    """A table cut between its numbers, so that each part fits; words are folded, never cut off."""
    numeric = block.numeric
    names = [at for at, aside in enumerate(numeric) if not aside and not any(numeric[:at])]
    rest = [at for at in range(len(block.columns)) if at not in names]
    part: list[int] = []
    for at in rest:
        wider = _columns(block, [*names, *part, at])
        if part and sum(numeric[i] for i in part) and _least(wider) > width:
            yield _columns(block, [*names, *part])
            part = []
        part.append(at)
    yield _columns(block, [*names, *part])


def _columns(block: Table, places: Sequence[int]) -> Table:
    rows = tuple(tuple(row[at] for at in places) for row in block.rows)
    return replace(block, columns=tuple(block.columns[at] for at in places), rows=rows)


def _least(block: Table) -> int:
    """How narrow a table can be: its numbers and heads whole, its words folded."""
    folded = [
        [
            text if aside else "\n".join(wrap(text, FOLDED))
            for text, aside in zip(row, block.numeric, strict=True)
        ]
        for row in _stacked(block)
    ]
    return _width(_heads(block), folded, blanks=1)


def _width(heads: Iterable[str], rows: Iterable[Iterable[str]], blanks: int = 2) -> int:
    """How wide a table is, with blanks after every column but the last."""
    columns = zip(heads, *rows, strict=True)
    wide = [max(len(line) for cell in c for line in [*cell.split("\n"), ""]) for c in columns]
    return sum(wide) + blanks * (len(wide) - 1)


def _reach(cell: Cell) -> str:
    return f"{cell.interval}{UNRELIABLE if cell.marked else ''}"


def _beside(cell: Cell, reach: int) -> str:
    return f"{cell.text} {_reach(cell):>{reach}}" if reach else _below(cell)


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
