"""A stream of rows: cases as they come, and a word for each way in which they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.readers.request import Request
from acumen.readers.stream import Stream
from acumen.results.calibration import case_hash

HEADER = "case,item,truth,prediction,confidence,day"
ROWS = ("a,x,0,0,0.9,1", "a,y,1,0,0.8,1", "b,x,2,,0.7,2", "c,x,1,1,0.6,2", "c,y,1,1,0.5,3")


def stream(tmp_path: Path, *lines: str, **how: Any) -> Stream:
    path = tmp_path / "rows.csv"
    path.write_text("\n".join((HEADER, *lines)) + "\n", "utf-8")
    return Stream(path, Request.of({"scale": [0, 1, 2]}), **how)


def test_a_table_holds_as_many_whole_cases_as_are_asked_for_and_the_last_what_is_left(
    tmp_path: Path,
) -> None:
    tables = [*stream(tmp_path, *ROWS).tables(2)]
    assert [table.cases for table in tables] == [("a", "b"), ("c",)]
    assert [len(table) for table in tables] == [3, 2]
    assert tables[0].prediction.tolist() == [0, 0, -1]


def test_json_lines_and_lists_of_rows_say_the_same_as_a_text_table(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"case": "a", "truth": 1, "prediction": null, "confidence": 0.5}\n\n'
        '{"case": "b", "truth": 0, "prediction": 2, "confidence": 0.25}\n'
    )
    rows = [
        {"case": "a", "truth": 1, "prediction": None, "confidence": 0.5},
        {"case": "b", "truth": 0, "prediction": 2, "confidence": 0.25},
    ]
    for data in (tmp_path / "rows.jsonl", rows):
        (table,) = Stream(data, Request.of({"scale": [0, 1, 2]})).tables(9)
        assert table.cases == ("a", "b")
        assert table.prediction.tolist() == [-1, 2]


@pytest.mark.parametrize(
    ("lines", "how", "words"),
    [
        ((*ROWS, ROWS[0]), {}, r"rows.csv: line 7, case a: comes again; a stream has each case"),
        ((ROWS[0],), {"seen": {case_hash("a", "")}}, "line 2, case a: comes again"),
        ((ROWS[3], ROWS[0]), {"time": "day"}, "line 3, case a: the time 1.0 comes after 2.0"),
        ((ROWS[0], "b,x,0,0,1"), {}, "line 3: has 5 fields, expected 6"),
        (
            ("a,x,0,0,.5,soon", "b,x,0,0,.5,2"),
            {"time": "day"},
            "line 3, case b: .*numbers or texts",
        ),
        ((",x,0,0,0.5,1",), {}, "line 2: has no case: case is empty"),
        (('a,x,"0,0,.5,1',), {}, "line 2: .*a row is one line here"),
    ],
)
def test_what_is_out_of_order_or_comes_again_is_refused_with_its_line(
    tmp_path: Path, lines: tuple[str, ...], how: dict[str, Any], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        [*stream(tmp_path, *lines, **how).tables(1)]


def test_a_time_that_is_no_column_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no column when in the stream"):
        [*stream(tmp_path, *ROWS, time="when").tables(1)]


def test_cases_before_a_mistake_are_handed_over(tmp_path: Path) -> None:
    tables = stream(tmp_path, *ROWS, "a,x,0,0,0.5,4").tables(1)
    assert [next(tables).cases for _ in range(2)] == [("a",), ("b",)]
