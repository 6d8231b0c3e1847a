"""The table in the middle: what it holds, what it refuses, what it never changes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.readers.columns import from_columns
from acumen.table.coded import check_ids, factorize
from acumen.table.judgments import (
    NO_PREDICTION,
    FailedCase,
    Judgments,
    Outcome,
    Signal,
    SignalState,
)
from acumen.table.scale import Scale


def small_study(**changes: object) -> Judgments:
    """Three cases, two items each; one abstention; the last case failed."""
    columns: dict = {
        "case": [20, 20, 3, 3, 100, 100],
        "item": ["Tired", "Sleep"] * 3,
        "truth": [0, 1, 2, 3, 1, 1],
        "prediction": [0, None, 3, 3, None, None],
        "outcome": ["answered", "abstained", "answered", "answered", "failed", "failed"],
        "confidence": [0.5, 0.1, 0.9, 0.7, 0.0, 0.0],
    }
    return from_columns(**(columns | changes))


def test_ranks_codes_and_outcomes_are_stored_apart() -> None:
    table = small_study()
    assert table.cases == (3, 20, 100)
    assert table.items == ("Sleep", "Tired")
    assert table.case.tolist() == [1, 1, 0, 0, 2, 2]
    assert table.item.tolist() == [1, 0] * 3
    assert table.prediction.tolist() == [0, NO_PREDICTION, 3, 3, NO_PREDICTION, NO_PREDICTION]
    assert table.outcome.tolist() == [0, 1, 0, 0, 2, 2]
    assert table.answered.tolist() == [True, False, True, True, False, False]
    assert table.failed == (FailedCase(100, "marked as failed"),)
    assert "3 answered, 1 abstained, 2 failed" in repr(table)


def test_no_column_can_be_written_to() -> None:
    table = small_study(weight=[1.0] * 6, risk_score=[0.5] * 6)
    signal = table.signals["confidence"]
    columns: list[Any] = [table.case, table.item, table.truth, table.prediction, table.outcome]
    for column in (*columns, table.weight, table.risk_score, signal.values, signal.state):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    with pytest.raises(AttributeError):
        table.truth = table.prediction  # type: ignore[misc]


def test_the_arrays_a_table_was_made_from_stay_the_callers() -> None:
    given = {
        "weight": np.ones(6),
        "risk_score": np.ones(6),
        "confidence": np.arange(6.0),
        "truth": np.array([0, 1, 2, 3, 1, 1], np.int16),
    }
    table = small_study(**given)
    for column in given.values():
        column[0] = 2
    assert table.weight is not None
    assert table.risk_score is not None
    assert table.weight[0] == table.risk_score[0] == 1.0
    assert table.signals["confidence"].values[0] == 0.0
    assert table.truth[0] == 0


def test_the_same_case_and_item_twice_is_refused_naming_both_rows() -> None:
    with pytest.raises(
        DataError, match="participant 3, item Sleep: duplicate: given twice, in rows 2 and 4"
    ):
        from_columns(
            case=[3, 3, 20, 3],
            item=["Tired", "Sleep", "Sleep", "Sleep"],
            truth=[0] * 4,
            prediction=[0] * 4,
        )


def test_duplicates_are_found_in_a_table_far_emptier_than_cases_times_items() -> None:
    n = 400
    items = [f"i{k}" for k in range(n)]
    with pytest.raises(DataError, match=f"case {n - 1}, item i{n - 1}: duplicate") as refused:
        from_columns(
            case=[*range(n), n - 1],
            item=[*items, items[-1]],
            truth=[0] * (n + 1),
            prediction=[0] * (n + 1),
            scale=Scale.numbered(0, 3),
        )
    assert [str(problem) for problem in refused.value.problems] == [
        f"case {n - 1}, item i{n - 1}: duplicate: given twice, in rows {n} and {n + 1}; "
        "is there a column that tells them apart (--repeat, --rater, --system)?"
    ]


def test_a_complete_study_is_asked_for_and_a_ragged_one_is_normal() -> None:
    columns: dict[str, Any] = {"case": [1, 1, 2], "item": ["a", "b", "a"], "truth": [0, 1, 1]}
    assert len(from_columns(**columns, prediction=[0, 1, 1])) == 3
    with pytest.raises(DataError, match="case 2, item b: is not there, though other cases have it"):
        from_columns(**columns, prediction=[0, 1, 1], complete=True)


def test_a_case_that_lacks_several_items_is_told_once_with_their_number() -> None:
    case, item = [1, 1, 1, 1, 2], ["a", "b", "c", "d", "a"]
    with pytest.raises(DataError, match=r"case 2, item b: .*, nor 2 more of the 4 items; "):
        from_columns(case=case, item=item, truth=[0, 1, 1, 0, 1], prediction=[0] * 5, complete=True)


def test_one_row_of_a_case_may_fail_and_the_others_stay() -> None:
    outcome = ["answered", "failed", "answered", "unscored", "failed", "failed"]
    table = small_study(outcome=outcome)
    assert table.failed == (FailedCase(100, "marked as failed"),)
    assert table.included.cases == (3, 20)
    assert len(table.included) == 2
    assert table.included.answered.all()


def test_a_case_whose_rows_are_all_left_out_is_out() -> None:
    outcome = ["unscored", "failed", "answered", "answered", "unscored", "unscored"]
    table = small_study(outcome=outcome)
    assert table.failed == ()
    assert table.included.cases == (3,)
    assert table.outcomes == {
        "answered": 2,
        "abstained": 0,
        "refused": 0,
        "unparseable": 0,
        "unscored": 3,
        "failed": 1,
        "no_truth": 0,
    }


def test_rows_of_a_case_listed_as_failed_are_in_no_metric() -> None:
    table = small_study(failed=[FailedCase(3, "timeout")])
    assert table.included.cases == (20,)


def test_a_failed_case_without_rows_is_only_counted() -> None:
    table = from_columns(
        case=[1], truth=[0], prediction=[0], scale="phq8", failed=[FailedCase(9, "timeout")]
    )
    assert len(table) == 1
    assert [f.case for f in table.failed] == [9]
    assert table.included.failed == ()


@pytest.mark.parametrize("weight", [-1.0, float("inf")])
def test_weights_are_finite_and_not_negative(weight: float) -> None:
    with pytest.raises(DataError, match=r"participant 20, item Sleep, weight: .* must be finite"):
        small_study(weight=[1.0, weight, 0.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_a_weight_whose_powers_are_no_numbers_is_refused(weight: float) -> None:
    with pytest.raises(DataError, match=r"weight: 1e.300 must be 0, or between 1e-50 and 1e\+50"):
        small_study(weight=[1.0, weight, 0.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("factor", [1e-48, 1e48])
def test_scaling_weights_as_far_as_they_go_changes_no_number(factor: float) -> None:
    columns: dict[str, Any] = {
        "case": [1, 2, 3, 4],
        "truth": [0, 1, 2, 3],
        "prediction": [1, 1, 0, None],
    }
    weight = np.array([1.0, 2.0, 3.0, 4.0])
    a, b = (
        acumen.evaluate(
            from_columns(**columns, confidence=[0.9, 0.8, 0.3, 0], weight=w), resamples=0
        ).document.confidence_variants["confidence"]
        for w in (weight, weight * factor)
    )
    for name in ("cmax", "aurc_full", "augrc_full", "augrc_optimal", "aurc_achievable"):
        assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-12)


def test_a_table_whose_weights_are_all_zero_is_undefined_with_the_reason() -> None:
    cases = range(12)
    table = from_columns(
        case=cases,
        truth=[0, 1] * 6,
        prediction=[1, 2] * 6,
        confidence=[c / 12 for c in cases],
        weight=[0.0] * 12,
    )
    variant = acumen.evaluate(table, resamples=50).document.confidence_variants["confidence"]
    assert variant.metrics["aurc"].value is None
    assert variant.metrics["aurc"].reason == "no row has weight"


@pytest.mark.parametrize("weight", [float("nan"), None])
def test_a_weight_is_never_missing(weight: float | None) -> None:
    with pytest.raises(DataError, match="participant 20, item Sleep, weight: is missing"):
        small_study(weight=[1.0, weight, 0.0, 1.0, 1.0, 1.0])


def test_a_weight_of_text_is_refused_by_its_row() -> None:
    with pytest.raises(DataError, match="item Sleep, weight: must be a number, not the text 'a'"):
        small_study(weight=[1.0, "a", 0.0, 1.0, 1.0, 1.0])


def test_a_weight_of_zero_is_a_weight() -> None:
    weight = small_study(weight=[0, 1, 2, 3, 4, 5]).weight
    assert weight is not None
    assert weight.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("column", ["truth", "outcome", "weight", "risk_score", "confidence"])
def test_a_column_of_another_length_is_refused(column: str) -> None:
    whole: dict[str, Any] = {
        "truth": [0, 1, 2, 3, 1, 1],
        "outcome": ["answered"] * 6,
        "weight": [1.0] * 6,
        "risk_score": [1.0] * 6,
        "confidence": [0.5] * 6,
    }
    for length in (5, 7):
        cut = (whole[column] * 2)[:length]
        with pytest.raises(DataError, match=f"columns differ in length: .*{column} {length}"):
            small_study(**{column: cut})


def test_a_number_and_its_text_are_two_ids_and_both_in_one_table_are_refused() -> None:
    with pytest.raises(DataError, match="participant 101: is there twice, as a number and as text"):
        from_columns(case=[101, "101"], truth=[0, 0], prediction=[0, 0], scale="phq8")
    assert from_columns(case=["0101", "101"], truth=[0, 1], prediction=[0, 0]).cases == (
        "0101",
        "101",
    )


@pytest.mark.parametrize("case", [True, 1.0, None, "", float("nan"), [1]])
def test_what_is_no_id_is_refused(case: object) -> None:
    with pytest.raises(DataError, match="case: must be a whole number or a text"):
        from_columns(case=[7, case], truth=[0, 1], prediction=[0, 0])


def test_ids_that_hide_what_they_are_are_warned_of() -> None:
    problems, warnings = check_ids(["ann", "ann\u200b", "\u202ebob"], "case")
    assert problems == []
    assert warnings == ["ids with invisible or bidi characters: 'ann\\u200b', '\\u202ebob'"]
    assert check_ids(["ann", "ann ", 7], "case") == ([], ["ids with blanks at an end: 'ann '"])


def test_several_rows_of_a_case_without_items_are_refused_with_what_is_lacking() -> None:
    with pytest.raises(DataError) as refused:
        from_columns(case=[7, 8, 7], truth=[0, 0, 1], prediction=[0, 0, 1])
    assert str(refused.value) == (
        "case 7: duplicate: given twice, in rows 1 and 3; "
        "is there a column that tells them apart (--item, --repeat, --rater, --system)?"
    )


def test_cases_stand_in_an_order_that_rows_do_not_change() -> None:
    ids = ["b", 10, "a", 9, "b", 2]
    cases, codes = factorize(ids)
    assert cases == (2, 9, 10, "a", "b")
    assert [cases[c] for c in codes] == ids
    shuffled, _ = factorize(ids[::-1])
    assert shuffled == cases
    for dtype in (np.int8, np.uint64, object):
        values, _ = factorize(np.array([10, 9, 2], dtype))
        assert values == (2, 9, 10)
        assert all(type(v) is int for v in values)


def test_the_included_cases_are_those_that_did_not_fail() -> None:
    kept = small_study().included
    assert kept.cases == (3, 20)
    assert kept.failed == ()
    assert kept.truth.tolist() == [0, 1, 2, 3]
    assert kept.signals["confidence"].values.tolist() == [0.5, 0.1, 0.9, 0.7]
    assert kept.included is kept


def test_some_cases_come_in_the_order_asked_for_and_bring_all_their_columns() -> None:
    table = small_study(weight=[1, 2, 3, 4, 5, 6], risk_score=[6, 5, 4, 3, 2, 1])
    chosen = table.of_cases([100, 3])
    assert chosen.cases == (100, 3)
    assert [chosen.cases[c] for c in chosen.case] == [3, 3, 100, 100]
    assert chosen.weight is not None
    assert chosen.risk_score is not None
    assert chosen.weight.tolist() == [3, 4, 5, 6]
    assert chosen.risk_score.tolist() == [4, 3, 2, 1]
    assert [f.case for f in chosen.failed] == [100]


def test_an_unknown_or_repeated_case_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="no participant 4 in the table"):
        small_study().of_cases([3, 4])
    with pytest.raises(UsageError, match="twice"):
        small_study().of_cases([3, 3])


def test_a_signal_tells_a_number_from_null_from_no_key_from_something_else() -> None:
    absent = object()
    values = [0.5, None, absent, "0.5", True, 10**400, -(10**400), 3, math.nan]
    signal = Signal.of_objects(values, absent)
    states = [SignalState(s).name for s in signal.state]
    assert states == ["NUMBER", "NULL", "ABSENT", "OTHER", "OTHER", *["NUMBER"] * 4]
    assert dict(signal.other) == {3: "0.5", 4: True}
    assert signal.values[[0, 5, 6, 7]].tolist() == [0.5, np.inf, -np.inf, 3.0]
    assert np.isnan(signal.values[[1, 2, 3, 4, 8]]).all()


def test_some_rows_of_a_signal_keep_what_came_instead_of_a_number() -> None:
    signal = Signal.of_objects([1, "a", 2, "b"], absent=object())
    taken = signal.take(np.array([3, 0]))
    assert dict(taken.other) == {0: "b"}
    assert taken.state.tolist() == [SignalState.OTHER, SignalState.NUMBER]


def test_a_null_of_a_numeric_signal_is_null_and_not_the_number_under_it() -> None:
    given = np.array([1.0, 7.0])
    signal = Signal.of_numbers(given, np.array([False, True]))
    assert signal.state.tolist() == [SignalState.NUMBER, SignalState.NULL]
    assert np.isnan(signal.values[1])
    assert given[1] == 7.0


@pytest.mark.parametrize(
    ("outcome", "prediction", "said"),
    [
        ("answered", None, "answered, but there is no prediction"),
        ("skipped", 2, "the text 'skipped' is not one of answered, abstained, failed, refused"),
    ],
)
def test_a_stated_outcome_must_agree_with_the_prediction(
    outcome: str, prediction: int | None, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        from_columns(case=[1], truth=[0], prediction=[prediction], outcome=[outcome], scale="0-3")


def test_a_stated_outcome_wins_and_what_is_not_looked_at_is_told() -> None:
    table = from_columns(
        case=[1, 2, 3, 4],
        truth=[0, 1, 2, 2],
        prediction=[2, "ERROR", "no!", None],
        outcome=["abstained", "failed", "refused", None],
    )
    outcomes = [Outcome.ABSTAINED, Outcome.FAILED, Outcome.REFUSED, Outcome.ABSTAINED]
    assert table.outcome.tolist() == outcomes
    assert (table.prediction == NO_PREDICTION).all()
    assert table.warnings == (
        "outcome: 1 row stated as abstained have a prediction, which is not looked at",
    )


def test_rows_without_truth_are_left_out_and_counted_unless_that_is_refused() -> None:
    columns: dict[str, Any] = {
        "case": [1, 2, 3, 4],
        "truth": [0, None, 3, ""],
        "prediction": [0, 0, 3, 1],
    }
    table = from_columns(**columns)
    assert (table.cases, table.no_truth, table.outcomes["answered"]) == ((1, 3), 2, 2)
    with pytest.raises(DataError, match="case 2, truth: has no truth, as 2 rows in all"):
        from_columns(**columns, strict=True)


def test_a_study_without_truth_has_outcomes_and_nothing_to_score() -> None:
    for truth in (None, [None, None, None]):
        table = from_columns(case=[1, 2, 3], truth=truth, prediction=[1, 5, None])
        assert not table.has_truth
        assert table.scale.levels == (1, 2, 3, 4, 5)
        assert (table.outcomes["answered"], table.outcomes["abstained"]) == (2, 1)
        with pytest.raises(DataError, match="there is no truth in it"):
            _ = table.scored


def test_no_rows_are_no_table() -> None:
    with pytest.raises(DataError, match="there are no rows in it"):
        from_columns(case=[], truth=[], prediction=[])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, object])
def test_every_kind_of_array_gives_the_same_ranks(dtype: Any) -> None:
    levels = np.array([1, 5, 3], dtype)
    table = from_columns(
        case=[1, 2, 3], truth=levels, prediction=levels, scale=Scale.numbered(-2, 5)
    )
    assert table.truth.tolist() == table.prediction.tolist() == [3, 7, 5]


def test_narrow_integers_do_not_wrap_on_a_wide_scale() -> None:
    level = np.array([100], np.int8)
    table = from_columns(case=[1], truth=level, prediction=level, scale=Scale.numbered(-100, 120))
    assert table.truth.tolist() == [200]


@pytest.mark.parametrize("column", [[0, 4], np.array([0, 4]), np.array([0.0, 4.0])])
def test_out_of_range_is_refused_and_never_clamped(column: Any) -> None:
    with pytest.raises(DataError, match=r"participant 2, prediction: 4(\.0)? is outside 0\.\.3"):
        from_columns(case=[1, 2], truth=[0, 0], prediction=column, scale="phq8")


def test_the_six_outcomes_are_six_numbers() -> None:
    assert [o.value for o in Outcome] == [0, 1, 2, 3, 4, 5]


def test_a_row_that_failed_counts_as_failed_with_or_without_truth() -> None:
    table = from_columns(
        case=["a", "b", "c", "d"],
        truth=[None, 1, None, 2],
        prediction=[None, 1, 2, None],
        outcome=["failed", "answered", "answered", "failed"],
        scale=[0, 1, 2],
    )
    assert (table.outcomes["failed"], table.outcomes["no_truth"]) == (2, 1)
    assert table.has_truth
    assert list(table.included.cases) == ["b"]


@pytest.mark.parametrize(("twice", "problems"), [(1000, 1000), (1001, 1)])
def test_very_many_rows_given_twice_are_told_in_one_line(twice: int, problems: int) -> None:
    cases = [*range(twice), *range(twice)]
    with pytest.raises(DataError) as error:
        from_columns(case=cases, truth=[0, 1] * twice, prediction=[1, 1] * twice)
    assert len(error.value.problems) == problems
    assert sum(problem.rows for problem in error.value.problems) == twice


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (math.nan, "is missing"),
        (-1.0, "-1 must be finite and not negative"),
        (-math.inf, "-inf must be finite and not negative"),
        (math.inf, "inf must be finite and not negative"),
        (9e-51, "9e-51 must be 0, or between 1e-50 and 1e+50"),
        (2e50, "2e+50 must be 0, or between 1e-50 and 1e+50"),
    ],
)
def test_what_is_wrong_with_a_weight_is_said_in_its_own_words(weight: float, message: str) -> None:
    with pytest.raises(DataError) as refused:
        small_study(weight=[1.0, weight, 1e-50, 1e50, 0.0, 1.0])
    (problem,) = refused.value.problems
    assert (problem.message, problem.case, problem.item, problem.field) == (
        *(message, 20, "Sleep", "weight"),
    )


def test_a_group_or_a_system_that_is_not_there_is_refused_by_name() -> None:
    table = small_study(groups={"sex": ["f", "f", "m", "m", "m", "m"]}, system=["a", "b"] * 3)
    assert table.where(sex="m").cases == (3, 100)
    assert [failure.case for failure in table.where(sex="m").failed] == [100]
    assert table.where(sex="f").failed == ()
    assert table.of_system("b").item.tolist() == [0, 0, 0]
    for call, message in (
        (lambda: table.where(age="old"), "no column of groups age in the table"),
        (lambda: table.where(sex="x"), "no group x in sex in the table"),
        (lambda: table.of_system("c"), "no system c in the table"),
        (lambda: small_study().of_system("a"), "no system a in the table"),
    ):
        with pytest.raises(UsageError, match=message):
            call()


def test_an_inferred_scale_gives_way_to_one_that_has_its_levels() -> None:
    table = replace(
        from_columns(case=[1, 2, 3], truth=[1, 3, 3], prediction=[3, None, 1], scale=[1, 3]),
        scale=Scale.of([1, 3], inferred=True),
        truth_rank=np.array([0.5, 1.0, 0.25]),
    )
    wide = table.on_scale(Scale.numbered(0, 4))
    assert wide.truth.tolist() == [1, 3, 3]
    assert wide.prediction.tolist() == [3, NO_PREDICTION, 1]
    assert wide.truth_rank is not None
    assert wide.truth_rank.tolist() == [2.0, 3.0, 1.5]  # halfway, at the top, a quarter of the way
    for scale in (Scale.numbered(0, 2), Scale.numbered(1, 2)):
        with pytest.raises(UsageError, match="leave the scale out"):
            table.on_scale(scale)
    with pytest.raises(UsageError, match=r"the table is on the scale .* not on"):
        replace(table, scale=Scale.of([1, 3])).on_scale(Scale.numbered(0, 4))


def test_answers_are_left_open_and_what_is_none_stays() -> None:
    table = small_study()
    left = table.leave_open(np.array([True, True, False, False, True, False]))
    assert left.prediction.tolist() == [-1, -1, 3, 3, -1, -1]
    assert left.outcome.tolist() == [1, 1, 0, 0, 2, 2]
