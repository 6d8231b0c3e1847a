"""The door for people with a list of rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.compat import compute as door
from acumen.compat.compute import (
    ItemPrediction,
    compute_augrc,
    compute_augrc_at_coverage,
    compute_augrc_optimal,
    compute_aurc,
    compute_aurc_achievable,
    compute_aurc_at_coverage,
    compute_aurc_optimal,
    compute_cmax,
    compute_eaugrc,
    compute_eaurc,
    compute_risk_at_coverage,
    compute_risk_coverage_curve,
)
from acumen.errors import DataError, UsageError
from acumen.metrics import METRICS
from acumen.readers.inputs import judgments_of
from acumen.readers.run import read_run
from acumen.table.scale import Scale


def rows(*values: tuple[int | None, int, float]) -> list[ItemPrediction]:
    """(score, truth, confidence) each."""
    return [ItemPrediction(*value) for value in values]


FOUR = rows((2, 2, 2.0), (3, 1, 2.0), (1, 1, 1.0), (None, 0, 0.0))
SILENT = rows((None, 1, 0.0), (None, 2, 0.0))
AREAS = (
    compute_aurc,
    compute_augrc,
    compute_aurc_optimal,
    compute_augrc_optimal,
    compute_eaurc,
    compute_eaugrc,
    compute_aurc_achievable,
)


def test_a_row_knows_whether_it_was_answered_and_how_far_off_it_is() -> None:
    answered, silent = ItemPrediction(0, 3, 0.5), ItemPrediction(None, 3, 0.5)
    assert (answered.is_predicted, answered.absolute_error) == (True, 3)
    assert (silent.is_predicted, silent.absolute_error) == (False, 0)


def test_unsigned_numbers_do_not_wrap() -> None:
    row = ItemPrediction(np.uint8(1), np.uint8(3), 1.0)  # type: ignore[arg-type]
    assert row.absolute_error == 2
    assert compute_aurc([row]) == 2.0


def test_a_system_without_errors_has_no_area_whatever_it_abstains_on() -> None:
    assert compute_aurc(rows((2, 2, 1.0), (1, 1, 0.9), (0, 0, 0.8), (None, 1, 0.0))) == 0.0


def test_an_error_at_the_top_costs_more_than_the_same_error_at_the_bottom() -> None:
    top = rows((3, 0, 1.0), (2, 2, 0.5), (1, 1, 0.3))
    bottom = rows((3, 0, 0.1), (2, 2, 0.5), (1, 1, 0.3))
    # risks 3, 3/2, 1 and 0, 0, 1 at coverages 1/3, 2/3, 1
    assert compute_aurc(top) == pytest.approx((3 + (3 + 1.5) / 2 + (1.5 + 1) / 2) / 3)
    assert compute_aurc(bottom) == pytest.approx(0.5 / 3)


def test_one_answer_gives_its_error_times_its_coverage() -> None:
    assert compute_aurc(rows((2, 1, 1.0), (None, 0, 0.0))) == 0.5


def test_abstentions_are_in_the_denominator_of_coverage() -> None:
    curve = compute_risk_coverage_curve(rows((2, 2, 1.0), (None, 1, 0.0), (None, 0, 0.0)))
    assert list(curve) == [(1 / 3, 0.0)]


def test_the_risk_at_half_coverage_is_that_of_the_surer_half() -> None:
    study = rows((2, 2, 1.0), (3, 1, 0.8), (1, 1, 0.5), (0, 2, 0.3))
    assert compute_risk_at_coverage(study, target_coverage=0.5) == 1.0
    assert compute_risk_at_coverage(study, 0.51) == pytest.approx(2 / 3)


def test_the_risk_at_full_coverage_is_the_mean_error() -> None:
    assert compute_risk_at_coverage(rows((2, 2, 1.0), (1, 0, 0.5)), 1.0) == 0.5


def test_a_coverage_that_is_not_reached_has_no_risk() -> None:
    study = rows((2, 2, 1.0), (None, 1, 0.0), (None, 0, 0.0), (None, 1, 0.0))
    assert compute_risk_at_coverage(study, 0.5) is None
    assert compute_risk_at_coverage(study, 0.25) == 0.0


def test_a_coverage_lost_to_rounding_is_still_reached() -> None:
    study = rows(*[(1, 1, float(i)) for i in range(3)], *[(None, 0, 0.0)] * 7)
    assert compute_risk_at_coverage(study, 0.1 + 0.2) == 0.0


def test_the_curve_goes_from_the_surest_row_to_cmax_without_abstentions() -> None:
    study = rows((1, 1, 0.5), (2, 2, 1.0), (None, 2, 0.9), (0, 1, 0.3))
    curve = compute_risk_coverage_curve(study)
    assert len(curve) == 3
    assert [c for c, _ in curve] == [0.25, 0.5, 0.75]
    assert curve.threshold.tolist() == [1.0, 0.5, 0.3]


def test_the_curve_is_a_sequence_and_has_its_arrays() -> None:
    curve = compute_risk_coverage_curve(FOUR)
    assert curve[0] == (0.5, 1.0)
    assert list(curve[-1]) == [0.75, pytest.approx(2 / 3)]
    assert curve[:1] == [(0.5, 1.0)]
    assert (0.5, 1.0) in curve
    assert curve.coverage.tolist() == [0.5, 0.75]
    assert curve.selective_risk.tolist() == [1.0, 2 / 3]
    assert curve.generalized_risk.tolist() == [0.5, 0.5]
    with pytest.raises(IndexError):
        curve[2]


def test_every_function_on_a_tie_and_an_abstention() -> None:
    assert compute_cmax(FOUR) == 0.75
    assert compute_aurc(FOUR) == pytest.approx(17 / 24, abs=1e-15)
    assert compute_augrc(FOUR) == pytest.approx(1 / 4, abs=1e-15)
    # ranked by loss, 0, 0, 2: risks 0, 0, 2/3 and losses 0, 0, 2
    assert compute_aurc_optimal(FOUR) == pytest.approx(1 / 12, abs=1e-15)
    assert compute_augrc_optimal(FOUR) == pytest.approx(1 / 16, abs=1e-15)
    assert compute_eaurc(FOUR) == pytest.approx(17 / 24 - 1 / 12, abs=1e-15)
    assert compute_eaugrc(FOUR) == pytest.approx(3 / 16, abs=1e-15)
    # two points, both on their hull
    assert compute_aurc_achievable(FOUR) == pytest.approx(17 / 24, abs=1e-15)
    assert compute_aurc_at_coverage(FOUR, 0.6) == pytest.approx(89 / 150, abs=1e-15)
    assert compute_augrc_at_coverage(FOUR, 0.6) == pytest.approx(7 / 40, abs=1e-15)
    assert compute_aurc_at_coverage(FOUR, 0.9) == compute_aurc(FOUR)
    assert compute_risk_at_coverage(FOUR, 0.6) == pytest.approx(2 / 3)


def test_when_nobody_answered_areas_are_zero_the_curve_is_empty_and_risk_is_none() -> None:
    for study in (SILENT, []):
        assert [area(study) for area in AREAS] == [0.0] * len(AREAS)
        assert compute_cmax(study) == 0.0
        assert compute_aurc_at_coverage(study, 0.5) == compute_augrc_at_coverage(study, 0.5) == 0.0
        assert list(compute_risk_coverage_curve(study)) == []
        assert compute_risk_at_coverage(study, 0.5) is None


@pytest.mark.parametrize("coverage", [0.0, -0.1, 1.0000001, 2, float("nan")])
def test_a_coverage_outside_its_range_is_a_value_error(coverage: float) -> None:
    for function in (
        compute_risk_at_coverage,
        compute_aurc_at_coverage,
        compute_augrc_at_coverage,
    ):
        with pytest.raises(ValueError, match=r"must be in \(0, 1\]"):
            function(FOUR, coverage)


def test_a_mapping_with_the_same_keys_is_a_row() -> None:
    mappings: list[Any] = [
        {"score": r.score, "ground_truth": r.ground_truth, "confidence": r.confidence, "note": "x"}
        for r in FOUR
    ]
    assert compute_aurc(mappings) == compute_aurc(FOUR)
    assert compute_aurc(iter([*mappings[:2], *FOUR[2:]])) == compute_aurc(FOUR)


def test_the_normalized_loss_needs_a_scale_and_divides_by_its_range() -> None:
    with pytest.raises(UsageError, match="the loss abs_norm needs a scale, such as scale='phq8'"):
        compute_aurc(FOUR, loss="abs_norm")
    assert compute_aurc(FOUR, "abs_norm", "phq8") == pytest.approx(17 / 72, abs=1e-15)
    assert compute_aurc(FOUR, "abs_norm", Scale.numbered(0, 10)) == pytest.approx(17 / 240)
    assert compute_aurc(FOUR, "abs", "phq8") == compute_aurc(FOUR)
    with pytest.raises(UsageError, match="no loss 'square'"):
        compute_aurc(FOUR, loss="square")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"score": 1, "confidence": 1.0}, "row 1: lacks ground_truth"),
        ({"score": 1.5, "ground_truth": 1, "confidence": 1.0}, "row 1: score must be a whole"),
        ({"score": "1", "ground_truth": 1, "confidence": 1.0}, "not the text '1'"),
        ({"score": True, "ground_truth": 1, "confidence": 1.0}, "not the boolean true"),
        ({"score": 1, "ground_truth": None, "confidence": 1.0}, "ground_truth must be a whole"),
        ({"score": 1, "ground_truth": 1, "confidence": None}, "confidence must be a number"),
        ({"score": 1, "ground_truth": 1, "confidence": True}, "confidence must be a number"),
        ({"score": 1, "ground_truth": 1, "confidence": 1j}, "confidence must be a number"),
        ({"score": 1, "ground_truth": 1, "confidence": float("nan")}, "confidence must be finite"),
        ({"score": 1, "ground_truth": 1, "confidence": 10**400}, "confidence must be finite"),
        ((1, 1, 1.0), "row 1: must be an ItemPrediction or a mapping, not a list"),
        (None, "row 1: must be an ItemPrediction or a mapping, not null"),
    ],
)
def test_a_row_that_is_wrong_is_told_by_its_place(row: Any, said: str) -> None:
    with pytest.raises(DataError) as error:
        compute_aurc([FOUR[0], row])
    assert said in str(error.value)


def test_all_wrong_rows_are_told_at_once() -> None:
    with pytest.raises(DataError) as error:
        compute_aurc([{"score": "a", "ground_truth": "b", "confidence": "c"}] * 2)
    assert len(error.value.problems) == 6


def test_levels_off_a_given_scale_are_refused() -> None:
    with pytest.raises(DataError, match=r"row 0: score: 7 is outside 0\.\.3"):
        compute_aurc(rows((7, 0, 1.0)), scale="phq8")
    assert compute_aurc(rows((7, 0, 1.0))) == 7.0


def test_a_loss_beyond_any_scale_is_refused_and_does_not_wrap() -> None:
    assert compute_aurc(rows((999, 0, 1.0))) == 999.0
    with pytest.raises(UsageError, match="a loss of 40000 levels"):
        compute_aurc(rows((40_000, 0, 1.0)))


def test_the_confidence_of_an_abstention_does_not_matter() -> None:
    study = rows((1, 0, 1.0), (None, 0, float("nan")))
    assert compute_aurc(study) == 0.5


def test_whole_floats_are_levels() -> None:
    assert compute_aurc([ItemPrediction(2.0, 1.0, 1)]) == 1.0  # type: ignore[arg-type]


def test_rows_become_a_table() -> None:
    study = [
        ItemPrediction(2, 2, 0.9, case=7, item="Sleep"),
        ItemPrediction(None, 1, 0.1, case=7, item="Tired"),
        ItemPrediction(0, 3, 0.5, case="x", item="Sleep"),
        ItemPrediction(1, 1, 0.4, case="x", item="Tired"),
    ]
    table = judgments_of(study)
    assert (table.cases, table.items) == ((7, "x"), ("Sleep", "Tired"))
    assert table.answered.tolist() == [True, False, True, True]
    assert table.signals["confidence"].values.tolist() == [0.9, 0.1, 0.5, 0.4]
    assert len(judgments_of(study[:3])) == 3
    assert judgments_of([replace(row, case=None) for row in study[:3]]).cases == (0, 1, 2)
    assert judgments_of(FOUR).cases == (0, 1, 2, 3)
    assert judgments_of(
        [{"score": 1, "ground_truth": 1, "confidence": 1, "participant_id": 5}], scale="phq8"
    ).cases == (5,)


def test_rows_of_one_case_and_item_or_with_half_of_their_names_are_refused() -> None:
    row = ItemPrediction(2, 2, 0.9, case=7, item="Sleep")
    with pytest.raises(DataError, match=r"participant 7, item Sleep: duplicate: .* rows 1 and 2"):
        judgments_of([row, row])
    with pytest.raises(DataError, match="row 1: lacks a case"):
        judgments_of([row, FOUR[0]])
    with pytest.raises(DataError, match="row 0: lacks an item"):
        judgments_of([ItemPrediction(1, 1, 1, case=1), row])


def test_an_older_run_file_read_by_hand_and_by_the_reader_agree(tmp_path: Path) -> None:
    """Three items, one of them abstained, ranked by how much evidence there was."""
    record = {
        "participant_id": 300,
        "success": True,
        "predicted_items": {"NoInterest": 2, "Depressed": None, "Sleep": 1},
        "ground_truth_items": {"NoInterest": 2, "Depressed": 1, "Sleep": 2},
        "evidence_counts": {"NoInterest": 3, "Depressed": 0, "Sleep": 1},
    }
    path = tmp_path / "output.json"
    path.write_text(json.dumps({"experiments": [{"results": {"results": [record]}}]}))

    found = json.loads(path.read_text())["experiments"][0]["results"]["results"][0]
    by_hand = [
        ItemPrediction(
            score=found["predicted_items"][item],
            ground_truth=found["ground_truth_items"][item],
            confidence=found["evidence_counts"][item],
        )
        for item in found["predicted_items"]
    ]
    assert compute_aurc(by_hand) == pytest.approx((0 + (0 + 0.5) / 2) / 3)
    assert compute_risk_at_coverage(by_hand, target_coverage=0.5) == 0.5

    table = read_run(path)
    evidence = table.signals["llm_evidence_count"].values
    by_reader = [
        ItemPrediction(None if p < 0 else int(p), int(t), c)
        for p, t, c in zip(table.prediction, table.truth, evidence, strict=True)
    ]
    assert compute_aurc(by_reader) == compute_aurc(by_hand)


def test_every_function_of_the_door_tells_what_it_computes() -> None:
    functions = [getattr(door, name) for name in dir(door) if name.startswith("compute_")]
    assert len(functions) >= 12
    assert all(function.__doc__ for function in functions)
    assert repr(compute_eaurc) == f"<compute_eaurc: {METRICS['eaurc'].about}>"
    assert {function.__name__ for function in functions} == {
        name for name in door.__all__ if name.startswith("compute_")
    }


def test_a_list_of_rows_is_evaluated_as_it_is() -> None:
    evaluation = acumen.evaluate(FOUR, loss="abs", resamples=0)
    numbers = evaluation.document.confidence_variants["confidence"]
    assert numbers.aurc_full == compute_aurc(FOUR)
    assert numbers.augrc_full == compute_augrc(FOUR)


def test_a_nan_of_pandas_records_is_refused_with_how_an_abstention_is_written() -> None:
    nan = {"score": float("nan"), "ground_truth": 1, "confidence": 0.5}
    with pytest.raises(DataError) as refused:
        compute_aurc([nan])
    assert str(refused.value) == (
        "row 0: score must be a whole number, or None for an abstention, not nan"
    )
