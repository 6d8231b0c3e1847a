"""Ratings of any shape -> one table, a row a rating: people and judges alike are raters.

Long rows name the rater; of wide ones each column is a rater. A judge is a rater's name or a column
of its own. What a table calls truth is here what a rater said; a skip is no row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, label, printable
from acumen.readers.cells import coded_of, levels_of, numbers_of, recoded
from acumen.readers.columns import from_columns
from acumen.readers.content import load
from acumen.readers.formats import FORMATS, format_of
from acumen.readers.frame import frame_rows
from acumen.readers.lookup import Lookup
from acumen.readers.mapping import Cell
from acumen.readers.records import Records, Rows
from acumen.readers.request import Request, scale_in
from acumen.readers.roles import guess_roles
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments, Source

ASIDE: Final = ("length", "own", "position")
"""Columns that may bias a judge."""


def rows_of(data: Any, request: Request) -> tuple[Rows, Source]:
    """The rows of a file, a dataframe or a list, and where they came from."""
    if isinstance(data, str | Path):
        content = load(data)
        name = format_of(content.head, request.format)
        if not FORMATS[name].has_columns:
            raise UsageError(f"{content.name} has no columns: rows are expected")
        inside = request.over({}).rows if name == "json" else None
        options = {} if inside is None else {"rows": inside}
        rows: Rows = FORMATS[name].reader()(content, **options)
        return rows, content.source
    if isinstance(data, list | tuple) and all(isinstance(row, Mapping) for row in data):
        return Records(rows=list(data), format="list"), Source()
    if isinstance(data, Mapping) or not hasattr(data, "columns"):
        kind = printable(type(data).__name__)
        raise UsageError(f"an input is a path, a dataframe or a list of rows, not {kind}")
    return frame_rows(data), Source()


@dataclass(frozen=True)
class Shape:
    """Rows, and the columns of each role; as a mapping says, or as they are called."""

    rows: Rows
    source: Source
    request: Request
    roles: Mapping[str, Sequence[Cell]]

    @classmethod
    def of(cls, data: Any, request: Request) -> Shape:
        """The rows of an input, with a case."""
        rows, source = rows_of(data, request)
        columns = request.over(rows.mapping).columns
        roles = {
            role: cells if isinstance(cells, list) else [cells]
            for role, cells in columns
            if cells is not None
        }
        if "case" not in roles:
            named = {role: [cell.path for cell in cells] for role, cells in roles.items()}
            guess = guess_roles(list(rows.names), named, ["case"]).columns
            roles |= {r: [Cell(path=guess[r])] for r in ("case", "item") if r in guess}
        return cls(rows, source, request, roles)

    @property
    def look(self) -> Lookup:
        """The cells of a role."""
        return Lookup(self.rows, {role: cells[0] for role, cells in self.roles.items()})

    def ids(self, cell: Cell, role: str) -> Coded:
        """A column of names."""
        return coded_of(self.look.cells(cell, role, ids=True))

    def levels(self, cell: Cell, role: str) -> Coded:
        """A column of levels."""
        is_text = self.rows.is_text or cell.extract is not None
        return Coded.of(levels_of(self.look.cells(cell, role), is_text=is_text))

    def blame(self, error: DataError, **fields: str | None) -> DataError:
        """The error with the file's name and the roles as a user knows them; None drops those."""
        problems = [
            replace(problem, field=fields.get(problem.field or "", problem.field))
            for problem in error.problems
            if fields.get(problem.field or "", "") is not None
        ]
        return DataError(problems, self.source.name)

    @property
    def selected(self) -> NDArray[np.bool_]:
        """The rows that the mapping keeps."""
        out = np.ones(len(self.rows), np.bool_)
        for path, values in self.request.over(self.rows.mapping).where.items():
            out &= self.look.equals(path, values)
        return out

    def people(self) -> list[Cell]:
        """The columns of what people said; names with commas between are several."""
        cells = list(self.roles.get("truth", ()))
        names = list(self.rows.names)
        if len(cells) == 1 and cells[0].path not in names:
            parts = [part.strip() for part in cells[0].path.split(",")]
            cells = [Cell(path=part) for part in parts] if len(parts) > 1 else cells
        if not cells:
            listed = ", ".join(label(name) for name in names[:30])
            raise DataError(
                [
                    "who rated what? add --rater COLUMN --rating COLUMN where a row is one rating, "
                    f"or --raters A,B,C where each is a column; there are {listed}"
                ],
                self.source.name,
            )
        return cells


