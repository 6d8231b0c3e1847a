"""The sentences under the tables say what these numbers say, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.report.verdict_reading import comparison_paragraphs, paragraphs
from acumen.results_document import check_document

SOUND = {
    "incident_precision": 0.95,
    "severity_accuracy": 0.9,
    "modifier_accuracy": 0.9,
    "verdict_support_rate": 0.98,
    "snippet_validity": 0.9,
    "total_weight": 1.0,
}


def reading(
    auprc: float | None, process: float | None, consistency: float | None, **components: float
) -> str:
    document = {
        "method": "rag",
        "unified_scores": {
            "auprc": auprc,
            "process_score": process,
            "consistency_score": consistency,
        },
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


def test_a_poor_ranking_names_the_boundary() -> None:
    text = reading(0.55, 90.0, 100.0)
    assert "ranks poorly by severity" in text
    assert "worst at finding 'Critical Risk' (20.0%)" in text
    assert "But its reasons hold" in text


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
