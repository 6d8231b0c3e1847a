"""Cells -> what a role needs: ids, levels, numbers. Texts that look like numbers are numbers.

A column may be a list, an array, a Series or Arrow's; null is None inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, label, printable, what_came
from acumen.files.text import folded
from acumen.readers.records import ABSENT
from acumen.table.coded import Coded, is_missing
from acumen.table.judgments import Signal
from acumen.table.levels import number_in

NO_NUMBER: Final = frozenset({"", "na", "n/a", "null", "none", "nan", "-"})
"""How a cell of text says that there is no number, in small letters."""
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
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
    commas = [text for text in texts if _COMMA.fullmatch(text)]
    if all(map(_THOUSANDS.fullmatch, commas)) or any(_POINT.fullmatch(t) for t in texts):
        return parse  # there are none, or 1,000 may be a thousand

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


def gathered(parts: Iterable[Mapping[str, Any]], size: int) -> dict[str, Any]:
    """Columns of so many rows that come in parts: arrays, codes or lists, each by its name.

    A part goes to its place at once: those that wait would double the memory, and break it up.
    """
    columns: dict[str, Any] = {}
    places: dict[str, dict[Any, int]] = {}
    end = start = 0
    for part in parts:
        for name, piece in part.items():
            own, end = piece, start + len(piece)
            if len(piece) == size:  # there is no other
                columns[name] = piece
            if len(piece) in (0, size):
                continue
            if isinstance(piece, list):
                own = np.fromiter(piece, object, len(piece))
            elif isinstance(piece, Coded):
                place = places.setdefault(name, {})
                fresh = [value for value in piece.values if value not in place]
                place.update(zip(fresh, range(len(place), 1 << 31), strict=False))
                codes = [*map(place.__getitem__, piece.values), -1]
                own = np.array(codes, np.int32)[piece.codes]
            if name not in columns:
                columns[name] = np.empty(size, own.dtype)
            columns[name][start:end] = own
        start = end
    whole = {n: c[:end] if isinstance(c, np.ndarray) else c for n, c in columns.items()}
    whole |= {n: c.tolist() for n, c in whole.items() if getattr(c, "dtype", 0) == np.dtype(object)}
    return whole | {name: Coded(tuple(place), whole[name]) for name, place in places.items()}


def taken(column: Any, rows: NDArray[np.int64]) -> Any:
    """A column in some rows."""
    if isinstance(column, list):
        return [column[row] for row in rows.tolist()]
    return column.take(rows) if isinstance(column, Coded | Signal) else column[rows]


SUMMARIES: Final = {
    *("total", "totals", "sum", "mean", "average", "avg", "median", "grand total"),
    *("summe", "mittelwert", "durchschnitt", "somme", "moyenne", "suma", "media", "totale"),
}
"""What a line below a table is called."""


def mangled_ids(ids: Coded) -> list[str]:
    """What to warn of where a spreadsheet turned ids into numbers, or wrote sums below them."""
    sums = [v for v in ids.values if isinstance(v, str) and folded(v) in SUMMARIES]
    others = [v for v in ids.values if v not in sums]
    if sums and others and all(number_in(v) is not None for v in others):
        listed = ", ".join(map(label, sums))
        return [f"among ids that are numbers: {listed}; is it a line of totals? Take it out then"]
    if "+" not in ids.letters:
        return []
    suspects = sorted(v for v in ids.values if isinstance(v, str) and _MANGLED.fullmatch(v))
    examples = ", ".join(label(suspect) for suspect in suspects[:5])
    return [f"ids that look rewritten by a spreadsheet: {examples}"] if suspects else []


def plain_column(column: Any, name: str) -> Any:
    """A column as a list, an array of one dimension or a :class:`Signal`; a text is no column.

    >>> plain_column(np.ma.array([1, 2], mask=[False, True]), "truth")
    [1, None]
    """
    if column is None or isinstance(column, list | tuple | range | Signal | Coded):
        return column
    if isinstance(column, np.ma.MaskedArray) and column.ndim == 1:
        return column.tolist()  # None where it is masked
    if isinstance(column, np.ndarray):
        if column.ndim != 1:
            message = f"{printable(name)} must be one column, not an array of {column.ndim} axes"
            raise DataError([message])
        return column.tolist() if column.dtype.kind == "O" else column
    import narwhals as nw

    try:
        series = nw.from_native(column, series_only=True)
    except TypeError:  # narwhals' way to say that it does not know it
        series = None
    if series is not None:
        return series_values(series)
    if hasattr(column, "to_pylist"):  # an Arrow array that is not chunked
        return column.to_pylist()
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise DataError([f"{printable(name)} must be a column, not {what_came(column)}"])
    return list(column)


def series_values(series: Any) -> Any:
    """A column of a frame as an array where it is plainly numeric, else a list with None for null.

    A null may come as None, NaN or pandas.NA; inside acumen it is None.
    """
    import narwhals as nw

    null = series.is_null()
    small = series.dtype.is_integer() and series.dtype not in (nw.Int128, nw.UInt128)
    if small and not null.any():
        return series_numbers(series)
    values = series.to_list()
    if series.dtype == nw.Decimal:
        values = [None if is_missing(v) else number_of(v) for v in values]
    if not null.any():
        return values
    return [None if gone else value for value, gone in zip(values, null.to_list(), strict=True)]


def series_numbers(series: Any, null: float | None = None) -> NDArray[Any]:
    """The numbers, or true and false, of a column of a frame; ``null`` stands where none is."""
    if series.implementation.is_pyarrow():
        return arrow_numbers(series.to_native(), null or 0.0)
    return np.asarray((series if null is None else series.fill_null(null)).to_numpy())


def arrow_numbers(column: Any, null: float = 0.0) -> NDArray[Any]:
    """The same of an Arrow array.

    By way of DLPack: pyarrow's own conversion loads pandas, in half a second and 50 MB.
    """
    from pyarrow import Array

    parts = []
    for chunk in (c for c in getattr(column, "chunks", [column]) if len(c)):
        bare = chunk.cast("uint8") if str(chunk.type) == "bool" else chunk
        if chunk.null_count:  # what lies under the nulls, which DLPack does not know
            data = [None, bare.buffers()[1]]
            bare = Array.from_buffers(bare.type, len(bare), data, offset=bare.offset)
        numbers = np.from_dlpack(bare)
        if chunk.null_count:
            numbers = np.where(
                arrow_numbers(chunk.is_null()), np.asarray(null, numbers.dtype), numbers
            )
        parts.append(numbers)
    kind = str(column.type)
    if not parts:
        return np.empty(0, kind if "int" in kind or kind == "bool" else np.float64)
    numbers = np.concatenate(parts)
    return numbers.astype(bool) if kind == "bool" else numbers


def number_of(value: Decimal) -> int | float:
    """A decimal as a number of ours: whole where it is whole.

    >>> number_of(Decimal("2.00")), number_of(Decimal("0.1"))
    (2, 0.1)
    """
    return int(value) if value == value.to_integral_value() else float(value)