def read_ratings(
    data: Any, reading: Mapping[str, Any], judges: Sequence[str], aside: Mapping[str, str]
) -> tuple[Judgments, list[str]]:
    """One row a rating, with its rater, and the judges: those named, and a prediction's column.

    Judges that are columns become raters of that name.
    """
    request = Request.of(reading)
    shape = Shape.of(data, request)
    predicted = [cell.path for cell in shape.roles.get("prediction", ())]
    every = list(dict.fromkeys([*judges, *predicted]))
    try:
        return _table(shape, every, aside), every
    except DataError as error:
        raise shape.blame(error, truth="rating", prediction=None) from None


def _table(shape: Shape, judges: Sequence[str], aside: Mapping[str, str]) -> Judgments:
    people = shape.people()
    is_long = "rater" in shape.roles
    if is_long and len(people) > 1:
        raise UsageError("give one column of ratings with --rater, or several without it")
    selection = np.flatnonzero(shape.selected)
    whole = {r: shape.ids(shape.roles[r][0], r) for r in ("case", "item") if r in shape.roles}
    names = shape.ids(shape.roles["rater"][0], "rater") if is_long else None
    known = [] if names is None else [str(value) for value in names.values]
    predicted = {cell.path: cell for cell in shape.roles.get("prediction", ())}
    there = {*shape.rows.names, *predicted}
    judged = [predicted.get(j, Cell(path=j)) for j in judges if j in there and j not in known]
    missing = [j for j in judges if j not in (*known, *there)]
    if missing:
        listed = ", ".join(label(name) for name in (*known, *shape.rows.names)[:30])
        problem = f"no rater and no column {label(missing[0])}; there are {listed}"
        raise DataError([Problem(problem)])
    blocks = []
    draws = _draws(shape, aside)
    for cell in [*people, *(c for c in judged if c.path not in [p.path for p in people])]:
        rating, rows = shape.levels(cell, "rating"), selection
        own_names = is_long and cell is people[0]
        if is_long and not own_names:  # a judge beside every person's rating is one rating
            parts = [*whole.values(), rating, *([] if draws is None else [draws])]
            keys = np.stack([part.codes[selection] for part in parts])
            rows = selection[np.sort(np.unique(keys, axis=1, return_index=True)[1])]
        who = names.take(rows) if own_names and names is not None else _named(cell.path, len(rows))
        blocks.append((rows, rating.take(rows), who))
    rows = np.concatenate([rows for rows, _, _ in blocks])
    lines = shape.rows.lines
    columns: dict[str, Any] = {role: column.take(rows) for role, column in whole.items()}
    return from_columns(
        **columns,
        truth=(ratings := stacked([rating for _, rating, _ in blocks])),
        prediction=ratings,
        rater=_texts(stacked([who for _, _, who in blocks])),
        repeat=None if draws is None else draws.take(rows),
        scale=shape.request.scale or scale_in(dict(shape.request.over(shape.rows.mapping))),
        abstain=shape.request.over(shape.rows.mapping).abstain,
        signals={
            name: numbers_of(
                shape.look.cells(Cell(path=aside[name]), name), is_text=shape.rows.is_text
            ).take(rows)
            for name in aside
            if name == "length"
        },
        groups={
            name: shape.ids(Cell(path=aside[name]), name).take(rows)
            for name in aside
            if name != "length"
        },
        source=shape.source,
        lines=None if lines is None else np.asarray(lines)[rows],
        warnings=shape.rows.warnings,
    )


def _draws(shape: Shape, aside: Mapping[str, str]) -> Coded | None:
    """Which draw of one rating a row is: by its repeat, and by its position."""
    cells = [*shape.roles.get("repeat", ())]
    cells += [Cell(path=aside["position"])] if "position" in aside else []
    columns = [shape.ids(cell, "repeat") for cell in cells]
    if not columns:
        return None
    key = np.zeros(len(shape.rows), np.int64)
    for column in columns:
        key = key * (len(column.values) + 1) + column.codes + 1
    return Coded.of(key)


def stacked(columns: Sequence[Coded]) -> Coded:
    """Columns one below the other.

    >>> stacked([Coded.of([1, None]), Coded.of([2, 1])]).codes.tolist()
    [0, -1, 1, 0]
    """
    values: list[Any] = []
    codes = []
    for column in columns:
        codes.append(np.where(column.codes < 0, -1, column.codes + len(values)))
        values += column.values
    return recoded(np.concatenate(codes).astype(np.int32), values)


def _named(name: str, size: int) -> Coded:
    return Coded((name,), np.zeros(size, np.int32))


def _texts(names: Coded) -> Coded:
    """Raters are called by texts: 7 and "7" are one."""
    return recoded(names.codes, [str(name) for name in names.values])
