"""What an error says, and how safely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acumen.errors import (
    AcumenError,
    DataError,
    Problem,
    UsageError,
    counted,
    label,
    printable,
    refuse,
    source_name,
    what_came,
)


def test_each_kind_of_error_has_its_exit_code_and_is_a_value_error() -> None:
    assert (UsageError("x").exit_code, DataError(["x"]).exit_code) == (2, 3)
    assert AcumenError("x").exit_code == 1
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


def words(n: int) -> list[str]:
    """Messages that have nothing in common."""
    return [f"is {chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(n)]


def test_all_problems_are_kept_twenty_are_shown_and_the_rest_is_counted() -> None:
    error = DataError(words(27), source="run.json")
    lines = str(error).splitlines()
    assert len(error.problems) == 27
    assert lines[0] == "run.json: is aa"
    assert lines[19] == "run.json: is at"
    assert lines[20:] == ["run.json: and 7 more problems"]


def test_exactly_twenty_problems_need_no_count_and_the_twenty_first_is_one_problem() -> None:
    assert len(str(DataError(words(20))).splitlines()) == 20
    assert str(DataError(words(21))).splitlines()[-1] == "and 1 more problem"


def test_many_problems_of_one_cause_are_one_line_with_their_number_and_the_first_places() -> None:
    off = [
        Problem(f"{9 + i} is outside 0..3", case=i, item="Sleep", field="prediction", line=i + 2)
        for i in range(1000)
    ]
    off[0] = replace(off[0], message=f"{off[0].message}; these look like levels 0–9")
    error = DataError([*off, Problem("a truth is missing", line=7)], source="rows.csv")
    assert str(error).splitlines() == [
        "rows.csv: line 2, case 0, item Sleep, prediction: 9 is outside 0..3; these look like "
        "levels 0–9; and 999 more like it: line 3, line 4, line 5, …",
        "rows.csv: line 7: a truth is missing",
    ]
    assert len(error.problems) == 1001


def test_three_problems_of_one_cause_are_told_one_by_one() -> None:
    three = [Problem("is missing", case=i) for i in range(3)]
    assert len(str(DataError(three)).splitlines()) == 3
    four = str(DataError([*three, Problem("is missing", case=3)]))
    assert four == "case 0: is missing; and 3 more like it: case 1, case 2, case 3, …"


def test_a_problem_that_many_rows_have_is_counted_by_rows() -> None:
    problem = Problem("6 is outside 1..5; add --levels 1-10", line=3, rows=100)
    assert str(problem) == "line 3: 6 is outside 1..5 (and in 99 more rows); add --levels 1-10"
    others = [Problem(f"{n} is outside 1..5", line=n, rows=100) for n in (7, 8, 9)]
    assert str(DataError([problem, *others])) == (
        "line 3: 6 is outside 1..5; add --levels 1-10; "
        "and 399 more like it: line 7, line 8, line 9, …"
    )


def test_the_same_message_about_two_fields_is_two_causes() -> None:
    problems = [Problem("is missing", case=i, field=f) for i in range(9) for f in ("truth", "item")]
    assert len(str(DataError(problems)).splitlines()) == 2


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


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        (Problem("x", line=2, column=3, case=4, field="cases[5]"), "line 2"),
        (Problem("x", case=0, noun="participant", field="cases[5]"), "participant 0"),
        (Problem("x", field="cases[5]"), "cases[5]"),
        (Problem("x", field="cases"), ""),
        (Problem("x", item="Sleep"), ""),
    ],
)
def test_a_place_in_short_is_the_outermost_that_is_known(problem: Problem, place: str) -> None:
    assert problem.place == place


def test_places_that_nobody_knows_are_left_out_of_the_line_for_many() -> None:
    alike = [Problem("is missing", field="truth") for _ in range(4)]
    assert str(DataError(alike)) == "truth: is missing; and 3 more like it"


def test_problems_of_two_rows_have_one_more_row() -> None:
    assert str(Problem("is bad", rows=2)) == "is bad (and in 1 more row)"
    assert str(Problem("is bad", rows=1)) == "is bad"


def test_no_problem_is_no_error() -> None:
    refuse([])
    with pytest.raises(DataError, match=r"^f\.csv: is bad$"):
        refuse(["is bad"], "f.csv")


def test_a_source_may_be_long_and_a_value_may_not() -> None:
    assert str(DataError(["x"], source="s" * 400)) == "s" * 400 + ": x"
    assert str(DataError(["x"], source="s" * 401)).endswith("s… (401 characters): x")
    assert printable("x" * 40) == "x" * 40
    assert what_came("y" * 41) == f"the text '{'y' * 40}… (41 characters)'"
    shown = what_came(np.arange(40))
    assert shown.startswith("the ndarray [")
    assert shown.index("…") == 60
    assert what_came(b"z" * 70).index("…") == 60
    assert (counted(2, "row"), counted(1, "row")) == ("2 rows", "1 row")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200db", "a\\u200db"),  # joins nothing between plain letters
        ("é\u200dé", "é\u200dé"),
        ("é\u200db", "é\\u200db"),
        ("b\u200dé", "b\\u200dé"),
        ("é\u200bé", "é\\u200bé"),  # a blank that is not seen joins nothing anywhere
    ],
)
def test_a_joiner_is_shown_only_between_what_it_joins(text: str, shown: str) -> None:
    assert printable(text) == shown
