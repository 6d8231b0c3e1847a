"""The sentences under the tables say what these numbers say, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.report.verdict_reading import comparison_paragraphs, paragraphs
from acumen.results.verdicts import check_document

SOUND = {
    "incident_precision": 0.95,
    "severity_accuracy": 0.9,
    "modifier_accuracy": 0.9,
    "verdict_support_rate": 0.98,
    "snippet_validity": 0.9,
    "total_weight": 1.0,
}


def reading(
    auprc: float | None,
    process: float | None,
    consistency: float | None,
    intervals: dict[str, Any] | None = None,
    method: str | None = "rag",
    **components: float,
) -> str:
    """With intervals that are a point, unless others are given."""
    values = {"ordinal_auprc": auprc, "process_score": process, "consistency_score": consistency}
    points = {key: {"value": v, "low": v, "high": v} for key, v in values.items()}
    document = {
        "method": method,
        "unified_scores": {
            "auprc": auprc,
            "process_score": process,
            "consistency_score": consistency,
        },
        "intervals": {**points, **(intervals or {})},
        "unified_metrics_full": {"process_components": {**SOUND, **components}},
        "auprc": {
            "thresholds": [
                {"threshold": 1, "at_least": "High Risk", "n_positive": 22, "ap": 0.9},
                {"threshold": 2, "at_least": "Critical Risk", "n_positive": 8, "ap": 0.2},
            ]
        },
    }
    (text,) = paragraphs(check_document(document, "x"))
    return text


def test_good_on_all_three() -> None:
    assert reading(0.8, 86.0, 100.0) == (
        "rag ranks well by severity (AUPRC 80.0%). "
        "And its reasons hold (process 86.0%, consistency 100.0%)."
    )


def test_a_method_without_a_name_begins_a_sentence_or_stands_in_one() -> None:
    assert reading(0.8, 86.0, 100.0, method=None).startswith("This method ranks well")
    open_question = reading(0.9, 86.0, 100.0, {"ordinal_auprc": {"value": 0.9}}, method=None)
    assert open_question.startswith("Whether this method ranks well")


def test_a_poor_ranking_names_the_boundary() -> None:
    text = reading(0.55, 90.0, 100.0)
    assert "ranks poorly by severity" in text
    assert "worst at finding 'Critical Risk' (20.0%)" in text
    assert "But its reasons hold" in text


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({}, "no interval"),
        ({"low": 0.7, "high": 0.99}, "interval 70.0% to 99.0%"),
        ({"low": 0.75, "high": 0.99}, "interval 75.0% to 99.0%"),
        (
            {"low": 0.8, "high": 0.99, "note": "rests on 2 cases of 'Critical Risk': unreliable"},
            "unreliable interval 80.0% to 99.0%",
        ),
    ],
)
def test_a_ranking_that_may_lie_on_either_side_of_the_target_is_not_judged(
    entry: dict[str, Any], why: str
) -> None:
    text = reading(0.9, 86.0, 100.0, {"ordinal_auprc": {"value": 0.9, **entry}})
    assert text == (
        "Whether rag ranks well by severity cannot be told from these cases "
        f"(AUPRC 90.0%, {why}, target above 75%). "
        "Its reasons hold (process 86.0%, consistency 100.0%)."
    )


def test_reasons_that_may_lie_on_either_side_of_the_target_are_not_judged() -> None:
    wide = {"process_score": {"value": 80.0, "low": 70.0, "high": 88.0}}
    text = reading(0.8, 80.0, 100.0, wide, severity_accuracy=0.6)
    assert text == (
        "rag ranks well by severity (AUPRC 80.0%). Whether its reasons hold cannot be told from "
        "these cases (process 80.0%, consistency 100.0%; process: interval 70.0% to 88.0%, "
        "target above 75%): 40% of its severities are wrong."
    )


@pytest.mark.parametrize(
    ("value", "low", "high"), [(77.4, 58.6, 89.3), (70.0, 60.0, 80.0), (80.0, 75.0, 90.0)]
)
def test_a_consistency_on_either_side_of_the_target_leaves_the_reasons_open(
    value: float, low: float, high: float
) -> None:
    wide = {"consistency_score": {"value": value, "low": low, "high": high}}
    text = reading(0.8, 89.0, value, wide)
    assert text.startswith(
        "rag ranks well by severity (AUPRC 80.0%). Whether its reasons hold cannot be told from "
        f"these cases (process 89.0%, consistency {value}%; consistency: interval {low}% to "
        f"{high}%, target above 75%)"
    )
    # a fault of the cases at hand is told all the same
    assert text.endswith(": 30% of the verdicts that cite evidence contradict it.") == (value < 75)


def test_where_neither_score_can_be_told_both_are_named() -> None:
    wide = {
        "process_score": {"value": 80.0, "low": 70.0, "high": 88.0},
        "consistency_score": {"value": 90.0, "low": None, "high": None},
    }
    told = "process: interval 70.0% to 88.0%; consistency: no interval, target above 75%)."
    assert reading(0.8, 80.0, 90.0, wide).endswith(told)


def test_one_score_below_the_target_is_enough_for_reasons_not_to_hold() -> None:
    assert "But its reasons do not hold (process 90.0%, consistency 30.0%)" in reading(0.8, 90, 30)
    wide = {"consistency_score": {"value": 80.0, "low": 70.0, "high": 88.0}}
    assert reading(0.8, 60.0, 80.0, wide).endswith(
        "But its reasons do not hold (process 60.0%, consistency 80.0%; it cannot be told of "
        "consistency: interval 70.0% to 88.0%): no component stands out."
    )


def test_reasons_above_the_target_with_a_weak_component_mostly_hold() -> None:
    told = "And its reasons mostly hold (process 86.0%, consistency 100.0%): 40% of its severities"
    assert told in reading(0.8, 86.0, 100.0, severity_accuracy=0.6)


@pytest.mark.parametrize(
    ("component", "fault"),
    [
        ("incident_precision", "60% of the incidents it claims did not happen"),
        ("severity_accuracy", "60% of its severities are wrong"),
        ("verdict_support_rate", "60% of its verdicts do not follow from their evidence"),
        ("snippet_validity", "60% of its quotations are not in the review they cite"),
    ],
)
def test_a_weak_component_is_named(component: str, fault: str) -> None:
    text = reading(0.8, 60.0, 100.0, **{component: 0.4})
    assert "But its reasons do not hold" in text
    assert fault in text


def test_verdicts_that_contradict_their_evidence_are_named() -> None:
    told = "70% of the verdicts that cite evidence contradict it"
    assert told in reading(0.8, 90.0, 30.0)


def test_too_little_to_judge_is_said() -> None:
    text = reading(0.8, 100.0, None, total_weight=0.15)
    assert "can hardly be judged: what could be checked is worth 15% of the process score" in text
    assert "hold" not in text


def test_no_score_at_all() -> None:
    assert reading(None, None, None) == "There is nothing to read: no score has a value."


def delta(left: float, right: float, low: float, high: float, favours: Any) -> dict[str, Any]:
    ends = {"low": low, "high": high, "favours": favours}
    return {"left": left, "right": right, "delta": right - left, **ends}


def test_no_difference_is_claimed_where_the_interval_holds_zero() -> None:
    open_question = delta(80.0, 82.0, -3.0, 7.0, None)
    part = delta(0.8, 0.82, -0.03, 0.07, None)
    deltas = dict.fromkeys(SOUND, part) | {"process_score": open_question, "ordinal_auprc": part}
    (text,) = comparison_paragraphs({"left": "a", "right": "b", "deltas": deltas})
    assert "Whether one reasons better cannot be told" in text
    assert "Whether one ranks better cannot be told" in text
    assert "Chiefly" not in text


@pytest.mark.parametrize(
    ("why", "told"), [(None, "there is no interval"), ("too \x1b[2Jfew", "too \\x1b[2Jfew")]
)
def test_a_difference_without_an_interval_is_not_claimed_and_says_why(
    why: str | None, told: str
) -> None:
    bare = {"left": 80.0, "right": 82.0, "delta": 2.0, "low": None, "no_interval": why}
    (text,) = comparison_paragraphs({"left": "a", "right": "b", "deltas": {"process_score": bare}})
    assert text == (
        f"Whether one reasons better cannot be told: process 80.0% for a, 82.0% for b, and {told}."
    )


def test_the_chief_reasons_are_those_that_move_the_score_most() -> None:
    # quotations differ most, but weigh 5%
    parts = {
        "incident_precision": delta(0.9, 0.6, -0.4, -0.2, "left"),
        "severity_accuracy": delta(0.9, 0.7, -0.3, -0.1, "left"),
        "modifier_accuracy": delta(0.9, 0.9, -0.1, 0.1, None),
        "verdict_support_rate": delta(0.9, 0.8, -0.2, -0.01, "left"),
        "snippet_validity": delta(1.0, 0.1, -1.0, -0.8, "left"),
    }
    deltas = parts | {
        "process_score": delta(91.0, 66.0, -30.0, -20.0, "left"),
        "ordinal_auprc": {"low": None},
        "auprc_ge_1": {"low": None},
    }
    (text,) = comparison_paragraphs({"left": "a", "right": "b", "deltas": deltas})
    assert (
        "Chiefly, a more often claims incidents that happened (90% against 60%) "
        "and judges their severity right (90% against 70%)." in text
    )
