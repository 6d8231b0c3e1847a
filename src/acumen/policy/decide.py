"""Evidence in, verdict out, with the trace that says why. Total: any evidence gets a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from acumen.files.text import folded
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Evidence, Points, Policy

Scores = tuple[tuple[str, float], ...]
"""Ids of evidence, each with the points it gives."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Which rule gave the verdict, on which evidence, and what was not used."""

    rule: str
    because: tuple[str, ...]
    points: Scores
    repeated: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        why = f" ({', '.join(self.because)})" if self.because else ""
        return f"{self.rule}{why}"


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, its rank on the scale, the points behind it (None when the policy only counts)."""

    verdict: int | float | str
    rank: int
    score: float | None
    trace: Trace


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
    rows, repeated = _distinct(evidence)
    scores = tuple(
        (row.evidence_id, score)
        for row in rows
        if (score := policy.points.get((row.field, row.judgement), 0))
    )
    # whatever else a modifier's field may say, it says that the modifier is not there
    unknown = tuple(
        row.evidence_id
        for row in rows
        if row.field not in policy.by_field
        and row.judgement not in policy.values.get(row.field, ())
    )
    points = [points for _, points in scores]
    # whole points stay whole; fractions are summed exactly, so their order never matters
    total = sum(points) if all(type(p) is int for p in points) else math.fsum(points)
    because: tuple[str, ...] = ()
    verdict, rule = policy.default, "no rule holds: the default"
    for candidate in policy.rules:
        if (support := _support(candidate.when, rows, scores, total)) is not None:
            verdict, rule, because = candidate.verdict, candidate.name, support
            break
    return Decision(
        verdict=verdict,
        rank=policy.scale.levels.index(verdict),
        score=total if policy.adds else None,
        trace=Trace(rule, because, scores, repeated, unknown),
    )


def _distinct(evidence: Iterable[Evidence]) -> tuple[list[Evidence], tuple[str, ...]]:
    """The claims, each once and its judgement folded; ids of those that come again."""
    rows: dict[tuple[str, str, str], Evidence] = {}
    repeated = []
    for claim in evidence:
        key = (claim.review_id, claim.field, folded(claim.judgement))
        if key in rows:
            repeated.append(claim.evidence_id)
        else:
            rows[key] = Evidence(claim.evidence_id, *key)
    return list(rows.values()), tuple(repeated)


def _support(
    condition: Condition, rows: list[Evidence], scores: Scores, total: float
) -> tuple[str, ...] | None:
    """Ids of the evidence that makes the condition hold; None when it does not hold."""
    match condition:
        case Points(at_least=least):
            return tuple(name for name, _ in scores) if total >= least else None
        case Count():
            return _count(condition, rows)
        case AnyOf(parts=parts):
            supports = (_support(part, rows, scores, total) for part in parts)
            return next((support for support in supports if support is not None), None)
        case AllOf(parts=parts):
            together: dict[str, None] = {}
            for part in parts:
                support = _support(part, rows, scores, total)
                if support is None:
                    return None
                together.update(dict.fromkeys(support))
            return tuple(together)


def _count(condition: Count, rows: list[Evidence]) -> tuple[str, ...] | None:
    reviews = {row.review_id for row in rows}
    ids: dict[str, list[str]] = {}
    for field, values in condition.where:
        matches = [row for row in rows if row.field == field and row.judgement in values]
        reviews &= {row.review_id for row in matches}
        if len(reviews) < condition.at_least:
            return None
        for row in matches:
            ids.setdefault(row.review_id, []).append(row.evidence_id)
    return tuple(name for review, names in ids.items() if review in reviews for name in names)
