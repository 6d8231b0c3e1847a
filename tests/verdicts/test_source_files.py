"""Files as the source's own tools write them: read whole, and scored for all that they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.policy import Policy, find_policy
from acumen.policy.read import parse_policy
from acumen.verdicts.counts import count_evidence
from acumen.verdicts.read import parse_results
from acumen.verdicts.truth import parse_truth

POLICY = find_policy("G1_allergy_V2")
LOW, HIGH, CRITICAL = POLICY.scale.levels
OUTPUT = {
    "VERDICT": HIGH,
    "SCORE": 5,
    "_extractions": [{"review_id": "R1", "is_relevant": True, "INCIDENT_SEVERITY": "moderate"}],
}
PARSED = {
    "evidences": [
        {
            "evidence_id": "E1",
            "review_id": "R1",
            "field": "INCIDENT_SEVERITY",
            "judgement": "moderate",
        }
    ],
    "justification": {"direct_evidence": ["E1"], "scoring_trace": {"total_score": 5}},
}


def row(case: str = "A", **more: Any) -> dict[str, Any]:
    return {"business_id": case, "verdict": HIGH, "risk_score": 7, **more}


@pytest.mark.parametrize("reply", [OUTPUT, PARSED], ids=["amos", "evidences"])
def test_a_reply_kept_as_text_counts_as_if_it_were_an_object(reply: dict[str, Any]) -> None:
    as_text = parse_results([row(response=json.dumps(reply))], POLICY).claims[0]
    as_object = parse_results([row(parsed=reply)], POLICY).claims[0]
    assert as_text == as_object
    assert as_text.direct == ("E1",)
    assert (as_text.rank, as_text.risk_score, as_text.total_score) == (1, 7, 5)


def test_a_reply_that_lacks_its_verdict_has_that_of_its_row() -> None:
    output = {"_extractions": OUTPUT["_extractions"]}
    (claim,) = parse_results([row(response=json.dumps(output))], POLICY).claims
    assert (claim.rank, claim.risk_score, claim.total_score) == (1, 7, None)


def test_a_response_that_is_no_json_is_let_be_and_a_broken_one_is_counted() -> None:
    rows = [
        row("A", response="High, I think."),
        row("B", response=json.dumps(OUTPUT)[:-5]),
        row("C", response="{", parsed=PARSED),
    ]
    claims = parse_results(rows, POLICY).claims
    assert [claim.unreadable for claim in claims] == [False, True, False]
    told = "1 response in JSON that cannot be read: no evidence is taken from them"
    assert told in count_evidence(claims, {}, POLICY).warnings


def test_results_that_carry_their_verdicts_are_scored_for_all_that_needs_no_more() -> None:
    rows = [
        row("A", gt_verdict=HIGH, response=json.dumps(OUTPUT)),
        row("B", gt_verdict=LOW, response=json.dumps(OUTPUT)),
        # 5 points make High, not Critical: neither supported nor consistent, and its total is right
        row("C", gt_verdict=CRITICAL, response=json.dumps({**OUTPUT, "VERDICT": CRITICAL})),
        # 5 points are 5, not 9
        row("D", gt_verdict=LOW, response=json.dumps({**OUTPUT, "SCORE": 9})),
    ]
    document = acumen.score(rows, resamples=0).to_dict()
    values = {name: metric["value"] for name, metric in document["metrics"].items()}
    assert values["consistency"] == values["verdict_support_rate"] == 0.75
    assert values["score_consistency"] == 0.75
    assert values["total_accuracy"] == 0.5
    assert document["metrics"]["incident_precision"]["reason"] == "the truth names no incidents"
    assert document["unified_scores"]["process_score"] == 75.0


def test_without_any_evidence_no_verdict_is_held_against_it() -> None:
    rows = [row(case, gt_verdict=HIGH) for case in "AB"]
    metrics = acumen.score(rows, resamples=0).to_dict()["metrics"]
    assert metrics["verdict_support_rate"]["reason"] == "no result names evidence"
    assert metrics["process"]["value"] is None


def test_a_score_that_rests_on_one_component_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.json"
    results.write_text(json.dumps([row(c, gt_verdict=HIGH, parsed=PARSED) for c in "ABC"]))
    assert run(["score", str(results), "--resamples", "0"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "Process" in line)
    assert "100.0%" in line
    assert "Verdict support alone" in line
    assert "✓" not in line


TRUTHS = {
    "A": {"verdict": HIGH, "incidents": [{"review_id": "R1", "severity": "moderate"}]},
    "B": {"verdict": LOW, "incidents": []},
}


def test_a_truth_may_stand_under_restaurants_and_ground_truth() -> None:
    nested = {
        "policy_id": "G1_allergy_V2",
        "k": 50,
        "restaurants": {
            case: {"name": "Blue Door", "n_reviews": 50, "ground_truth": truth}
            for case, truth in TRUTHS.items()
        },
    }
    assert parse_truth(nested, POLICY) == parse_truth(TRUTHS, POLICY)
    # a case may be called restaurants
    odd = {"restaurants": {"verdict": LOW}}
    assert list(parse_truth(odd, POLICY)) == ["restaurants"]


@pytest.mark.parametrize(("severity", "right"), [("none", 0), ("mild", 0), ("moderate", 1)])
def test_denying_a_true_incident_is_as_wrong_as_any_other_severity(
    severity: str, right: int
) -> None:
    (evidence,) = PARSED["evidences"]  # a list of one
    parsed = {**PARSED, "evidences": [{**evidence, "judgement": severity}]}  # type: ignore[dict-item]
    claims = parse_results([row(parsed=parsed)], POLICY).claims
    counts = count_evidence(claims, parse_truth(TRUTHS, POLICY), POLICY)
    assert (counts.right["severity_accuracy"][0], counts.of["severity_accuracy"][0]) == (right, 1)


def policy_with(primitives: str) -> Policy:
    text = 'name = "toy"\nlevels = ["Low Risk", "High Risk", "Critical Risk"]\n'
    points = "[points.INCIDENT_SEVERITY]\nmild = 2\n"
    thresholds = "[thresholds]\n'High Risk' = 4\n'Critical Risk' = 8\n"
    return parse_policy(f"{text}{points}{thresholds}[primitives]\n{primitives}")


def primitive_accuracy(policy: Policy, stated: Any, known: Any) -> tuple[Any, tuple[str, ...]]:
    claims = parse_results([row(parsed={"primitives": stated})], policy).claims
    counts = count_evidence(
        claims, parse_truth({"A": {"verdict": HIGH, "primitives": known}}, policy), policy
    )
    return counts.primitive_accuracy.tolist(), counts.warnings


def test_primitives_of_any_name_are_scored_by_their_tolerance_or_as_texts() -> None:
    known = {"my_step": 10, "cuisine": "Thai", "recency_decay": 0.5, "verdict": HIGH}
    policy = policy_with("my_step = 2")
    right = {"my_step": 12, "cuisine": " thai", "recency_decay": 0.6, "verdict": LOW}
    assert primitive_accuracy(policy, right, known) == ([1.0], ())
    # 12.1 is more than 2 off, 3 is not the text Thai, the decay is missing
    wrong = {"my_step": 12.1, "cuisine": 3}
    assert primitive_accuracy(policy, wrong, known) == ([0.0], ())
    assert primitive_accuracy(policy, {"my_step": 8, "cuisine": "Thai"}, known)[0] == [2 / 3]


def test_a_policy_may_change_a_tolerance_that_is_known() -> None:
    off = {"recency_decay": 0.9}
    assert primitive_accuracy(POLICY, off, {"recency_decay": 0.5})[0] == [0.0]
    assert primitive_accuracy(policy_with("recency_decay = 0.5"), off, {"recency_decay": 0.5})[
        0
    ] == [1.0]


def test_primitives_that_cannot_be_scored_are_listed() -> None:
    _, warnings = primitive_accuracy(POLICY, {"my_step": 1, "extra": 2}, {"my_step": 1})
    assert warnings == (
        "primitives not scored, as they have no tolerance "
        "(the policy gives one under [primitives]): my_step",
        "primitives not scored, as they are not in the truth: extra",
    )


def test_show_tells_all_that_a_file_of_another_tool_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {
        "run_id": "20260119_004007",
        "policy_id": "G1_allergy_V2",
        "domain": "yelp",
        "method": "amos",
        "model": "m-1",
        "timestamp": "2026-01-19T00:40:07",
        "accuracy": 0.97,
        "correct": 97,
        "total": 100,
        "auprc": {"auprc_ge_high": 0.73, "auprc_ge_critical": 0.87, "ordinal_auprc": 0.8},
        "unified_scores": {"auprc": 0.8, "process_score": 86.2, "consistency_score": 100.0},
        "unified_metrics_full": {"process_components": {"incident_precision": 1.0}},
        "results": [],
    }
    (tmp_path / "results.json").write_text(json.dumps(document))
    assert run(["show", "--dev", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    for told in (
        "model m-1, domain yelp",
        "time 2026-01-19T00:40:07",
        "(97/100)",
        "97.0%",
        "auprc_ge_high",
        "0.730",
        "auprc_ge_critical",
        "0.870",
    ):
        assert told in shown
