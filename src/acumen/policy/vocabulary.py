"""What evidence may say under a policy: fields, their values, modifiers, and one table of points.

What is wrong in one declaration is told once: a field whose values could not be read takes any
value afterwards, and where a declaration was lost altogether no field is called undeclared.
"""

from __future__ import annotations

from collections.abc import Iterator

from acumen.errors import printable
from acumen.files.problems import Draft
from acumen.files.text import folded
from acumen.policy.model import Modifier
from acumen.policy.tables import PolicyTable


class Vocabulary(Draft[PolicyTable]):
    """The declarations of a policy, as far as they could be read; the rules are held against it."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, PolicyTable, source)
        table = self.table
        self.values: dict[str, set[str]] = {}
        self.points: dict[tuple[str, str], float] = {}
        self.adds = False
        """Whether anything gives points, or was meant to."""
        sections = (table.fields, table.points, table.thresholds, table.modifiers)
        # what stands under a key that is misspelt may be just what seems to be missing
        self.complete = None not in (*sections, *(table.modifiers or ())) and not any(
            table.unknown.values()
        )
        """Whether every declaration could be read, so that an unknown field is a mistake."""
        self.unsure: set[str] = set()
        """Fields whose values could not all be read."""
        for field, values in (table.fields or {}).items():
            self._take(field, values)
        self._add_points()
        self.modifiers = tuple(self._modifiers())

    def _take(self, field: str, values: frozenset[str] | None) -> None:
        self.values.setdefault(field, set()).update(values or ())
        if values is None:
            self.unsure.add(field)

    def _add_points(self) -> None:
        for field, by_value in (self.table.points or {}).items():
            self._take(field, None if by_value is None else frozenset(map(folded, by_value)))
            for value, number in (by_value or {}).items():
                self.adds = self.adds or number is None or number > 0
                if (field, folded(value)) in self.points:
                    self.wrong(("points", field, value), "is given twice")
                self.points[field, folded(value)] = number or 0

    def _modifiers(self) -> Iterator[Modifier]:
        names: set[str] = set()
        for at, table in enumerate(self.table.modifiers or ()):
            if table is None:
                continue
            path, name, points = ("modifiers", at), table.name or "", table.points
            self.adds = self.adds or points is None or points > 0
            self.adds = self.adds or "points" in table.unknown.values()
            if name and folded(name) in names:
                self.wrong((*path, "name"), f"a modifier '{printable(name)}' stands above already")
            names.add(folded(name))
            if table.field is None:
                self.complete = False
                continue
            self._take(table.field, table.values)
            for value in table.values or ():
                if points and self.points.setdefault((table.field, value), points) != points:
                    self.wrong((*path, "values"), f"'{printable(value)}' has other points above")
            yield Modifier(name, table.field, table.values or frozenset())
