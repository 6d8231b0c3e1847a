"""Values out of rows: what a column, a path or a rule of a mapping says of each of them."""

from __future__ import annotations

import ast
import difflib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, label
from acumen.files.json import no_constant, unique_keys
from acumen.readers.cells import recoded
from acumen.readers.mapping import Cell, Rule
from acumen.readers.paths import Steps, as_text, parse_path, value_at
from acumen.readers.patterns import checked_pattern, search
from acumen.readers.records import ABSENT, Records, Rows
from acumen.readers.roles import option_of
from acumen.table.coded import Coded, is_missing

LONGEST_LITERAL: Final = 1 << 17
"""Characters of a literal of Python's that are looked into."""
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_PLAIN = re.compile(r"(?:[\s\d.,:{}\[\]+-]|[eE](?=[+-]?\d)|True|False|None)*")
"""What may stand in a literal beside texts: no name, no call, no comparison."""
NO_VALUE: Final[Any] = type("NoValue", (), {"__slots__": (), "__repr__": lambda _: "NO_VALUE"})()
"""Stands where a text holds no value that could be taken out of it."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Lookup:
    """Rows, and the cell that each role has, so that rules may name a role."""

    rows: Rows
    roles: Mapping[str, Cell]

    def cells(self, cell: Cell, role: str, *, ids: bool = False) -> Any:
        """A role's column as its cell says, NO_VALUE where nothing could be taken out."""
        place = self.place(cell.path)
        if place is None:
            raise DataError([self.no_column(cell.path, role)])
        name, steps = place
        change = _change(cell, steps)
        # what is taken out of a cell, or compared, is taken as it is written
        column = (self.rows.ids if ids or change else self.rows.column)(name)
        if change is None:
            return column
        column = _mapped(column, change)
        if isinstance(column, list) and column and all(value is ABSENT for value in column):
            raise DataError([Problem(f"{label(cell.path)} leads nowhere in any row", field=role)])
        return column

    def holds(self, rule: Rule) -> Mask:
        """The rows of which a rule holds."""
        out = np.ones(len(self.rows), bool)
        for inner in rule.every:
            out &= self.holds(inner)
        if rule.path is not None:
            out &= self._where(rule.path, _condition(rule))
        return out

    def equals(self, path: str, values: Sequence[object]) -> Mask:
        """The rows that have one of some values at a path."""
        return self._where(path, _is_one_of(values), strictly=True)

    def _where(self, path: str, test: Callable[[Any], bool], *, strictly: bool = False) -> Mask:
        """The rows whose value at a path stands a test; a record may lack any key."""
        place = self.place(path)
        if place is None and path in self.roles:
            place = self.place(self.roles[path].path)
        if place is None:
            if strictly or not isinstance(self.rows, Records):
                raise DataError([self.no_column(path, "rule")])
            return np.full(len(self.rows), test(ABSENT))
        column = self.rows.ids(place[0])
        if place[1]:
            column = _mapped(column, lambda value: value_at(value_in_text(value), place[1]))
        if isinstance(column, Coded):
            return column.spread([test(value) for value in column.values], test(None), bool)
        entries = column.tolist() if isinstance(column, np.ndarray) else column
        return np.fromiter((test(value) for value in entries), bool, len(entries))

    def place(self, path: str) -> tuple[str, Steps] | None:
        """A column, and the steps inside of its cells; a name that is there is no path."""
        names = self.rows.names
        if path in names:
            return path, ()
        try:
            first, *rest = parse_path(path)
        except ValueError:
            return None
        return (first, tuple(rest)) if isinstance(first, str) and first in names else None

    def no_column(self, path: str, role: str) -> Problem:
        """That a column is not there, with the one that may be meant."""
        names = self.rows.names
        close = difflib.get_close_matches(path, names, 1)
        hint = f"; is {label(close[0])} meant?" if close else ""
        listed = ", ".join(label(name) for name in list(names)[:30])
        message = f"no column for the {role} ({label(path)}); there are {listed}{hint}"
        amends = tuple((option_of(role), name) for name in close if role in self.roles)
        return Problem(message, is_unknown=True, amends=amends)


def _mapped(column: Any, change: Callable[[Any], Any]) -> Any:
    """A column changed value by value; each distinct one once, where they are known."""
    if isinstance(column, Coded):
        values = (change(value) for value in column.values)
        return recoded(column.codes, [None if value is ABSENT else value for value in values])
    return [change(v) for v in (column.tolist() if isinstance(column, np.ndarray) else column)]


def _change(cell: Cell, steps: Steps) -> Callable[[Any], Any] | None:
    """What a cell does to a value before it is its role's; None for nothing."""
    changes: list[Callable[[Any], Any]] = []
    if steps:
        changes.append(lambda value: value_at(value_in_text(value), steps))
    if cell.is_json:
        changes.append(_parsed)
    if cell.then is not None:
        inner = parse_path(cell.then)
        changes.append(lambda value: value_at(value, inner))
    if cell.extract is not None:
        pattern = checked_pattern(cell.extract, groups=1)
        changes.append(lambda value: _group(search(pattern, as_text(value))))
    if cell.labels:
        changes.append(lambda value: cell.labels.get(as_text(value).strip(), value))
    if not changes:
        return None

    def change(value: Any) -> Any:
        for step in changes:
            if value is None or value is ABSENT or value is NO_VALUE:
                return value
            value = step(value)
        return value

    return change


def _parsed(value: Any) -> Any:
    """A text as the JSON it holds; an object is taken as it is."""
    if not isinstance(value, str):
        return value
    try:  # nobody asks for the place of a fault here, which takes long to find
        return json.loads(value, parse_constant=no_constant, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        return NO_VALUE


def value_in_text(value: Any) -> Any:
    """What a cell of text holds when a path leads into it: JSON, or a literal of Python's."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    parsed = _parsed(text) if text.startswith(("{", "[")) else ABSENT
    if parsed is not NO_VALUE:
        return parsed
    if len(text) > LONGEST_LITERAL or not _PLAIN.fullmatch(_QUOTED.sub("", text)):
        return ABSENT
    try:
        return ast.literal_eval(text)  # literals alone: nothing is called or looked up
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return ABSENT


def _group(match: re.Match[str] | None) -> Any:
    return NO_VALUE if match is None or match[1] is None else match[1]


def _condition(rule: Rule) -> Callable[[Any], bool]:
    """Whether a value is as a rule says."""
    is_equal = None if rule.equals is None else _is_one_of(rule.equals)
    pattern = None if rule.matches is None else checked_pattern(rule.matches)

    def test(value: Any) -> bool:
        return (
            rule.null in (None, is_null := _is_null(value))
            and rule.nan in (None, _is_nan(value))
            and rule.absent in (None, value is ABSENT)
            and (is_equal is None or is_equal(value))
            and (pattern is None or (not is_null and bool(search(pattern, as_text(value)))))
        )

    return test


def _is_one_of(values: Sequence[object]) -> Callable[[Any], bool]:
    texts = {as_text(value).strip() for value in values}

    def test(value: Any) -> bool:
        return value is not ABSENT and as_text("" if value is None else value).strip() in texts

    return test


def _is_null(value: Any) -> bool:
    """Whether there is no value: null, no such key, or a blank cell of a text table."""
    if value is ABSENT or isinstance(value, str):
        return value is ABSENT or not value.strip()
    return is_missing(value) and not _is_nan(value)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
