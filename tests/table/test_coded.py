"""A column by its distinct values is the column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.table.coded import Coded, is_missing

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 0.5]), st.text("ab")
)


@given(st.lists(VALUES))
def test_values_spread_over_the_rows_are_the_column(column: list[Any]) -> None:
    coded = Coded.of(column)
    rows = coded.spread(coded.values, None, object).tolist()
    assert [(type(v), v) for v in rows] == [(type(v), v) for v in column]
    assert coded.missing.tolist() == [is_missing(v) for v in column]
    assert coded.counts.tolist() == [
        sum(type(v) is type(x) and v == x for v in column) for x in coded.values
    ]
    assert [column[row] for row in coded.first] == list(coded.values)


@pytest.mark.parametrize(
    "column",
    [
        np.array([200, 3, 200], np.uint8),
        np.array([-100, 100, 0], np.int8),
        np.array([2**62, -(2**62), 5]),
        np.array([0.5, 1.5, 0.5], np.float32),
        np.array(["b", "a", "b"]),
        np.array([3, 1], object),
    ],
)
def test_an_array_has_the_values_of_its_list(column: Any) -> None:
    coded = Coded.of(column)
    assert [coded.values[c] for c in coded.codes] == column.tolist()


def test_what_cannot_be_a_key_is_a_value_of_its_own() -> None:
    coded = Coded.of([[1], {"a": 1}, 2, np.nan])
    assert coded.values == ([1], {"a": 1}, 2)
    assert coded.codes.tolist() == [0, 1, 2, -1]


def test_an_order_leaves_out_values_that_no_row_has() -> None:
    coded = Coded(("b", 10, "a", 2), np.array([0, 1, -1, 3], np.int32)).in_order()
    assert (coded.values, coded.codes.tolist()) == ((2, 10, "b"), [2, 1, -1, 0])
