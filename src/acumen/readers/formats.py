"""The formats a table may come in: one line each.

Imports nothing heavy, because the help of the command line lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a kind are called, what reads them, and what may be asked of them."""

    title: str
    home: str
    """Module and function of the reader."""
    has_columns: bool = False
    """Whether it is a long table, one row a judgment, whose columns can be named."""
    has_modes: bool = False
    """Whether it holds several experiments, each with its own scale."""

    def reader(self) -> Callable[..., Judgments]:
        """What reads it, imported now."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Judgments] = getattr(import_module(module), name)
        return function


RUN: Final = Format("JSON", "acumen.readers.run:read_run", has_modes=True)
"""A run artifact: what a file is whose ending is no other format's."""

FORMATS: Final[Mapping[str, Format]] = {
    ".jsonl": Format("JSONL", "acumen.readers.jsonl:read_jsonl"),
    ".csv": Format("CSV", "acumen.readers.rows:read_csv", has_columns=True),
    ".parquet": Format("Parquet", "acumen.readers.rows:read_parquet", has_columns=True),
}
"""File ending -> format."""


def format_of(path: str | Path) -> Format:
    """The format of a file, by its ending.

    >>> format_of("rows.CSV").title, format_of("run.json").title, format_of("-").title
    ('CSV', 'JSON', 'JSON')
    """
    return FORMATS.get(Path(path).suffix.lower(), RUN)


def titles(*, with_columns: bool = False) -> list[str]:
    """What the formats are called, those with columns alone if asked.

    >>> titles(), titles(with_columns=True)
    (['JSON', 'JSONL', 'CSV', 'Parquet'], ['CSV', 'Parquet'])
    """
    known = (RUN, *FORMATS.values())
    return [entry.title for entry in known if entry.has_columns or not with_columns]
