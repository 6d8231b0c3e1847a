"""Rows and a mapping -> the table: each role's column, what became of each row, what to tell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, counted, label, refuse, what_came
from acumen.files.text import folded
from acumen.readers.annotations import with_people_beside_judge
from acumen.readers.cells import coded_of, levels_of, mangled_ids, numbers_of, recoded, taken
from acumen.readers.columns import from_columns
from acumen.readers.copies import without_copies
from acumen.readers.distribution import Probabilities
from acumen.readers.labels import with_labels
from acumen.readers.lookup import NO_VALUE, Lookup, Mask
from acumen.readers.mapping import Cell, MappingTable
from acumen.readers.paths import as_text
from acumen.readers.proposals import propose, sure_of
from acumen.readers.records import ABSENT, Records, Rows
from acumen.readers.replies import read_levels_said, read_sureness, refuse_two_scales
from acumen.readers.request import Request, scale_in
from acumen.readers.roles import (
    DERIVED,
    DRAWN,
    ERRORS,
    REQUIRED,
    folded_name,
    guess_roles,
    option_of,
)
from acumen.readers.unfold import Unfolded, is_wide, unfold
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments, Signal, Source
from acumen.table.levels import number_in
from acumen.table.scale import Scale
from acumen.table.signals import SIGNALS

NO_ERROR: Final = {
    "",
    "-",
    "0",
    "false",
    "n/a",
    "na",
    "nan",
    "no",
    "no error",
    "none",
    "null",
    "ok",
}
_IDS: Final = ("case", "item", "rater", "repeat", "system")
_NUMBERS: Final = ("confidence", "weight", "risk_score")


def assemble(rows: Rows, source: Source, request: Request) -> Judgments:
    """The table of rows under a mapping."""
    study = None
    try:
        study = _Study.of(rows, request)
        return study.table(replace(source, labels=study.joined))
    except DataError as error:
        if any(p.is_twice for p in error.problems) and (each := without_copies(rows)) is not None:
            return assemble(each, source, request)
        if any(p.is_twice for p in error.problems) and study and (draws := study.as_draws(request)):
            return draws.table(replace(source, labels=study.joined))
        labels = "label" if request.labels is not None else "truth"  # which is in no line of these
        problems = [
            replace(p, field=labels, line=None) if p.field == "truth" != labels else p
            for p in error.problems
        ]
        raise DataError(problems, error.source or source.name) from None


def _unknown(rows: Rows, named: Mapping[str, Sequence[str]]) -> dict[str, Problem]:
    """Of each role that was given a column that is not there: that problem."""
    look = Lookup(rows, {})
    return {
        role: look.no_column(path, role)
        for role, paths in named.items()
        for path in paths
        if look.place(path) is None
    }


def _with_places(error: DataError, rows: Rows) -> DataError:
    """An error of columns that are missing, with where in the rows further rows are."""
    places = rows.inside if isinstance(rows, Records) else ()
    if not places:
        return error
    options = " or ".join(f"--rows {shlex.quote(place)}" for place in places[:3])
    hint = f"; or each row holds several: {options}"
    return DataError([replace(p, message=p.message + hint) for p in error.problems], error.source)


@dataclass(frozen=True)
class _Study:
    """Rows, the mapping in force, and the cells of each role."""

    rows: Rows
    mapping: MappingTable
    roles: Mapping[str, Sequence[Cell]]
    notes: Sequence[str]
    scale: Scale | None = None
    """The scale that was named."""
    joined: tuple[str, ...] = ()
    """What there is to say of files of labels."""
    said: list[str] = field(default_factory=list)
    """What to tell of levels and confidences that were read out of texts."""
    wholes: dict[str, int | float | None] = field(default_factory=dict)
    """Of how many the levels of a role are said to be."""

    @classmethod
    def of(cls, rows: Rows, request: Request) -> _Study:
        if not request.asks_roles:
            rows = with_people_beside_judge(rows)
        mapping = request.over(rows.mapping)
        rows, roles, notes = with_labels(rows, mapping.roles, request.labels, request.on)
        joined = tuple(notes)
        for role in ("truth", "prediction", "confidence"):
            roles |= {role: _split(roles[role], rows)} if role in roles else {}
        if "distribution" in roles:
            roles["distribution"] = _columns(roles["distribution"], rows)
        if is_wide(roles, rows):
            rows, roles, more = unfold(rows, roles)
            notes += more
        if rows.mapping:  # the format knows its roles
            refuse([*_missing_roles(roles, rows), *_open_choices(rows, mapping)])
            return cls(rows, mapping, roles, notes, request.scale, joined)
        named = {role: [cell.path for cell in cells] for role, cells in roles.items()}
        # a mapping may say that there is no truth by naming none
        needs = [role for role in REQUIRED if role != "truth" or not request.mapping]
        if "distribution" in roles:
            needs.remove("prediction")
        wrong = _unknown(rows, named)
        there = {role: paths for role, paths in named.items() if role not in wrong}
        looks = partial(propose, rows, there), partial(sure_of, rows, named)
        try:
            guess = guess_roles(rows.names, named, needs, *looks)
        except DataError as error:
            problems = [*wrong.values(), *_with_places(error, rows).problems]
            raise DataError(problems, error.source) from None
        roles |= {role: [Cell(path=name)] for role, name in guess.columns.items()}
        return cls(rows, mapping, roles, [*notes, *guess.notes], request.scale, joined)

    def as_draws(self, request: Request) -> Self | None:
        """The same with each answer of a platform's case as a draw, where its names say so."""
        case = self.roles["case"][0].path if "case" in self.roles else ""
        draw = next((name for name in self.rows.names if folded_name(name) == "id"), None)
        if folded_name(case) not in DRAWN or draw is None or "repeat" in self.roles:
            return None
        note = f"several rows of one {label(case)} are draws of one answer: --repeat {label(draw)}"
        roles = {**self.roles, "repeat": [Cell(path=draw)]}
        return replace(self, roles=roles, notes=[*self.notes, note], said=[])

    @property
    def look(self) -> Lookup:
        return Lookup(self.rows, {role: cells[0] for role, cells in self.roles.items()})

    def table(self, source: Source) -> Judgments:
        paths = [cell.path for cells in self.roles.values() for cell in cells]
        self.rows.read_ahead([p for p in [*paths, *self._others] if p in self.rows.names])
        select, truth, rater = self._truth()
        prediction, outcome = self._prediction()
        distribution = self._distribution()
        one = {role: cells[0] for role, cells in self.roles.items()}
        columns: dict[str, Any] = {r: self._ids(one[r], r) for r in _IDS if r in one}
        if "case" not in columns:
            columns["case"] = self._row_numbers()
        columns |= {r: self._numbers(one[r], r) for r in _NUMBERS if r in one}
        columns |= {"prediction": prediction, "outcome": outcome}
        groups = {cell.path: self._ids(cell, "group") for cell in self.roles.get("group", ())}
        signals = self._signals()
        lines = None if self.rows.lines is None else np.asarray(self.rows.lines)
        notes = [*self.rows.warnings, *self.notes]
        if self.rows.is_text:
            notes += [*mangled_ids(columns["case"]), *self._texts_among(signals)]
        if self.scale is None:
            refuse_two_scales(self.wholes, () if truth is None else truth)
        notes += self.said
        notes += self._texts_as_numbers(truth=truth, prediction=prediction)
        if failed := int(self.failed.sum()):
            where = " or ".join(map(label, self.errors))
            notes.append(f"{counted(failed, 'row')} failed, as {where} says what went wrong there")
        if select is not None:
            columns = {r: None if c is None else taken(c, select) for r, c in columns.items()}
            groups = {name: taken(column, select) for name, column in groups.items()}
            signals = {name: taken(column, select) for name, column in signals.items()}
            lines = None if lines is None else lines[select]
            distribution = None if distribution is None else distribution.take(select)
        columns |= {"rater": rater} if rater is not None else {}
        scale = self.scale or scale_in(dict(self.mapping))
        if scale is None and (scale := self._order()) is not None:
            names = ", ".join(label(level) for level in scale.levels)
            notes.append(f"the levels are in the order of the column's categories: {names}")
        return from_columns(
            **columns,
            truth=truth,
            groups=groups,
            signals=signals,
            distribution=distribution,
            point=self.mapping.point,
            scale=scale,
            abstain=self.mapping.abstain,
            unanswerable=self.mapping.unanswerable,
            unparseable=self.mapping.unparseable,
            confidence_range=self.mapping.confidence_range,
            complete=self.mapping.complete,
            strict=self.mapping.strict,
            truth_is=self.mapping.truth_is,
            planned=self.rows.planned,
            source=source,
            lines=lines,
            warnings=notes,
        )

    def _ids(self, cell: Cell, role: str) -> Coded:
        names = _known(coded_of(self.look.cells(cell, role, ids=True)))
        if self.rows.is_text and role != "group" and "" in names.values:
            names = recoded(names.codes, [value or None for value in names.values])
        if role in ("case", "item"):  # what is odd in those is told with its rows
            return names
        odd = next((name for name in names.values if isinstance(name, list | dict)), None)
        if odd is not None:
            raise DataError([Problem(f"{what_came(odd)} is not a name", field=role)])
        return names

    def _row_numbers(self) -> Coded:
        """The rows as cases, from 1, where no column names cases."""
        at = np.arange(len(self.rows))
        if isinstance(self.rows, Unfolded):  # what stands side by side in a row is one case
            at = self.rows.place % max(len(self.rows.base), 1)
        return coded_of((at + 1).tolist())

    def _levels(self, cell: Cell, role: str) -> Any:
        is_text = self.rows.is_text or cell.extract is not None
        levels = levels_of(self.look.cells(cell, role), is_text=is_text)
        is_plain = not (cell.extract or cell.labels or self.rows.mapping)
        if is_plain and isinstance(levels, Coded) and (self.scale is None or self.scale.is_numeric):
            reading = read_levels_said(levels, role)
            levels = reading.column
            self.said.extend(reading.notes)
            self.wholes[role] = reading.whole
        return levels

    def _texts_as_numbers(self, **columns: Any) -> list[str]:
        """What to say of levels that a file writes as texts, though it could write numbers."""
        if self.rows.mapping or self.rows.is_text:  # a format's own way is known
            return []
        notes = []
        for role, column in columns.items():
            values = column.values if isinstance(column, Coded) else ()
            numbers = [isinstance(v, str) and number_in(v) is not None for v in values]
            if texts := np.flatnonzero(numbers).tolist():
                rows = counted(int(column.counts[texts].sum()), "row")
                some = f"{what_came(values[texts[0]])}, … in {rows}"
                notes.append(f"{role}: numbers written as text are read as numbers: {some}")
        return notes

    def _numbers(self, cell: Cell, role: str) -> Signal:
        column = self.look.cells(cell, role)
        if role == "confidence" and isinstance(column, list | Coded) and not self.rows.mapping:
            column, notes = read_sureness(coded_of(column)) if _has_texts(column) else (column, [])
            self.said.extend(notes)
        return numbers_of(column, is_text=self.rows.is_text, nan_is_null=True)

    def _selected(self) -> Mask | None:
        """The rows that the mapping keeps; None for all."""
        out: Mask | None = None
        for path, values in self.mapping.where.items():
            mask = self.look.equals(path, values)
            out = mask if out is None else out & mask
        if out is not None and not out.any():
            asked = self.mapping.where.items()
            listed = ", ".join(f"{label(k)} is {label(as_text(v[0]))}" for k, v in asked)
            raise DataError([f"no row is left where {listed}"])
        return out

    def _truth(self) -> tuple[NDArray[np.int64] | None, Any, Coded | None]:
        """Which rows of the file the table has, their truth, and by whom where several gave one."""
        mask = self._selected()
        select = None if mask is None else np.flatnonzero(mask)
        cells = self.roles.get("truth", [])
        truths = {cell.path: self._levels(cell, "truth") for cell in cells}
        if len(truths) > 1:
            return _by_rater(truths, np.arange(len(self.rows)) if select is None else select)
        truth = next(iter(truths.values()), None)
        if isinstance(truth, Coded):
            truth = _known(truth)
        return select, truth if truth is None or select is None else taken(truth, select), None

    def _prediction(self) -> tuple[Any, Coded | None]:
        """The prediction, none where a rule says so, and the outcomes that rules say."""
        look, cells = self.look, self.roles.get("prediction")
        blank = Coded((), np.full(len(self.rows), -1, np.int32))
        prediction = self._levels(cells[0], "prediction") if cells else blank
        codes = np.full(len(self.rows), -1, np.int32)
        for number, rules in enumerate(self.mapping.outcome.values()):
            for rule in rules:
                codes[(codes < 0) & look.holds(rule)] = number
        names = [*self.mapping.outcome, "unparseable", "failed"]
        codes[(codes < 0) & self.failed] = len(names) - 1
        codes[(codes < 0) & _unread(prediction)] = len(names) - 2
        self._refuse_nan(codes < 0)
        ruled = codes >= 0
        if "outcome" in self.roles:  # a column of outcomes, where no rule holds
            column = self._ids(self.roles["outcome"][0], "outcome")
            codes = np.where(ruled | column.missing, codes, column.codes + len(names))
            names += column.values
        elif not ruled.any():
            return prediction if cells else None, None
        if self.mapping.unparseable == "failed":
            names = ["failed" if name == "unparseable" else name for name in names]
        return _without(prediction, ruled) if cells else None, recoded(codes, names)

    def _distribution(self) -> Probabilities | None:
        """The probabilities: columns by level, or one column of lists or mappings."""
        cells = self.roles.get("distribution", ())
        if len(cells) > 1:
            paths = [cell.path for cell in cells]
            if len({*paths}) < len(paths):
                twice = next(path for path in paths if paths.count(path) > 1)
                raise UsageError(f"the column {label(twice)} is named twice in the distribution")
            return Probabilities.of({c.path: self._numbers(c, "distribution") for c in cells})
        return Probabilities.of(self.look.cells(cells[0], "distribution")) if cells else None

    @cached_property
    def failed(self) -> Mask:
        """The rows whose log says that something went wrong, where nothing else says what did."""
        out = np.zeros(len(self.rows), bool)
        for name in self.errors:
            column = coded_of(self.look.cells(Cell(path=name), "error", ids=True))
            out |= column.spread([_is_error(value) for value in column.values], False, bool)
        return out

    @cached_property
    def errors(self) -> list[str]:
        """Columns in which a log tells of errors: of texts or objects, not of numbers."""
        if self.rows.mapping or "failed" in self.mapping.outcome or "outcome" in self.roles:
            return []
        gone = {cell.path for cells in self.roles.values() for cell in cells}
        names = [n for n in self.rows.names if folded_name(n) in ERRORS and n not in gone]
        return [name for name in names if not self.rows.has_numbers(name)]

    def _refuse_nan(self, unruled: Mask) -> None:
        """NaN where the library tells it from null is no abstention: something went wrong there."""
        problems = []
        for role in ("truth", "prediction"):
            for cell in self.roles.get(role, ()):
                nans = self.rows.nan_rows(cell.path) if cell.path in self.rows.names else ()
                if rows := [row for row in nans if unruled[row]]:
                    case = self._ids(self.roles["case"][0], "case")
                    message = "NaN is not a level; an abstention is null"
                    first = case.values[case.codes[rows[0]]]
                    problems.append(Problem(message, first, field=role, rows=len(rows)))
        refuse(problems)

    def _signals(self) -> dict[str, Signal]:
        """Numbers by name: those of the mapping, and where the format has none all others."""
        signals = {name: self._numbers(cell, name) for name, cell in self.mapping.signals.items()}
        return signals | {n: self._numbers(Cell(path=n), n) for n in self._others}

    @cached_property
    def _others(self) -> list[str]:
        """Columns of numbers without a role, where the format has no roles of its own."""
        gone = {cell.path for cells in self.roles.values() for cell in cells}
        gone |= {*self.mapping.signals} | ({"confidence"} if "confidence" in self.roles else set())
        return [
            name
            for name in (() if self.rows.mapping else self.rows.names)
            if name not in gone
            and folded_name(name) not in DERIVED
            and (name in SIGNALS or self.rows.has_numbers(name))
        ]

    def _texts_among(self, signals: Mapping[str, Signal]) -> list[str]:
        """What to say of columns of numbers that hold texts: where, since they may be of a case."""
        lines = self.rows.lines
        return [
            f"column {label(name)} holds text in {len(signal.other)} of {len(self.rows)} rows, "
            f"first in line {first + 1 if lines is None else lines[first]}, "
            "where numbers are expected"
            for name, signal in signals.items()
            for first in sorted(signal.other)[:1]
        ]

    def _order(self) -> Scale | None:
        """The scale of an ordered categorical, of the truth before the prediction."""
        cells = [c for r in ("truth", "prediction") for c in self.roles.get(r, ())]
        names = [cell.path for cell in cells if cell.path in self.rows.names]
        orders = {name: order for name in names if (order := self.rows.order(name)) is not None}
        for (a, one), (b, other) in pairwise(orders.items()):
            if [x for x in one if x in other] != [x for x in other if x in one]:
                both = (f"{label(n)} {', '.join(map(label, orders[n]))}" for n in (a, b))
                orders_are = f"the categories are in different orders, {' and '.join(both)}"
                raise DataError([f"{orders_are}: name it with --levels"])
        return next((Scale.of(order) for order in orders.values()), None)


