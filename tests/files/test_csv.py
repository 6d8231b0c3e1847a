"""CSV text: what a spreadsheet would run is disarmed, what is a number stays one."""

from __future__ import annotations

import csv
import io

import pytest

from acumen.files.csv import csv_text

HOSTILE = (
    *("=cmd|' /C calc'!A0", "@SUM(1+1)*cmd|' /C calc'!A0", '\t=HYPERLINK("http://127.0.0.1/?"&A1)'),
    *("-2+3+cmd|' /C calc'!A0", "+1+1", "\r=1", "\n=1", '=1,"2"\n=3'),
)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_would_run_gets_a_quote_in_the_header_too(text: str) -> None:
    header, row = read(csv_text([text, "n"], [[text, 1]]))
    assert header == [f"'{text}", "n"]
    assert row == [f"'{text}", "1"]


def test_numbers_stay_numbers_and_read_back_as_they_were() -> None:
    numbers = [-1, -0.1, 1 / 3, 1e-300, -2.5e17, 0.0]
    _, row = read(csv_text(["x"] * len(numbers), [numbers]))
    assert [float(x) for x in row] == numbers
    assert not any(x.startswith("'") for x in row)


def test_plain_text_and_missing_values_are_left_alone() -> None:
    assert csv_text(["a", "b"], [["a=b", None], ["x, y", "'"]]) == 'a,b\na=b,\n"x, y",\'\n'
