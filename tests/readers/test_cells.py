"""Columns of text and of numbers, value by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.readers.cells import (
    any_number,
    gathered,
    levels_of,
    mangled_ids,
    numbers_of,
    plain_column,
    taken,
)
from acumen.readers.patterns import checked_pattern, search
from acumen.table.coded import Coded
from acumen.table.judgments import SignalState


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", " 2.0 ", "", "x"], [1, 2.0, None, "x"]),
        (["1,5", "2"], [1.5, 2]),
        (["1,5", "2.5"], ["1,5", 2.5]),  # two marks: no comma is decimal
        (["1,5", "a,b"], [1.5, "a,b"]),
        (["1", "2"], [1, 2]),
    ],
)
def test_levels_of_text_are_numbers_where_they_look_like_it(
    cells: list[str], values: list[Any]
) -> None:
    column = levels_of(cells, is_text=True)
    said = [None if code < 0 else column.values[code] for code in column.codes.tolist()]
    assert said == values
    as_is = levels_of(cells, is_text=False)
    assert [as_is.values[code] for code in as_is.codes.tolist()] == cells


@pytest.mark.parametrize(
    ("cells", "has_number"),
    [(["1", "x"], True), (["x"], False), (["n/a", "x"], False), (["n/a", ""], True), ([], True)],
)
def test_a_column_of_numbers_has_one_or_says_that_there_is_none(
    cells: list[str], has_number: bool
) -> None:
    assert any_number(cells) is has_number


@pytest.mark.parametrize(
    ("column", "is_text", "values", "states"),
    [
        ([1, 2.5], False, [1, 2.5], "NN"),
        (["1", "n/a", "high"], True, [1], "N0?"),
        (["0,5", ""], True, [0.5], "N0"),
        ([True, 1], False, [1], "?N"),
        ([None, 1], False, [1], "0N"),
    ],
)
def test_numbers_and_what_is_none(
    column: list[Any], is_text: bool, values: list[float], states: str
) -> None:
    signal = numbers_of(column, is_text=is_text)
    letters = {SignalState.NUMBER: "N", SignalState.NULL: "0", SignalState.OTHER: "?"}
    assert "".join(letters[SignalState(s)] for s in signal.state.tolist()) == states
    is_number = signal.state == SignalState.NUMBER
    assert signal.values[is_number].tolist() == values


def test_parts_of_columns_are_put_together_in_their_order() -> None:
    coded = [Coded.of(["a", "b", "a"]), Coded.of(["c", "a"])]
    parts = [
        {"n": np.array([1, 2, 3]), "c": coded[0], "l": [1, None, "x"]},
        {"n": np.array([4, 5]), "c": coded[1], "l": [{}, 2]},
    ]
    whole = gathered(parts, 5)
    assert whole["n"].tolist() == [1, 2, 3, 4, 5]
    assert whole["l"] == [1, None, "x", {}, 2]
    assert whole["c"].values == ("a", "b", "c")
    assert whole["c"].codes.tolist() == [0, 1, 0, 2, 0]
    assert gathered(parts[:1], 5)["n"].tolist() == [1, 2, 3]  # fewer than were expected
    alone = gathered([parts[0]], 3)
    assert alone["c"] is coded[0]
    rows = np.array([2, 0])
    assert taken([7, 8, 9], rows) == [9, 7]
    assert taken(coded[0], rows).codes.tolist() == [0, 0]
    assert taken(np.array([7, 8, 9]), rows).tolist() == [9, 7]


def test_five_ids_that_a_spreadsheet_rewrote_are_named() -> None:
    ids = [f"{k}E+11" for k in range(1, 8)]
    (warning,) = mangled_ids(Coded.of([*ids, "a+b"]))
    assert warning.endswith("by a spreadsheet: 1E+11, 2E+11, 3E+11, 4E+11, 5E+11")
    assert mangled_ids(Coded.of(["a+b", "c"])) == []


def test_what_is_no_column_is_refused() -> None:
    for column, message in (
        ("text", "truth must be a column, not the text 'text'"),
        (7, "truth must be a column, not 7"),
        (np.zeros((2, 2)), "truth must be one column, not an array of 2 axes"),
    ):
        with pytest.raises(DataError, match=message):
            plain_column(column, "truth")
    assert plain_column(iter([1, 2]), "truth") == [1, 2]
    assert plain_column(np.array([1, "a"], object), "truth") == [1, "a"]


@pytest.mark.parametrize(
    ("pattern", "is_sound"),
    [
        ("a" * 500, True),
        ("a" * 501, False),
        ("a{0,99}", True),  # 100 tries a place
        ("a{0,100}", False),
        ("(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)", True),  # 64
        ("(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)", True),  # as Python reads it, sets
        ("(aa|bb){6}", True),
        ("(aa|bb){7}", False),  # 128
        ("a{2,500}", False),
        ("a{7}", True),
        ("a+b+", True),
        ("a+a+", False),
        ("a+ba+", True),
        ("a+b?a+", False),
        ("a+|a+", True),
        ("(a+)?a+", False),
        ("(ab)+", False),
        ("(a+b){2}", False),
        ("(a+b){1}", True),
    ],
)
def test_a_pattern_is_let_in_while_its_time_has_a_bound(pattern: str, is_sound: bool) -> None:
    if is_sound:
        checked_pattern(pattern)
    else:
        with pytest.raises(ValueError, match=r"time|tries|longer|one character"):
            checked_pattern(pattern)


def test_a_text_is_searched_up_to_its_longest() -> None:
    pattern = checked_pattern("a$")
    assert search(pattern, "a" * 20_000) is not None
    assert search(pattern, "a" * 20_001) is None
