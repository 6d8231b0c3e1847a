"""One case of a verdict study: every claim checked against the truth, the reviews, the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acumen.defaults import CELLS
from acumen.files.text import folded
from acumen.policy import NO_INCIDENT, Decision, Evidence, Policy, decide
from acumen.verdicts.claims import CaseTruth, Claim, Incident

OUTCOMES: Final = ("verdict", "final_risk_score")
"""What a study is scored by elsewhere: no steps on the way."""

ROUNDING: Final = 1e-9
"""0.8 − 0.7 is within 0.1, whatever binary fractions say."""


SOUND: Final = (
    *("incident_precision", "severity_accuracy", "modifier_accuracy", "snippet_validity"),
    *("verdict_support_rate", "consistency"),
)
"""What must be without a fault for the reasons of a verdict to be sound."""


@dataclass(frozen=True, slots=True)
class CaseReasoning:
    """One case: what the policy makes of the claimed evidence, and what in it is wrong."""

    case: str
    verdict: int | None
    by_all: Decision
    by_direct: Decision
    counts: Mapping[str, tuple[int, int]]
    """Component -> (right, of)."""
    invented_reviews: tuple[str, ...] = ()
    missed_reviews: tuple[str, ...] = ()
    wrong_severity: tuple[str, ...] = ()
    wrong_modifier: tuple[str, ...] = ()
    invented_snippets: tuple[str, ...] = ()
    primitives: tuple[int, int] = (0, 0)

    @property
    def cell(self) -> str | None:
        """Which of the four cells its verdict is in; None where that is not known."""
        return next((name for name in CELLS if self.counts[name][0]), None)

    @property
    def is_sound(self) -> bool | None:
        """Whether its reasons are sound; None where that is not known."""
        return None if self.cell is None else self.cell.endswith("_sound")


def check_case(
    claim: Claim,
    truth: CaseTruth | None,
    policy: Policy,
    reviews: Mapping[str, str] | None,
    *,
    with_evidence: bool = True,
    with_primitives: bool = True,
) -> CaseReasoning:
    """Check every claim made of one case; ``reviews`` are its own, by review id.

    A study in which no result names evidence, or primitives, is not asked for them.
    """
    incidents = None if truth is None else truth.incidents
    rows = _distinct(claim.evidence)
    nothing = (policy.severity, NO_INCIDENT)
    claimed = dict.fromkeys(row.review_id for row, value in rows if (row.field, value) != nothing)
    by_all, by_direct = decide(policy, claim.evidence), decide(policy, claim.direct_evidence)
    known = incidents or {}
    matched = [(row, value) for row, value in rows if row.review_id in known]
    severity, wrong_severity = _severities(matched, known, policy)
    modifier, wrong_modifier = _modifiers(matched, known, policy)
    snippet, invented_snippets = _snippets(claim.evidence, reviews)
    true = [review for review in claimed if review in known]
    counts = {
        "incident_precision": (len(true), len(claimed)) if incidents is not None else (0, 0),
        "evidence_recall": (len(true), len(known)),
        "severity_accuracy": severity,
        "modifier_accuracy": modifier,
        "snippet_validity": snippet,
        **_verdict_counts(claim, by_all, by_direct, with_evidence),
    }
    counts |= _cells(claim, truth, counts, with_evidence)
    return CaseReasoning(
        case=claim.case,
        verdict=claim.rank,
        by_all=by_all,
        by_direct=by_direct,
        counts=counts,
        invented_reviews=tuple(r for r in claimed if incidents is not None and r not in known),
        missed_reviews=tuple(review for review in known if review not in claimed),
        wrong_severity=wrong_severity,
        wrong_modifier=wrong_modifier,
        invented_snippets=invented_snippets,
        primitives=_primitives(claim, truth, policy) if with_primitives else (0, 0),
    )


def _verdict_counts(
    claim: Claim, by_all: Decision, by_direct: Decision, with_evidence: bool
) -> dict[str, tuple[int, int]]:
    """Whether the policy, deciding again, comes to the same verdict and the same total."""
    counts = dict.fromkeys(("verdict_support_rate", "consistency", "score_consistency"), (0, 0))
    if claim.rank is not None and with_evidence:
        counts["verdict_support_rate"] = (int(by_direct.rank == claim.rank), 1)
        if claim.evidence:
            counts["consistency"] = (int(by_all.rank == claim.rank), 1)
    if claim.total_score is not None and by_direct.score is not None:
        off = abs(by_direct.score - claim.total_score)
        counts["score_consistency"] = (int(off <= ROUNDING), 1)
    return counts


def _cells(
    claim: Claim,
    truth: CaseTruth | None,
    counts: Mapping[str, tuple[int, int]],
    with_evidence: bool,
) -> dict[str, tuple[int, int]]:
    """The cell of the verdict, of four: every verdict is checked for each."""
    if claim.rank is None or truth is None or not with_evidence:
        return dict.fromkeys(CELLS, (0, 0))
    sound = all(right == of for right, of in (counts[name] for name in SOUND))
    verdict = "right" if claim.rank == truth.rank else "wrong"
    own = f"{verdict}_{'sound' if sound else 'unsound'}"
    return {name: (int(name == own), 1) for name in CELLS}


def _distinct(evidence: Sequence[Evidence]) -> list[tuple[Evidence, str]]:
    """Every claim once, with its judgement as it is compared."""
    seen: dict[tuple[str, str, str], tuple[Evidence, str]] = {}
    for row in evidence:
        value = folded(row.judgement)
        seen.setdefault((row.review_id, row.field, value), (row, value))
    return list(seen.values())


def _severities(
    matched: Sequence[tuple[Evidence, str]], incidents: Mapping[str, Incident], policy: Policy
) -> tuple[tuple[int, int], tuple[str, ...]]:
    """A judgement of ``none`` where there was an incident is wrong, as any other severity is."""
    rows = [(row, value) for row, value in matched if row.field == policy.severity]
    wrong = [row.evidence_id for row, value in rows if value != incidents[row.review_id].severity]
    return (len(rows) - len(wrong), len(rows)), tuple(wrong)


def _modifiers(
    matched: Sequence[tuple[Evidence, str]], incidents: Mapping[str, Incident], policy: Policy
) -> tuple[tuple[int, int], tuple[str, ...]]:
    """A judgement agrees when it says of its modifier what the truth says: there, or not there."""
    wrong, checked = [], 0
    for row, value in matched:
        for modifier in policy.by_field.get(row.field, ()):
            checked += 1
            if (value in modifier.values) != (modifier.name in incidents[row.review_id].modifiers):
                wrong.append(row.evidence_id)
    return (checked - len(wrong), checked), tuple(dict.fromkeys(wrong))


def snippet_of(row: Evidence) -> str:
    """The quoted text with its white space folded; empty when nothing is quoted."""
    return " ".join((row.snippet or "").split())


def _snippets(
    evidence: Sequence[Evidence], reviews: Mapping[str, str] | None
) -> tuple[tuple[int, int], tuple[str, ...]]:
    if reviews is None:
        return (0, 0), ()
    quoted = [(row, text) for row in evidence if (text := snippet_of(row))]
    cited = {row.review_id for row, _ in quoted}
    texts = {review: " ".join(reviews.get(review, "").split()) for review in cited}
    wrong = [row.evidence_id for row, text in quoted if text not in texts[row.review_id]]
    return (len(quoted) - len(wrong), len(quoted)), tuple(wrong)


def _primitives(claim: Claim, truth: CaseTruth | None, policy: Policy) -> tuple[int, int]:
    """How many of the primitives that are scored and known are right; a missing one is wrong."""
    known = {} if truth is None or truth.primitives is None else truth.primitives
    stated = claim.primitives or {}
    scored = [name for name, value in known.items() if is_scored(name, value, policy)]
    right = [n for n in scored if _agrees(stated.get(n), known[n], policy.tolerances.get(n, 0.0))]
    return len(right), len(scored)


def is_scored(name: str, value: float | str, policy: Policy) -> bool:
    """Whether a primitive of the truth is compared: a number within its tolerance, or a text."""
    return name not in OUTCOMES and (isinstance(value, str) or name in policy.tolerances)


def _agrees(stated: float | str | None, known: float | str, tolerance: float) -> bool:
    """A text must be the same, however it is written; a number within its tolerance."""
    if isinstance(known, str) or isinstance(stated, str):
        return isinstance(stated, str) and folded(stated) == folded(str(known))
    return stated is not None and abs(stated - known) <= tolerance + ROUNDING
