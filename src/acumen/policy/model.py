"""What a policy is: levels, points, modifiers, and rules tried from the top.

A policy turns evidence into a verdict. Some add (points and thresholds), some count ("two moderate
firsthand incidents"), some do both. Either way it is a list of rules: the first that holds gives
the verdict, and when none holds the default does. A threshold is a rule on the points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from acumen.table.scale import Scale

NO_INCIDENT: Final = "none"
"""The severity that says: nothing happened here."""


TOLERANCES: Final[Mapping[str, float]] = {
    "n_total_incidents": 0.0,
    "incident_score": 0.0,
    "recency_decay": 0.1,
    "credibility_factor": 0.2,
}
"""How far a primitive may be off and still be right, where a policy says nothing else."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One claim: in this review, this field has this value."""

    evidence_id: str
    review_id: str
    field: str
    judgement: str
    snippet: str | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """At least so many reviews on which all of these judgements were made."""

    at_least: int
    where: tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True, slots=True)
class Points:
    """At least so many points in all."""

    at_least: float


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of these holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of these holds."""

    parts: tuple[Condition, ...]


Condition = Count | Points | AnyOf | AllOf


@dataclass(frozen=True, slots=True)
class Rule:
    """When the condition holds, this is the verdict."""

    name: str
    verdict: int | float | str
    when: Condition


@dataclass(frozen=True, slots=True)
class Modifier:
    """A circumstance that makes an incident worse: a field and the values that mean it."""

    name: str
    field: str
    values: frozenset[str]


@dataclass(frozen=True)
class Policy:
    """How evidence becomes a verdict. Made by :func:`acumen.policy.read_policy` from TOML."""

    name: str
    scale: Scale
    default: int | float | str
    severity: str = "INCIDENT_SEVERITY"
    title: str = ""
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    points: Mapping[tuple[str, str], float] = field(default_factory=dict)
    modifiers: tuple[Modifier, ...] = ()
    rules: tuple[Rule, ...] = ()
    tolerances: Mapping[str, float] = field(default_factory=lambda: TOLERANCES)
    """How far each primitive that is a number may be off."""
    decides: bool = True
    """Whether its rules are known; else it only names the levels that verdicts have."""

    @classmethod
    def of_levels(cls, scale: Scale, name: str) -> Policy:
        """A policy of which only the levels are known: verdicts can be ranked, not derived.

        >>> Policy.of_levels(Scale.named("risk"), "mine").decides
        False
        """
        return cls(name, scale, scale.levels[0], decides=False)

    @property
    def adds(self) -> bool:
        """Whether the policy gives points, so that evidence has a score."""
        return any(points > 0 for points in self.points.values())

    @cached_property
    def by_field(self) -> Mapping[str, tuple[Modifier, ...]]:
        """The modifiers each field can mean."""
        fields = dict.fromkeys(modifier.field for modifier in self.modifiers)
        return {name: tuple(m for m in self.modifiers if m.field == name) for name in fields}

    @cached_property
    def severities(self) -> frozenset[str]:
        """The severities an incident can have."""
        return self.values.get(self.severity, frozenset()) - {NO_INCIDENT}


def implies(strong: Condition, weak: Condition) -> bool:
    """Whether ``weak`` surely holds wherever ``strong`` does (some true cases are not seen).

    >>> severe = (("SEVERITY", frozenset({"severe"})),)
    >>> implies(Count(2, severe), Count(1, severe)), implies(Count(1, severe), Count(2, severe))
    (True, False)
    """
    match strong, weak:
        case (AnyOf(), _):
            return all(implies(part, weak) for part in strong.parts)
        case (_, AllOf()):
            return all(implies(strong, part) for part in weak.parts)
        case (AllOf(), _):
            return any(implies(part, weak) for part in strong.parts)
        case (_, AnyOf()):
            return any(implies(strong, part) for part in weak.parts)
        case (Points(), Points()):
            return strong.at_least >= weak.at_least
        case (Count(), Count()):
            narrow = dict(strong.where)
            return strong.at_least >= weak.at_least and all(
                name in narrow and narrow[name] <= values for name, values in weak.where
            )
    return False
