"""Wide rows as long ones: a row for each item, system, rater or case that has a column of its own.

Which columns belong together is said by templates (``gt_{item}``), or by several names for one role
(``--prediction gpt,llama``: two systems). What is the same for all of a row's parts is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError, counted, label
from acumen.readers.cells import coded_of, gathered, taken
from acumen.readers.guess import leaf_paths
from acumen.readers.lookup import NO_VALUE, Lookup
from acumen.readers.mapping import Cell
from acumen.readers.records import ABSENT, Rows
from acumen.readers.templates import Fit, fits_of, joined, variables_of
from acumen.table.coded import Coded

_JUDGED: Final = ("truth", "prediction", "confidence")
_BOTH: Final = ("case", "item", "repeat")
"""Variables that both the truth and the prediction must have: they say what is judged."""
Roles = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True, kw_only=True)
class Unfolded(Rows):
    """Rows of which each stands for several: part after part, each of all rows."""

    base: Rows
    place: NDArray[np.int64]
    """Which of the rows of all parts there are."""
    parts: int
    wide: Mapping[str, Sequence[str | None]]
    """Column of ours -> the column of each part; None where a part has none."""
    named: Mapping[str, Sequence[str]]
    """Column of ours -> what each part is called."""
    cells: Mapping[str, Cell] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.place)

    @property
    def names(self) -> Sequence[str]:
        """The columns of the rows that do not vary, and those of ours."""
        gone = {column for columns in self.wide.values() for column in columns}
        return [*(n for n in self.base.names if n not in gone), *self.wide, *self.named]

    def column(self, name: str) -> Any:
        """A column, part after part."""
        return self._column(name, ids=False)

    def ids(self, name: str) -> Any:
        """The same, as it is written."""
        return self._column(name, ids=True)

    def _column(self, name: str, *, ids: bool) -> Any:
        size = len(self.base)
        if name in self.named:
            names = self.named[name]
            values = list(dict.fromkeys(names))
            codes = np.array([values.index(n) for n in names], np.int32).repeat(size)
            return Coded(tuple(values), codes).take(self.place)
        if name not in self.wide:
            own = (self.base.ids if ids else self.base.column)(name)
            return taken(own, self.place % max(size, 1))
        look = Lookup(self.base, {})
        columns = [
            [ABSENT] * size if path is None else look.cells(Cell(path=path), name, ids=ids)
            for path in self.wide[name]
        ]
        if not all(isinstance(column, np.ndarray) for column in columns):
            columns = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns]
            coded = [_spelled(c) if isinstance(c, Coded) else list(c) for c in columns]
            return taken([cell for column in coded for cell in column], self.place)
        whole = gathered(({name: column} for column in columns), size * self.parts)
        return taken(whole[name], self.place)

    def has_numbers(self, name: str) -> bool:
        """By the rows that are there."""
        return name in self.base.names and self.base.has_numbers(name)

    def order(self, name: str) -> tuple[Any, ...] | None:
        """The order that the first column has, where all that have one agree."""
        if name not in self.wide:
            return self.base.order(name) if name in self.base.names else None
        names = [n for n in self.wide[name] if n is not None and n in self.base.names]
        orders = {order for n in names if (order := self.base.order(n)) is not None}
        return orders.pop() if len(orders) == 1 else None

    def nan_rows(self, name: str) -> Sequence[int] | NDArray[Any]:
        """Rows that hold NaN, where it is not null."""
        if name not in self.wide:
            return ()
        size, holes = len(self.base), np.zeros(len(self.base) * self.parts, bool)
        for part, path in enumerate(self.wide[name]):
            if path is not None and path in self.base.names:
                holes[part * size + np.asarray(self.base.nan_rows(path), np.int64)] = True
        return np.flatnonzero(holes[self.place])


def _spelled(column: Coded) -> list[Any]:
    return [None if code < 0 else column.values[code] for code in column.codes.tolist()]


def is_wide(roles: Roles, rows: Rows) -> bool:
    """Whether a role has columns side by side."""
    several = any(len(roles.get(role, ())) > 1 for role in ("prediction", "confidence"))
    cells = [cell for cells in roles.values() for cell in cells]
    return several or any(variables_of(c.path) and c.path not in rows.names for c in cells)


def unfold(rows: Rows, roles: Roles) -> tuple[Rows, dict[str, Sequence[Cell]], list[str]]:
    """Wide rows as long ones, the roles in them, and what to tell of it."""
    templates = {
        role: cells[0].path
        for role, cells in roles.items()
        if len(cells) == 1 and variables_of(cells[0].path) and cells[0].path not in rows.names
    }
    _check(templates, roles)
    paths = list(leaf_paths(rows, lists=True))
    plain = [c.path for r, cells in roles.items() if r not in templates for c in cells]
    order = [templates[role] for role in ("prediction", "truth", "confidence") if role in templates]
    order += [t for t in templates.values() if t not in order]
    ends = templates.get("truth"), templates.get("confidence")
    fits = dict(zip(order, fits_of(order, paths, plain, *ends), strict=True))
    parts = joined([fits[t] for t in order if t != templates.get("confidence")])
    systems = roles["prediction"] if len(roles.get("prediction", ())) > 1 else []
    if systems:
        parts = [{**p, "system": cell.path} for p in parts for cell in systems]
    wide: dict[str, list[str | None]] = {
        template: [fits[template].column(part) for part in parts] for template in order
    }
    out: dict[str, Sequence[Cell]] = dict(roles)
    for role in ("prediction", "confidence") if systems else ():
        own = roles.get(role) or []
        if len(own) > 1:
            by_system = dict(zip((c.path for c in systems), own, strict=True))
            wide[role + "s"] = [by_system[part["system"]].path for part in parts]
            out[role] = [own[0].model_copy(update={"path": role + "s"})]
    variables = dict.fromkeys(name for part in parts for name in part)
    named = {f"{{{name}}}": [part[name] for part in parts] for name in variables}
    out |= {name: [Cell(path=f"{{{name}}}")] for name in variables}
    judged = [cells[0].path for role in _JUDGED if (cells := out.get(role))]
    lines = None if rows.lines is None else np.tile(np.asarray(rows.lines), len(parts))
    size = len(rows)
    whole = Unfolded(
        base=rows,
        place=np.arange(size * len(parts)),
        parts=len(parts),
        wide=wide,
        named=named,
        lines=lines,
        warnings=rows.warnings,
        planned=rows.planned,
        format=rows.format,
        is_text=rows.is_text,
    )
    blank = _blank(whole, [name for name in judged if name in wide], "truth" in templates)
    place = np.flatnonzero(~blank)
    lines = None if lines is None else lines[place]
    long = _replaced(whole, place=place, lines=lines)
    return long, out, _notes(fits, wide, variables, parts, int(blank.sum()))


def _replaced(rows: Unfolded, **changes: Any) -> Unfolded:
    from dataclasses import replace

    return replace(rows, **changes)


def _check(templates: Mapping[str, str], roles: Roles) -> None:
    """Refuse parts that would tie together what does not belong together."""
    named = {role: {*variables_of(template)} for role, template in templates.items()}
    for role in templates:
        if role not in (*_JUDGED, "outcome", "risk_score", "weight"):
            raise UsageError(f"the {role} is one column or a part in braces, not a template")
    every = set().union(*named.values()) if named else set()
    for name in sorted(every):
        if name in roles:
            raise UsageError(
                f"{{{name}}} stands in a template, and a column is the {name}: not both"
            )
        if name in _BOTH:
            lacks = [
                r for r in ("truth", "prediction") if r in roles and name not in named.get(r, set())
            ]
            if lacks:
                has = next(r for r in named if name in named[r])
                raise UsageError(
                    f"{{{name}}} stands in the {has} ({label(templates[has])}) and not in the "
                    f"{lacks[0]} ({label(roles[lacks[0]][0].path)}): which belongs to which?"
                )
    if "rater" in named.get("prediction", set()) or "system" in named.get("truth", set()):
        raise UsageError("{rater} belongs into the truth, {system} into the prediction")
    several = {r: len(cells) for r, cells in roles.items() if len(cells) > 1}
    count = several.get("prediction", 0)
    if count and ("system" in roles or "system" in every):
        raise UsageError("several predictions are the systems: leave --system out")
    if several.get("confidence", 0) not in (0, count):
        raise UsageError(
            f"{several['confidence']} confidences for {max(count, 1)} of predictions: one for all, "
            "or one for each in the same order"
        )
    for role in ("prediction", "confidence"):
        cells = roles.get(role, ())
        paths = [cell.path for cell in cells]
        if role == "prediction" and len({*paths}) < len(paths):
            raise UsageError(f"{label(paths[0])} is named twice: nothing would differ")
        if len({cell.model_copy(update={"path": ""}).model_dump_json() for cell in cells}) > 1:
            raise UsageError(f"several columns of the {role} are read in one way: with one extract")


def _blank(rows: Unfolded, names: Sequence[str], is_asked: bool) -> NDArray[np.bool_]:
    """Rows where no column of a part holds anything: nothing is judged there."""
    blank = np.ones(len(rows), bool)
    if not is_asked or not names:
        return ~blank
    for name in names:
        column = coded_of(rows.column(name))
        nothing = [v is NO_VALUE or (isinstance(v, str) and not v.strip()) for v in column.values]
        blank &= column.spread(nothing, True, bool)
    return blank


def _notes(
    fits: Mapping[str, Fit],
    wide: Mapping[str, Sequence[str | None]],
    variables: Mapping[str, Any],
    parts: Sequence[Mapping[str, str]],
    blank: int,
) -> list[str]:
    counts = (counted(len({part[name] for part in parts}), name) for name in variables)
    names = dict.fromkeys(
        label(name) for t, own in wide.items() for name in ([t] if t in fits else own) if name
    )
    notes = [f"columns side by side are {' and '.join(counts)}: {', '.join(names)}"]
    for template, columns in wide.items():
        lacks = [part for part, column in zip(parts, columns, strict=True) if column is None]
        if lacks:
            which = template
            for name, value in lacks[0].items():
                which = which.replace(f"{{{name}}}", value)
            notes.append(f"{counted(len(lacks), 'column')} of {template} is not there: {which}")
        unused = {*(fits[template].columns.values() if template in fits else ())} - {*columns}
        if unused:
            listed = ", ".join(label(name) for name in sorted(unused)[:5])
            notes.append(f"not used, as nothing belongs to them: {listed}")
    if blank:
        notes.append(f"{counted(blank, 'place')} of the wide table hold nothing: no judgment there")
    return notes
