"""A large study is scored, with all its resamples, while one waits."""

from __future__ import annotations

import time
from random import Random
from typing import Any

import pytest

from acumen.inference import Options
from acumen.policy import find_policy
from acumen.readers.verdict_truth import parse_reviews, parse_truth
from acumen.readers.verdicts import parse_results
from acumen.verdict_scores import document, score_study
from acumen.verdict_study import prepare

CASES, EVIDENCE, LIMIT = 10_000, 20, 10.0
LEVELS = ("Low Risk", "High Risk", "Critical Risk")
FIELDS = {
    "INCIDENT_SEVERITY": ("none", "mild", "moderate"),
    "ASSURANCE_CLAIM": ("true", "false"),
    "STAFF_RESPONSE": ("bad", "kind"),
}


def large_study() -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    random = Random(1)
    results, truth, reviews = [], {}, {}
    for number in range(CASES):
        case = f"B{number}"
        rank = random.choices((0, 1, 2), (78, 21, 1))[0]
        truth[case] = {
            "verdict": LEVELS[rank],
            "incidents": [{"review_id": f"R{r}", "severity": "mild"} for r in range(6)],
        }
        reviews[case] = {f"R{r}": "they said  no nuts, and there were nuts" for r in range(12)}
        evidence = []
        for place in range(EVIDENCE):
            field = random.choice(tuple(FIELDS))
            judgement, review = random.choice(FIELDS[field]), f"R{random.randrange(12)}"
            evidence.append(
                {"evidence_id": f"E{place}", "review_id": review, "field": field}
                | {"judgement": judgement, "snippet": random.choice(("no nuts", "an ambulance"))}
            )
        results.append(
            {
                "business_id": case,
                "verdict": random.choice(LEVELS),
                "risk_score": rank + 3 * random.random(),
                "parsed": {"evidences": evidence, "justification": {"direct_evidence": ["E0"]}},
            }
        )
    return results, truth, reviews


@pytest.mark.slow
def test_ten_thousand_cases_with_ten_thousand_resamples_take_under_ten_seconds() -> None:
    results, truth, reviews = large_study()
    policy = find_policy("G1_allergy_V2")
    small = parse_results(results[:20], policy)
    score_study(
        prepare(small, parse_truth(truth, policy), policy), Options(resamples=10)
    )  # compile
    start = time.perf_counter()
    study = prepare(
        parse_results(results, policy), parse_truth(truth, policy), policy, parse_reviews(reviews)
    )
    found = document(score_study(study, Options(resamples=10_000)))
    assert time.perf_counter() - start < LIMIT
    assert found["intervals"]["process_score"]["low"] is not None
