"""A value with its interval: what is kept when it changes its unit, and what is refused."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import ValidationError

from acumen.values.measured import (
    Delta,
    Flag,
    Interval,
    Measured,
    better_side,
    finite,
)


def between(low: float, high: float, *flags: Flag) -> Interval:
    return Interval(low=low, high=high, method="t", flags=flags)


def test_what_is_not_finite_is_no_number() -> None:
    assert [finite(x) for x in (1.5, math.nan, math.inf, None)] == [1.5, None, None, None]


def test_another_unit_is_that_of_the_value_and_of_its_ends() -> None:
    assert Measured(value=2.0, interval=between(1.0, 4.0)).times(3.0).ends == (3.0, 12.0)


def test_an_interval_that_is_not_there_has_no_ends() -> None:
    assert Measured(value=2.0).ends == (None, None)


def test_a_flag_is_carried_once_and_the_interval_stays() -> None:
    marked = between(0.0, 1.0).with_flag(Flag.DOMINATED)
    assert marked.flags == (Flag.DOMINATED,)
    assert (marked.low, marked.high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("low", "high", "has_zero"), [(-1.0, 1.0, True), (0.1, 1.0, False), (0.0, 1.0, True)]
)
def test_an_interval_knows_whether_zero_is_in_it(low: float, high: float, has_zero: bool) -> None:
    assert between(low, high).has_zero is has_zero


@pytest.mark.parametrize(
    ("difference", "better", "side"),
    [(-0.1, "lower", "right"), (0.1, "lower", "left"), (0.1, "higher", "right")],
)
def test_the_better_side_goes_by_the_direction_of_the_metric(
    difference: float, better: str, side: str
) -> None:
    assert better_side(difference, better) == side


def test_a_difference_has_the_ends_of_its_interval() -> None:
    delta = Delta(delta=0.2, left=0.1, right=0.3, interval=between(0.1, 0.3))
    assert delta.ends == (0.1, 0.3)
    assert delta.times(2.0).ends == (0.2, 0.6)


def test_an_end_that_a_file_leaves_open_is_without_a_bound() -> None:
    read = Interval.model_validate({"low": None, "high": None, "method": "t"})
    assert (read.low, read.high) == (-math.inf, math.inf)
    assert json.loads(read.model_dump_json())["low"] is None


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_number_of_a_document_is_finite(number: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        Measured.model_validate({"value": number})
