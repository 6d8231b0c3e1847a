"""Columns of text and of numbers, value by value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.readers.arrow import _kinds
from acumen.readers.cells import (
    any_number,
    gathered,
    levels_of,
    mangled_ids,
    numbers_of,
    plain_column,
    taken,
)
from acumen.readers.lm_eval import _choice, _reading
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


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["1", "2", "1", "2"], "int32"),
        (["1.5", "2.5", "3.5", "1"], "float64"),
        (["1.5", "2.5", "1.5", "2.5"], None),  # few and in no runs
        (["1.5", "2.5", "3.5", "n/a"], "float64"),
        (["1.5", "2.5", "3.5", "x"], None),
        (["a", "a", "b", "b"], "string"),
        (["a", "a", "b", "a"], None),  # changes as often as not
    ],
)
def test_the_kind_of_a_column_by_its_first_cells(column: list[str], kind: str | None) -> None:
    kinds = _kinds([f"{cell};z" for cell in column], ";", ["x", "y"])
    assert kinds.get("x") == kind
    assert kinds["y"] == "string"
    assert _kinds(["1;2", "1"], ";", ["x", "y"]) == {}


def choice_row(target: str, *logs: float, labels: str = "abc") -> dict[str, Any]:
    arguments = {f"gen_args_{k}": {"arg_1": f" {label}"} for k, label in enumerate(labels)}
    replies = [[str(log), "False"] for log in logs]
    return {"filtered_resps": replies, "arguments": arguments, "target": target}


def test_a_choice_by_its_log_probabilities() -> None:
    choice = _choice(choice_row("1", math.log(0.25), math.log(0.5), math.log(0.25)))
    assert (choice["label"], choice["by_index"], choice["by_text"]) == ("b", "b", None)
    assert (choice["max"], choice["margin"]) == (pytest.approx(0.5), pytest.approx(0.25))
    assert choice["entropy"] == pytest.approx(1.5 * math.log(2))
    assert choice["expected"] == pytest.approx(1.0)
    assert _choice(choice_row("c", -1, -2, -3))["by_text"] == "c"
    assert _choice(choice_row("3", -1, -2, -3))["by_index"] is None
    low = _choice(choice_row("0", -5000, -5001, -5001))
    assert low["max"] == pytest.approx(1 / (1 + 2 / math.e))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (choice_row("0", -1), "are missing or repeat"),
        (choice_row("0", -1, -2, labels="aa"), "are missing or repeat"),
        (choice_row("0", -1, -2, labels="a "), "are missing or repeat"),
        (choice_row("0", -math.inf, -math.inf), "every choice has the probability 0"),
        (choice_row("0", -1, math.inf), "where the log-probability of a choice is expected"),
        (choice_row("0", -1, math.nan), "where the log-probability of a choice is expected"),
    ],
)
def test_choices_that_cannot_be_read_say_why(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _choice(row)


@pytest.mark.parametrize(
    ("rows", "reading"),
    [
        ([("b", "c", "b", None)], None),  # either may be meant
        ([("b", "c", "b", 1.0)], "by_index"),
        ([("b", "c", "b", 0.0)], "by_text"),
        ([("b", "c", "b", 1.0), ("a", None, "a", None)], "by_index"),
        ([("a", "a", "b", None)], "by_index"),  # the two agree
        ([(None, "c", "b", None)], "by_text"),
        ([("b", "c", "b", 1.0), ("b", "c", "b", 0.0)], "refused"),
    ],
)
def test_targets_are_meant_as_every_line_has_it(rows: list[Any], reading: str | None) -> None:
    lines = [{} if acc is None else {"acc": acc} for *_, acc in rows]
    names = ("by_index", "by_text", "label")
    choices = [dict(zip(names, values, strict=True)) for *values, _ in rows]
    if reading == "refused":
        with pytest.raises(DataError, match="neither the index nor the text of a choice"):
            _reading(lines, choices, "samples.jsonl")
    else:
        assert _reading(lines, choices, "samples.jsonl") == reading
