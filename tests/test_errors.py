"""What an error says, and how safely."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import (
    AcumenError,
    DataError,
    Problem,
    UsageError,
    label,
    printable,
    source_name,
    what_came,
)


def test_each_kind_of_error_has_its_exit_code_and_is_a_value_error() -> None:
    assert (UsageError("x").exit_code, DataError(["x"]).exit_code) == (2, 3)
    assert isinstance(UsageError("x"), AcumenError)
    assert isinstance(DataError(["x"]), ValueError)


def test_a_problem_tells_its_place_from_the_outside_in() -> None:
    problem = Problem(
        "4 is outside 0..3",
        case=102,
        item="Sleep",
        field="predicted_items",
        line=7,
        column=3,
        noun="participant",
    )
    assert str(problem) == (
        "line 7, column 3, participant 102, item Sleep, predicted_items: 4 is outside 0..3"
    )
    assert str(Problem("is empty")) == "is empty"
    assert str(Problem("x", line=2)) == "line 2: x"


def test_case_zero_is_a_case_and_is_named() -> None:
    assert str(Problem("x", case=0)) == "case 0: x"


def test_all_problems_are_kept_twenty_are_shown_and_the_rest_is_counted() -> None:
    error = DataError([Problem(f"number {i}") for i in range(27)], source="run.json")
    lines = str(error).splitlines()
    assert len(error.problems) == 27
    assert lines[0] == "run.json: number 0"
    assert lines[19] == "run.json: number 19"
    assert lines[20:] == ["run.json: and 7 more problems"]


def test_exactly_twenty_problems_need_no_count_and_the_twenty_first_is_one_problem() -> None:
    assert len(str(DataError(["x"] * 20)).splitlines()) == 20
    assert str(DataError(["x"] * 21)).splitlines()[-1] == "and 1 more problem"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日本 – ×", "plain é 日本 – ×"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\nb\r\t", "a\\nb\\r\\t"),
        ("a\u200bb\u202ec", "a\\u200bb\\u202ec"),
        ("a\u2028b", "a\\u2028b"),
        ("\ud800", "\\ud800"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_before_it_is_escaped_and_its_length_is_told() -> None:
    assert printable("x" * 1_000_000) == "x" * 40 + "… (1000000 characters)"
    assert printable("\x1b" * 41, limit=2) == "\\x1b\\x1b… (41 characters)"


def test_a_label_is_quoted_only_where_blanks_or_escapes_would_mislead() -> None:
    assert label("Sleep") == "Sleep"
    assert label(" Sleep") == "' Sleep'"
    assert label("") == "''"
    assert label("a\u200b") == "'a\\u200b'"
    assert label(101) == "101"


def test_what_came_tells_the_kind_so_that_2_and_its_text_are_not_confused() -> None:
    assert what_came(2) == "2"
    assert what_came("2") == "the text '2'"
    assert what_came(False) == "the boolean false"
    assert what_came({"a": 1}) == "an object"
    assert what_came((1,)) == "a list"
    assert "\x1b" not in what_came("\x1b[31m")


def test_a_source_is_named_without_its_folders() -> None:
    assert source_name("/secret/place/run.json") == "run.json"
    assert str(DataError(["x"], source="a\x1b.json")).startswith("a\\x1b.json: ")


def test_what_came_tells_numbers_of_numpy_and_never_fails() -> None:
    assert what_came(np.int8(3)) == "3"
    assert what_came(np.float32(0.5)) == "0.5"
    assert what_came(np.bool_(True)) == "the boolean true"
    assert what_came(np.longdouble(1.5)) == "the longdouble 1.5"
    assert what_came(np.array([1, 2])) == "the ndarray [1 2]"
    assert what_came(np.datetime64("2026-01-01")) == "the datetime64 2026-01-01"
