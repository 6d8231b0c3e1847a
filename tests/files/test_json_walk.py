"""Where everything of a JSON text stands, and where its first fault does."""

from __future__ import annotations

import pytest

from acumen.files.json_walk import DEEPEST, first_fault, value_spans

EARLY = "the document ends too early: was its writer interrupted?"
INSIDE = "the document ends inside a text: was its writer interrupted?"
HALF = "text holds half of a surrogate pair (not valid Unicode)"


def test_the_span_of_every_value() -> None:
    text = ' {"a": [1, "x\\n"], "b": {}, "c": [ ], "d": -1.5e3 , "e": true} '
    spans = value_spans(text)
    texts = {path: text[start:end] for path, (start, end) in spans.items()}
    assert texts == {
        ("a", 0): "1",
        ("a", 1): '"x\\n"',
        ("a",): '[1, "x\\n"]',
        ("b",): "{}",
        ("c",): "[ ]",
        ("d",): "-1.5e3",
        ("e",): "true",
        (): text.strip(),
    }


@pytest.mark.parametrize(
    ("text", "offset", "message", "where"),
    [
        ("[1, 2]  x", 8, "trailing data after the document", ""),
        ("[1 2]", 3, "',' or ']' is expected, found '2'", "[0]"),
        ('{"a" 1}', 5, "':' is expected after a key, found '1'", "a"),
        ('{"a": 1 "b"}', 8, "',' or '}' is expected, found '\"'", "a"),
        ("{1: 2}", 1, "a key in double quotes is expected, found '1'", ""),
        ('{"a": 1,}', 8, "a key in double quotes is expected, found '}'", "a"),
        ("[,]", 1, "a value is expected, found ','", "[0]"),
        ("[1,]", 3, "a value is expected, found ']'", "[1]"),
        ("[1,", 3, EARLY, "[1]"),
        ("[", 1, EARLY, "[0]"),
        ('{"a":', 5, EARLY, "a"),
        ("", 0, EARLY, ""),
        ("[tru]", 1, "a value is expected, found 't'", "[0]"),
        ("[01]", 2, "',' or ']' is expected, found '1'", "[0]"),
        ("[-]", 1, "a value is expected, found '-'", "[0]"),
        ("[-Infinity]", 1, "-Infinity is not JSON: a number must be finite", "[0]"),
        ('["ab', 4, INSIDE, "[0]"),
        ('["a\\', 3, "invalid escape in a text", "[0]"),
        ('["a\\"', 5, INSIDE, "[0]"),
        ('["\\u00g0"]', 2, "invalid escape in a text", "[0]"),
        ('["a\\\\\n"]', 5, "control character \\n in a text", "[0]"),
        ('["\\ud800"]', 1, HALF, "[0]"),
        ('{"a": 1, "b": {"a": 1, "a": 2}}', 23, "duplicate key 'a'", "b.a"),
        ("[1e308, 1e309]", 8, "the number 1e309 is too large: it must be finite", "[1]"),
    ],
)
def test_the_first_fault_has_its_place(text: str, offset: int, message: str, where: str) -> None:
    fault = first_fault(text)
    assert fault is not None
    assert (fault.offset, fault.message, fault.where) == (offset, message, where)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"id": 7, "x": [{"y": NaN}]}', "x[0].y (id 7)"),
        ('{"id": 7, "x": [{"run_id": "b", "y": NaN}]}', "x[0].y (run_id b)"),
        ('{"x": NaN, "id": 7}', "x"),
        ('{"id": null, "x": NaN}', "x"),
        ('{"ids": 7, "x": NaN}', "x"),
        ('[{"id": 1}, {"id": 2, "x": NaN}]', "[1].x (id 2)"),
    ],
)
def test_the_nearest_id_before_a_fault_is_named(text: str, where: str) -> None:
    fault = first_fault(text)
    assert fault is not None
    assert fault.where == where


@pytest.mark.parametrize("size", [31, 32])
def test_a_path_of_more_than_160_letters_is_shown_by_its_ends(size: int) -> None:
    keys = ["a" * 31] * 4 + ["b" * size]
    fault = first_fault("".join(f'{{"{key}": ' for key in keys) + "NaN")
    short = f"{'a' * 31}.{'a' * 7}…{'a' * 7}.{'b' * 32}"
    assert fault is not None
    assert fault.where == (".".join(keys) if size == 31 else short)


def test_a_number_of_digits_and_a_depth_are_allowed_up_to_their_most() -> None:
    assert first_fault("0." + "0" * 3998) is None
    assert first_fault("0." + "0" * 3999) is not None
    assert first_fault("[" * DEEPEST + "]" * DEEPEST) is None
    fault = first_fault("[" * (DEEPEST + 1))
    assert fault is not None
    assert (fault.offset, fault.message) == (DEEPEST, f"nesting deeper than {DEEPEST}")


def test_nan_is_admitted_below_a_key_and_nowhere_else() -> None:
    assert first_fault('{"scores": [NaN]}', {"scores"}) is None
    fault = first_fault('{"scores": [NaN], "x": NaN}', {"scores"})
    assert fault is not None
    assert fault.where == "x"
