"""A policy as its file holds it, each table by its keys; and what evidence may say under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field, PlainValidator, WrapValidator

from acumen.errors import printable
from acumen.files.documents import AS_WRITTEN, Document, Part, Text
from acumen.files.problems import Draft
from acumen.files.text import folded
from acumen.policy.model import Modifier
from acumen.table.scale_file import Levels

MOST_POINTS: Final = 1e12
"""So that sums of points stay exact, and never overflow."""


def _words(value: object) -> frozenset[str]:
    entries = value if isinstance(value, list) else [value]
    words = [folded(entry) for entry in entries if isinstance(entry, str) and folded(entry)]
    if not words or len(words) < len(entries):
        raise ValueError("must be text or a list of texts, and not empty")
    return frozenset(words)


Words = Annotated[frozenset[str], PlainValidator(_words, json_schema_input_type=str | list[str])]
"""One judgement or a list of them, folded."""
Number = Annotated[float, Field(ge=0, lt=MOST_POINTS), AS_WRITTEN]
"""Points: they only ever add."""
Level = Annotated[int | float | str, WrapValidator(lambda value, _: value)]
"""A level of the policy's scale, which is asked for it later."""


_SOME: Final = Field(min_length=1)


class ConditionTable(Document):
    """Exactly one of any, all, at_least with where, points."""

    noun = "condition"
    any_of: Part[Annotated[list[Part[ConditionTable]], _SOME]] = Field(default=None, alias="any")
    all_of: Part[Annotated[list[Part[ConditionTable]], _SOME]] = Field(default=None, alias="all")
    at_least: Part[Annotated[int, Field(ge=1)]] = Field(
        default=None, description="so many reviews on which all judgements of where were made"
    )
    where: Part[dict[str, Part[Words]]] = None
    points: Part[Annotated[float, Field(gt=0, lt=MOST_POINTS), AS_WRITTEN]] = None


class RuleTable(ConditionTable):
    """A condition, and the verdict where it holds."""

    noun = "rule"
    verdict: Part[Level]
    name: Part[Text] = None


class ModifierTable(Document):
    """A circumstance that makes an incident worse: a field and the values that mean it."""

    noun = "modifier"
    name: Part[Text]
    field: Part[Text]
    values: Part[Words]
    points: Part[Number] = 0


class PolicyTable(Document):
    """A policy: levels, points, modifiers, and rules tried from the top."""

    noun = "policy"
    name: Part[Text]
    levels: Part[Levels] = Field(description="the verdicts, lowest first")
    title: Part[str] = ""
    default: Part[Level] = Field(default=None, description="else the lowest level")
    severity: Part[Text] = "INCIDENT_SEVERITY"
    fields: Part[dict[str, Part[Words]]] = Field(default_factory=dict)
    points: Part[dict[str, Part[dict[str, Part[Number]]]]] = Field(default_factory=dict)
    modifiers: Part[list[Part[ModifierTable]]] = Field(default_factory=list)
    thresholds: Part[dict[str, Part[Number]]] = Field(default_factory=dict)
    rules: Part[list[Part[RuleTable]]] = Field(default_factory=list)
    primitives: Part[dict[str, Part[Number]]] = Field(
        default_factory=dict, description="how far a number on the way to the verdict may be off"
    )


class Vocabulary(Draft[PolicyTable]):
    """The declarations of a policy, as far as they could be read; the rules are checked against it.

    What is wrong in one declaration is told once: a field whose values could not be read takes any
    value afterwards, and where a declaration was lost altogether no field is called undeclared.
    """

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, PolicyTable, source)
        table = self.table
        self.values: dict[str, set[str]] = {}
        self.points: dict[tuple[str, str], float] = {}
        self.adds = False
        """Whether anything gives points, or was meant to."""
        sections = (table.fields, table.points, table.thresholds, table.modifiers)
        # what stands under a key that is misspelt may be just what seems to be missing
        is_misspelt = any(table.unknown.values())
        self.complete = None not in (*sections, *(table.modifiers or ())) and not is_misspelt
        """Whether every declaration could be read, so that an unknown field is a mistake."""
        self.unsure: set[str] = set()
        """Fields whose values could not all be read."""
        for field, values in (table.fields or {}).items():
            self._take(field, values)
        for field, by_value in (table.points or {}).items():
            self._take(field, None if by_value is None else frozenset(map(folded, by_value)))
            for value, number in (by_value or {}).items():
                self.adds |= number is None or number > 0
                if (field, folded(value)) in self.points:
                    self.wrong(("points", field, value), "is given twice")
                self.points[field, folded(value)] = number or 0
        self.modifiers = tuple(self._modifiers())

    def _take(self, field: str, values: frozenset[str] | None) -> None:
        self.values.setdefault(field, set()).update(values or ())
        if values is None:
            self.unsure.add(field)

    def _modifiers(self) -> Iterator[Modifier]:
        names: set[str] = set()
        for at, table in enumerate(self.table.modifiers or ()):
            if table is None:
                continue
            path, name, points = ("modifiers", at), table.name or "", table.points
            self.adds |= points is None or points > 0 or "points" in table.unknown.values()
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
