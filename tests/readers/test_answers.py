"""What a value says: a level, no answer, nothing that can be read; and what is told of it."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers.columns import from_columns
from acumen.table.judgments import Judgments, Outcome
from acumen.table.scale import Scale


def rows(prediction: list[Any], truth: list[Any] | None = None, **options: Any) -> Judgments:
    """One case a row; the truth runs from 1 to 5 over and over."""
    truth = [1 + row % 5 for row in range(len(prediction))] if truth is None else truth
    return from_columns(case=range(len(prediction)), truth=truth, prediction=prediction, **options)


def outcomes(table: Judgments) -> list[str]:
    return [Outcome(o).name.lower() for o in table.outcome]


def test_common_words_for_no_answer_are_recognised_in_any_spelling_and_told() -> None:
    words = ["N/A", "n/a", "NA", "None", "nan", "NULL", "-", "Abstain", "I don’t know", ""]
    table = rows([1, 2, *words, None, float("nan")], scale="1-5")
    assert outcomes(table) == ["answered"] * 2 + ["abstained"] * 12
    (told,) = table.warnings
    assert told.startswith("prediction: read as no answer: 'N/A' (1 row), 'n/a' (1 row)")
    assert "''" not in told


def test_a_level_that_is_called_none_is_a_level() -> None:
    table = rows(["None", "mild", "n/a"], ["mild", "None", "mild"], scale=["None", "mild"])
    assert table.prediction.tolist() == [0, 1, -1]
    assert table.truth.tolist() == [1, 0, 1]


def test_a_declared_word_wins_over_a_level_and_a_number_may_be_one() -> None:
    table = rows([-1, "-1", " 0 ", 1, 0], [0, 1, 0, 1, 1], abstain=["-1"])
    assert table.scale.levels == (0, 1)
    assert outcomes(table) == ["abstained", "abstained", "answered", "answered", "answered"]
    assert table.warnings == ()


def test_on_a_declared_scale_what_is_no_level_is_unparseable_and_told() -> None:
    prediction = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6, "five-ish", "five-ish"]
    table = rows(prediction, scale="1-5")
    assert outcomes(table)[10:] == ["unparseable"] * 3
    assert table.warnings == (
        "prediction: no level can be read in 3 of 13 rows: 6 (1 row), 'five-ish' (2 rows)",
    )
    assert outcomes(rows(prediction, scale="1-5", unparseable="failed"))[10:] == ["failed"] * 3


def test_many_numbers_beside_a_declared_scale_mean_another_scale() -> None:
    with pytest.raises(DataError) as refused:
        rows([1, 2, 3, 4, 5] * 3, [0, 1, 2, 3, 3] * 3, scale="0-3")
    assert str(refused.value) == (
        "case 3, prediction: 4 is outside 0..3 (and in 2 more rows); these look like levels 0–5: "
        "add --levels 0-5 (scale= in Python)\n"
        "case 4, prediction: 5 is outside 0..3 (and in 2 more rows)"
    )


def test_on_any_other_scale_it_is_refused_with_the_option_to_copy() -> None:
    with pytest.raises(DataError) as refused:
        rows([1, 2, "no idea"])
    assert str(refused.value) == (
        "case 2, prediction: the text 'no idea' where a level 1..3 is expected; "
        "if it says that there is no answer: --abstain 'no idea'"
    )


def test_a_truth_beside_the_scale_is_always_refused() -> None:
    with pytest.raises(DataError, match=r"case 1, truth: 6 is outside 1\.\.5; these look like"):
        rows([1, 2, 3], [1, 6, 2], scale="1-5")


def test_many_different_mistakes_of_one_kind_are_one_line() -> None:
    with pytest.raises(DataError) as refused:
        rows([0.1 * k + 0.013 for k in range(50)], scale="1-5")
    (problem,) = refused.value.problems
    assert "are no levels of 1..5" in problem.message
    assert "(and in 49 more rows)" in str(problem)


@pytest.mark.parametrize(
    ("truth", "prediction", "levels"),
    [
        ([1, 5, 3], [2, 2, 2], (1, 2, 3, 4, 5)),
        ([0, 1, 1], [1, 0, 3], (0, 1, 2, 3)),
        ([1, 2.5, 3], [1, 2, 2], (1, 1.5, 2, 2.5, 3)),
        ([0, 0.25, 1], [0.75, 0, 0], (0, 0.25, 0.5, 0.75, 1)),
        (["1", "3", "2"], [" 2 ", "4.0", "N/A"], (1, 2, 3, 4)),
    ],
)
def test_levels_nobody_named_are_the_range_of_the_numbers(
    truth: list[Any], prediction: list[Any], levels: tuple[float, ...]
) -> None:
    table = rows(prediction, truth)
    assert table.scale.levels == levels
    assert table.scale.inferred
    assert not rows(prediction, truth, scale=levels).scale.inferred


def test_words_are_in_the_order_that_everybody_means_or_in_none() -> None:
    table = rows(["low", "high"], ["low", "medium"])
    assert (table.scale.levels, table.scale.inferred) == (("low", "medium", "high"), True)
    with pytest.raises(DataError) as refused:
        rows(["red", "green"], ["red", "blue"])
    assert str(refused.value) == (
        "the levels are 2 words, here by the alphabet (blue, red), and their order is not known: "
        "say it, lowest first: --levels LOWEST,…,HIGHEST (scale= in Python)"
    )


@pytest.mark.parametrize(
    ("levels", "said"),
    [([2, 2], "are 2: too few"), ([0.137, 2], "not evenly spaced"), ([0, 5000], "not evenly")],
)
def test_numbers_that_make_no_scale_are_refused(levels: list[float], said: str) -> None:
    with pytest.raises(DataError, match=said):
        rows(levels, levels)


def test_the_items_of_a_shipped_scale_name_it() -> None:
    columns: dict[str, Any] = {
        "case": [1, 2],
        "item": ["Sleep", "Tired"],
        "truth": [0, 1],
        "prediction": [1, 1],
    }
    assert from_columns(**columns).scale == Scale.named("phq8")
    columns["item"] = ["Sleep", "Pain"]
    assert from_columns(**columns).scale.levels == (0, 1)


def test_a_confidence_with_a_declared_range_is_a_probability() -> None:
    table = rows([1, 2], confidence=[25, 100], confidence_range=(0, 100))
    assert table.signals["confidence"].values.tolist() == [0.25, 1.0]
    with pytest.raises(DataError, match="case 1, confidence: 101 is outside the declared range"):
        rows([1, 2], confidence=[25, 101], confidence_range=(0, 100))
