"""Rows in the shapes that JSON gives a table: by columns, by ids, as lists of cells, or nested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final

from acumen.readers.roles import COMMON, CONVENTIONS, folded_name

_NAMES: Final = {n for names in (*CONVENTIONS.values(), *COMMON.values()) for n in names}
"""Names that columns of such tables go by."""
_HEADERS: Final = (("columns", "data"), ("columns", "rows"), ("header", "rows"), ("header", "data"))


def rows_in_list(values: Sequence[Any]) -> Sequence[Any]:
    """The rows of a list: of lists of objects all their objects, of lists of cells below a header.

    >>> rows_in_list([["id", "x"], [1, 2]]), rows_in_list([[{"a": 1}], [{"a": 2}]])
    ([{'id': 1, 'x': 2}], [{'a': 1}, {'a': 2}])
    """
    if not values or not all(isinstance(value, list) for value in values):
        return values
    if all(isinstance(row, Mapping) for row in chain.from_iterable(values)):
        return list(chain.from_iterable(values))
    return _below(values[0], values[1:]) or values


def rows_in_object(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of an object that has no list of objects; none where its shape is not plain.

    >>> rows_in_object({"id": [1, 2], "pred": [3, 4]})
    [{'id': 1, 'pred': 3}, {'id': 2, 'pred': 4}]
    >>> rows_in_object({"a7": {"pred": 3}, "a8": {"pred": 4}})
    [{'id': 'a7', 'pred': 3}, {'id': 'a8', 'pred': 4}]
    >>> rows_in_object({"id": {"0": 1, "1": 2}, "pred": {"0": 3, "1": 4}})
    [{'id': 1, 'pred': 3}, {'id': 2, 'pred': 4}]
    """
    for header, body in _HEADERS:
        below = document.get(body)
        if isinstance(below, list) and (rows := _below(document.get(header), below)):
            return rows
    columns = list(document.values())
    if columns and all(map(_is_column, columns)) and len({*map(len, columns)}) == 1:
        return [dict(zip(document, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if len(document) < 2 or not all(isinstance(value, Mapping) and value for value in columns):
        return []
    if _are_names(document):
        keys = list(dict.fromkeys(key for column in columns for key in column))
        return [{n: c[key] for n, c in document.items() if key in c} for key in keys]
    if all(_are_names(value) for value in columns):
        return [{"id": key, **value} for key, value in document.items()]
    return []


def _below(header: Any, body: Any) -> list[Mapping[str, Any]]:
    """Lists of cells below a list of names."""
    names = header if isinstance(header, list) else []
    if not names or not all(isinstance(n, str) and n for n in names) or len({*names}) < len(names):
        return []
    fits = all(isinstance(cells, list) and len(cells) == len(names) for cells in body)
    return [dict(zip(names, cells, strict=True)) for cells in body] if fits else []


def _is_column(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(cell, Mapping | list) for cell in value)


def _are_names(value: Mapping[str, Any]) -> bool:
    """Whether some of the keys are names of columns."""
    return bool({folded_name(key) for key in value} & _NAMES)
