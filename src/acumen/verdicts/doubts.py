"""Truths to look at again: where several methods agree on a verdict, and on why, against the truth.

A method counts where its verdict follows from its own evidence and every quotation stands in the
review it cites; whether the truth bears that evidence out is not asked. Those with the same verdict
must share a claim (the same judgement of the same review), or all claim nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from acumen.files.text import folded
from acumen.results.verdicts import DoubtfulCase, SharedClaim
from acumen.verdicts.checks import CaseReasoning
from acumen.verdicts.claims import Claim
from acumen.verdicts.study import PreparedStudy

FEWEST: Final = 2
"""So many methods must agree."""
CARRIES: Final = ("verdict_support_rate", "consistency", "snippet_validity")
"""What evidence must pass to count against the truth, without asking the truth."""

Key = tuple[str, str, str]


def doubtful(
    studies: Sequence[PreparedStudy], names: Sequence[str], decided: Collection[str] = ()
) -> list[DoubtfulCase]:
    """The cases whose truth is in doubt, most methods first; not those a person has ``decided``."""
    if len(studies) < FEWEST or not all(study.policy.decides for study in studies):
        return []
    claims = [{claim.case: claim for claim in study.run.claims} for study in studies]
    details = [{detail.case: detail for detail in study.counts.details} for study in studies]
    cases = dict.fromkeys(case for study in studies for case in study.counts.cases)
    doubts = [
        doubt
        for case in cases
        if case not in decided
        for doubt in _of_case(case, studies, names, claims, details)
    ]
    return sorted(doubts, key=lambda doubt: -len(doubt.methods))


def _of_case(
    case: str,
    studies: Sequence[PreparedStudy],
    names: Sequence[str],
    claims: Sequence[dict[str, Claim]],
    details: Sequence[dict[str, CaseReasoning]],
) -> Iterator[DoubtfulCase]:
    truth, levels = studies[0].truth[case].rank, studies[0].policy.scale.levels
    by_verdict: dict[int, list[int]] = {}
    judged = 0
    for at in range(len(studies)):
        claim, detail = claims[at].get(case), details[at].get(case)
        if claim is None or detail is None or claim.rank is None:
            continue
        judged += 1
        if claim.rank != truth and _carries(detail):
            by_verdict.setdefault(claim.rank, []).append(at)
    for rank, places in by_verdict.items():
        stated = [_keys(claims[at][case]) for at in places]
        shared = set.intersection(*stated)
        if len(places) < FEWEST or (any(stated) and not shared):
            continue
        yield DoubtfulCase(
            case=case,
            truth=_level(levels[truth]),
            verdict=_level(levels[rank]),
            methods=[names[at] for at in places],
            judged_by=judged,
            shared=[
                SharedClaim(review_id=review, field=field, judgement=judgement)
                for review, field, judgement in sorted(shared)
            ],
        )


def _carries(detail: CaseReasoning) -> bool:
    return all(right == of for right, of in (detail.counts[name] for name in CARRIES))


def _keys(claim: Claim) -> set[Key]:
    return {(row.review_id, row.field, folded(row.judgement)) for row in claim.evidence}


def _level(level: int | float | str) -> str | int:
    return level if isinstance(level, str | int) else str(level)
