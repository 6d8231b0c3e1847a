"""The claims of a verdict study, checked one by one and counted case by case.

Every component of reasoning is a ratio of sums over cases: so many right, of so many. Here each
case gets its two whole numbers for each component; :mod:`acumen.metrics.reasoning` divides their
weighted sums. What was wrong in a case is kept beside, by id, for whoever wants to look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import CELLS
from acumen.errors import Problem, label, printable, refuse
from acumen.policy import Policy
from acumen.verdicts.checks import OUTCOMES, CaseReasoning, check_case, is_scored, snippet_of
from acumen.verdicts.claims import Claim, Reviews, Truth
from acumen.views.reasoning import RATIOS

SHOWN_NAMES: Final = 10
"""So many cases or primitives are named in a warning; the rest are counted."""

NO_COMPONENTS: Final = "none of its components has a value"


@dataclass(frozen=True, eq=False)
class EvidenceCounts:
    """Per case, how many claims are right (``right``) of how many checked (``of``)."""

    cases: tuple[str, ...]
    right: Mapping[str, NDArray[np.int64]]
    of: Mapping[str, NDArray[np.int64]]
    primitive_accuracy: NDArray[np.float64]
    """Share of the case's primitives that are right; NaN where none is scored."""
    details: tuple[CaseReasoning, ...]
    warnings: tuple[str, ...] = ()
    why_absent: Mapping[str, str] = field(default_factory=dict)
    """Component -> why nothing could be checked, where the inputs are the reason."""


def count_evidence(
    claims: Sequence[Claim],
    truth: Truth,
    policy: Policy,
    reviews: Reviews | None = None,
    source: str | None = None,
) -> EvidenceCounts:
    """Check every claim of the cases that did not fail, and count.

    ``source`` is how messages name where the claims come from.
    """
    included = [claim for claim in claims if not claim.failed]
    _refuse_missing(included, truth, reviews, source)
    with_primitives = any(claim.primitives is not None for claim in included)
    with_evidence = _names_evidence(included, policy)
    details = tuple(
        check_case(
            claim,
            truth.get(claim.case),
            policy,
            None if reviews is None else reviews.get(claim.case, {}),
            with_evidence=with_evidence,
            with_primitives=with_primitives,
        )
        for claim in included
    )
    primitives = [detail.primitives for detail in details]
    return EvidenceCounts(
        cases=tuple(claim.case for claim in included),
        right=_columns(details, 0),
        of=_columns(details, 1),
        primitive_accuracy=np.array([a / b if b else np.nan for a, b in primitives], np.float64),
        details=details,
        warnings=(
            *_warnings(included, details, truth, policy),
            *_unscored(included, truth, policy),
        ),
        why_absent=_why_absent(included, truth, policy, reviews),
    )


def _names_evidence(claims: Sequence[Claim], policy: Policy) -> bool:
    """Whether any result says what its verdict rests on; else no verdict can be held to it.

    Nor can any where the rules are not known.
    """
    return policy.decides and any(claim.evidence or claim.direct is not None for claim in claims)


def _refuse_missing(
    claims: Sequence[Claim], truth: Truth, reviews: Reviews | None, source: str | None
) -> None:
    problems = [
        Problem("there is no truth for this case", case=claim.case)
        for claim in claims
        if truth and claim.case not in truth
    ]
    if reviews is not None:
        problems += [
            Problem("quotes snippets, but there are no reviews of this case", case=claim.case)
            for claim in claims
            if claim.case not in reviews and any(snippet_of(row) for row in claim.evidence)
        ]
    refuse(problems, source)


def _columns(details: Sequence[CaseReasoning], side: int) -> dict[str, NDArray[np.int64]]:
    return {
        name: np.array([detail.counts[name][side] for detail in details], np.int64)
        for name in RATIOS
    }


def _warnings(
    claims: Sequence[Claim], details: Sequence[CaseReasoning], truth: Truth, policy: Policy
) -> list[str]:
    if not policy.decides:
        return [
            f"the policy '{printable(policy.name)}' is not known here: verdicts are ranked and "
            "compared with the truth; for what follows from evidence, give it with --policy FILE"
        ]
    repeated = sum(len(detail.by_all.trace.repeated) for detail in details)
    unknown = sum(len(detail.by_all.trace.unknown) for detail in details)
    silent = sum(c.rank is not None and c.direct is None for c in claims)
    silent = silent if _names_evidence(claims, policy) else 0
    unreadable = sum(claim.unreadable for claim in claims)
    open_cases = sum(c.case in truth and truth[c.case].incidents is None for c in claims)
    open_cases *= any(t.incidents is not None for t in truth.values())
    texts = (
        (repeated, "evidence row{s} told before (same review, field, judgement): counted once"),
        (unknown, "evidence row{s} with a field or value the policy does not know: no points"),
        (unreadable, "response{s} in JSON that cannot be read: no evidence is taken from them"),
        (silent, "verdict{s} without direct_evidence: compared with the policy's default verdict"),
        (open_cases, "case{s} whose truth names no incidents: their claims cannot be checked"),
    )
    return [f"{n} {text.format(s='' if n == 1 else 's')}" for n, text in texts if n]


def listed(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    first = ", ".join(label(name) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return first if more <= 0 else f"{first} and {more} more"


def _unscored(claims: Sequence[Claim], truth: Truth, policy: Policy) -> list[str]:
    """The primitives that are there and not scored, by name, with what would change that."""
    stated = dict.fromkeys(n for c in claims for n in c.primitives or () if n not in OUTCOMES)
    if not stated:
        return []
    known = {
        n: v for c in claims if c.case in truth for n, v in (truth[c.case].primitives or {}).items()
    }
    loose = [n for n, v in known.items() if n not in OUTCOMES and not is_scored(n, v, policy)]
    unknown = [name for name in stated if name not in known]
    texts = (
        (loose, "have no tolerance (the policy gives one under [primitives])"),
        (unknown, "are not in the truth"),
    )
    return [f"primitives not scored, as they {why}: {listed(n)}" for n, why in texts if n]


def _why_absent(
    claims: Sequence[Claim], truth: Truth, policy: Policy, reviews: Reviews | None
) -> dict[str, str]:
    """Plain reasons why a component has nothing to divide, where the inputs are the reason."""
    evidence = [row for claim in claims for row in claim.evidence]
    names_evidence = _names_evidence(claims, policy)
    lacking = "no case has a verdict" if names_evidence else "no result names evidence"
    reasons = {
        "consistency": "no case has both a verdict and evidence",
        "verdict_support_rate": lacking,
        "process": NO_COMPONENTS,
        **dict.fromkeys(CELLS, lacking),
    }
    if not any(row.field in policy.by_field for row in evidence):
        reasons["modifier_accuracy"] = "no modifier is judged"
    if not any(t.incidents is not None for t in truth.values()):
        of_incidents = ("incident_precision", "severity_accuracy", "modifier_accuracy")
        names = (*of_incidents, "evidence_recall")
        reasons |= dict.fromkeys(names, "the truth names no incidents")
    if not any(snippet_of(row) for row in evidence):
        reasons["snippet_validity"] = "no snippet is given"
    elif reviews is None:
        reasons["snippet_validity"] = "there are no reviews to look the snippets up in"
    if not policy.adds:
        reasons["score_consistency"] = "the policy gives no points"
    elif not any(claim.total_score is not None for claim in claims):
        reasons["score_consistency"] = "no total score is claimed"
    if not policy.decides:
        snippets = {"snippet_validity", "process"}
        reasons |= dict.fromkeys({*RATIOS} - snippets, "the rules of the policy are not known")
    return reasons
