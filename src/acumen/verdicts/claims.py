"""What a verdict study holds: what a method claimed of each case, and what is true of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acumen.policy import Evidence
from acumen.table.scale import Scale


@dataclass(frozen=True, slots=True)
class Claim:
    """What a method said of one case.

    ``rank`` is the verdict's level; None when the method abstained or the case failed. ``direct``
    are the ids of the evidence the verdict is said to rest on; None when the method did not say.
    """

    case: str
    failed: bool = False
    rank: int | None = None
    risk_score: float | None = None
    evidence: tuple[Evidence, ...] = ()
    direct: tuple[str, ...] | None = None
    total_score: float | None = None
    primitives: Mapping[str, float | str] | None = None
    unreadable: bool = False
    """Whether it has a reply in JSON that could not be read, so that its evidence is lost."""
    row: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """The method's output as it came."""

    @property
    def direct_evidence(self) -> tuple[Evidence, ...]:
        """The evidence the verdict is said to rest on; none when the method did not say."""
        named = frozenset(self.direct or ())
        return tuple(row for row in self.evidence if row.evidence_id in named)


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident that did happen, as one review tells it."""

    review_id: str
    severity: str
    modifiers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CaseTruth:
    """What is true of one case. ``incidents`` by review; None when nobody wrote them down."""

    rank: int
    incidents: Mapping[str, Incident] | None = None
    primitives: Mapping[str, float | str] | None = None
    facts: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    """What else its entry says of the case, to slice by."""


PROVENANCE = ("run_id", "policy_id", "domain", "method", "model", "k", "n", "timestamp")
"""What a results file says of itself, in the order it is written."""


@dataclass(frozen=True, slots=True)
class VerdictRun:
    """One method's claims on all its cases, and the truth it carried along, if any."""

    scale: Scale
    claims: tuple[Claim, ...]
    provenance: Mapping[str, str | int | float | None] = field(default_factory=dict)
    truth: Mapping[str, CaseTruth] | None = None
    source: str | None = None
    """How messages name the file it was read from."""
    asked: int | None = None
    """Cases that the run was to ask, where the file says so."""
    warnings: tuple[str, ...] = ()
    """What is odd in how it was put together with its truth."""

    @property
    def method(self) -> str | None:
        """The method's name, if the file or the caller gave one."""
        name = self.provenance.get("method")
        return None if name is None else str(name)


Truth = Mapping[str, CaseTruth]
Reviews = Mapping[str, Mapping[str, str]]
"""Case -> review id -> text."""
