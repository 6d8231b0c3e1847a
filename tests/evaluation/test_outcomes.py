"""Outcomes, levels nobody named, no confidence, no truth: what an evaluation says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen import evaluate
from acumen.errors import DataError
from acumen.questions.evaluation import Evaluation
from acumen.readers.columns import from_columns
from acumen.results.metrics import MetricsArtifact

TRUTH = [0, 1, 2, 2, 1, 0, 2, 1, 0, 1]
ANSWERS: list[Any] = [0, 1, 0, 2, "N/A", None, None, "x", None, 1]
OUTCOME = [None, None, None, None, None, "refused", "failed", None, "unscored", None]


def study(**changes: Any) -> Evaluation:
    """Ten rows of five cases: 5 answered, one two levels off; 1 of each other outcome."""
    columns: dict[str, Any] = {
        "case": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
        "item": ["a", "b"] * 5,
        "truth": TRUTH,
        "prediction": ANSWERS,
        "outcome": OUTCOME,
        "scale": "0-2",
    }
    return evaluate(from_columns(**(columns | changes)), resamples=0)


def test_every_outcome_is_counted_and_coverage_is_of_the_judged_rows() -> None:
    artifact = study().document
    assert artifact.population.outcomes == {
        "answered": 5,
        "abstained": 1,
        "refused": 1,
        "unparseable": 1,
        "unscored": 1,
        "failed": 1,
        "no_truth": 0,
    }
    assert isinstance(artifact.overall, dict)
    value = {key: measured.value for key, measured in artifact.overall.items()}
    assert value["coverage"] == 5 / 8
    assert value["accuracy"] == 4 / 5
    assert value["total_accuracy"] == 4 / 8
    assert (value["mae"], value["mean_loss"]) == (2 / 5, 1 / 5)
    assert artifact.population.participants_included == 5


def test_the_counts_that_are_not_zero_are_on_screen_with_what_is_left_out() -> None:
    evaluation = study(truth=[*TRUTH[:9], None])
    line = (
        "7 judgments: 4 answered (57.1%), 1 abstained, 1 refused, 1 unparseable; "
        "left out: 1 unscored, 1 failed, 1 without truth"
    )
    assert line in repr(evaluation).replace("\n", " ")
    assert "1 without truth" in evaluation._repr_html_()


def test_half_points_have_a_mean_error_in_units_of_the_scale() -> None:
    table = from_columns(case=[1, 2, 3], truth=[1, 1.5, 3], prediction=[1.5, 1.5, 2])
    overall = evaluate(table, resamples=0).document.overall
    assert isinstance(overall, dict)
    assert overall["mae"].value == 0.5


def test_without_a_confidence_all_that_needs_none_is_measured(tmp_path: Path) -> None:
    evaluation = study()
    artifact = evaluation.document
    assert artifact.confidence_variants == {}
    assert artifact.summaries[0].confusion == [[1, 0, 0, 1], [0, 2, 0, 2], [1, 0, 1, 0]]
    assert [(g.name, g.answered) for g in artifact.summaries[0].by_item] == [("a", 2), ("b", 3)]
    shown = " ".join(repr(evaluation).split())
    assert "No confidence, so nothing is ranked" in shown
    assert "Mean error (MAE) 0.400" in shown
    acumen.write_report([artifact], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Where it errs" in page
    assert "Which confidence ranks best" not in page
    assert MetricsArtifact.model_validate_json(evaluation.to_json()) == artifact


def test_a_confidence_that_some_answers_lack_ranks_nothing_and_says_so() -> None:
    artifact = study(confidence=[0.9, None, *[0.5] * 8]).document
    assert artifact.confidence_variants == {}
    assert artifact.left_out["confidence"].startswith(
        "confidence is missing or null in 1 of 5 answered rows"
    )


def test_two_inputs_without_a_confidence_are_compared_by_what_needs_none() -> None:
    left = from_columns(case=[1, 2, 3, 4], truth=[0, 1, 2, 3], prediction=[0, 1, 2, 3])
    right = from_columns(case=[1, 2, 3, 4], truth=[0, 1, 2, 3], prediction=[1, 1, 1, 4])
    evaluation = evaluate(left, right, resamples=0)
    overall = evaluation.document.overall
    assert isinstance(overall, list)
    assert [numbers["mae"].value for numbers in overall] == [0.0, 0.75]
    assert evaluation.document.scale["levels"] == [0, 1, 2, 3, 4]
    assert "too few" in repr(evaluation)


def test_a_confidence_that_one_side_lacks_ranks_neither() -> None:
    columns: dict[str, Any] = {"case": [1, 2, 3], "truth": [0, 1, 2], "prediction": [0, 1, 1]}
    left, right = from_columns(**columns, confidence=[3, 2, 1]), from_columns(**columns)
    artifact = evaluate(left, right, resamples=0).document
    assert artifact.confidence_variants == {}
    assert artifact.left_out == {"confidence": "not every input has its signals"}
    with pytest.raises(DataError, match="confidence: missing, here and in every answered row"):
        evaluate(left, right, confidence="confidence", resamples=0)


def test_without_a_truth_outcomes_and_coverage_are_counted_and_nothing_else(tmp_path: Path) -> None:
    evaluation = study(truth=None)
    overall = evaluation.document.overall
    assert isinstance(overall, dict)
    assert overall["coverage"].value == 5 / 8
    others = {key: m for key, m in overall.items() if key != "coverage"}
    assert {m.value for m in others.values()} == {None}
    assert {m.reason for m in others.values()} == {"there is no truth to compare it with"}
    assert {"accuracy", "mae", "quadratic_kappa"} <= others.keys()
    assert "No truth: only outcomes and coverage can be counted" in repr(evaluation)
    acumen.write_report([evaluation.document], tmp_path / "page.html")


def test_levels_nobody_named_are_told_first_and_in_the_artifact() -> None:
    columns: dict[str, Any] = {"case": [1, 2, 3], "truth": [1, 5, 2], "prediction": [1, 4, 2]}
    inferred = evaluate(from_columns(**columns), resamples=0)
    note = inferred.document.warnings[0]
    assert note.startswith("levels inferred: 1–5, the range of the numbers in the data")
    assert note.endswith("--levels 1-5 (scale= in Python)")
    assert "levels inferred: 1–5" in repr(inferred)
    named = evaluate(from_columns(**columns, scale="1-5"), resamples=0)
    assert "inferred" not in repr(named)
    assert named.document.options["scale"] == "1-5"


def test_a_confidence_that_is_no_probability_ranks_and_says_why_it_is_not_calibrated() -> None:
    evaluation = study(confidence=[90, 80, 10, 70, 0, 0, 0, 0, 0, 60])
    (variant,) = (v for _, _, v in evaluation.variants())
    assert variant.cmax == 5 / 8
    for key in ("ece", "brier", "nll"):
        assert variant.metrics[key].value is None
        assert "not a probability: it runs from 10 to 90" in str(variant.metrics[key].reason)
    assert "declare it: --confidence-range 0,100" in repr(evaluation).replace("\n", " ")
    ranged = study(confidence=[90, 80, 10, 70, 0, 0, 0, 0, 0, 60], confidence_range=(0, 100))
    (variant,) = (v for _, _, v in ranged.variants())
    assert variant.metrics["brier"].value == pytest.approx(
        (0.1**2 + 0.2**2 + 0.1**2 + 0.3**2 + 0.4**2) / 5
    )


def test_rows_failed_or_unscored_on_a_side_are_left_out_of_both() -> None:
    columns: dict[str, Any] = {"case": [1, 2, 3, 4], "truth": [0, 1, 2, 3], "scale": "0-3"}
    left = from_columns(**columns, prediction=[0, 1, 2, 3], confidence=[4, 3, 2, 1])
    right = from_columns(
        **columns,
        prediction=[0, None, 3, None],
        outcome=[None, "unscored", None, None],
        confidence=[4, 3, 2, 1],
    )
    artifact = evaluate(left, right, resamples=0).document
    assert artifact.population.items_total == 3
    assert artifact.population.outcomes_by_input[1]["unscored"] == 1
    assert "1 row failed or unscored in one of the two and left out of both" in artifact.warnings


@pytest.mark.parametrize(
    "outcomes", [["failed", "failed"], ["failed", "unscored"], ["unscored", "unscored"]]
)
def test_where_no_row_is_judged_no_case_is_included_and_shares_have_no_value(
    outcomes: list[str],
) -> None:
    table = from_columns(
        case=[1, 2], truth=[1, 2], prediction=[None, None], outcome=outcomes, scale="1-3"
    )
    artifact = evaluate(table, resamples=0).document
    population = artifact.population
    assert (population.participants_included, population.participants_total) == (0, 2)
    assert population.participants_failed == outcomes.count("failed")
    assert isinstance(artifact.overall, dict)
    for name in ("coverage", "total_accuracy"):
        assert artifact.overall[name].value is None
        assert artifact.overall[name].reason == "no row has weight"
    assert not any("abstained" in warning for warning in artifact.warnings)


def test_a_case_whose_rows_another_system_failed_is_still_counted_in_the_total() -> None:
    path = Path(__file__).parents[1] / "samples" / "promptfoo_tickets.json"
    population = evaluate(path, levels="1-5", resamples=0).document.population
    assert (population.participants_included, population.participants_total) == (9, 10)


def test_a_run_without_signals_is_measured_as_far_as_needs_no_confidence(tmp_path: Path) -> None:
    cases = [
        {
            "participant_id": i,
            "success": True,
            "predicted_items": {"Sleep": i % 4},
            "ground_truth_items": {"Sleep": i % 3},
        }
        for i in range(12)
    ]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"experiments": [{"results": {"results": cases}}]}))
    artifact = evaluate(path, resamples=0).document
    assert isinstance(artifact.overall, dict)
    assert artifact.overall["mae"].value == 14 / 12  # 0 0 0 3 1 1 2 2 2 1 1 1
    assert not artifact.confidence_variants
