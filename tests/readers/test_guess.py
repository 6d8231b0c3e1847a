"""Roles are guessed by names before content, and a column that knows the truth is no confidence."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.readers.guess import (
    Column,
    confidences_in,
    guess_columns,
    raters_in,
    shares_levels,
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
    assert raters_in(listed, guess_columns(listed, {})) == ["rater_1", "rater_2"]
    assert raters_in(listed, guess_columns(listed, {"truth": "rater_1"})) == []


def test_a_negative_number_that_only_the_prediction_has_is_a_code() -> None:
    listed = columns(case=CASES * 2, truth=HUMAN * 2, pred=[-1, *HUMAN[1:], *HUMAN])
    assert stray_codes(guess_columns(listed, {})) == ["-1"]
    often = columns(case=CASES, truth=HUMAN, pred=[-1, -1, *HUMAN[2:]])
    assert stray_codes(guess_columns(often, {})) == []  # what a tenth says may be a level
    below = columns(case=CASES, truth=[-1, *HUMAN[1:]], pred=[-1, *HUMAN[1:]])
    assert stray_codes(guess_columns(below, {})) == []


@pytest.mark.parametrize(
    ("values", "is_numeric", "has_levels"),
    [
        ([1, 2, None], True, True),
        ([], False, False),
        ([None], False, False),
        ([1, "a"], False, True),
        (list("abcdefghijk"), False, True),  # 11 words
        (list("abcdefghijkl"), False, False),
        (list(range(25)), True, True),
        (list(range(26)), True, False),
        (["a" * 40, "b"], False, True),
        (["a" * 41, "b"], False, False),
    ],
)
def test_what_a_column_could_be(values: list[Any], is_numeric: bool, has_levels: bool) -> None:
    column = Column("x", values)
    assert (column.is_numeric, column.has_levels) == (is_numeric, has_levels)
    assert column.missing == values.count(None)
    assert Column("x", values, gaps=9).missing == 9


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("aiScore", {"ai", "score"}),
        ("HTMLText2", {"html", "text", "2"}),
        ("model.raw_score", {"raw", "score"}),
        ("a.b.c", {"b", "c"}),
    ],
)
def test_the_words_of_a_name(path: str, words: set[str]) -> None:
    assert Column(path, []).words == words


@pytest.mark.parametrize(
    ("one", "other", "shares"),
    [
        ([1, 2], [1, 2, 3, 4], True),  # two of four
        ([1, 2], [1, 2, 3, 4, 5], False),
        ([1, 2, 3, 4, 5], [1, 2], False),
        ([1], [1], False),
        ([1, 2], [3, 4], False),
    ],
)
def test_half_of_the_levels_are_shared(one: list[int], other: list[int], shares: bool) -> None:
    assert shares_levels(Column("a", one), Column("b", other)) is shares


@pytest.mark.parametrize(
    ("values", "could_be"),
    [
        ([k / 13 for k in range(13)], True),
        ([k / 12 for k in range(12)], False),  # too few
        ([k / 12 for k in range(13)], True),  # up to 1
        ([k / 12 + 0.01 for k in range(13)], False),
        ([*range(88, 101)], True),
        ([*range(89, 102)], False),
        ([-0.01, *(k / 13 for k in range(13))], False),
        ([str(k) for k in range(13)], False),
    ],
)
def test_many_numbers_in_0_to_1_or_to_100_could_be_a_confidence(
    values: list[Any], could_be: bool
) -> None:
    assert confidences_in([Column("x", values)], {}) == (["x"] if could_be else [])


def test_the_fuller_of_two_alike_is_the_truth_and_the_first_that_names_cases_the_case() -> None:
    q, r, who = Column("q", MODEL), Column("r", HUMAN), Column("who", CASES)
    assert roles(q, r, who) == {"truth": "r", "prediction": "q", "case": "who"}
    number = Column("n", list(range(100, 108)))
    assert roles(q, r, number)["case"] == "n"
    assert roles(q, r, number, who)["case"] == "who"  # words name more than numbers do
    assert roles(who, q, r, truth="q") == {"truth": "q", "prediction": "r", "case": "who"}


def test_few_questions_asked_of_each_of_many_are_items() -> None:
    table = columns(
        note=[f"n{k // 2}" for k in range(16)],
        question=["pain", "sleep"] * 8,
        person=HUMAN * 2,
        rating=[*HUMAN, *MODEL],
    )
    found = roles(*table)
    assert (found["case"], found["item"]) == ("note", "question")
    assert roles(*table, case="question")["case"] == "question"
