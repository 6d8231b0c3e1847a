"""A column by its few distinct values: they are looked at once each, then spread over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.errors import Problem, is_invisible, label
from acumen.types import CaseId

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Coded:
    """Distinct values, none of them missing, and the code of each row's; −1 where it has none.

    >>> column = Coded.of(["b", None, "a", "b"])
    >>> column.values, column.codes.tolist(), column.counts.tolist()
    (('b', 'a'), [0, -1, 1, 0], [2, 1])
    """

    values: tuple[Any, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, column: Any) -> Coded:
        """A list, a tuple or an array; 1, 1.0 and true are three values."""
        if isinstance(column, Coded):
            return column
        if isinstance(column, np.ndarray) and column.dtype.kind in "iufU":
            return _of_array(column)
        entries = column.tolist() if isinstance(column, np.ndarray) else column
        numbers = [k for k in set(map(type, entries)) if issubclass(k, _NUMBERS)]
        typed = len(numbers) > 1
        keys: Iterable[Any] = ((type(v), v) for v in entries) if typed else entries
        place: dict[Any, int] = {}
        try:
            codes = _codes(keys, place, len(entries))
        except TypeError:  # a list or an object among them: each is a value of its own
            keys = ((type(v), v if _is_hashable(v) else id(v)) for v in entries)
            place = {}
            codes = _codes(keys, place, len(entries))
        first = np.full(len(place), -1, np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        return _without_missing([plain(entries[row]) for row in first.tolist()], codes)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        absent: NDArray[np.bool_] = self.codes < 0
        return absent

    @cached_property
    def counts(self) -> Rows:
        """How many rows have each value."""
        shift = int(self.codes.min(initial=0) < 0)  # for rows that have none
        codes = self.codes + 1 if shift else self.codes
        return np.bincount(codes, minlength=len(self.values) + shift)[shift:]

    @cached_property
    def kinds(self) -> frozenset[type]:
        """The types of the values."""
        return frozenset(map(type, self.values))

    @cached_property
    def letters(self) -> str:
        """All texts in one, for a look at them all: most are plain."""
        texts = self.values if self.kinds == {str} else filter(_is_text, self.values)
        return "".join(texts)

    @cached_property
    def first(self) -> Rows:
        """The first row of each value."""
        rows = np.full(len(self.values), -1, np.int64)
        there = np.flatnonzero(self.codes >= 0)[::-1]
        rows[self.codes[there]] = there
        return rows

    @property
    def used(self) -> Coded:
        """The column without values that no row has."""
        there = self.counts > 0
        if there.all():
            return self
        recode = np.append(np.where(there, np.cumsum(there) - 1, -1), -1).astype(np.int32)
        return Coded(tuple(compress(self.values, there.tolist())), recode[self.codes])

    def spread(self, by_value: Iterable[Any], missing: Any, dtype: Any) -> NDArray[Any]:
        """What is known of each value, row by row; ``missing`` where a row has none."""
        return np.array([*by_value, missing], dtype)[self.codes]  # the code −1 finds the last

    def take(self, rows: Rows) -> Coded:
        """The column in some rows; values that none of them has stay."""
        return replace(self, codes=self.codes[rows])

    def in_order(self, key: Callable[[Any], Any] | None = None) -> Coded:
        """The values that some row has, sorted; numbers come before texts."""
        is_used, of_one_kind = self.counts > 0, key is None and len(self.kinds) == 1
        if of_one_kind and is_used.all() and tuple(sorted(self.values)) == self.values:
            return self
        used = np.flatnonzero(is_used).tolist()
        if of_one_kind:
            order = sorted(used, key=self.values.__getitem__)
        else:
            order = sorted(used, key=lambda c: (key or _canonical)(self.values[c]))
        recode = np.full(len(self.values) + 1, -1, np.int32)
        recode[order] = np.arange(len(order), dtype=np.int32)
        return Coded(tuple(self.values[c] for c in order), recode[self.codes])


_NUMBERS = (int, float, np.number, np.bool_)


def _canonical(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _codes(keys: Iterable[Any], place: dict[Any, int], size: int) -> NDArray[np.int32]:
    return np.fromiter((place.setdefault(k, len(place)) for k in keys), np.int32, size)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def plain(value: Any) -> Any:
    """A number of NumPy as Python's own; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: None, NaN, or what pandas has for it.

    >>> [is_missing(v) for v in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")  # pandas' own, without importing it


def _without_missing(values: list[Any], codes: NDArray[np.int32]) -> Coded:
    gone = np.array([is_missing(value) for value in values], bool)
    if not gone.any():
        return Coded(tuple(values), codes)
    recode = np.where(gone, -1, np.cumsum(~gone) - 1).astype(np.int32)
    left = tuple(v for v, absent in zip(values, gone.tolist(), strict=True) if not absent)
    return Coded(left, recode[codes])


def _of_array(column: NDArray[Any]) -> Coded:
    if column.dtype.kind in "iu" and column.dtype != np.uint64 and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < 2 * len(column) + 1000:  # no need to sort
            # in int64: -2 is no uint8, and 100 - -100 is no int8
            codes = np.empty(len(column), np.int32)
            np.subtract(column, low, out=codes, dtype=np.int64, casting="unsafe")
            present = np.bincount(codes) > 0
            if not present.all():
                codes = (np.cumsum(present, dtype=np.int32) - np.int32(1))[codes]
            return Coded(tuple((np.flatnonzero(present) + low).tolist()), codes)
    if column.dtype.kind == "f":
        there = ~np.isnan(column)
        values, inverse = np.unique(column[there], return_inverse=True)
        codes = np.full(len(column), -1, np.int32)
        codes[there] = inverse
        return Coded(tuple(values.tolist()), codes)
    values, inverse = np.unique(column, return_inverse=True)
    return Coded(tuple(values.tolist()), inverse.astype(np.int32))


def factorize(ids: Any) -> tuple[tuple[CaseId, ...], NDArray[np.int32]]:
    """Distinct ids in a canonical order (numbers, then texts) and the code of each.

    The order does not depend on the order of rows, so neither do resamples. 101 and "101" are two
    ids; a table that holds both is refused by :func:`check_ids`.
    """
    column = Coded.of(ids).in_order()
    return column.values, column.codes


def check_ids(column: Coded | Iterable[CaseId], noun: str) -> tuple[list[Problem], list[str]]:
    """Ids that would be one after coercion (problems) or that hide what they are (warnings)."""
    ids = column if isinstance(column, Coded) else Coded.of([*column])
    is_mixed = len(ids.kinds) > 1
    texts = [*filter(_is_text, ids.values)] if is_mixed else ids.values
    known = set(texts) if is_mixed else set()
    problems = [
        Problem("is there twice, as a number and as text: a duplicate?", case=i, noun=noun)
        for i in (ids.values if is_mixed else ())
        if isinstance(i, int) and str(i) in known
    ]
    is_odd = not ids.letters.isprintable()
    hidden = {i for i in texts if any(is_invisible(c) for c in i)} if is_odd else set()
    ends = texts if is_odd or " " in ids.letters else ()
    blank = [i for i in ends if i != i.strip() and i not in hidden]
    warnings = [
        f"ids with {what}: {', '.join(label(i) for i in sorted(odd)[:5])}"
        for what, odd in (("invisible or bidi characters", hidden), ("blanks at an end", blank))
        if odd
    ]
    return problems, warnings
