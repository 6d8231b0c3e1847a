"""The sentences under the tables say what these numbers say, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.defaults import PROCESS_WEIGHTS
from acumen.report.verdicts.words import comparison_paragraphs, paragraphs
from acumen.results.verdicts import ComparisonDocument, ResultsDocument
from acumen.values.measured import Absence, Delta, Flag, Interval, Measured, NoInterval, Side

SOUND = {
    "incident_precision": 0.95,
    "severity_accuracy": 0.9,
    "modifier_accuracy": 0.9,
    "verdict_support_rate": 0.98,
    "snippet_validity": 0.9,
    "total_weight": 1.0,
}


def score(value: float | None, *ends: float, few: bool = False) -> Measured:
    """A score in percent with its interval; without ends it has none."""
    if value is None or not ends:
        return Measured(value=None if value is None else value / 100)
    low, high = (end / 100 for end in ends)
    flags = (Flag.RARE_LEVEL,) if few else ()
    interval = Interval(low=low, high=high, method="x", flags=flags)
    return Measured(value=value / 100, interval=interval)


def reading(
    auprc: float | None,
    process: float | None,
    consistency: float | None,
    others: dict[str, Measured] | None = None,
    method: str | None = "rag",
    positives: int = 9,
    **components: float,
) -> str:
    """With intervals that are a point, unless others are given."""
    values = {"ordinal_auprc": auprc, "process": process, "consistency": consistency}
    points = {key: score(v) if v is None else score(v, v, v) for key, v in values.items()}
    document = {
        "method": method,
        "unified_scores": {},
        "metrics": {**points, **(others or {})},
        "unified_metrics_full": {"process_components": {**SOUND, **components}},
        "auprc": {
            "thresholds": [
                {"threshold": 1, "at_least": "High Risk", "n_positive": 22, "ap": 0.9},
                {"threshold": 2, "at_least": "Critical Risk", "n_positive": positives, "ap": 0.2},
            ]
        },
    }
    (text,) = paragraphs(ResultsDocument.model_validate(document))
    return text


def test_good_on_all_three() -> None:
    assert reading(80, 86.0, 100.0) == (
        "rag ranks well by severity (AUPRC 80.0%). "
        "And its reasons hold (process 86.0%, consistency 100.0%)."
    )


def test_a_method_without_a_name_begins_a_sentence_or_stands_in_one() -> None:
    assert reading(80, 86.0, 100.0, method=None).startswith("This method ranks well")
    open_question = reading(90, 86.0, 100.0, {"ordinal_auprc": score(90)}, method=None)
    assert open_question.startswith("Whether this method ranks well")


def test_a_poor_ranking_names_the_boundary() -> None:
    text = reading(55, 90.0, 100.0)
    assert "ranks poorly by severity" in text
    assert "worst at finding 'Critical Risk' (20.0%)" in text
    assert "But its reasons hold" in text


@pytest.mark.parametrize(
    ("auprc", "why"),
    [
        (score(90), "no interval"),
        (score(90, 70, 99), "interval [70.0%, 99.0%]"),
        (score(90, 75, 99), "interval [75.0%, 99.0%]"),
        (score(90, 80, 99, few=True), "unreliable interval [80.0%, 99.0%]"),
    ],
)
def test_a_ranking_that_may_lie_on_either_side_of_the_target_is_not_judged(
    auprc: Measured, why: str
) -> None:
    text = reading(90, 86.0, 100.0, {"ordinal_auprc": auprc})
    assert text == (
        "Whether rag ranks well by severity is not decided by these cases "
        f"(AUPRC 90.0%, {why}, target above 75%). "
        "Its reasons hold (process 86.0%, consistency 100.0%)."
    )


def test_reasons_that_may_lie_on_either_side_of_the_target_are_not_judged() -> None:
    wide = {"process": score(80, 70, 88)}
    text = reading(80, 80.0, 100.0, wide, severity_accuracy=0.6)
    assert text == (
        "rag ranks well by severity (AUPRC 80.0%). Whether its reasons hold is not decided by "
        "these cases (process 80.0%, consistency 100.0%; process: interval [70.0%, 88.0%], "
        "target above 75%): 40% of its severities are wrong."
    )


@pytest.mark.parametrize(
    ("value", "low", "high"), [(77.4, 58.6, 89.3), (70.0, 60.0, 80.0), (80.0, 75.0, 90.0)]
)
def test_a_consistency_on_either_side_of_the_target_leaves_the_reasons_open(
    value: float, low: float, high: float
) -> None:
    wide = {"consistency": score(value, low, high)}
    text = reading(80, 89.0, value, wide)
    assert text.startswith(
        "rag ranks well by severity (AUPRC 80.0%). Whether its reasons hold is not decided by "
        f"these cases (process 89.0%, consistency {value}%; consistency: interval [{low}%, "
        f"{high}%], target above 75%)"
    )
    # a fault of the cases at hand is told all the same
    assert text.endswith(": 30% of the verdicts that cite evidence contradict it.") == (value < 75)


def test_where_neither_score_can_be_told_both_are_named() -> None:
    wide = {
        "process": score(80, 70, 88),
        "consistency": score(90),
    }
    told = "process: interval [70.0%, 88.0%]; consistency: no interval, target above 75%)."
    assert reading(80, 80.0, 90.0, wide).endswith(told)


def test_one_score_below_the_target_is_enough_for_reasons_not_to_hold() -> None:
    assert "But its reasons do not hold (process 90.0%, consistency 30.0%)" in reading(80, 90, 30)
    wide = {"consistency": score(80, 70, 88)}
    assert reading(80, 60.0, 80.0, wide).endswith(
        "But its reasons do not hold (process 60.0%, consistency 80.0%; undecided: "
        "consistency: interval [70.0%, 88.0%]): no component stands out."
    )


def test_reasons_above_the_target_with_a_weak_component_mostly_hold() -> None:
    told = "And its reasons mostly hold (process 86.0%, consistency 100.0%): 40% of its severities"
    assert told in reading(80, 86.0, 100.0, severity_accuracy=0.6)


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
    components: Any = {component: 0.4}
    text = reading(80, 60.0, 100.0, **components)
    assert "But its reasons do not hold" in text
    assert fault in text


def test_verdicts_that_contradict_their_evidence_are_named() -> None:
    told = "70% of the verdicts that cite evidence contradict it"
    assert told in reading(80, 90.0, 30.0)


def test_too_little_to_judge_is_said() -> None:
    text = reading(80, 100.0, None, total_weight=0.15)
    assert "can hardly be judged: what could be checked is worth 15% of the process score" in text
    assert "hold" not in text


def test_no_score_at_all() -> None:
    assert reading(None, None, None) == "There is nothing to read: no score has a value."


@pytest.mark.parametrize(("positives", "cases"), [(1, "1 case"), (8, "8 cases"), (9, None)])
def test_a_level_with_fewer_than_nine_cases_is_named(positives: int, cases: str | None) -> None:
    text = reading(80, 86.0, 100.0, positives=positives)
    assert (f"; 'Critical Risk' rests on {cases}." in text) == (cases is not None)
    assert ("rests on" in text) == (cases is not None)


def delta(left: float, right: float, low: float, high: float, favours: Side | None) -> Delta:
    """Shares in percent."""
    interval = Interval(low=low / 100, high=high / 100, method="x")
    sides: dict[str, Any] = {
        "left": left / 100,
        "right": right / 100,
        "delta": (right - left) / 100,
    }
    return Delta(**sides, interval=interval, favours=favours)


def compared(deltas: dict[str, Delta]) -> str:
    (text,) = comparison_paragraphs(ComparisonDocument(left="a", right="b", deltas=deltas))
    return text


def test_no_difference_is_claimed_where_the_interval_holds_zero() -> None:
    part = delta(80, 82, -3, 7, None)
    text = compared(dict.fromkeys((*PROCESS_WEIGHTS, "process", "ordinal_auprc"), part))
    assert "Whether one reasons better is not decided" in text
    assert "Whether one ranks better is not decided" in text
    assert "Chiefly" not in text


@pytest.mark.parametrize(
    ("why", "text"),
    [
        (None, "there is no interval"),
        (NoInterval(why=Absence.NO_RESAMPLES), "no resamples were asked for"),
    ],
)
def test_a_difference_without_an_interval_is_not_claimed_and_says_why(
    why: NoInterval | None, text: str
) -> None:
    bare = Delta(left=0.8, right=0.82, delta=0.02, no_interval=why)
    assert compared({"process": bare}) == (
        f"Whether one reasons better is not decided: process 80.0% for a, 82.0% for b, and {text}."
    )


def test_the_chief_reasons_are_those_that_move_the_score_most() -> None:
    # quotations differ most, but weigh 5%
    deltas = {
        "incident_precision": delta(90, 60, -40, -20, "left"),
        "severity_accuracy": delta(90, 70, -30, -10, "left"),
        "modifier_accuracy": delta(90, 90, -10, 10, None),
        "verdict_support_rate": delta(90, 80, -20, -1, "left"),
        "snippet_validity": delta(100, 10, -100, -80, "left"),
        "process": delta(91, 66, -30, -20, "left"),
        "ordinal_auprc": Delta(delta=None),
    }
    assert (
        "Chiefly, a more often claims incidents that happened (90% against 60%) "
        "and judges their severity right (90% against 70%)." in compared(deltas)
    )
