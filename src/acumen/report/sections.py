"""What a page holds, as plain data: studies of sections of charts and tables. No markup here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acumen.errors import printable

LONGEST_TEXT = 600
UNDEFINED = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """A text; for a number also the number itself, to the last digit."""

    text: str
    value: float | int | None = None
    hint: str | None = None
    """Why there is no value, or what to know of it."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first cell of a row names it."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str | None = None
    """What was left out and where it is."""


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


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what belongs under it."""

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One number told large, with what it is."""

    label: str
    cell: Cell
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of cases: texts by code, or numbers."""

    title: str
    names: tuple[str, ...] = ()
    codes: tuple[int, ...] = ()
    values: tuple[float | int | None, ...] = ()

    def text(self, row: int) -> str:
        """The cell of a row."""
        if self.values:
            value = self.values[row]
            return UNDEFINED if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
        return self.names[self.codes[row]]


@dataclass(frozen=True, slots=True)
class Cases:
    """The drill-down table; ``outcome`` is the column to filter by."""

    title: str
    columns: tuple[Column, ...]
    outcome: int
    n: int
    note: str = ""
    has_texts: bool = False
    """Whether a column holds what a case says."""


@dataclass(frozen=True, slots=True)
class Study:
    """One artifact as a reader meets it."""

    key: str
    title: str
    subtitle: str
    summary: tuple[tuple[str, tuple[str, ...]], ...]
    """(question, answers) in plain words."""
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    provenance: tuple[Table, ...]
    cases: tuple[Cases, ...] = ()
    definitions: tuple[str, ...] = field(default=())
    """Which groups of definitions the study needs."""


def shown(value: object) -> str:
    """Any text from outside as the page shows it: nothing invisible, not endless."""
    return printable(str(value), limit=LONGEST_TEXT)


def number(value: float | int | None, form: str = ".4f", reason: str | None = None) -> Cell:
    """A number as tables show it; what has no value is a dash that says why."""
    if value is None:
        return Cell(UNDEFINED, None, None if reason is None else shown(reason))
    if isinstance(value, int):
        return Cell(f"{value:,}", value)
    return Cell(f"{value:{form}}", value)


def percent(value: float | None, reason: str | None = None) -> Cell:
    """A share in percent; the number kept with it is the share."""
    if value is None:
        return number(None, reason=reason)
    return Cell(f"{100 * value:.1f}%", value)


def reach(low: float | None, high: float | None, form: str = ".4f", why: str | None = None) -> Cell:
    """An interval; a dash that says why where there is none."""
    if low is None and high is None:
        return Cell(UNDEFINED, None, None if why is None else shown(why))
    ends = [UNDEFINED if end is None else f"{end:{form}}" for end in (low, high)]
    return Cell(f"{ends[0]} to {ends[1]}")


def text(value: object) -> Cell:
    """A cell of words."""
    return Cell(UNDEFINED if value is None else shown(value))


def coded(title: str, values: Sequence[object]) -> Column:
    """A column of texts, each text kept once.

    >>> coded("item", ["a", "b", "a"]).codes
    (0, 1, 0)
    """
    place: dict[str, int] = {}
    codes = [place.setdefault(shown(value), len(place)) for value in values]
    return Column(title, names=tuple(place), codes=tuple(codes))
