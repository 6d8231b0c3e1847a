"""Results of promptfoo: outputs, repeats that nothing numbers, errors that are none."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers.content import Content, load
from acumen.readers.formats import format_of
from acumen.readers.promptfoo import read_promptfoo
from acumen.readers.records import Records

SAMPLES = Path(__file__).parents[1] / "samples"


def row(test: int, output: Any = "3", provider: str = "p", **more: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": 0,
        "vars": {"ticket": "T", "human": 2},
        "provider": {"id": provider},
        "prompt": {"label": "Rate"},
        "response": {"output": output},
        "failureReason": 0,
        **more,
    }


def read_rows(*rows: dict[str, Any]) -> Records:
    document = {"evalId": "e", "results": {"results": list(rows)}}
    return read_promptfoo(Content("results.json", BytesIO(json.dumps(document).encode())))


@pytest.mark.parametrize("name", ["promptfoo_tickets.json", "promptfoo_tickets.jsonl"])
def test_results_are_told_by_their_content(name: str) -> None:
    data = load(SAMPLES / name).data
    assert format_of(Content("rows", BytesIO(data)).head) == "promptfoo"


def test_the_document_and_its_rows_alone_read_alike() -> None:
    document = read_promptfoo(load(SAMPLES / "promptfoo_tickets.json"))
    lines = read_promptfoo(load(SAMPLES / "promptfoo_tickets.jsonl"))
    assert document.mapping == lines.mapping
    keys = [
        sorted((r["testIdx"], r["promptIdx"], r["repeat"], r["test"]) for r in log.rows)
        for log in (document, lines)
    ]
    assert keys[0] == keys[1]


def test_an_output_is_the_object_it_is_the_text_of() -> None:
    texts = ['{"rating": 3}', {"rating": 4}, "no idea", '{"rating": ', 5]
    records = read_rows(*(row(k, output) for k, output in enumerate(texts)))
    outputs = [r["output"] for r in records.rows]
    assert outputs == [{"rating": 3}, {"rating": 4}, "no idea", '{"rating": ', 5]
    assert records.mapping["columns"]["prediction"] == "output.rating"
    assert read_rows(row(0, "3")).mapping["columns"]["prediction"] == "output"


def test_repeats_are_counted_in_the_order_of_tests_and_not_of_rows() -> None:
    other = row(4) | {"vars": {"ticket": "U"}}
    records = read_rows(row(3), row(3, provider="q"), row(1), other, row(1, provider="q"), row(2))
    numbers = [(r["testIdx"], r["provider"]["id"], r["test"], r["repeat"]) for r in records.rows]
    assert numbers == [
        (3, "p", 1, 2),
        (3, "q", 1, 1),
        (1, "p", 1, 0),
        (4, "p", 4, 0),
        (1, "q", 1, 0),
        (2, "p", 1, 1),
    ]


def test_a_test_is_known_by_its_variables_in_any_order() -> None:
    first: dict[str, Any] = {"vars": {"a": "x", "b": "y"}}
    again: dict[str, Any] = {"vars": {"b": "y", "a": "x"}}
    records = read_rows(row(0) | first, row(1) | again)
    assert [(r["test"], r["repeat"]) for r in records.rows] == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    "document",
    [
        {"evalId": "e", "results": {}},
        {"evalId": "e", "results": {"results": 3}},
        {"evalId": "e", "results": {"results": [1, 2]}},
        {"evalId": "e", "results": {"results": [row(0), {"vars": {}, "testIdx": "a"}]}},
    ],
)
def test_what_holds_no_rows_is_refused_with_the_place(document: Any) -> None:
    content = Content("results.json", BytesIO(json.dumps(document).encode()))
    with pytest.raises(DataError, match=r"results\.json: results\.results"):
        read_promptfoo(content)


def test_a_thousand_rows_of_one_fault_are_one_line() -> None:
    with pytest.raises(DataError) as error:
        read_rows(*(row(1) | {"testIdx": f"t{k}"} for k in range(1000)))
    assert len(str(error.value).splitlines()) == 1
    assert "and 999 more like it: results.results[1].testIdx, " in str(error.value)
