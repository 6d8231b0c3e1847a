"""Evidence in, verdict out, with the trace that says why. Total: any evidence gets a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from acumen.files.text import folded
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Evidence, Points, Policy


@dataclass(frozen=True, slots=True)
class Trace:
    """Which rule gave the verdict, on which evidence, and what was left aside."""

    rule: str
    because: tuple[str, ...]
    points: tuple[tuple[str, float], ...]
    repeated: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        why = f" ({', '.join(self.because)})" if self.because else ""
        return f"{self.rule}{why}"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, its rank on the scale, the points behind it (None when the policy only counts)."""

    verdict: int | str
    rank: int
    score: float | None
    trace: Trace


@dataclass(frozen=True, slots=True)
class _Row:
    evidence_id: str
    review_id: str
    field: str
    value: str
    points: float


def decide(policy: Policy, evidence: Iterable[Evidence]) -> Decision:
    """The policy's verdict on this evidence.

    Every row adds its points once; a (review, field, judgement) that comes again adds nothing.
    Rules are tried from the top, the first that holds gives the verdict; else the default.

    >>> from acumen.policy import find_policy
    >>> policy = find_policy("G1_allergy_V2")
    >>> claims = [Evidence("E1", "R1", "INCIDENT_SEVERITY", "moderate"),
    ...           Evidence("E2", "R1", "ASSURANCE_CLAIM", "true")]
    >>> decision = decide(policy, claims)
    >>> decision.verdict, decision.score, str(decision.trace)
    ('Critical Risk', 10, 'at least 8 points (E1, E2)')
    """
    rows, repeated, unknown = _distinct(policy, evidence)
    earned = tuple((row.evidence_id, row.points) for row in rows if row.points)
    total = _total([points for _, points in earned])
    because: tuple[str, ...] = ()
    verdict, rule = policy.default, "no rule holds: the default"
    for candidate in policy.rules:
        support = _support(candidate.when, rows, total)
        if support is not None:
            verdict, rule, because = candidate.verdict, candidate.name, support
            break
    return Decision(
        verdict=verdict,
        rank=policy.scale.levels.index(verdict),
        score=total if policy.adds else None,
        trace=Trace(rule, because, earned, repeated, unknown),
    )


def _distinct(
    policy: Policy, evidence: Iterable[Evidence]
) -> tuple[list[_Row], tuple[str, ...], tuple[str, ...]]:
    rows: list[_Row] = []
    repeated, unknown = [], []
    seen: set[tuple[str, str, str]] = set()
    for claim in evidence:
        value = folded(claim.judgement)
        key = (claim.review_id, claim.field, value)
        if key in seen:
            repeated.append(claim.evidence_id)
            continue
        seen.add(key)
        # whatever else a modifier's field may say, it says that the modifier is not there
        if claim.field not in policy.by_field and value not in policy.values.get(claim.field, ()):
            unknown.append(claim.evidence_id)
        points = policy.points.get((claim.field, value), 0)
        rows.append(_Row(claim.evidence_id, claim.review_id, claim.field, value, points))
    return rows, tuple(repeated), tuple(unknown)


def _total(points: list[float]) -> float:
    # whole points stay whole; fractions are summed exactly, so their order never matters
    return sum(points) if all(type(p) is int for p in points) else math.fsum(points)


def _support(condition: Condition, rows: list[_Row], total: float) -> tuple[str, ...] | None:
    """Ids of the evidence that makes the condition hold; None when it does not hold."""
    match condition:
        case Points(at_least=least):
            if total < least:
                return None
            return tuple(row.evidence_id for row in rows if row.points)
        case Count():
            return _counted(condition, rows)
        case AnyOf(parts=parts):
            supports = (_support(part, rows, total) for part in parts)
            return next((support for support in supports if support is not None), None)
        case AllOf(parts=parts):
            together: dict[str, None] = {}
            for part in parts:
                support = _support(part, rows, total)
                if support is None:
                    return None
                together.update(dict.fromkeys(support))
            return tuple(together)


def _counted(condition: Count, rows: list[_Row]) -> tuple[str, ...] | None:
    reviews: set[str] | None = None
    ids: dict[str, list[str]] = {}
    for name, values in condition.where:
        here = set()
        for row in rows:
            if row.field == name and row.value in values:
                here.add(row.review_id)
                ids.setdefault(row.review_id, []).append(row.evidence_id)
        reviews = here if reviews is None else reviews & here
    if reviews is None or len(reviews) < condition.at_least:
        return None
    return tuple(name for review, names in ids.items() if review in reviews for name in names)
