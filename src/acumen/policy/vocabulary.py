"""What evidence may say under a policy: fields, their values, modifiers, and one table of points.

What is wrong in one declaration is told once: a field whose values could not be read takes any
value afterwards, and where a declaration was lost altogether no field is called undeclared.
"""

from __future__ import annotations

from typing import Any, Final

from acumen.errors import printable
from acumen.files.text import folded
from acumen.files.toml_checks import TomlChecks
from acumen.files.toml_lines import Lines
from acumen.policy.model import Modifier

MODIFIER_KEYS: Final = ("name", "field", "values", "points")


class Vocabulary(TomlChecks):
    """Reads the declarations of a policy; the rules are held against what it found."""

    def __init__(self, data: dict[str, Any], lines: Lines) -> None:
        super().__init__(lines)
        self.data = data
        self.values: dict[str, set[str]] = {}
        self.points: dict[tuple[str, str], float] = {}
        self.modifiers: tuple[Modifier, ...] = ()
        self.adds = False
        """Whether anything gives points, or was meant to."""
        self.complete = True
        """Whether every declaration could be read, so that an unknown field is a mistake."""
        self.unsure: set[str] = set()
        """Fields whose values could not all be read."""

    def declare(self) -> None:
        """Read fields, points and modifiers."""
        self._fields()
        self._points()
        self.modifiers = tuple(self._modifiers())

    def section(self, name: str) -> dict[str, Any]:
        """A table of the policy; empty when it is absent, or not a table (a problem)."""
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            self.complete = False
        return self.table((name,), value)

    def _fields(self) -> None:
        for field, values in self.section("fields").items():
            self._take(field, self.words(("fields", field), values))

    def _take(self, field: str, values: frozenset[str]) -> None:
        self.values.setdefault(field, set()).update(values)
        if not values:
            self.unsure.add(field)

    def _points(self) -> None:
        for field, table in self.section("points").items():
            path = ("points", field)
            self.values.setdefault(field, set())
            if not isinstance(table, dict):
                self.unsure.add(field)
            for value, points in self.table(path, table).items():
                number = self.number((*path, value), points)
                self.adds = self.adds or number is None or number > 0
                if (field, folded(value)) in self.points:
                    self.wrong((*path, value), "is given twice")
                self.values[field].add(folded(value))
                self.points[field, folded(value)] = number or 0

    def _modifiers(self) -> list[Modifier]:
        found: list[Modifier] = []
        listed = self.data.get("modifiers", [])
        before = len(self.problems)
        tables = list(self.tables(("modifiers",), listed))
        self.complete = self.complete and len(self.problems) == before
        for path, table in tables:
            meant = self.keys(path, table, "modifier", MODIFIER_KEYS)
            name = None if "name" in meant else self.text((*path, "name"), table.get("name"))
            field = None if "field" in meant else self.text((*path, "field"), table.get("field"))
            values: frozenset[str] = frozenset()
            if "values" not in meant:
                values = self.words((*path, "values"), table.get("values", []))
            points = self.number((*path, "points"), table.get("points", 0))
            self.adds = self.adds or points is None or points > 0 or "points" in meant
            if name and any(folded(other.name) == folded(name) for other in found):
                self.wrong((*path, "name"), f"a modifier '{printable(name)}' stands above already")
            if field is None:
                self.complete = False
                continue
            self._take(field, values)
            for value in values:
                if points and self.points.setdefault((field, value), points) != points:
                    self.wrong((*path, "values"), f"'{printable(value)}' has other points above")
            found.append(Modifier(name or "", field, values))
        return found
