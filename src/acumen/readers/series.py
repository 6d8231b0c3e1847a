"""A column as people hold it (list, array, Series, Arrow) -> a list or an array, null as None."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from acumen.errors import DataError, printable, what_came
from acumen.table.coded import Coded
from acumen.table.judgments import Signal


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
        return series.to_numpy()
    values = series.to_list()
    if series.dtype == nw.Decimal:
        values = [None if v is None else number_of(v) for v in values]
    if not null.any():
        return values
    return [None if gone else value for value, gone in zip(values, null.to_list(), strict=True)]


def number_of(value: Decimal) -> int | float:
    """A decimal as a number of ours: whole where it is whole.

    >>> number_of(Decimal("2.00")), number_of(Decimal("0.1"))
    (2, 0.1)
    """
    return int(value) if value == value.to_integral_value() else float(value)