def _has_texts(column: Any) -> bool:
    """Whether some cell is a text that is no number."""
    cells = column.values if isinstance(column, Coded) else set(filter(_is_text, column))
    return any(_is_text(cell) and number_in(cell) is None for cell in cells)


def _is_text(cell: Any) -> bool:
    return isinstance(cell, str)


def _is_error(value: Any) -> bool:
    """Whether a cell of a log says that something went wrong."""
    if isinstance(value, str):
        return folded(value) not in NO_ERROR
    return value is not ABSENT and bool(value)


def _missing_roles(roles: Mapping[str, Any], rows: Rows) -> list[Problem]:
    """Roles that a format could not know from its file, each with its option."""
    listed = ", ".join(label(name) for name in list(rows.names)[:30])
    return [
        Problem(
            f"which column or path is the {role}? add {option_of(role)} PATH, such as "
            f"{option_of(role)} {label(next(iter(rows.names)))}.NAME; there are {listed}"
        )
        for role in ("case", "prediction")
        if role not in roles and not (role == "prediction" and "distribution" in roles)
    ]


def _open_choices(rows: Rows, mapping: MappingTable) -> list[Problem]:
    """Columns of which one value must be chosen: rows of several would be counted twice."""
    return [
        Problem(
            f"there are rows of {len(values)} values of {column}; choose one: "
            + " or ".join(f"--where {column}={as_text(value)}" for value in values),
            amends=(("--where", f"{column}={as_text(values[0])}"),),
        )
        for column, values in rows.one_of.items()
        if len(values) > 1 and column not in mapping.where
    ]


