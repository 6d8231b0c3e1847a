"""Claims checked one by one: a case worked out by hand, and what the scores make of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import AcumenError, DataError
from acumen.metrics.registry import METRICS
from acumen.policy import find_policy
from acumen.table.scale import Scale
from acumen.verdicts.compute import (
    compute_consistency_score,
    compute_intermediate_metrics,
    compute_ordinal_auprc,
    compute_process_score,
    compute_unified_metrics,
    threshold_aliases,
)
from acumen.verdicts.counts import count_evidence, listed
from acumen.verdicts.read import parse_results
from acumen.verdicts.study import reason
from acumen.verdicts.truth import parse_reviews, parse_truth
from acumen.views.weights import CaseWeights

SEVERITY, ASSURANCE, STAFF = "INCIDENT_SEVERITY", "ASSURANCE_CLAIM", "STAFF_RESPONSE"


def result(case: str, verdict: str | None, *rows: tuple[Any, ...], **more: Any) -> dict[str, Any]:
    evidence = [
        {"evidence_id": f"E{i}", "review_id": r[0], "field": r[1], "judgement": r[2]}
        | ({"snippet": r[3]} if len(r) > 3 else {})
        for i, r in enumerate(rows, start=1)
    ]
    justification = {"direct_evidence": more.pop("direct", [e["evidence_id"] for e in evidence])}
    if "total" in more:
        justification["scoring_trace"] = {"total_score": more.pop("total")}
    if justification["direct_evidence"] is None:
        del justification["direct_evidence"]
    parsed = {"evidences": evidence, "justification": justification}
    if "primitives" in more:
        parsed["primitives"] = more.pop("primitives")
    return {"business_id": case, "verdict": verdict, "parsed": parsed, **more}


TRUTH: dict[str, Any] = {
    "A": {
        "verdict": "Critical Risk",
        "incidents": [
            {"review_id": "R1", "severity": "moderate", "modifiers": ["False assurance"]},
            {"review_id": "R2", "severity": "mild", "modifiers": []},
        ],
    },
    "B": {"verdict": "Low Risk", "incidents": []},
    "C": {"verdict": "High Risk", "incidents": [{"review_id": "R5", "severity": "moderate"}]},
    "D": {"verdict": "Low Risk", "incidents": []},
}
REVIEWS = {
    "A": {"R1": "They said   no\nnuts. I had hives.", "R2": "A tingle."},
    "B": {"R3": "Lovely."},
    "C": {"R5": "Swollen face."},
    "D": {},
}
RESULTS = [
    # right reviews, one severity wrong, modifier right, staff denied rightly, one snippet invented
    result(
        "A",
        "Critical Risk",
        ("R1", SEVERITY, "moderate", "said no nuts"),
        ("R1", ASSURANCE, "yes"),
        ("R1", STAFF, "friendly"),
        ("R2", SEVERITY, "severe", "an ambulance"),
        direct=["E1", "E2"],
        total=10,
    ),
    # an incident nobody told; a severity 'none' claims nothing; the verdict ignores the evidence
    result("B", "Low Risk", ("R3", SEVERITY, "moderate"), ("R4", SEVERITY, "none"), total=7),
    # nothing direct: compared with the default verdict
    result("C", "High Risk", ("R5", SEVERITY, "moderate"), ("R5", ASSURANCE, "true"), direct=None),
    result("D", None, ("R9", SEVERITY, "mild")),
    {"business_id": "E", "error": "timeout"},
]


def test_the_components_of_a_small_study_by_hand() -> None:
    stages = compute_intermediate_metrics(RESULTS, TRUTH, REVIEWS)
    assert list(stages)[:3] == ["evidence_validity", "classification_accuracy", "verdict_support"]
    counts = {
        name: pair
        for stage in list(stages)[:3]
        for name, pair in stages[stage].items()
        if name.endswith("_counts")
    }
    assert counts == {
        # claimed R1 R2 | R3 | R5 | R9 (D abstained, its claims still count)
        "incident_precision_counts": [3, 5],
        "evidence_recall_counts": [3, 3],
        "snippet_validity_counts": [1, 2],
        # R1 right, R2 wrong, R5 right
        "severity_accuracy_counts": [2, 3],
        # A: assurance and staff right; C: assurance claimed, truth has none
        "modifier_accuracy_counts": [2, 3],
        # A 10 points Critical; B 5 points High against Low; C default Low against High
        "verdict_support_rate_counts": [1, 3],
        # A 10 = 10; B 7 against 5
        "score_consistency_counts": [1, 2],
    }


def test_consistency_is_over_all_evidence_of_cases_with_a_verdict() -> None:
    score = compute_consistency_score(RESULTS, None)
    # A 5+5+15 Critical: yes; B 5 High: no; C 10 Critical: no
    assert score["consistency_details"]["consistent"] == 1
    assert score["consistency_details"]["total"] == 3
    assert score["consistency_score"] == pytest.approx(100 / 3)
    first, second, third = score["consistency_details"]["per_sample"]
    assert first["computed"]["score"] == 25
    assert second["computed"] == {
        "verdict": "High Risk",
        "score": 5,
        "rule": "at least 4 points",
        "because": ["E1"],
    }
    assert third["computed_from_direct"]["verdict"] == "Low Risk"


def test_the_details_name_what_is_wrong() -> None:
    stages = compute_intermediate_metrics(RESULTS, TRUTH, REVIEWS)
    first, second, third, fourth = stages["per_sample"]
    assert first["wrong_severity"] == ["E4"]
    assert first["invented_snippets"] == ["E4"]
    assert second["invented_reviews"] == ["R3"]
    assert third["wrong_modifier"] == ["E2"]
    assert fourth["invented_reviews"] == ["R9"]


def test_the_process_score_of_the_source() -> None:
    parts = {
        "incident_precision": 1.0,
        "severity_accuracy": 4 / 7,
        "modifier_accuracy": 1.0,
        "verdict_support_rate": 0.98,
        "snippet_validity": None,
    }
    score = compute_process_score(parts)
    assert score["process_score"] == pytest.approx(86.15, abs=5e-3)
    assert score["process_components"]["total_weight"] == 0.95
    assert score["process_components"]["weighted_sum"] == pytest.approx(0.82, abs=5e-3)


def test_nothing_measured_has_no_process_score() -> None:
    score = compute_process_score(dict.fromkeys(PROCESS_WEIGHTS))
    assert score["process_score"] is None
    assert score["process_components"]["total_weight"] == 0


def test_a_component_out_of_range_is_refused() -> None:
    with pytest.raises(DataError, match="severity_accuracy: 57 is not a share"):
        compute_process_score({"severity_accuracy": 57})


def test_unified_metrics_hold_the_three_scores() -> None:
    verdicts = {case: entry["verdict"] for case, entry in TRUTH.items()}
    metrics = compute_unified_metrics(RESULTS, TRUTH, verdicts, "rag", REVIEWS)
    keys = (
        *("auprc", "process_score", "process_components", "consistency_score"),
        *("consistency_details", "intermediate_metrics"),
    )
    assert set(keys) <= set(metrics)
    expected = 100 * (0.35 * 3 / 5 + 0.30 * 2 / 3 + 0.15 * 2 / 3 + 0.15 / 3 + 0.05 / 2)
    assert metrics["process_score"] == pytest.approx(expected)
    # ranked by level, said so: Low, High, Critical in the right order
    assert metrics["auprc"] == 1.0
    assert metrics["auprc_metrics"]["ranked_by"] == "predicted level"
    assert any("without a risk_score" in text for text in metrics["warnings"])


def test_without_reviews_the_snippets_weight_goes_to_the_others() -> None:
    metrics = compute_unified_metrics(RESULTS, TRUTH, None, "rag", None)
    assert metrics["process_components"]["snippet_validity"] is None
    assert metrics["process_components"]["total_weight"] == 0.95
    stage = metrics["intermediate_metrics"]["evidence_validity"]
    assert stage["snippet_validity_reason"] == "there are no reviews to look the snippets up in"


def test_scores_that_only_some_verdicts_have_are_not_mixed_with_levels() -> None:
    results = [dict(r) for r in RESULTS]
    results[0]["risk_score"] = -5  # alone it would turn the ranking round
    metrics = compute_unified_metrics(results, TRUTH, None)
    assert metrics["auprc"] == 1.0
    assert "2 of 3 verdicts come without a risk_score" in metrics["warnings"][0]


def test_a_repeated_claim_counts_once_and_is_told() -> None:
    rows = [("R1", SEVERITY, "mild"), ("R1", SEVERITY, "MILD"), ("R2", SEVERITY, "mild")]
    results = [result("A", "High Risk", *rows)]
    metrics = compute_unified_metrics(results, {"A": TRUTH["A"]}, None)
    counts = metrics["intermediate_metrics"]["classification_accuracy"]["severity_accuracy_counts"]
    assert counts == [1, 2]
    assert metrics["consistency_score"] == 100.0
    assert any(text.startswith("1 evidence row told before") for text in metrics["warnings"])


def test_a_case_without_truth_is_refused() -> None:
    with pytest.raises(DataError, match="truth: case Z: there is no truth for this case"):
        compute_unified_metrics([result("Z", "Low Risk")], TRUTH, None)


def test_a_verdict_by_itself_is_a_truth_as_it_is_in_a_file() -> None:
    bare = {case: entry["verdict"] for case, entry in TRUTH.items()}
    metrics = compute_unified_metrics(RESULTS, bare, None)
    assert metrics["auprc"] == compute_unified_metrics(RESULTS, None, bare)["auprc"] is not None


def test_results_come_as_a_list_a_tuple_or_an_object_that_holds_them() -> None:
    forms: list[Any] = [RESULTS, tuple(RESULTS), {"results": RESULTS}]
    found = [compute_unified_metrics(results, TRUTH, None) for results in forms]
    assert found[0] == found[1] == found[2]


def test_ids_and_scores_may_be_numbers_as_numpy_has_them() -> None:
    rows = [
        {"business_id": np.int64(n), "verdict": "High Risk" if n else "Low Risk"}
        | {"risk_score": np.float32(n)}
        | {
            "parsed": {
                "evidences": [
                    {
                        "evidence_id": 1,
                        "review_id": np.int64(7),
                        "field": SEVERITY,
                        "judgement": "mild",
                    }
                    | {"snippet": "hives"}
                ]
            }
        }
        for n in range(3)
    ]
    truth: dict[Any, Any] = {
        n: {"verdict": row["verdict"], "incidents": []} for n, row in enumerate(rows)
    }
    reviews: dict[Any, Any] = {n: {7: "some hives"} for n in range(3)}
    metrics = compute_unified_metrics(rows, truth, None, None, reviews)
    assert metrics["auprc"] == metrics["process_components"]["snippet_validity"] == 1.0


def test_a_truth_file_that_contradicts_what_the_results_carry_is_told() -> None:
    rows = [{"business_id": c, "verdict": "Low Risk", "gt_verdict": "Low Risk"} for c in "ABC"]
    truth = {"A": "Low Risk", "B": "High Risk", "C": "High Risk"}
    metrics = compute_unified_metrics(rows, truth, None)
    told = "the truth file is used where a gt_verdict differs from it (2: B, C)"
    assert told in metrics["warnings"]
    assert compute_unified_metrics(rows, dict.fromkeys("ABC", "Low Risk"), None)["warnings"] == [
        "verdicts come without a risk_score: all are ranked by their level instead"
    ]


# called with what their types forbid
unified: Any = compute_unified_metrics
consistency: Any = compute_consistency_score
process: Any = compute_process_score


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unified(None, TRUTH, None), "results: must be a list of results"),
        (lambda: unified(RESULTS, [1], None), "gt_data must be a dict, not a list"),
        (lambda: unified(RESULTS, None, "x"), "gt_verdicts must be a dict"),
        (lambda: unified(RESULTS, TRUTH, None, None, 3), "reviews: must map case"),
        (lambda: consistency("text"), "results: must be a list of results"),
        (lambda: process([1]), "intermediate_metrics must be a dict"),
        (lambda: process({"incident_precision": True}), "the boolean true is not a"),
    ],
)
def test_arguments_of_another_kind_are_refused_with_a_message(call: Any, message: str) -> None:
    with pytest.raises(AcumenError, match=message):
        call()


def test_a_score_without_value_has_its_reason_beside_it() -> None:
    silent = [{"business_id": "A", "verdict": None}]
    metrics = compute_unified_metrics(silent, {"A": "Low Risk"}, None)
    assert [metrics[key] for key in metrics["reasons"]] == [None] * 3
    assert metrics["reasons"] == {
        "process_score": "none of its components has a value",
        "consistency_score": "no case has both a verdict and evidence",
        "auprc": "no row was answered",
    }
    assert compute_process_score({})["reasons"].keys() == {"process_score"}
    assert compute_consistency_score(silent)["reasons"].keys() == {"consistency_score"}


def test_snippets_of_a_case_without_reviews_are_refused() -> None:
    told = "results: case A: quotes snippets, but there are no reviews"
    with pytest.raises(DataError, match=told):
        compute_unified_metrics(RESULTS, TRUTH, None, None, {"B": {}, "C": {}, "D": {}})


def test_primitives_are_right_within_their_tolerance() -> None:
    truth = {
        "A": {
            "verdict": "Low Risk",
            "primitives": {
                "n_total_incidents": 2,
                "incident_score": 7,
                "recency_decay": 0.7,
                "credibility_factor": 1.0,
            },
        },
        "B": {"verdict": "High Risk", "primitives": {"incident_score": 4, "final_risk_score": 9}},
    }
    given_a = {"n_total_incidents": 2, "incident_score": 6, "recency_decay": 0.8}
    results = [
        # right, wrong, .8 − .7 is right, missing is wrong
        result("A", "Low Risk", primitives=given_a),
        # final_risk_score is not a primitive
        result("B", "High Risk", primitives={"incident_score": 4}),
    ]
    policy = find_policy("G1_allergy_V2")
    counts = count_evidence(
        parse_results(results, policy).claims, parse_truth(truth, policy), policy
    )
    assert counts.primitive_accuracy.tolist() == [0.5, 1.0]
    assert METRICS["primitive_accuracy"].measure(reason(counts)).value == 0.75


@pytest.mark.parametrize(
    ("name", "claim", "right"),
    [
        *(("credibility_factor", 0.8, 1), ("credibility_factor", 1.2, 1)),
        *(("credibility_factor", 0.79, 0), ("credibility_factor", 1.21, 0)),
        *(("recency_decay", 0.9, 1), ("recency_decay", 1.11, 0)),
        *(("incident_score", 1, 1), ("incident_score", 1.01, 0)),
        *(("n_total_incidents", 1, 1), ("n_total_incidents", 2, 0)),
    ],
)
def test_a_primitive_is_right_up_to_its_tolerance_and_no_further(
    name: str, claim: float, right: int
) -> None:
    policy = find_policy("G1_allergy_V2")
    truth = parse_truth({"A": {"verdict": "Low Risk", "primitives": {name: 1}}}, policy)
    run = parse_results([result("A", "Low Risk", primitives={name: claim})], policy)
    assert count_evidence(run.claims, truth, policy).primitive_accuracy.tolist() == [right]


def test_the_doors_example_ranks_perfectly() -> None:
    found = compute_ordinal_auprc(np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 6.0, 10.0]))
    assert found["ordinal_auprc"] == found["auprc_ge_high"] == found["auprc_ge_critical"] == 1.0
    assert [t["prevalence"] for t in found["thresholds"]] == [0.5, 0.25]


def test_the_door_takes_labels_and_any_number_of_levels() -> None:
    labels = compute_ordinal_auprc(["Low Risk", "HIGH_RISK", "Low Risk"], [1, 5, 2])
    assert labels["auprc_ge_high"] == 1.0
    assert labels["auprc_ge_critical"] is None
    assert labels["covered_thresholds"] == [1]
    assert "auprc_ge_2" in labels["reasons"]
    phq = compute_ordinal_auprc([0, 1, 2, 3, 3], [0, 1, 1, 3, 2])
    assert set(phq) >= {"auprc_ge_1", "auprc_ge_2", "auprc_ge_3"}
    assert "auprc_ge_high" not in phq


@pytest.mark.parametrize(
    ("truth", "scores", "message"),
    [
        ([0, 1.5], [1, 2], r"y_true\[1\]: 1.5 is not a level"),
        ([0, -1], [1, 2], r"y_true\[1\]: -1 is outside"),
        (["Low Risk", "Risky"], [1, 2], r"y_true\[1\]: the text 'Risky'"),
        ([0, 1], [1, float("nan")], r"y_scores\[1\] is nan"),
        ([0, 1], [1], "y_scores must be 2 numbers"),
        ([], [], "not empty"),
    ],
)
def test_the_door_refuses_what_is_no_level_or_no_score(
    truth: list[Any], scores: list[Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compute_ordinal_auprc(truth, scores)


def counted() -> Any:
    policy = find_policy("G1_allergy_V2")
    truth = parse_truth(TRUTH, policy)
    return count_evidence(parse_results(RESULTS, policy).claims, truth, policy, REVIEWS)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=4, max_size=4))
def test_a_case_with_weight_k_is_a_case_written_k_times(weight: list[int]) -> None:
    counts = counted()
    view = reason(counts)
    rows = np.repeat(np.arange(4), weight)
    for name in (*PROCESS_WEIGHTS, "consistency", "evidence_recall", "score_consistency"):
        right = counts.right[name][rows].sum()
        of = counts.of[name][rows].sum()
        ours = METRICS[name](view, np.array(weight, float))
        assert (np.isnan(ours) and of == 0) or ours == right / of


def test_a_block_of_weightings_gives_what_each_gives_alone() -> None:
    view = reason(counted())
    counts = np.random.default_rng(1).integers(0, 3, (4, 30)).astype(float)
    for name in ("process", "consistency", "incident_precision"):
        together = METRICS[name](view, CaseWeights(counts))
        alone = [METRICS[name](view, counts[:, b]) for b in range(30)]
        np.testing.assert_allclose(np.array(together), np.array(alone), rtol=1e-14, equal_nan=True)
    # a weighting without the only case that quotes snippets has no process score
    assert np.isnan(METRICS["process"](view, np.array([0.0, 1, 1, 1])))


def test_a_case_without_counts_has_zeros_in_the_view() -> None:
    counts = counted()
    view = reason(counts, [*counts.cases, "somebody else"])
    assert view.n_cases == len(counts.cases) + 1
    assert all(column[-1] == 0.0 for column in (*view.right.values(), *view.of.values()))


@pytest.mark.parametrize(
    ("levels", "aliases"),
    [
        (["Low Risk", "High risk"], {"auprc_ge_high": "auprc_ge_1"}),
        (["Low Risk", "High"], {}),
        (["Low Risk", "High Cost"], {}),
        (["Low Risk", "Very High Risk"], {}),
        ([0, 1], {}),
    ],
)
def test_thresholds_of_a_scale_of_risks_have_names_too(levels: Any, aliases: Any) -> None:
    assert threshold_aliases(Scale.of(levels)) == aliases


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "n0"),
        (10, "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9"),
        (11, "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 1 more"),
        (12, "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more"),
    ],
)
def test_ten_names_are_listed_and_the_rest_counted(size: int, text: str) -> None:
    assert listed([f"n{k}" for k in range(size)]) == text


def test_a_truth_without_incidents_is_told_where_others_have_some() -> None:
    policy = find_policy("G1_allergy_V2")
    runs = parse_results([result("A", "Critical Risk"), result("B", "Low Risk")], policy).claims
    closed, bare = (
        parse_truth(TRUTH, policy),
        parse_truth({"A": "Low Risk", "B": "Low Risk"}, policy),
    )
    note = "1 case whose truth names no incidents: their claims cannot be checked"
    for truth, notes in (({"A": closed["A"], "B": bare["B"]}, [note]), (closed, []), (bare, [])):
        warnings = count_evidence(runs, truth, policy).warnings
        assert [w for w in warnings if "names no incidents" in w] == notes


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"_extractions": []}, "VERDICT: is missing (null is an abstention"),
        ({"_extractions": [], "VERDICT": None}, None),
        ({"_extractions": [], "verdict": "Low Risk"}, None),
        ({"VERDICT": "Low Risk", "_extractions": [{"is_relevant": 1}]}, "must be true or false"),
        ({"VERDICT": "Low Risk", "_extractions": [{"is_relevant": False}]}, None),
    ],
)
def test_extractions_say_a_verdict_and_what_is_relevant(row: Any, said: str | None) -> None:
    policy = find_policy("G1_allergy_V2")
    if said is None:
        assert parse_results([{"business_id": "A", **row}], policy).claims[0].evidence == ()
        return
    with pytest.raises(DataError) as refused:
        parse_results([{"business_id": "A", **row}], policy)
    assert said in str(refused.value)


def test_reviews_are_texts_by_id_each_once() -> None:
    listed_reviews = [{"review_id": 1, "text": "a"}, {"review_id": "2", "text": "b"}]
    assert parse_reviews({"A": {"reviews": listed_reviews}, "B": {"R": "c"}}) == {
        "A": {"1": "a", "2": "b"},
        "B": {"R": "c"},
    }
    twice = [{"review_id": 1, "text": "a"}, {"review_id": "1", "text": "b"}]
    with pytest.raises(DataError, match=r"case A, reviews\[1\].text: review '1' stands twice"):
        parse_reviews({"A": twice})
    with pytest.raises(DataError, match="case A, R: must be text, not 3"):
        parse_reviews({"A": {"R": 3}})


def test_no_claims_are_no_counts() -> None:
    policy = find_policy("G1_allergy_V2")
    view = reason(count_evidence([], {}, policy), ["A", "B"])
    assert view.n_cases == 2
    assert view.components == ()
    assert all(column.tolist() == [0.0, 0.0] for column in view.of.values())


def test_where_one_result_names_primitives_the_others_are_asked_for_them() -> None:
    policy = find_policy("G1_allergy_V2")
    known = {"verdict": "Low Risk", "primitives": {"incident_score": 4}}
    truth = parse_truth({"A": known, "B": known}, policy)
    silent = result("B", "Low Risk")
    for first, accuracy in (
        (result("A", "Low Risk", primitives={"incident_score": 4}), [1.0, 0.0]),
        (result("A", "Low Risk"), [None, None]),
    ):
        counts = count_evidence(parse_results([first, silent], policy).claims, truth, policy)
        shares = counts.primitive_accuracy.tolist()
        assert [None if np.isnan(share) else share for share in shares] == accuracy


@pytest.mark.parametrize(
    ("rows", "absent"),
    [
        ([("R1", SEVERITY, "mild", "a tingle")], {"modifier_accuracy"}),
        ([("R1", SEVERITY, "mild"), ("R1", ASSURANCE, "yes")], {"snippet_validity"}),
        ([], {"modifier_accuracy", "snippet_validity"}),
    ],
)
def test_one_result_is_enough_for_a_component_to_be_there(rows: Any, absent: set[str]) -> None:
    """A component is absent for a plain reason only where no result has anything for it."""
    policy = find_policy("G1_allergy_V2")
    claims = parse_results(
        [result("A", "Low Risk", *rows, total=3), result("B", "Low Risk")], policy
    ).claims
    why = count_evidence(claims, parse_truth(TRUTH, policy), policy, {"A": {"R1": "x"}}).why_absent
    of_inputs = {"modifier_accuracy", "snippet_validity", "score_consistency"}
    assert of_inputs & why.keys() == absent


def test_what_the_inputs_lack_is_the_reason() -> None:
    policy = find_policy("G1_allergy_V2")
    bare = parse_truth({"A": "Low Risk"}, policy)
    quoted = parse_results([result("A", None, ("R1", SEVERITY, "mild", "x"))], policy).claims
    why = count_evidence(quoted, bare, policy).why_absent
    assert why["snippet_validity"] == "there are no reviews to look the snippets up in"
    assert why["evidence_recall"] == why["incident_precision"] == "the truth names no incidents"
    assert why["score_consistency"] == "no total score is claimed"
    assert why["verdict_support_rate"] == "no case has a verdict"
    silent = parse_results([{"business_id": "A", "verdict": "Low Risk"}], policy).claims
    why = count_evidence(silent, bare, policy).why_absent
    assert why["verdict_support_rate"] == "no result names evidence"
    assert why["modifier_accuracy"] == "the truth names no incidents"
