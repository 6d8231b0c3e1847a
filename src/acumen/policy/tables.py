"""A policy as its file holds it: the tables of the TOML text, each by its keys."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field, PlainValidator, WrapValidator

from acumen.files.documents import AS_WRITTEN, Document, Part, Text
from acumen.files.text import folded
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
Level = Annotated[int | str, WrapValidator(lambda value, _: value)]
"""A level of the policy's scale, which is asked for it later."""


class ConditionTable(Document):
    """Exactly one of any, all, at_least with where, points."""

    noun = "condition"
    any_of: Part[Annotated[list[Part[ConditionTable]], Field(min_length=1)]] = Field(
        default=None, alias="any"
    )
    all_of: Part[Annotated[list[Part[ConditionTable]], Field(min_length=1)]] = Field(
        default=None, alias="all"
    )
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
