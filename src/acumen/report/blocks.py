"""What a document shows, as plain data: headings, paragraphs, tables, plots, cases. No markup here.

A family of documents has one list of what makes its sections; a medium has one module that draws
blocks. Every kind of block is drawn in every medium.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any, Final, NamedTuple

FILTERS: Final = ("outcome", "item", "truth", "prediction", "answers", "right", "fit", "reasons")
"""Keys of the columns of a table of cases that its rows are chosen by."""
FIRST_CASES: Final = 10
"""Rows of a table of cases that stand in a text."""
LONGEST_TEXT: Final = 600
LONGEST_COMMAND: Final = 20_000
"""A command names every file, and is of use whole only."""
UNDEFINED: Final = "–"
UNRELIABLE: Final = "*"
"""Marks an interval that rests on too few cases."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text; for a number also the number itself, to the last digit."""

    text: str
    value: float | int | None = None
    hint: str | None = None
    """Why there is no value, or a note on it."""
    interval: str = ""
    """The interval of the number, where it has no cell of its own."""
    ends: tuple[float | None, float | None] | None = None
    marked: bool = False
    """Whether its interval rests on too few cases."""
    unit: str = ""
    """What its number is counted in, for programs: a share is not a percentage."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first cell of a row names it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether a column holds numbers, column by column."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        return tuple(any(c.value is not None or c.ends is not None for c in own) for own in columns)


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with what to see in it, what a screen reader says of it, and its table."""

    key: str
    title: str
    caption: str
    alt: str
    spec: Mapping[str, Any]
    data: Mapping[str, Any]
    """Rows by name; charts that draw the same rows share the name."""
    table: Table
    finding: str = ""
    """The ends of what it draws, in a sentence."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """System -> the beginning of the command that finds a threshold for it."""

    @property
    def is_drawn(self) -> bool:
        """Whether there is more to see than in its table."""
        return bool(self.spec)


class Tone(StrEnum):
    """How loud a paragraph is."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    COMMAND = "command"
    """A line to copy, which is never broken."""
    HEADING = "heading"
    """Above what belongs to it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences, or lines that stay as they are."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Fact:
    """One number told large, with what it is."""

    label: str
    cell: Cell
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """The few numbers told large."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark; a marked one is of the intervals that are marked."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """Remarks, one below the other."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Warnings:
    """What to know before trusting any of it."""

    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of cases: texts by code, or numbers."""

    title: str
    names: tuple[str, ...] = ()
    codes: tuple[int, ...] = ()
    values: tuple[float | int | None, ...] = ()
    key: str = ""
    """What charts and filters call it, where its title is the study's own word."""
    system: str = ""
    """Whose it is, where several judged; empty of what is the same for all."""
    is_listed: bool = True
    """Whether it stands in the table; else only in the panel of a case."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a text that holds several answers, such as those of a panel: each of them."""

    @property
    def head(self) -> str:
        """What stands above it."""
        return f"{self.title}, {self.system}" if self.system else self.title

    @property
    def options(self) -> Iterator[str]:
        """What its rows may be chosen by."""
        return (part for name in self.names for part in self.parts.get(name, (name,)))

    def text(self, row: int) -> str:
        """The cell of a row."""
        if self.values:
            value = self.values[row]
            return UNDEFINED if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
        return self.names[self.codes[row]]


@dataclass(frozen=True, slots=True)
class Cases:
    """The drill-down table: a row a judgment, with what every system made of it."""

    key: str
    title: str
    systems: tuple[str, ...]
    columns: tuple[Column, ...]
    n: int
    note: str = ""
    has_texts: bool = False
    """Whether a column holds what a case says."""

    @property
    def listed(self) -> tuple[Column, ...]:
        """The columns that stand in the table."""
        return tuple(column for column in self.columns if column.is_listed)

    @property
    def filters(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """What rows may be chosen by: key -> (title, the names there are)."""
        filters = {
            key: (own[0].title, tuple(dict.fromkeys(part for c in own for part in c.options)))
            for key in FILTERS
            if (own := [c for c in self.columns if c.key == key])
        }
        if len(self.systems) > 1:
            filters["system"] = ("system", self.systems)
        return {key: (title, names) for key, (title, names) in filters.items() if len(names) > 1}

    def is_wrong(self, row: int) -> bool:
        """Whether the answer of the one system there is, is wrong."""
        outcomes = [column for column in self.columns if column.key == "outcome"]
        return len(outcomes) == 1 and outcomes[0].text(row) == "wrong"

    def first(self, most: int) -> Table:
        """The first rows as a table."""
        rows = range(min(most, self.n))
        cells = tuple(tuple(Cell(column.text(row)) for column in self.listed) for row in rows)
        return Table(self.title, tuple(column.head for column in self.listed), cells)


@dataclass(frozen=True, slots=True)
class Folded:
    """A long table that a page keeps closed until it is asked for."""

    table: Table


Text = Paragraph | Notes | Warnings | Table
"""What a text is made of."""
Block = Text | Facts | Folded | Plot | Cases
"""Whatever may stand in a section."""


class Detail(IntEnum):
    """How deep a section goes: a medium takes them as deep as its reader wants."""

    ANSWER = 1
    """What was asked."""
    MAIN = 2
    """What most readers need."""
    FULL = 3
    """Everything else: charts, the numbers behind them, cases, where it all came from."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what belongs under it."""

    key: str
    title: str
    blocks: tuple[Block, ...] = ()
    detail: Detail = Detail.MAIN
    finding: str = ""
    """What this section says in a sentence made from its numbers; empty where it only shows."""

    @property
    def parts(self) -> tuple[Block, ...]:
        """What stands under the heading: the finding, then the blocks."""
        tone = Tone.STRONG if self.detail is Detail.ANSWER else Tone.PLAIN
        return (*([Paragraph(self.finding, tone)] if self.finding else []), *self.blocks)


class Head(NamedTuple):
    """What stands above the sections of a document."""

    title: str
    subtitle: str
    definitions: tuple[str, ...] = ()
    """Which groups of definitions the document needs."""
    picture: str = ""
    """The chart that stands beside its answer, where that is not the first of all."""


def in_text(parts: Iterable[Section | Block], most: int = FIRST_CASES) -> Iterator[Text]:
    """Sections as a text has them: what a page draws, as tables; so many cases at most.

    A chart whose table stands in its section anyway is left out.
    """
    for part in parts:
        match part:
            case Section():
                yield from [Paragraph(part.title, Tone.HEADING)] if part.title else []
                drawn = (
                    b for b in part.parts if not isinstance(b, Plot) or b.table not in part.blocks
                )
                yield from in_text(drawn, most)
            case Table() if part.caption:
                yield Paragraph(part.caption, Tone.STRONG)
                yield replace(part, caption="")
            case Facts():
                rows = tuple((Cell(f.label), f.cell, Cell(f.note)) for f in part.facts)
                yield Table("", ("measure", "value", "of"), rows)
            case Folded():
                yield from in_text([part.table])
            case Plot():
                yield from in_text([replace(part.table, caption=part.title)])
            case Cases():
                first = f": {most} of {part.n:,} rows" if part.n > most else ""
                yield Paragraph(part.title + first, Tone.STRONG)
                yield part.first(most)
                yield from [Paragraph(part.note, Tone.QUIET)] if part.note else []
            case _:
                yield part
