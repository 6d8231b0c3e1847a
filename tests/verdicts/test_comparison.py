"""Two methods are compared on the same cases, also where one of them abstains."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.inference import Options
from acumen.policy import find_policy
from acumen.readers.verdict_truth import parse_truth
from acumen.readers.verdicts import parse_results
from acumen.report.verdict_comparison import comparison_report
from acumen.report.verdict_tables import terminal
from acumen.verdict_comparison import compare_runs, comparison_document

POLICY = find_policy("G1_allergy_V2")
LOW, HIGH = "Low Risk", "High Risk"
TRUTH = parse_truth({"A": HIGH, "B": HIGH, "C": LOW, "D": LOW, "E": LOW}, POLICY)


def method(*scores: float | None) -> Any:
    """Verdicts on A to E by score, High from 5 on; None abstains."""
    rows = [
        {"business_id": case, "risk_score": score}
        | {"verdict": None if score is None else HIGH if score >= 5 else LOW}
        for case, score in zip("ABCDE", scores, strict=True)
    ]
    return parse_results(rows, POLICY)


def compared(left: Any, right: Any) -> dict[str, Any]:
    found = compare_runs(left, right, TRUTH, POLICY, options=Options(resamples=50))
    return comparison_document(found, ("one", "two"), with_reasons=False)


def test_ranking_is_compared_where_both_have_a_verdict() -> None:
    # C, on which the first abstains, is the only place the second ranks wrongly
    found = compared(method(9, 8, None, 2, 1), method(8, 7, 9, 2, 1))
    assert (found["n_cases"], found["n_ranked"]) == (5, 4)
    ranking = found["deltas"]["auprc_ge_1"]
    assert (ranking["left"], ranking["right"]) == (1.0, 1.0)
    # with C, which it puts first, the second would have (1/2 + 2/3)/2
    accuracy = found["deltas"]["accuracy"]
    assert (accuracy["left"], accuracy["right"]) == (pytest.approx(0.8), pytest.approx(0.8))


def test_which_side_abstains_makes_no_difference() -> None:
    sides = method(9, 8, None, 2, 1), method(8, 1, 9, 2, 1)
    one, other = compared(*sides), compared(*reversed(sides))
    assert one["deltas"]["auprc_ge_1"]["right"] == other["deltas"]["auprc_ge_1"]["left"]
    # A comes first; B ties with E for the last of four: (1 + 2/4)/2
    assert one["deltas"]["auprc_ge_1"]["right"] == pytest.approx(0.75)


def test_a_method_that_never_gives_a_verdict_has_no_ranking_to_compare() -> None:
    found = compared(method(None, None, None, None, None), method(8, 7, 9, 2, 1))
    assert found["n_ranked"] == 0
    assert found["deltas"]["auprc_ge_1"]["delta"] is None


def test_the_notes_say_how_many_are_ranked() -> None:
    found = compared(method(9, 8, None, 2, 1), method(8, 7, 9, 2, 1))
    console = terminal()
    with console.capture() as captured:
        for part in comparison_report(found, list(POLICY.scale.levels), 0.95):
            console.print(part)
    assert "AUPRC is over the 4 cases where both have a verdict." in captured.get()
