"""Files of labels beside the rows: each is rows of its own, in any format that has columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, label, source_name
from acumen.readers.cells import coded_of, levels_of
from acumen.readers.content import load
from acumen.readers.formats import FORMATS, format_of, read_as, rows_of
from acumen.readers.frame import frame_rows
from acumen.readers.lookup import NO_VALUE, Lookup
from acumen.readers.mapping import Cell, merged
from acumen.readers.paths import as_text
from acumen.readers.records import Records, Rows
from acumen.readers.roles import COMMON, CONVENTIONS, DECLARED, folded_name
from acumen.table.coded import Coded

_MORE_TRUTHS = ("labels", "rating", "ratings", "score", "answer", "value", "verdict")
"""What people call the one column of a file that holds nothing but labels."""
Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LabelFile:
    """The rows of one file of labels."""

    name: str
    """How messages name it."""
    stem: str
    """Whose labels they are, where no column says it."""
    rows: Rows

    @cached_property
    def own(self) -> Mapping[str, Cell]:
        """The roles that the file's format knows."""
        columns = merged(self.rows.mapping).columns
        cells = ((role, cell[0] if isinstance(cell, list) else cell) for role, cell in columns)
        return {role: cell for role, cell in cells if cell is not None}

    def has(self, path: str) -> bool:
        """Whether a column or a path begins at a column of it."""
        return Lookup(self.rows, {}).place(path) is not None

    def called(self, role: str) -> str | None:
        """The column that goes by the name of a role, if one alone does."""
        known = CONVENTIONS.get(role, DECLARED.get(role, ()))
        names = {folded_name(name): name for name in reversed(self.rows.names)}
        if sure := next((names[name] for name in known if name in names), None):
            return sure
        fits = [names[name] for name in COMMON.get(role, ()) if name in names]
        return fits[0] if len(fits) == 1 else None

    def truth(self, gone: Sequence[str | None]) -> Cell:
        """The column that holds the labels, by its name; else the only one that is left."""
        if "truth" in self.own:
            return self.own["truth"]
        left = [name for name in self.rows.names if name not in gone]
        fits = [name for name in left if folded_name(name) in _MORE_TRUTHS]
        name = self.called("truth") if self.called("truth") in left else None
        name = name or (fits[0] if len(fits) == 1 else left[0] if len(left) == 1 else None)
        if name is None:
            listed = ", ".join(map(label, left)) or "no other columns"
            first = label(left[0]) if left else "COLUMN"
            message = f"which column is the label? name it: --truth {first}; there are {listed}"
            raise DataError([message], self.name)
        return Cell(path=name)

    def levels(self, cell: Cell) -> Coded:
        """A column of it as levels; blanks are none."""
        column = Lookup(self.rows, {}).cells(cell, "label")
        is_text = self.rows.is_text or cell.extract is not None
        coded = coded_of(levels_of(column, is_text=is_text))
        blank = [v is NO_VALUE or (isinstance(v, str) and not v.strip()) for v in coded.values]
        return replace(coded, codes=np.where(coded.spread(blank, True, bool), -1, coded.codes))

    def texts(self, path: str) -> Coded:
        """A column of it as it is written, such as of names."""
        return texts_of(self.rows, path, "id", self.name)

    def line(self, row: int) -> int | None:
        """The line on which a row begins, where the file has lines."""
        return None if self.rows.lines is None else int(self.rows.lines[row])


def texts_of(rows: Rows, path: str, role: str, source: str | None = None) -> Coded:
    """A column of ids as texts, so that 7 and "7" are one id; blanks are none."""
    try:
        coded = coded_of(Lookup(rows, {}).cells(Cell(path=path), role, ids=True))
    except DataError as error:
        raise (
            error if error.source or source is None else DataError(error.problems, source)
        ) from None
    odd = [v for v in coded.values if isinstance(v, list | dict)]
    if odd:
        raise DataError(
            [f"{label(path)} holds lists or objects: not what rows are told by"], source
        )
    texts = [as_text(value).strip() for value in coded.values]
    merge = Coded.of([text or None for text in texts])
    return Coded(merge.values, np.append(merge.codes, np.int32(-1))[coded.codes])


def keys_of(columns: Sequence[Coded]) -> tuple[list[Key], NDArray[np.int64]]:
    """The different keys of some columns together, and each row's; −1 where a part is missing.

    >>> keys, of = keys_of([Coded.of(["a", "a", None]), Coded.of(["x", "y", "x"])])
    >>> keys, of.tolist()
    ([('a', 'x'), ('a', 'y')], [0, 1, -1])
    """
    size = len(columns[0])
    whole, there = np.zeros(size, np.int64), np.ones(size, bool)
    for column in columns:
        there &= ~column.missing
        _, whole = np.unique(whole * (len(column.values) + 1) + column.codes, return_inverse=True)
    of = np.full(size, -1, np.int64)
    _, first, inverse = np.unique(whole[there], return_index=True, return_inverse=True)
    of[there] = inverse
    rows = np.flatnonzero(there)[first].tolist()
    return [tuple(str(c.values[c.codes[row]]) for c in columns) for row in rows], of


def label_files(said: Any) -> list[LabelFile]:
    """The files that are named: paths, frames or lists of rows, one or several."""
    entries = list(said) if isinstance(said, list | tuple) else [said]
    if entries and all(isinstance(entry, Mapping) for entry in entries):
        entries = [entries]  # one list of rows
    if not entries:
        raise UsageError("--labels names no file")
    paths = [str(entry) for entry in entries if isinstance(entry, str | Path)]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise UsageError(f"{label(source_name(twice[0]))} is given twice as --labels: say it once")
    stems = [PurePath(path).name for path in paths]
    return [_file(entry, at, stems) for at, entry in enumerate(entries, start=1)]


def _file(entry: Any, at: int, names: Sequence[str]) -> LabelFile:
    if not isinstance(entry, str | Path):
        of_mappings = isinstance(entry, list) and all(isinstance(row, Mapping) for row in entry)
        own: Rows = Records(rows=entry, format="list") if of_mappings else frame_rows(entry)
        return LabelFile(f"labels {at}", f"labels {at}", own)
    content = load(entry)
    if not content.head.start:
        raise DataError(["there are no labels in it: the file is empty"], content.name)
    kind = format_of(content.head)
    if not FORMATS[kind].has_columns:
        raise DataError([f"is a {FORMATS[kind].title}: labels are rows with columns"], content.name)
    with read_as(kind, content.name):
        rows = rows_of(content, kind)
    path = PurePath(entry)
    is_alone = names.count(path.name) == 1
    stem = path.stem if is_alone else str(path.with_suffix(""))
    return LabelFile(content.name if is_alone else str(path), stem, rows)
