"""What rows are asked for and refused before an engine looks at them, and pass 2 by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from acumen.errors import DataError, UsageError
from acumen.large.api import rows_of
from acumen.large.cells import count_rows
from acumen.large.passes import binned, bins_of, count_rest, has_few_values, sum_powers

ROWS = {
    "case": [1, 1, 2, 3],
    "truth": [0, 1, 1, 0],
    "prediction": [0, 0, 1, None],
    "confidence": [0.5, 0.5, 0.9, None],
}


def rows(change: dict[str, Any] | None = None, **reading: Any) -> Any:
    columns = ROWS | (change or {})
    reading |= {"weight": "weight"} if "weight" in columns else {}
    return rows_of(pl.LazyFrame(columns), None, None, reading)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"columns": {"rater": "case"}}, "rater: not where rows stay"),
        (
            {"columns": {"truth": ["truth", "prediction"]}},
            "columns side by side: not where rows stay",
        ),
        ({"complete": True}, "complete: not where rows stay"),
        ({"confidence_range": [0, 100]}, "confidence_range: not where rows stay"),
        ({"where": {"site": "a"}}, "no column site; there are case, truth, prediction, confidence"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(mapping: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        rows(mapping=mapping)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": [1.0, -0.1, 1.0, 1.0]}, r"weight: must be finite and not negative \(1 row\)"),
        ({"weight": [1.0, float("inf"), -1.0, 1.0]}, r"not negative \(2 rows\)"),
        ({"weight": [1.0, None, 1.0, 1.0]}, r"weight: is missing \(1 row\)"),
        ({"case": [1, None, None, 3]}, r"case: is missing \(2 rows\)"),
        ({"confidence": [0.5, float("inf"), 0.9, None]}, r"confidence: must be finite \(1 row\)"),
        ({key: [] for key in ROWS}, "there are no rows"),
    ],
)
def test_rows_that_cannot_be_meant_are_counted(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        count_rest(rows(change))


def test_a_weight_of_0_is_a_weight_and_a_truth_may_be_missing() -> None:
    assert count_rest(rows({"weight": [0.0, 1.0, 1.0, 1.0]})) == 0
    open_truth = {"truth": [None, 1, None, 0]}
    assert count_rest(rows(open_truth)) == 2
    with pytest.raises(DataError, match=r"truth: is missing \(2 rows\)"):
        count_rest(rows(open_truth, mapping={"strict": True}))
    with pytest.raises(DataError, match="no row has weight"):
        count_rows(rows({"weight": [0.0] * 4}))


def test_a_condition_holds_a_number_against_numbers_and_a_text_against_texts() -> None:
    sites = {"site": ["a", "b", "a", "c"]}
    assert count_rows(rows(sites, where="site=a")).only.cells["rows"].tolist() == [1, 1]
    assert count_rows(rows(where="case=1")).only.cells["rows"].tolist() == [1, 1]
    with pytest.raises(UsageError, match="where: one is no number, as the column is"):
        rows(where="case=one")


def test_distinct_confidences_are_counted_up_to_a_most() -> None:
    three = rows({"confidence": [0.1, 0.2, 0.2, 0.3]})
    assert [has_few_values(three, most) for most in (2, 3, 4)] == [False, True, True]
    # too many only among the rows that come late
    late = rows({"confidence": [0.1, 0.1, 0.2, 0.3]})
    assert [has_few_values(late, most) for most in (1, 2)] == [False, False]


def test_pass_2_by_hand() -> None:
    """Weights 1, 2 in the first case; 3 in the second; 1 in the third."""
    large = binned(rows({"weight": [1.0, 2.0, 3.0, 1.0]}), None)
    cells = {
        "bin": np.array([0.5, 0.5, 0.9, 0.0]),
        "truth": np.array([0, 1, 1, 0]),
        "prediction": np.array([0, 0, 1, 0]),
        "open": np.array([0, 0, 0, 1]),
        "x": np.array([1.0, -1.0, 2.0, 0.0]),
        "y": np.array([1.0, 1.0, 1.0, 1.0]),
    }
    sums = sum_powers(large, cells, ["x", "y"], {"less": {"x": 2.0, "y": -1.0}})
    assert sums["cases"] == 3
    powers = ("1", "2", "3", "4", "above", "most")
    # by case x = −1, 6, 0; y = 3, 3, 1; 2x − y = −5, 9, −1
    assert [sums[f"x_{p}"] for p in powers] == [5, 37, 215, 1297, 1, 6]
    assert [sums[f"y_{p}"] for p in powers] == [7, 19, 55, 163, 3, 3]
    assert [sums[f"less_{p}"] for p in powers] == [3, 107, 603, 7187, 1, 9]


def test_the_bin_of_a_number_is_the_top_of_its_float() -> None:
    # 0.75 = 1.1 in binary · 2⁻¹: exponent 126; one bit: code 253, and seven tenths are below it
    values = np.array([0.75, 0.5, 1.0, 0.0, -0.75, 2.0**-127])
    codes = [253 * 16 + 7, 252 * 16 + 5, 254 * 16 + 9, 0, (-1 - 253) * 16, 0]
    assert bins_of(values, 1).tolist() == codes
