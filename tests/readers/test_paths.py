"""Paths into nested rows."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.readers.paths import Every, Pick, parse_path, rows_at, value_at
from acumen.readers.records import ABSENT


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("a[0][12].b", ("a", 0, 12, "b")),
        ('"a.b".c', ("a.b", "c")),
        ("quality/value", ("quality/value",)),
        ("'it is'.x", ("it is", "x")),
        ('m[name="Tone, [x]"].score', ("m", Pick("name", "Tone, [x]"), "score")),
        ("m[id=3]", ("m", Pick("id", "3"))),
    ],
)
def test_a_path_is_read_step_by_step(text: str, steps: tuple[Any, ...]) -> None:
    assert parse_path(text) == steps


@pytest.mark.parametrize("text", ["", ".", ".a", "a.", "a..b", "a[", "a[-1]", "a]b", 'a"b', "a[]"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no path|belongs in the path of the rows"):
        parse_path(text)


def test_a_path_has_an_end() -> None:
    with pytest.raises(ValueError, match="has 60 steps, at most 50"):
        parse_path(".".join("a" * 60))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b[1]", 2),
        ("a.b[2]", ABSENT),
        ("a.c", ABSENT),
        ("a.b.c", ABSENT),
        ("n", None),
        ("n.x", ABSENT),
        ("list[on=true].x", 5),
        ("list[id=2].x", 6),
        ("list[id=9].x", ABSENT),
        ("list[0].id", ABSENT),
    ],
)
def test_a_path_that_leads_nowhere_is_absent_and_not_null(path: str, value: object) -> None:
    row = {"a": {"b": [1, 2]}, "n": None, "list": [{"on": True, "x": 5}, {"id": 2, "x": 6}, 7]}
    assert value_at(row, parse_path(path)) is value or value_at(row, parse_path(path)) == value


def test_rows_are_every_element_of_lists_in_lists() -> None:
    document = {"t": [{"k": 1, "m": [{"s": 1}, {"s": 2}]}, {"k": 2, "m": []}, {"k": 3}, 4]}
    assert parse_path("t[].m[]", explodes=True) == ("t", Every(), "m", Every())
    assert list(rows_at(document, parse_path("t[].m[]", explodes=True))) == [
        {"k": 1, "s": 1},
        {"k": 1, "s": 2},
    ]
    own = {"t": [{"name": "outer", "m": [{"name": "inner"}]}]}
    assert list(rows_at(own, parse_path("t[].m[]", explodes=True))) == [{"name": "inner"}]
