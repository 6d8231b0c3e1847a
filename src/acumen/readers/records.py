"""Rows before they are a table: what a file of them holds, in columns or as records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda _: "ABSENT", "__slots__": ()})()
"""Stands where a record lacks a key, which is not the same as null."""
MOST_COLUMNS: Final = 50_000


@dataclass(frozen=True, kw_only=True)
class Rows(ABC):
    """Rows with named columns, and how the format they came in means them."""

    mapping: Mapping[str, Any] = field(default_factory=dict)
    """The format's own mapping, in the grammar of a mapping file; a user's goes over it."""
    lines: Sequence[int] | NDArray[Any] | None = None
    """The line each row begins on, for messages."""
    warnings: tuple[str, ...] = ()
    planned: int | None = None
    """Rows that a run planned which did not end."""
    one_of: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Columns of which one value must be chosen where there are several, and their values."""
    format: str = ""
    is_text: bool = False
    """Whether cells are texts, so that a number is one that looks like it."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """The columns, in order."""

    @abstractmethod
    def column(self, name: str) -> Any:
        """A column's cells: a list, an array or codes; ABSENT where a record lacks it."""

    def read_ahead(self, names: Sequence[str]) -> None:  # noqa: B027  (most have nothing to do)
        """Read columns that will be asked for, where it is quicker to read them together."""

    def ids(self, name: str) -> Any:
        """A column whose cells are names of things, as they are written."""
        return self.column(name)

    @abstractmethod
    def has_numbers(self, name: str) -> bool:
        """Whether a column that has no role is one of numbers."""

    def order(self, name: str) -> tuple[Any, ...] | None:
        """The order of a column's levels, where its type has one."""
        return None

    def nan_rows(self, name: str) -> Sequence[int] | NDArray[Any]:
        """Rows of a column that hold NaN, where NaN is not null."""
        return ()


@dataclass(frozen=True, kw_only=True)
class Records(Rows):
    """Rows as objects with keys, nested or not: JSON, and the logs of other tools."""

    rows: Sequence[Mapping[str, Any]]
    inside: tuple[str, ...] = ()
    """Paths to lists of objects in the rows, which may be the rows that are meant."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def names(self) -> Sequence[str]:
        """Every key that a row has."""
        return list(dict.fromkeys(key for row in self.rows for key in row))

    def column(self, name: str) -> Any:
        """The value of a key in each row."""
        return [row.get(name, ABSENT) for row in self.rows]

    def has_numbers(self, name: str) -> bool:
        """Whether there is a number, and nothing but numbers and null."""
        kinds = {type(cell) for cell in self.column(name)} - {type(None), type(ABSENT)}
        return bool(kinds) and kinds <= {int, float}


def refuse_wide(names: Sequence[str], source: str = "") -> None:
    """Refuse more columns than any table of judgments has: each is looked at, whatever it holds."""
    if len(names) > MOST_COLUMNS:
        raise DataError([f"has {len(names):,} columns: {MOST_COLUMNS:,} at most"], source)
