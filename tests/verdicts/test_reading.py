"""What is wrong with a results, truth or reviews file is said by case and field, all at once."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.policy import find_policy
from acumen.verdicts.read import parse_results
from acumen.verdicts.truth import parse_reviews, parse_truth

POLICY = find_policy("G1_allergy_V2")

ROW: dict[str, Any] = {
    "business_id": "B1",
    "verdict": "High Risk",
    "risk_score": 5,
    "parsed": {
        "evidences": [
            {
                "evidence_id": "E1",
                "review_id": "R1",
                "field": "INCIDENT_SEVERITY",
                "judgement": "moderate",
                "snippet": "hives",
            },
            {"evidence_id": "E2", "review_id": "R1", "field": "ASSURANCE_CLAIM", "judgement": True},
        ],
        "justification": {
            "direct_evidence": ["E1"],
            "scoring_trace": {"total_score": 5},
        },
        "primitives": {"incident_score": 5},
    },
}


def row(**changes: Any) -> dict[str, Any]:
    """ROW with some of its fields changed; ``a__b`` goes into a."""
    changed = deepcopy(ROW)
    for path, value in changes.items():
        *above, last = path.split("__")
        inner: Any = changed
        for key in above:
            inner = inner[int(key) if key.isdigit() else key]
        inner[int(last) if last.isdigit() else last] = value
    return changed


def problems(*rows: object) -> str:
    with pytest.raises(DataError) as caught:
        parse_results(list(rows), POLICY, source="results.json")
    return str(caught.value)


def test_a_result_is_read_whole() -> None:
    (claim,) = parse_results([ROW], POLICY).claims
    assert (claim.case, claim.rank, claim.risk_score, claim.total_score) == ("B1", 1, 5, 5)
    assert claim.direct == ("E1",)
    assert [e.judgement for e in claim.evidence] == ["moderate", "true"]
    assert claim.primitives == {"incident_score": 5}


@pytest.mark.parametrize("verdict", ["HIGH_RISK", "'High Risk'", "high risk", ' "High-Risk" '])
def test_a_verdict_is_recognised_however_it_is_dressed(verdict: str) -> None:
    assert parse_results([row(verdict=verdict)], POLICY).claims[0].rank == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"verdict": "Risky"}, "case B1, verdict: the text 'Risky' is not one of 'Low Risk'"),
        ({"verdict": 2}, "case B1, verdict: 2 is not one of"),
        ({"risk_score": "5"}, "case B1, risk_score: must be a number, not the text '5'"),
        ({"risk_score": True}, "risk_score: must be a number, not the boolean true"),
        (
            {"parsed__justification__direct_evidence": ["E1", "E9"]},
            "parsed.justification.direct_evidence[1]: there is no evidence with the id 'E9'",
        ),
        (
            {"parsed__evidences__1__evidence_id": "E1"},
            "case B1, parsed.evidences[1].evidence_id: duplicate evidence id 'E1'",
        ),
        ({"parsed__evidences__0__review_id": None}, "parsed.evidences[0].review_id: is missing"),
        ({"parsed__evidences__0__judgement": None}, "parsed.evidences[0].judgement: is missing"),
        ({"parsed__evidences__0__snippet": 3}, "evidences[0].snippet: must be text or null"),
        ({"parsed__evidences": {}}, "parsed.evidences: must be a list, not an object"),
        ({"parsed__evidences__1": 3}, "parsed.evidences[1]: must be an object, not 3"),
        ({"risk_score": 10**400}, "risk_score: 1000"),
        ({"parsed": "text"}, "case B1, parsed: must be an object, not the text 'text'"),
        ({"parsed__primitives": {"a": [1]}}, "parsed.primitives.a: must be a number"),
        ({"business_id": None}, "[0].business_id: is missing"),
        ({"method": ["rag"]}, "[0].method: must be text, not a list"),
        ({"gt_verdict": "Bad"}, "case B1, gt_verdict: the text 'Bad' is not one of"),
    ],
)
def test_one_mistake_gives_one_message(changes: dict[str, Any], message: str) -> None:
    text = problems(row(**changes))
    assert message in text
    assert text.startswith("results.json: ")
    assert text.count("\n") == 0


def test_a_case_that_comes_twice_is_refused() -> None:
    assert "case B1, [1]: duplicate" in problems(ROW, ROW)


def test_evidence_that_says_nothing_is_not_passed_over() -> None:
    text = problems(row(parsed__evidences__0={}, parsed__justification=None))
    for field in ("evidence_id", "review_id", "field", "judgement"):
        assert f"case B1, parsed.evidences[0].{field}: is missing" in text


def test_all_problems_come_at_once() -> None:
    text = problems(row(verdict="Risky"), row(business_id="B2", risk_score="x"))
    assert "case B1, verdict" in text
    assert "case B2, risk_score" in text


def test_null_abstains_an_error_fails_and_nothing_is_a_mistake() -> None:
    run = parse_results([row(verdict=None), {"business_id": "B2", "error": "timeout"}], POLICY)
    assert [(c.failed, c.rank) for c in run.claims] == [(False, None), (True, None)]
    assert "verdict: is missing" in problems({"business_id": "B3"})


def test_hostile_ids_are_escaped() -> None:
    text = problems(row(business_id="B\x1b[2J", verdict="\x1b]0;x"))
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "has no 'results'"),
        ({"results": {}}, "results: must be a list, not an object"),
        ({"results": [None]}, "results[0]: must be an object, not null"),
        ([[ROW]], "results.json: [0]: must be an object, not a list"),
        ([{}], "results.json: [0].business_id: is missing"),
        ([], "holds no results"),
        ("text", "must be a list of results or an object that holds 'results'"),
        ({"results": [ROW], "k": [1]}, "k: must be text or a number, not a list"),
    ],
)
def test_a_document_of_another_shape_is_refused(document: object, message: str) -> None:
    with pytest.raises(DataError, match=r"results\.json") as caught:
        parse_results(document, POLICY, source="results.json")
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1


def test_a_file_of_several_methods_needs_one_chosen() -> None:
    rows = [row(method="rag"), row(method="direct", business_id="B2")]
    with pytest.raises(UsageError, match="several methods \\(direct, rag\\)"):
        parse_results(rows, POLICY)
    assert [c.case for c in parse_results(rows, POLICY, "direct").claims] == ["B2"]
    with pytest.raises(UsageError, match="holds direct, rag, not 'amos'"):
        parse_results(rows, POLICY, "amos")


@pytest.mark.parametrize("method", [None, "rag"])
def test_a_method_that_is_no_text_is_refused_in_whichever_row(method: str | None) -> None:
    rows = [row(method="rag"), row(business_id="B2"), row(method=5, business_id="B3")]
    with pytest.raises(DataError) as caught:
        parse_results(rows, POLICY, method)
    assert "[2].method: must be text, not 5" in str(caught.value)


AMOS = {
    "business_id": "B1",
    "VERDICT": "Critical Risk",
    "SCORE": 10,
    "_extractions": [
        {
            "review_id": "R1",
            "is_relevant": True,
            "INCIDENT_SEVERITY": "moderate",
            "ASSURANCE_CLAIM": "detected",
            "STAFF_RESPONSE": None,
        },
        {"review_id": "R2", "is_relevant": False, "INCIDENT_SEVERITY": "severe"},
        {"review_id": "R3", "is_relevant": True, "INCIDENT_SEVERITY": "None"},
        {"review_id": "R4", "is_relevant": True, "STAFF_RESPONSE": "bad"},
    ],
}


def test_the_amos_shape_is_converted_and_non_incidents_dropped() -> None:
    for document in (AMOS, {"business_id": "B1", "parsed": AMOS}):
        (claim,) = parse_results([document], POLICY, "amos").claims
        assert (claim.rank, claim.risk_score, claim.total_score) == (2, 10, 10)
        found = [(e.review_id, e.field, e.judgement) for e in claim.evidence]
        assert found == [
            ("R1", "INCIDENT_SEVERITY", "moderate"),
            ("R1", "ASSURANCE_CLAIM", "detected"),
        ]
        assert claim.direct == tuple(e.evidence_id for e in claim.evidence)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"verdict": "Risky"}, "case B1, verdict: the text 'Risky' is not one of"),
        ({}, "case B1, verdict: is missing"),
        (
            {"verdict": "Low Risk", "incidents": [{"review_id": "R1", "severity": "dire"}]},
            "incidents[0].severity: the text 'dire' is not one of 'mild', 'moderate', 'severe'",
        ),
        (
            {
                "verdict": "Low Risk",
                "incidents": [{"review_id": "R1", "severity": "mild", "modifiers": ["Rude"]}],
            },
            "truth.json: the policy declares no modifier 'Rude' (case B1); "
            "it declares 'False assurance', 'Dismissive staff'",
        ),
        (
            {
                "verdict": "Low Risk",
                "incidents": [{"review_id": "R1", "severity": "mild", "modifiers": [7]}],
            },
            "case B1, incidents[0].modifiers[0]: must be text, not 7",
        ),
        (
            {
                "verdict": "Low Risk",
                "incidents": [{"review_id": "R1", "severity": "mild"}] * 2,
            },
            "incidents[1].review_id: review 'R1' stands twice",
        ),
    ],
)
def test_a_mistake_in_the_truth_is_found(entry: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_truth({"B1": entry}, POLICY, source="truth.json")
    assert message in str(caught.value)


def test_a_modifier_the_policy_lacks_is_one_message_for_all_cases() -> None:
    def entry(*modifiers: str) -> dict[str, Any]:
        incidents = [
            {"review_id": f"R{place}", "severity": "mild", "modifiers": [name]}
            for place, name in enumerate(modifiers)
        ]
        return {"verdict": "Low Risk", "incidents": incidents}

    truth = {"B1": entry("False assurance"), "B2": entry("Rude", "Rude"), "B3": entry("Rude")}
    truth["B4"] = entry("Slow\x1b[2J")
    with pytest.raises(DataError) as caught:
        parse_truth(truth, POLICY, source="truth.json")
    declared = "it declares 'False assurance', 'Dismissive staff'"
    assert str(caught.value).splitlines() == [
        f"truth.json: the policy declares no modifier 'Rude' (2 cases, first B2); {declared}",
        f"truth.json: the policy declares no modifier 'Slow\\x1b[2J' (case B4); {declared}",
    ]


@pytest.mark.parametrize(
    ("parse", "given"), [(lambda d: parse_truth(d, POLICY), "Low Risk"), (parse_reviews, {})]
)
def test_a_case_that_is_there_as_a_number_and_as_a_text_is_refused(parse: Any, given: Any) -> None:
    with pytest.raises(DataError, match="is there twice, as a number and as a text"):
        parse({1: given, "1": given})


def test_a_truth_may_be_a_bare_verdict() -> None:
    assert parse_truth({"B1": "CRITICAL_RISK"}, POLICY)["B1"].rank == 2


def test_reviews_come_as_a_list_or_as_a_map() -> None:
    listed = parse_reviews({"B1": [{"review_id": "R1", "text": "a"}]})
    assert listed == parse_reviews({"B1": {"R1": "a"}}) == {"B1": {"R1": "a"}}
    with pytest.raises(DataError, match=r"case B1, R1: must be text, not 3"):
        parse_reviews({"B1": {"R1": 3}})
