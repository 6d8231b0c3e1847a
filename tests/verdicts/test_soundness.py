"""Right or wrong × sound or unsound: four cells, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binomtest

import acumen
from acumen.inference.options import Options
from acumen.inference.paired import claim
from acumen.policy import find_policy
from acumen.report.blocks import Cases
from acumen.studies import verdict_study
from acumen.verdicts.compare import compare_runs, comparison_document
from acumen.verdicts.read import parse_results
from acumen.verdicts.truth import parse_reviews, parse_truth

POLICY = find_policy("G1_allergy_V2")
LOW: Any
LOW, HIGH, CRITICAL = POLICY.scale.levels
REVIEWS = {case: {"R1": "My lips swelled.", "R2": "Nice soup."} for case in "ABCDEFG"}


def evidence(judgement: str, review: str = "R1", snippet: str | None = None) -> dict[str, Any]:
    row = {"evidence_id": "E1", "review_id": review, "field": "INCIDENT_SEVERITY"}
    return {**row, "judgement": judgement, "snippet": snippet}


def row(case: str, verdict: Any, *claims: dict[str, Any]) -> dict[str, Any]:
    direct = [claim["evidence_id"] for claim in claims]
    parsed = {"evidences": list(claims), "justification": {"direct_evidence": direct}}
    return {"business_id": case, "verdict": verdict, "risk_score": 1.0, "parsed": parsed}


def truth(verdict: Any, severity: str | None = None) -> dict[str, Any]:
    incidents = [] if severity is None else [{"review_id": "R1", "severity": severity}]
    return {"verdict": verdict, "incidents": incidents}


TRUTH = {
    "A": truth(HIGH, "moderate"),
    "B": truth(HIGH, "moderate"),
    "C": truth(HIGH, "moderate"),
    "D": truth(LOW),
    "E": truth(HIGH, "moderate"),
    "F": truth(LOW),
    "G": truth(LOW),
}
ROWS = [
    row("A", HIGH, evidence("moderate", snippet="lips  swelled")),  # right, and nothing wrong
    row("B", HIGH, evidence("moderate", snippet="my throat")),  # right, on an invented quotation
    row("C", HIGH, evidence("moderate", "R2")),  # right, on an incident that did not happen
    row("D", LOW),  # right: nothing happened, nothing is claimed
    row("E", LOW),  # wrong: it follows from what was found, which is too little
    row("F", HIGH, evidence("mild")),  # wrong: an incident invented, and 2 points are Low
    row("G", None, evidence("moderate")),  # no verdict: in no cell, whatever it claims
]
BY_HAND = {"right_sound": 2, "right_unsound": 2, "wrong_sound": 1, "wrong_unsound": 1}


def scored(rows: list[dict[str, Any]] = ROWS, **options: Any) -> dict[str, Any]:
    options = {"truth": TRUTH, "reviews": REVIEWS, "resamples": 0, **options}
    return acumen.score(rows, **options).to_dict()


def test_each_verdict_is_in_one_of_four_cells() -> None:
    document = scored()
    soundness = document["soundness"]
    assert soundness["cells"] == BY_HAND
    assert soundness["lucky"] == ["B", "C"]
    assert soundness["unlucky"] == ["E"]
    assert set(soundness["checked"]) == {
        *("incident_precision", "severity_accuracy", "snippet_validity"),
        *("verdict_support_rate", "consistency"),
    }
    sound = {r["business_id"]: r["reasons_sound"] for r in document["results"]}
    assert sound == {"A": True, "B": False, "C": False, "D": True, "E": True, "F": False, "G": None}


def test_every_case_says_whether_its_reasons_are_sound() -> None:
    result = acumen.score(ROWS, truth=TRUTH, reviews=REVIEWS, resamples=0)
    (section,) = [s for s in result.sections(full=True) if s.key == "cases"]
    (table,) = [block for block in section.blocks if isinstance(block, Cases)]
    (column,) = [column for column in table.columns if column.title == "its reasons"]
    own = [column.text(at) for at in range(table.n)]
    assert own == ["sound", "unsound", "unsound", "sound", "sound", "unsound", "–"]


def test_the_cells_are_shares_of_the_verdicts_with_exact_intervals() -> None:
    metrics = scored()["metrics"]
    shares = {name: metrics[name]["value"] for name in BY_HAND}
    assert shares == pytest.approx({name: n / 6 for name, n in BY_HAND.items()})
    for name, n in BY_HAND.items():
        own, oracle = metrics[name]["interval"], binomtest(n, 6).proportion_ci(0.95, "exact")
        assert (own["low"], own["high"]) == pytest.approx((oracle.low, oracle.high))
        assert own["method"] == "Clopper-Pearson"


def test_without_evidence_nobody_is_called_lucky() -> None:
    bare = [{k: v for k, v in r.items() if k != "parsed"} for r in ROWS]
    document = scored(bare)
    assert document["soundness"] is None
    assert document["metrics"]["right_unsound"]["value"] is None
    assert document["metrics"]["right_unsound"]["reason"] == "no result names evidence"


def test_without_incidents_in_the_truth_reasons_are_checked_for_what_they_quote() -> None:
    verdicts = {case: known["verdict"] for case, known in TRUTH.items()}
    soundness = scored(truth=verdicts)["soundness"]
    # nobody knows that C's incident did not happen; its points are those of High
    assert soundness["lucky"] == ["B"]
    assert "incident_precision" not in soundness["checked"]


def test_two_methods_are_compared_on_the_cells() -> None:
    better = [
        row(case, TRUTH[case]["verdict"], *claims)
        for case, claims in {
            **dict.fromkeys("ABCE", (evidence("moderate"),)),
            **dict.fromkeys("DFG", ()),
        }.items()
    ]
    results = [
        {"method": "lucky", "results": ROWS},
        {"method": "careful", "results": better},
    ]
    document = acumen.score(*results, truth=TRUTH, reviews=REVIEWS, resamples=0).to_dict()
    deltas = document["comparison"]["deltas"]
    # G has a verdict of one only: six cases are compared
    assert (deltas["right_sound"]["left"], deltas["right_sound"]["right"]) == (2 / 6, 1.0)
    assert deltas["right_unsound"]["delta"] == pytest.approx(-2 / 6)
    assert deltas["right_unsound"]["counts"] == {"left": [2, 6], "right": [0, 6]}


def test_other_differences_do_not_move_for_the_cells_being_there() -> None:
    """What was claimed before is claimed at the same p-value: the cells are a family apart."""
    study = verdict_study()
    left, right = (parse_results(study.results[name], POLICY) for name in ("rag", "direct"))
    truth, reviews = parse_truth(study.truth, POLICY), parse_reviews(study.reviews)
    pair = compare_runs(left, right, truth, POLICY, reviews, Options(resamples=0))
    document = comparison_document(pair, ("rag", "direct"))
    others = {
        name: contrast
        for name, contrast in pair.deltas.items()
        if name not in BY_HAND and contrast.left.interval.rests_on is None
    }
    for name, contrast in claim(others, pair.options).items():
        assert document.deltas[name].p_adjusted == contrast.delta().p_adjusted
    cells = [document.deltas[name].p_adjusted or 0.0 for name in BY_HAND]
    assert cells[0] < 0.05 < cells[2]
