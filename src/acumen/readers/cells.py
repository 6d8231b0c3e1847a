"""Cells -> what a role needs: ids, levels, numbers. Texts that look like numbers are numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import label
from acumen.readers.records import ABSENT
from acumen.table.coded import Coded, is_missing
from acumen.table.judgments import Signal

NO_NUMBER: Final = frozenset({"", "na", "n/a", "null", "none", "nan", "-"})
"""How a cell of text says that there is no number, in small letters."""
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_POINT = re.compile(r"[+-]?\d*\.\d+", re.ASCII)
_MANGLED = re.compile(r"\d(?:\.\d+)?[eE]\+\d+")


def level_in_text(cell: Any) -> Any:
    """A cell as a number where it looks like one, None where it is blank, else as it is.

    >>> level_in_text(" 4.0 "), level_in_text(""), level_in_text("None"), level_in_text(2)
    (4.0, None, 'None', 2)
    """
    if not isinstance(cell, str):
        return cell
    bare = cell.strip()
    if _INTEGER.fullmatch(bare):
        return int(bare)
    return float(bare) if _NUMBER.fullmatch(bare) else bare or None


def number_in_text(cell: Any) -> Any:
    """The same for a column of numbers, where several words say that there is none.

    >>> number_in_text("n/a"), number_in_text("0.5"), number_in_text("high")
    (None, 0.5, 'high')
    """
    number = level_in_text(cell)
    return None if isinstance(number, str) and number.casefold() in NO_NUMBER else number


def any_number(cells: Iterable[str]) -> bool:
    """Whether some text is a number, or all say that there is none."""
    kinds = {type(number_in_text(cell)) for cell in cells}
    return bool(kinds & {int, float}) or str not in kinds


def _in_comma_text(parse: Callable[[Any], Any], values: Any) -> Callable[[Any], Any]:
    """The same for a column whose numbers have a decimal comma; a column has one kind of mark."""
    texts = [v.strip() for v in values if isinstance(v, str)]
    has_comma = any(_COMMA.fullmatch(t) for t in texts)
    if not has_comma or any(_POINT.fullmatch(t) for t in texts):
        return parse

    def parse_comma(cell: Any) -> Any:
        is_number = isinstance(cell, str) and _COMMA.fullmatch(cell.strip())
        return parse(cell.replace(",", ".") if is_number else cell)

    return parse_comma


def levels_of(column: Any, *, is_text: bool) -> Any:
    """A column of levels."""
    if isinstance(column, np.ndarray):
        return column
    coded = coded_of(column)
    if not is_text:
        return coded
    parse = _in_comma_text(level_in_text, coded.values)
    return recoded(coded.codes, [parse(value) for value in coded.values])


def numbers_of(column: Any, *, is_text: bool = False, nan_is_null: bool = False) -> Signal:
    """A column of numbers, and what is none in it."""
    if isinstance(column, Signal):
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return Signal.of_numbers(column, np.isnan(column) if nan_is_null else None)
    if isinstance(column, Coded):
        by_value = numbers_of([*column.values, None], is_text=is_text)
        return by_value.take(column.codes)
    if set(map(type, column)) <= {int, float}:
        values = np.asarray(column)
        if values.dtype.kind in "iuf":  # else a whole number is beyond what NumPy holds
            return Signal.of_numbers(values)
    # one by one: NumPy would make 1.0 of true beside numbers, and text of numbers beside text
    cells = column.tolist() if isinstance(column, np.ndarray) else column
    parse = _in_comma_text(number_in_text, cells) if is_text else _or_none
    return Signal.of_objects([parse(cell) for cell in cells], absent=ABSENT)


def _or_none(cell: Any) -> Any:
    return cell if isinstance(cell, float | np.floating) or not is_missing(cell) else None


def coded_of(column: Any) -> Coded:
    """A column by its distinct values; what a record lacks is missing."""
    if isinstance(column, list):
        column = [None if cell is ABSENT else cell for cell in column]
    return Coded.of(column)


def recoded(codes: NDArray[np.int32], values: Sequence[Any]) -> Coded:
    """A column whose distinct values became others: two may be one now, None is missing.

    >>> column = recoded(np.array([0, 1, 2, -1], np.int32), ["4", "4", None])
    >>> column.values, column.codes.tolist()
    (('4',), [0, 0, -1, -1])
    """
    merged = Coded.of(list(values))
    return Coded(merged.values, np.append(merged.codes, np.int32(-1))[codes])


def taken(column: Any, rows: NDArray[np.int64]) -> Any:
    """A column in some rows."""
    if isinstance(column, list):
        return [column[row] for row in rows.tolist()]
    return column.take(rows) if isinstance(column, Coded | Signal) else column[rows]


def mangled_ids(ids: Coded) -> list[str]:
    """What to warn of where a spreadsheet turned ids into numbers."""
    if "+" not in "".join(map(str, ids.values)):  # one look at them all: most are plain
        return []
    suspects = sorted(v for v in ids.values if isinstance(v, str) and _MANGLED.fullmatch(v))
    examples = ", ".join(label(suspect) for suspect in suspects[:5])
    return [f"ids that look rewritten by a spreadsheet: {examples}"] if suspects else []