def _split(cells: Sequence[Cell], rows: Rows) -> Sequence[Cell]:
    """Names with commas between as several columns, where there is no column of the whole name."""
    path, place = cells[0].path, Lookup(rows, {}).place
    parts = [part.strip() for part in path.split(",")]
    if len(cells) > 1 or place(path) is not None or None in map(place, parts):
        return cells
    return [Cell(path=part) for part in parts]


def _columns(cells: Sequence[Cell], rows: Rows) -> Sequence[Cell]:
    """Columns of probabilities with commas between, each by itself: one may be missing."""
    path = cells[0].path
    if len(cells) > 1 or "," not in path or path in rows.names:
        return cells
    return [Cell(path=part.strip()) for part in path.split(",") if part.strip()]


def _by_rater(
    truths: Mapping[str, Any], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], list[Any], Coded]:
    """One row for each who gave a truth; a row that nobody rated stays, without one."""
    columns = [_known(Coded.of(column)) for column in truths.values()]
    rated = np.array([~column.missing[rows] for column in columns])
    rated[0] |= ~rated.any(0)
    at, rater = np.nonzero(rated.T)
    truth = [
        None if (code := columns[r].codes[row]) < 0 else columns[r].values[code]
        for row, r in zip(rows[at].tolist(), rater.tolist(), strict=True)
    ]
    return rows[at], truth, Coded(tuple(truths), rater.astype(np.int32))


def _known(column: Coded) -> Coded:
    """A column without the mark of what could not be taken out of a text."""
    return Coded.of(_without(column, _unread(column))) if type(NO_VALUE) in column.kinds else column


def _unread(column: Any) -> Mask:
    if not isinstance(column, Coded) or type(NO_VALUE) not in column.kinds:
        return np.zeros(len(column), bool)
    return column.spread([value is NO_VALUE for value in column.values], False, bool)


def _without(column: Any, mask: Mask) -> Any:
    """A column with nothing in some rows."""
    if not mask.any():
        return column
    coded = Coded.of(column)
    values = [None if value is NO_VALUE else value for value in coded.values]
    return recoded(np.where(mask, np.int32(-1), coded.codes), values)
