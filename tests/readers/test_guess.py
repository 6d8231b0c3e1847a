"""Roles are guessed by names before content, and a column that knows the truth is no confidence."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.readers.guess import (
    Column,
    confidences_in,
    guess_columns,
    raters_in,
    stray_codes,
)


def columns(**values: list[Any]) -> list[Column]:
    return [Column(path, cells) for path, cells in values.items()]


def roles(*listed: Column, **named: str) -> dict[str, str]:
    return {role: guess.column.path for role, guess in guess_columns(listed, named).items()}


CASES = [f"p{k}" for k in range(8)]
HUMAN = [1, 2, 3, 4, 1, 2, 3, 4]
MODEL = [1, 2, 3, None, 1, 2, None, 3]
SURE = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


def test_a_judge_that_abstains_is_not_the_human() -> None:
    """The fuller column is the truth only where no name says otherwise."""
    named = columns(case=CASES, judge_stars=HUMAN, human_stars=MODEL)
    assert roles(*named)["truth"] == "human_stars"
    unnamed = columns(case=CASES, KI=MODEL, Mensch=HUMAN)
    assert roles(*unnamed) == {"case": "case", "truth": "Mensch", "prediction": "KI"}


def test_of_two_scores_the_one_that_says_whose_it_is_is_the_prediction() -> None:
    found = roles(*columns(document=CASES, score=HUMAN, ai_score=MODEL))
    assert (found["truth"], found["prediction"]) == ("score", "ai_score")


HALF_RIGHT = [1, 2, 3, 4, 2, 3, 4, 1]


@pytest.mark.parametrize(
    "derived",
    [
        [float(t == p) for t, p in zip(HUMAN, HALF_RIGHT, strict=True)],
        [float(t != p) for t, p in zip(HUMAN, HALF_RIGHT, strict=True)],
        [float(abs(t - p)) for t, p in zip(HUMAN, HALF_RIGHT, strict=True)],
    ],
)
def test_a_column_made_of_the_truth_is_never_a_confidence(derived: list[float]) -> None:
    listed = columns(case=CASES, truth=HUMAN, pred=HALF_RIGHT, conf=derived)
    assert "confidence" not in roles(*listed)
    assert roles(*listed[:3], Column("conf", SURE))["confidence"] == "conf"


@pytest.mark.parametrize("name", ["correct", "abs_err", "is_correct", "exact_match", "loss"])
def test_a_name_that_says_it_was_held_against_the_truth_is_none_either(name: str) -> None:
    listed = [*columns(case=CASES, truth=HUMAN, pred=MODEL), Column(name, SURE)]
    assert "confidence" not in roles(*listed)
    assert confidences_in([Column(name, SURE * 2)], {}) == []


def test_what_tells_rows_of_a_case_apart_is_an_item_a_draw_a_rater_or_a_system() -> None:
    case = ["a"] * 4 + ["b"] * 4
    listed = columns(
        case=case, topic=["x", "x", "y", "y"] * 2, run=[0, 1] * 4, gt=HUMAN, pred=HUMAN
    )
    for found in (roles(*listed), roles(*listed, item="topic")):
        assert (found["item"], found["repeat"]) == ("topic", "run")


def test_columns_that_differ_by_a_number_alone_are_several_raters() -> None:
    listed = columns(pid=CASES, rater_1=HUMAN, rater_2=MODEL, ai=HUMAN)
    assert raters_in(listed, guess_columns(listed, {})) == "rater_1,rater_2"
    assert raters_in(listed, guess_columns(listed, {"truth": "rater_1"})) == ""


def test_a_negative_number_that_only_the_prediction_has_is_a_code() -> None:
    listed = columns(case=CASES, truth=HUMAN, pred=[-1, *HUMAN[1:]])
    assert stray_codes(guess_columns(listed, {})) == ["-1"]
    below = columns(case=CASES, truth=[-1, *HUMAN[1:]], pred=[-1, *HUMAN[1:]])
    assert stray_codes(guess_columns(below, {})) == []
