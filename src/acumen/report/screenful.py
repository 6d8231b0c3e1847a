"""What fits a screen: long tables are cut short, the least needed is left to ``--full``.

What is left out is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from acumen.errors import counted
from acumen.report.blocks import (
    Block,
    Detail,
    Folded,
    Notes,
    Paragraph,
    Section,
    Table,
    Tone,
    Warnings,
)
from acumen.report.terminal import height

LINES: Final = 38
"""Of a screen; two are left for what stands around it."""
FEWEST_ROWS: Final = 4
"""A table is cut to no fewer."""
MOST_REMARKS: Final = 5
MOST_ROWS: Final = 12
"""Of a table, however short the rest is."""
LAST: Final = ("notes", "judged")
"""Sections that stand below the others: what to know of the numbers, and what was judged."""


def screenful(sections: Sequence[Section], lines: int = LINES) -> list[Section]:
    """The sections, the answer first, in so many lines; the last of them says what is left out."""
    ordered = sorted(sections, key=lambda s: (s.detail is not Detail.ANSWER, s.key in LAST))
    left_out: list[Section] = []
    for section in _dispensable(ordered):
        if height(_visible(ordered, left_out, FEWEST_ROWS)) <= lines:
            break
        left_out.append(section)
    for rows in range(MOST_ROWS, FEWEST_ROWS, -1):
        visible = _visible(ordered, left_out, rows)
        if height(visible) <= lines:
            return visible
    return _visible(ordered, left_out, FEWEST_ROWS)


def _visible(ordered: Sequence[Section], left_out: Sequence[Section], rows: int) -> list[Section]:
    """What is there to see with tables of so many rows; of remarks the warnings stay."""
    visible = []
    for section in ordered:
        if section not in left_out:
            visible.append(_cut(section, rows))
        elif warnings := tuple(b for b in section.blocks if isinstance(b, Warnings)):
            visible.append(_cut(replace(section, title="", blocks=warnings), rows))
    if names := "; ".join(s.title for s in ordered if s.title and s in left_out):
        visible.append(Section("more", "", (Paragraph(f"{names}: --full", Tone.QUIET),)))
    return visible


def _dispensable(ordered: Sequence[Section]) -> Iterator[Section]:
    """What may be left out, the least needed first: remarks, where it comes from, then from below.

    The answer never, nor warnings, nor what has no title to name it by.
    """
    remarks = [s for s in ordered if s.key in LAST and s.title and s.detail is not Detail.ANSWER]
    others = [s for s in ordered if s.key not in LAST and s.detail is not Detail.ANSWER]
    yield from remarks
    yield from reversed(others)


def _cut(section: Section, rows: int) -> Section:
    blocks: list[Block] = []
    for block in section.blocks:
        match block:
            case Folded():
                blocks += _short(block.table, rows)
            case Table():
                blocks += _short(block, rows)
            case Notes():
                blocks.append(replace(block, notes=block.notes[:MOST_REMARKS]))
                blocks += _rest(len(block.notes), "note")
            case Warnings():
                blocks.append(replace(block, warnings=block.warnings[:MOST_REMARKS]))
                blocks += _rest(len(block.warnings), "warning")
            case _:
                blocks.append(block)
    return replace(section, blocks=tuple(blocks))


def _short(table: Table, rows: int) -> list[Block]:
    more = len(table.rows) - rows
    if more <= 1:  # to say that one is left out takes the line it would stand in
        return [table]
    note = Paragraph(f"and {more} more: --full", Tone.QUIET)
    return [replace(table, rows=table.rows[:rows]), note]


def _rest(n: int, noun: str) -> list[Block]:
    more = n - MOST_REMARKS
    return [Paragraph(f"and {counted(more, f'more {noun}')}: --full", Tone.QUIET)] * (more > 0)
