"""Files that the source's tools write today: logs, later truths, other policies, other levels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.policy import find_policy
from acumen.results.log import log_of
from acumen.studies import verdict_study
from acumen.verdicts.read import parse_results
from acumen.verdicts.truth import parse_truth

POLICY = find_policy("G1_allergy_V2")
LOW, HIGH, CRITICAL = POLICY.scale.levels
EVIDENCE = {
    "evidence_id": "E1",
    "review_id": "R1",
    "field": "INCIDENT_SEVERITY",
    "judgement": "moderate",
    "snippet": "My lips swelled.",
}
PARSED = {"evidences": [EVIDENCE], "justification": {"direct_evidence": ["E1"]}}


def row(case: str, verdict: Any = HIGH, **more: Any) -> dict[str, Any]:
    return {"business_id": case, "verdict": verdict, "risk_score": 7, **more}


def test_scored_results_keep_what_the_method_put_out() -> None:
    own = row("A", parsed=PARSED, name="Luigi's", tokens=np.int64(12), share=float("nan"))
    kept = acumen.score([own], truth={"A": HIGH}, resamples=0).to_dict()["results"][0]
    assert kept["parsed"] == PARSED
    assert (kept["name"], kept["tokens"], kept["share"]) == ("Luigi's", 12, None)
    assert (kept["gt_verdict"], kept["correct"]) == (HIGH, True)


def test_a_failed_result_keeps_nothing_of_its_error() -> None:
    rows = [row("A"), row("B", error="secret text of B", response="secret reply of B")]
    kept = acumen.score(rows, truth={"A": HIGH, "B": LOW}, resamples=0).to_json()
    assert "secret" not in kept


@pytest.mark.parametrize("method", ["rag", "direct"])
def test_scored_results_scored_again_are_the_same_study(method: str, tmp_path: Path) -> None:
    study = verdict_study()
    against: dict[str, Any] = {"truth": study.truth, "reviews": study.reviews, "resamples": 0}
    first = acumen.score(study.results[method], **against)
    write_json(tmp_path / "scored.json", first.to_dict())
    second = acumen.score(tmp_path / "scored.json", **against)
    for key in ("unified_scores", "metrics", "primitives", "unified_metrics_full", "results"):
        assert second.to_dict()[key] == first.to_dict()[key], key


@pytest.mark.parametrize("parsed", [{}, None, {"parse_error": "no JSON"}])
def test_a_reply_beside_an_empty_output_is_read(parsed: Any) -> None:
    (claim,) = parse_results([row("A", parsed=parsed, response=json.dumps(PARSED))], POLICY).claims
    assert claim.direct == ("E1",)


def test_an_output_that_says_anything_is_not_overruled_by_the_reply() -> None:
    said: dict[str, Any] = {"evidences": []}
    (claim,) = parse_results([row("A", parsed=said, response=json.dumps(PARSED))], POLICY).claims
    assert claim.evidence == ()


LOG = [
    {"timestamp": "2026-01-18T21:24:37", "sample_id": "A", "verdict": HIGH, "ground_truth": HIGH},
    {"sample_id": "B", "verdict": None, "ground_truth": LOW},
    {"sample_id": "C", "verdict": LOW, "ground_truth": LOW},
    {"type": "metrics", "metrics": {"accuracy": 0.5}, "metadata": {"run_id": "G1_allergy_V2"}},
]


def test_a_log_of_results_is_read_a_line_at_a_time(tmp_path: Path) -> None:
    log = tmp_path / "results.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in LOG))
    scored = acumen.score(log, resamples=0).to_dict()
    assert (scored["run_id"], scored["correct"], scored["total"]) == ("G1_allergy_V2", 2, 3)
    assert [case["business_id"] for case in scored["results"]] == ["A", "B", "C"]


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_a_mean_of_nothing_may_be_nan_where_nothing_reads_it(name: str, tmp_path: Path) -> None:
    rows = [row("A", gt_verdict=HIGH), row("B", gt_verdict=HIGH)]
    whole = {"accuracy": float("nan"), "auprc": {"auprc_ge_high": float("nan")}, "results": rows}
    lines = [*rows, {"type": "metrics", "metrics": {"accuracy": float("nan")}}]
    text = json.dumps(whole) if name.endswith("json") else "\n".join(map(json.dumps, lines))
    (tmp_path / name).write_text(text)
    assert acumen.score(tmp_path / name, resamples=0).to_dict()["accuracy"] == 1.0
    (tmp_path / name).write_text(text.replace('"risk_score": 7', '"risk_score": NaN'))
    with pytest.raises(DataError, match="NaN is not JSON"):
        acumen.score(tmp_path / name, resamples=0)


def test_a_truth_that_is_null_is_as_one_that_is_not_there() -> None:
    known: dict[str, Any] = {"A": HIGH}
    for nothing in (None, {"verdict": None}, {"name": "x", "ground_truth": None}):
        assert parse_truth({**known, "B": nothing}, POLICY) == parse_truth(known, POLICY)
        scored = acumen.score([row("A")], truth={**known, "B": nothing}, resamples=0)
        assert scored.to_dict()["accuracy"] == 1.0
        for truth in ({**known, "B": nothing}, known):
            with pytest.raises(DataError, match="case B: there is no truth for this case"):
                acumen.score([row("A"), row("B")], truth=truth, resamples=0)
    with pytest.raises(DataError, match="case B, verdict: is missing"):
        parse_truth({**known, "B": {"incidents": []}}, POLICY)


def test_a_log_of_one_result_is_one(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text(json.dumps(LOG[0]) + "\n")
    assert acumen.score(tmp_path / "results.jsonl", resamples=0).to_dict()["total"] == 1
    assert log_of(json.dumps({"results": LOG}).encode(), "run.json") is None


def test_a_log_is_shown_as_the_results_it_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "results.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in LOG))
    for words in (["show", str(log)], [str(log)]):
        assert run(words) == 0
        assert "Not scored: results.jsonl; --full says what is lacking." in capsys.readouterr().out


def test_a_log_that_broke_off_says_in_which_line() -> None:
    broken = f'{json.dumps(LOG[0])}\n\n{{"sample_id": "B", '
    with pytest.raises(DataError, match=r"^run.jsonl: line 3"):
        log_of(broken.encode(), "run.jsonl")
    with pytest.raises(DataError, match=r"^run.jsonl: line 2: must be an object, not a list"):
        log_of(b'{"sample_id": "A"}\n[1]', "run.jsonl")


def test_a_document_is_no_log() -> None:
    document = json.dumps({"results": LOG}, indent=1).encode()
    assert log_of(document, "run.json") is None
    assert log_of(b"", "run.json") is None


LATER: dict[str, Any] = {
    "review_id": "R1",
    "severity_field": "incident_severity",
    "severity_value": "moderate",
    "severity_label": "Moderate reaction",
    "base_points": 5,
    "modifiers": ["False assurance"],
}


def test_a_later_truth_names_the_value_of_a_severity() -> None:
    entry = {"ground_truth": {"verdict": CRITICAL, "incidents": [LATER]}}
    truth = parse_truth({"policy_id": "G1_allergy_V2", "restaurants": {"A": entry}}, POLICY)
    incidents = truth["A"].incidents
    assert incidents is not None
    assert incidents["R1"].severity == "moderate"
    assert incidents["R1"].modifiers == {"False assurance"}


def test_a_wrong_value_is_told_by_the_key_it_stands_under() -> None:
    wrong = {"A": {"verdict": LOW, "incidents": [{**LATER, "severity_value": "awful"}]}}
    with pytest.raises(DataError, match=r"incidents\[0\]\.severity_value: the text 'awful'"):
        parse_truth(wrong, POLICY)
    lacks = {"A": {"verdict": LOW, "incidents": [{"review_id": "R1"}]}}
    with pytest.raises(DataError, match=r"incidents\[0\]\.severity: "):
        parse_truth(lacks, POLICY)


@pytest.mark.parametrize("policy", ["G1_allergy_V0", "G1_allergy_V1", "G1_allergy_V3"])
def test_results_under_a_policy_that_does_not_ship_are_ranked_without_it(policy: str) -> None:
    rows = [
        row("A", CRITICAL, risk_score=9, parsed=PARSED),
        row("B", HIGH, risk_score=6),
        row("C", LOW, risk_score=6),
        row("D", None),
        row("E", LOW, risk_score=1),
    ]
    truth: dict[str, Any] = {
        "A": {"verdict": CRITICAL, "incidents": [LATER]},
        **dict.fromkeys("BD", HIGH),
        **dict.fromkeys("CE", LOW),
    }
    scored = acumen.score({"policy_id": policy, "results": rows}, truth=truth, resamples=0)
    document = scored.to_dict()
    assert document["policy_id"] == policy
    # at least High: A first, then B and C tied: (1/1 + 2/3) / 2; at least Critical: A is first
    assert document["auprc"]["ordinal_auprc"] == pytest.approx((5 / 6 + 1) / 2)
    assert document["accuracy"] == pytest.approx(4 / 5)
    scores = document["unified_scores"]
    assert (scores["process_score"], scores["consistency_score"]) == (None, None)
    assert document["metrics"]["consistency"]["reason"] == "the rules of the policy are not known"
    assert f"the policy '{policy}' is not known here" in document["warnings"][0]


def test_a_policy_that_ships_needs_no_levels_and_takes_none() -> None:
    with pytest.raises(UsageError, match="leave --levels out, or --policy"):
        acumen.score([row("A")], truth={"A": HIGH}, policy="G1_allergy_V2", levels="a,b")


def test_the_levels_of_another_task_are_named() -> None:
    rows = [
        row("A", "Not Recommended", risk_score=1),
        row("B", "Acceptable", risk_score=2),
        row("C", "Recommended", risk_score=3),
    ]
    task = {"policy_id": "G2_business_V2", "results": rows}
    incidents = [{"review_id": "R1", "severity_value": "positive"}]
    truth: dict[str, Any] = {r["business_id"]: {"verdict": r["verdict"]} for r in rows}
    truth["C"]["incidents"] = incidents
    levels = "Not Recommended,Acceptable,Recommended"
    scored = acumen.score(task, truth=truth, levels=levels, resamples=0).to_dict()
    assert scored["levels"] == ["Not Recommended", "Acceptable", "Recommended"]
    assert (scored["policy_id"], scored["accuracy"]) == ("G2_business_V2", 1.0)
    assert scored["auprc"]["ordinal_auprc"] == 1.0
    with pytest.raises(DataError, match=r"'Acceptable' is not one of .*--policy, or --levels"):
        acumen.score(task, truth=truth, resamples=0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("results", "this is a verdict study: use acumen score; as rows"),
        ("scored", "these are the scores of a verdict study, by acumen score"),
        ("both", "these are the scores of a verdict study, by acumen score"),
    ],
)
def test_evaluate_says_which_command_is_for_verdicts(
    name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = verdict_study().results["rag"]
    scored = acumen.score("demo", resamples=0, method="rag").to_dict()
    both = acumen.score("demo", resamples=0).to_dict()
    path = tmp_path / f"{name}.json"
    write_json(path, {"results": results, "scored": scored, "both": both}[name])
    assert run(["evaluate", str(path)]) == 3
    assert message in capsys.readouterr().err
