"""Labels that stand in files of their own, joined to rows by columns that both have.

The columns of one file become columns of the rows. Where several people labelled (several files, or
a column that says who), each is a column of the truth, as raters side by side are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, counted, label, refuse, what_came
from acumen.readers.cells import coded_of
from acumen.readers.label_files import Key, LabelFile, keys_of, label_files, texts_of
from acumen.readers.mapping import Cell
from acumen.readers.paths import as_text
from acumen.readers.records import Rows
from acumen.readers.roles import COMMON, CONVENTIONS, DECLARED, folded_name, has_case
from acumen.readers.templates import variables_of
from acumen.table.coded import Coded

MOST_IDS: Final = 50
"""Columns that are looked at for ids of labels."""
EXAMPLES: Final = 3
"""Ids that a message names."""
_RATER: Final = DECLARED["rater"]
Roles = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, kw_only=True)
class WithLabels(Rows):
    """Rows, and beside their columns those that were joined to them."""

    base: Rows
    joined: Mapping[str, Coded]
    written: Mapping[str, Coded] = field(default_factory=dict)
    """The same as they are written, where it differs."""
    numbers: frozenset[str] = frozenset()
    orders: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.base)

    @property
    def names(self) -> Sequence[str]:
        """The columns of the rows, then those of the labels."""
        return list(dict.fromkeys([*self.base.names, *self.joined]))

    def column(self, name: str) -> Any:
        """A column; where both have one of this name, that of the labels."""
        return self.joined[name] if name in self.joined else self.base.column(name)

    def ids(self, name: str) -> Any:
        """The same, as it is written."""
        if name in self.joined:
            return self.written.get(name, self.joined[name])
        return self.base.ids(name)

    def read_ahead(self, names: Sequence[str]) -> None:
        """Read columns of the rows together."""
        self.base.read_ahead([name for name in names if name not in self.joined])

    def has_numbers(self, name: str) -> bool:
        """By the file in which it stands."""
        return name in self.numbers if name in self.joined else self.base.has_numbers(name)

    def order(self, name: str) -> tuple[Any, ...] | None:
        """By the file in which it stands."""
        return self.orders.get(name) if name in self.joined else self.base.order(name)

    def nan_rows(self, name: str) -> Sequence[int] | NDArray[Any]:
        """Of the labels none: a label that is no number is none."""
        return () if name in self.joined else self.base.nan_rows(name)


def with_labels(
    rows: Rows, roles: Roles, said: Any, on: Any
) -> tuple[Rows, dict[str, Sequence[Cell]], list[str]]:
    """Rows with their labels, the roles with the labels as the truth, and what to tell of it."""
    if said is None:
        return rows, dict(roles), []
    files = label_files(said)
    pairs = _pairs(rows, roles, files, on)
    keys, of = keys_of([texts_of(rows, ours, "id") for ours, _ in pairs])
    join = _Join(rows, files, pairs, keys, of)
    named = roles.get("truth", ())
    if len(pairs) == 1 and "case" not in roles and not has_case(rows.names):
        roles = {**roles, "case": [Cell(path=pairs[0][0])]}  # what labels are of is the case
    if len(named) > 1 or (named and not any(file.has(named[0].path) for file in files)):
        return join.beside(roles, named)
    return join.as_truth(roles, named)


@dataclass(frozen=True, slots=True)
class _Said:
    """One label: what is said, by whom, and where."""

    file: LabelFile
    row: int
    value: Any


@dataclass(frozen=True)
class _Join:
    """Rows, files of labels, and the columns by which they belong together."""

    rows: Rows
    files: Sequence[LabelFile]
    pairs: Sequence[tuple[str, str]]
    """Columns that hold one id: of the rows, and of the labels."""
    keys: Sequence[Key]
    of: NDArray[np.int64]
    """The key of each row; −1 where it has none."""

    def beside(
        self, roles: Roles, named: Sequence[Cell]
    ) -> tuple[Rows, dict[str, Sequence[Cell]], list[str]]:
        """The file's columns as columns of the rows; the roles say what they are."""
        if len(self.files) > 1:
            raise DataError([_no_truth(named[0].path, file) for file in self.files])
        (file,) = self.files
        known = {*self.rows.names, *file.rows.names}
        plain = [cell.path for cell in named if not variables_of(cell.path)]
        parts = [
            p.strip() for path in plain for p in ([path] if path in known else path.split(","))
        ]
        if odd := [part for part in parts if part not in known]:
            raise DataError([_no_truth(odd[0], file)], file.name)
        rows, notes = self._whole(file, None)
        return rows, dict(roles), notes

    def as_truth(
        self, roles: Roles, named: Sequence[Cell]
    ) -> tuple[Rows, dict[str, Sequence[Cell]], list[str]]:
        """The labels as the truth of the rows: one column, or one for each who gave them."""
        who = {file.name: self._rater_column(file, roles) for file in self.files}
        ids = [theirs for _, theirs in self.pairs]
        cells = {
            file.name: named[0] if named else file.truth([*ids, who[file.name]])
            for file in self.files
        }
        labels, notes = self._labels(who, cells)
        out = {role: cells for role, cells in roles.items() if role != "rater"}
        if len(labels) == 1 and len(self.files) == 1:
            (file,), (by,) = self.files, labels.values()
            cell = cells[file.name]
            notes += self._contradicted(cell, by)
            rows, more = self._whole(file, by)
            return rows, {**out, "truth": [cell]}, [*notes, *more]
        columns = {}
        for rater, by in labels.items():
            values = [said.value if (said := by.get(key)) else None for key in self.keys]
            columns[self._free_name(rater)] = self._spread(Coded.of(values))
        counts = ", ".join(f"{label(rater)} {len(by):,}" for rater, by in labels.items())
        notes.append(f"labels of {counted(len(labels), 'rater')}: {counts}")
        order = self.files[0].rows.order(cells[self.files[0].name].path)
        orders = {} if order is None else dict.fromkeys(columns, order)
        joined = WithLabels(**_facts(self.rows), base=self.rows, joined=columns, orders=orders)
        return joined, {**out, "truth": [Cell(path=name) for name in columns]}, notes

    def _rater_column(self, file: LabelFile, roles: Roles) -> str | None:
        """The column of a file that says who labelled."""
        if cells := () if self.rows.mapping else roles.get("rater"):
            if not file.has(cells[0].path):
                listed = ", ".join(map(label, file.rows.names))
                message = f"no column for the rater ({label(cells[0].path)}); there are {listed}"
                raise DataError([message], file.name)
            return cells[0].path
        if "rater" in file.own:
            return file.own["rater"].path
        return next((n for n in file.rows.names if folded_name(n) in _RATER), None)

    def _labels(
        self, who: Mapping[str, str | None], cells: Mapping[str, Cell]
    ) -> tuple[dict[str, dict[Key, _Said]], list[str]]:
        """Rater -> id -> label; two that differ are refused, those of no row are counted."""
        labels: dict[str, dict[Key, _Said]] = {}
        problems, notes, known = [], [], {*self.keys}
        for file in self.files:
            keys, of = self._keys(file)
            column, twice = file.levels(cells[file.name]), 0
            raters = None if (path := who[file.name]) is None else file.texts(path)
            for row in np.flatnonzero((of >= 0) & ~column.missing).tolist():
                name = file.stem
                if raters is not None and raters.codes[row] >= 0:
                    name = raters.values[raters.codes[row]]
                key, said = keys[of[row]], _Said(file, row, column.values[column.codes[row]])
                first = labels.setdefault(name, {}).setdefault(key, said)
                if first is said:
                    continue
                twice += first.value == said.value
                if first.value != said.value:
                    problems.append(self._conflict(key, first, said, who[file.name] is None))
            if not labels:
                empty = f"column {label(cells[file.name].path)} holds no label"
                raise DataError([empty], file.name)
            if twice:
                notes.append(_given_again(file, twice))
            notes += self._strangers(file, keys, of, known)
        refuse(problems, self.files[0].name if len(self.files) == 1 else None)
        return labels, notes

    def _conflict(self, key: Key, first: _Said, said: _Said, is_nameless: bool) -> Problem:
        """Two labels of one id by one rater."""
        both = f"{what_came(first.value)} and {what_came(said.value)}"
        where = (
            "" if (line := first.file.line(first.row)) is None else f" (the other in line {line})"
        )
        shared = [n for n in said.file.rows.names if n in self.rows.names]
        more = [n for n in shared if n not in {theirs for _, theirs in self.pairs}]
        hint = "if two people gave them, name the column that says who: --rater COLUMN"
        if not is_nameless:
            hint = "by one person: keep one of them"
        elif more:
            ids = ",".join([*self.on, more[0]])
            hint = f"if {label(more[0])} tells them apart: --on {ids}; {hint}"
        source = "" if len(self.files) == 1 else f"{said.file.name}: "
        message = f"{source}has two labels, {both}{where}; {hint}"
        return Problem(message, case=", ".join(key), line=said.file.line(said.row))

    @property
    def on(self) -> list[str]:
        """The columns of ids, as the option names them."""
        return [a if a == b else f"{a}={b}" for a, b in self.pairs]

    def _keys(self, file: LabelFile) -> tuple[list[Key], NDArray[np.int64]]:
        return keys_of([file.texts(theirs) for _, theirs in self.pairs])

    def _strangers(
        self, file: LabelFile, keys: Sequence[Key], of: NDArray[np.int64], known: set[Key]
    ) -> list[str]:
        """What to tell of labels whose id no row has; where all are such, they are refused."""
        none = [", ".join(key) for key in keys if key not in known]
        bare = int((of < 0).sum())
        notes = [f"{file.name}: {counted(bare, 'row')} without an id, left out"] if bare else []
        some = ", ".join(map(label, none[:EXAMPLES])) + (", …" if len(none) > EXAMPLES else "")
        if keys and len(none) < len(keys):
            are = "is" if len(none) == 1 else "are"
            lost = f"{file.name}: {len(none):,} of its ids {are} of no row ({some})"
            return [*notes, lost] if none else notes
        ours = ", ".join(label(", ".join(key)) for key in self.keys[:EXAMPLES])
        message = f"none of its ids is of a row: it has {some or 'none'}, the rows have {ours}"
        if {*map(_loose, keys)} & {*map(_loose, self.keys)}:
            message += "; they differ by case, blanks or leading zeros alone: write them alike"
        else:
            message += f"; is {','.join(self.on)} the id? --on ROWS_COLUMN=LABELS_COLUMN"
        raise DataError([message], file.name)

    def _whole(self, file: LabelFile, by: Mapping[Key, _Said] | None) -> tuple[Rows, list[str]]:
        """The rows with every column of a file, and how many of them have a label."""
        if by is None:
            row_of, notes = self._rows_of(file)
        else:
            row_of, notes = {key: said.row for key, said in by.items()}, []
        at = np.array([row_of.get(key, -1) for key in self.keys] + [-1], np.int64)[self.of]
        ids = {theirs for _, theirs in self.pairs}
        names = [name for name in file.rows.names if name not in ids]
        joined, written = dict[str, Coded](), dict[str, Coded]()
        for name in names:
            for out, column in (
                (joined, file.levels(Cell(path=name))),
                (written, file.rows.ids(name)),
            ):
                coded = coded_of(column)
                out[name] = Coded(coded.values, np.append(coded.codes, np.int32(-1))[at])
        orders = {n: order for n in names if (order := file.rows.order(n)) is not None}
        numbers = frozenset(name for name in names if file.rows.has_numbers(name))
        there, most = int((at >= 0).sum()), np.bincount(at[at >= 0], minlength=1).max()
        verb = "has" if there == 1 else "have"
        all_rows = counted(len(self.rows), "row")
        notes.append(f"{there:,} of {all_rows} {verb} a label of {file.name}")
        if most > 1:
            notes[-1] += f", one for up to {most:,} rows"
        rows = WithLabels(
            **_facts(self.rows),
            base=self.rows,
            joined=joined,
            written=written,
            numbers=numbers,
            orders=orders,
        )
        return rows, notes

    def _rows_of(self, file: LabelFile) -> tuple[dict[Key, int], list[str]]:
        """The row of each id in a file whose every column counts: two rows of it must be alike."""
        keys, of = self._keys(file)
        columns = [coded_of(file.rows.column(name)) for name in file.rows.names]
        rows: dict[Key, int] = {}
        problems, twice = [], 0
        for row in np.flatnonzero(of >= 0).tolist():
            first = rows.setdefault(key := keys[of[row]], row)
            both = zip(file.rows.names, columns, strict=True)
            other = [label(name) for name, c in both if c.codes[row] != c.codes[first]]
            twice += first != row and not other
            if other:
                where = "" if (line := file.line(first)) is None else f"; the first in line {line}"
                message = f"has several rows that differ in {', '.join(other)}{where}"
                problems.append(Problem(message, case=", ".join(key), line=file.line(row)))
        refuse(problems, file.name)
        notes = [_given_again(file, twice)] if twice else []
        return rows, [*notes, *self._strangers(file, keys, of, {*self.keys})]

    def _contradicted(self, cell: Cell, by: Mapping[Key, _Said]) -> list[str]:
        """What to tell where the rows have a truth of their own that says something else."""
        names = {folded_name(name): name for name in reversed(self.rows.names)}
        own = [cell.path, *(names[n] for n in CONVENTIONS["truth"] if n in names)]
        name = next((name for name in own if name in self.rows.names), None)
        if name is None:
            return []
        values = texts_of(self.rows, name, "truth")
        different = sum(
            (said := by.get(self.keys[key])) is not None
            and as_text(said.value) != values.values[code]
            for key, code in zip(self.of.tolist(), values.codes.tolist(), strict=True)
            if key >= 0 and code >= 0
        )
        rows = f", which differs in {counted(different, 'row')}" if different else ""
        is_empty = not len(values.values)
        return [] if is_empty else [f"the labels are taken, not the rows' own {label(name)}{rows}"]

    def _spread(self, column: Coded) -> Coded:
        """Labels by id as labels of the rows."""
        codes = np.append(column.codes, np.int32(-1))
        return Coded(column.values, codes[self.of])

    def _free_name(self, rater: str) -> str:
        """What the column of a rater is called: nothing that the rows have already."""
        return rater if rater not in self.rows.names else f"{rater} (labels)"


