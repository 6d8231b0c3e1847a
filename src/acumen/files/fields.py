"""Takes fields out of the records of a study; what is wrong is noted, with case, item and path.

For bulk data that is written by many tools. What has a schema is read by its model instead
(:mod:`acumen.files.problems`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from acumen.errors import (
    DataError,
    OffScaleError,
    Problem,
    printable,
    refuse_many,
    what_came,
)
from acumen.types import CaseId

Record = dict[str, object]


class Fields:
    """Takes values and keeps the list of problems; what is wrong comes back as ``None``.

    ``case`` is the case that is being read, ``noun`` what cases are called.
    """

    def __init__(self, source: str, noun: str = "case") -> None:
        self.source = source
        self.noun = noun
        self.case: CaseId | None = None
        self.problems: list[Problem] = []

    def wrong(self, field: str | None, fault: str | ValueError, item: str | None = None) -> None:
        """Note one problem."""
        is_off = isinstance(fault, OffScaleError)
        place = (self.case, item, field)
        self.problems.append(Problem(str(fault), *place, noun=self.noun, off_scale=is_off))
        refuse_many(self.problems, self.source)

    def finish(self) -> None:
        """Raise everything that was noted, if anything was."""
        if self.problems:
            raise DataError(self.problems, source=self.source)

    def record(self, field: str, value: object) -> Record:
        """An object; a problem and an empty one otherwise."""
        if isinstance(value, dict):
            return value
        self.wrong(field, f"must be an object, not {what_came(value)}")
        return {}

    def maybe_record(self, field: str, value: object) -> Record:
        """An object, or null for an empty one."""
        return {} if value is None else self.record(field, value)

    def entries(self, field: str, value: object) -> Iterable[tuple[str, object]]:
        """The entries of a list with their paths; null is an empty list."""
        if value is None:
            return
        if not isinstance(value, list):
            self.wrong(field, f"must be a list, not {what_came(value)}")
            return
        for place, entry in enumerate(value):
            yield f"{field}[{place}]", entry

    def records(self, field: str, value: object) -> Iterable[tuple[str, Record]]:
        """The objects of a list with their paths; what is not an object is a problem."""
        for place, entry in self.entries(field, value):
            if isinstance(entry, dict):
                yield place, entry
            else:
                self.record(place, entry)

    def name(self, field: str, value: object) -> str | None:
        """An id: text, or a whole number that is taken as text."""
        if isinstance(value, str) and value.strip():
            return value
        value = python_value(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        is_null = value is None
        self.wrong(field, "is missing" if is_null else f"must be text, not {what_came(value)}")
        return None

    def number(self, field: str, value: object) -> float | None:
        """A finite number; null is none."""
        if value is None:
            return None
        value = python_value(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(field, f"must be a number, not {what_came(value)}")
        elif isinstance(value, float) and not math.isfinite(value):
            self.wrong(field, f"must be finite, not {what_came(value)}")
        elif abs(value) > 1e15:
            self.wrong(field, f"{what_came(value)} is too large for a score")
        else:
            return value
        return None

    def values(self, field: str, value: object) -> dict[str, float | str] | None:
        """An object of numbers and texts; null is none, and inside it a value that is missing."""
        if value is None:
            return None
        entries = self.record(field, value).items()
        values = {
            k: entry if isinstance(entry, str) else self.number(f"{field}.{printable(k)}", entry)
            for k, entry in entries
        }
        return {name: value for name, value in values.items() if value is not None}


def python_value(value: object) -> object:
    """A number of NumPy, as people with dicts may have it, as Python's own; else the value."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "ndim", None) == 0 else value
