"""Values taken out of records: what is taken, and what is noted with its place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError, OffScaleError
from acumen.files.fields import Fields


def taken(method: str, value: Any) -> tuple[Any, list[str]]:
    fields = Fields("a.json")
    result = getattr(fields, method)("x", value)
    return result, [f"{p.field}: {p.message}" for p in fields.problems]


@pytest.mark.parametrize(
    ("value", "number", "problem"),
    [
        (None, None, None),
        (3, 3, None),
        (-2.5, -2.5, None),
        (np.float32(0.5), 0.5, None),
        (1e15, 1e15, None),
        (-(10**15), -(10**15), None),
        (10**15 + 1, None, "x: 1000000000000001 is too large for a score"),
        (True, None, "x: must be a number, not the boolean true"),
        ("3", None, "x: must be a number, not the text '3'"),
        (math.inf, None, "x: must be finite, not inf"),
        (math.nan, None, "x: must be finite, not nan"),
    ],
)
def test_a_number(value: Any, number: Any, problem: str | None) -> None:
    assert taken("number", value) == (number, [problem] if problem else [])


@pytest.mark.parametrize(
    ("value", "name", "problem"),
    [
        ("a", "a", None),
        (7, "7", None),
        (np.int64(7), "7", None),
        (" ", None, "x: must be text, not the text ' '"),
        (None, None, "x: is missing"),
        (True, None, "x: must be text, not the boolean true"),
        (1.5, None, "x: must be text, not 1.5"),
    ],
)
def test_a_name(value: Any, name: str | None, problem: str | None) -> None:
    assert taken("name", value) == (name, [problem] if problem else [])


@pytest.mark.parametrize(
    ("method", "value", "result", "problems"),
    [
        ("record", {"a": 1}, {"a": 1}, []),
        ("record", None, {}, ["x: must be an object, not null"]),
        ("maybe_record", None, {}, []),
        ("maybe_record", [1], {}, ["x: must be an object, not a list"]),
        ("values", None, None, []),
        ("values", {"a": 1, "b": "t", "c": None}, {"a": 1, "b": "t"}, []),
        ("values", {"a": [1]}, {}, ["x.a: must be a number, not a list"]),
    ],
)
def test_objects(method: str, value: Any, result: Any, problems: list[str]) -> None:
    assert taken(method, value) == (result, problems)


def test_lists_have_the_places_of_their_entries() -> None:
    fields = Fields("a.json")
    assert [*fields.entries("x", [1, "b"])] == [("x[0]", 1), ("x[1]", "b")]
    assert [*fields.entries("x", None)] == []
    assert [*fields.records("x", [{}, 3, {"a": 1}])] == [("x[0]", {}), ("x[2]", {"a": 1})]
    assert [*fields.records("y", "no")] == []
    assert [(p.field, p.message) for p in fields.problems] == [
        ("x[1]", "must be an object, not 3"),
        ("y", "must be a list, not the text 'no'"),
    ]


def test_all_that_was_noted_is_raised_with_its_case() -> None:
    fields = Fields("a.json", "patient")
    fields.finish()
    fields.case = 7
    fields.wrong("x", OffScaleError("9 is outside 0..3"), "Sleep")
    fields.wrong(None, "is odd")
    with pytest.raises(DataError, match="patient 7, item Sleep, x: 9 is outside") as refused:
        fields.finish()
    assert [p.off_scale for p in refused.value.problems] == [True, False]
    assert refused.value.source == "a.json"