def _facts(rows: Rows) -> dict[str, Any]:
    """What rows say of themselves, whatever is joined to them."""
    return {f.name: getattr(rows, f.name) for f in fields(Rows)}


def _given_again(file: LabelFile, twice: int) -> str:
    return f"{file.name}: {counted(twice, 'label')} given again, the same: once"


def _no_truth(path: str, file: LabelFile) -> str:
    listed = ", ".join(map(label, file.rows.names))
    return f"no column for the truth ({label(path)}) in {file.name}; there are {listed}"


def _loose(key: Key) -> Key:
    """An id as two people might write it."""
    return tuple(re.sub(r"^0+(?=.)|\.0+$", "", part.strip()).casefold() for part in key)


def _pairs(rows: Rows, roles: Roles, files: Sequence[LabelFile], on: Any) -> list[tuple[str, str]]:
    """The columns that hold one id in the rows and in the labels: as said, else those both have."""
    both = [n for n in rows.names if all(n in file.rows.names for file in files)]
    texts = [on] if isinstance(on, str) else list(on or ())
    parts = [part.strip() for text in texts for part in text.split(",")]
    if not all(parts):
        raise UsageError("--on takes COLUMN, A,B or ROWS_COLUMN=LABELS_COLUMN")
    pairs = [_pair(part, both) for part in parts]
    named = {role: cells[0].path for role, cells in roles.items() if role in ("case", "item")}
    apart = [n for n in both if n == named.get("item") or _is_called(n, "item")]
    if not pairs:
        ids = [n for n in both if n == named.get("case")]
        ids = ids or [n for n in both if _is_called(n, "case")][:1]
        pairs = [(name, name) for name in dict.fromkeys([*ids, *apart[:1]])]
    if not pairs:
        has = f"both have {', '.join(map(label, both))}" if both else "they share no column"
        first = label(both[0]) if both else "ROWS_COLUMN=LABELS_COLUMN"
        amends = (("--on", on),) if (on := both[0] if both else _alike(rows, files[0])) else ()
        message = f"which column tells what a label is of? {has}: --on {first}"
        raise UsageError(message, amends)
    ours, theirs = ({*names} for names in zip(*pairs, strict=True))
    if left := [name for name in apart if name not in ours | theirs]:
        said = ",".join([*(a if a == b else f"{a}={b}" for a, b in pairs), left[0]])
        raise UsageError(
            f"the rows and the labels both have {label(left[0])}, so an id alone does not say what "
            f"a label is of: --on {said}"
        )
    return pairs


def _alike(rows: Rows, file: LabelFile) -> str:
    """The columns of the rows and of the labels that share most ids, as ``--on`` names them."""
    ours, theirs = (_plain_ids(side) for side in (rows, file.rows))
    shared = {(a, b): len(x & y) for a, x in ours.items() for b, y in theirs.items()}
    best = max(shared, key=lambda pair: shared[pair], default=None)
    return "=".join(best) if best and 2 * shared[best] > len(theirs[best[1]]) else ""


def _plain_ids(rows: Rows) -> dict[str, set[Any]]:
    """The values of the first columns of single values."""
    out = {}
    for name in list(rows.names)[:MOST_IDS]:
        with suppress(DataError):
            out[name] = {*texts_of(rows, name, "id").values}
    return out


def _pair(part: str, both: Sequence[str]) -> tuple[str, str]:
    """The columns that one part of ``--on`` names; a name that both have may hold any mark."""
    ours, mark, theirs = part.partition("=")
    if part in both or not mark:
        return part, part
    return ours.strip(), theirs.strip()


def _is_called(name: str, role: str) -> bool:
    return folded_name(name) in (*CONVENTIONS[role], *COMMON.get(role, ()))
