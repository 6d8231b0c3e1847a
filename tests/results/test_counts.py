"""What a site's counts and sums say where they are silent, and which sums no cases have."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from acumen.results.counts import CountsDocument, MomentsDocument

COUNTS: dict[str, Any] = {
    "kind": "acumen counts", "version": 1, "levels": [0, 1], "bits": None, "cells": {},
    "outcomes": {},
}  # fmt: skip


def moments(sums: dict[str, float]) -> MomentsDocument:
    facts: Any = {"kind": "acumen moments", "version": 2, "pooled": "", "loss": "", "costs": ""}
    return MomentsDocument(**facts, sums=sums)


def test_counts_have_a_confidence_and_hide_nothing_unless_they_say_so_and_sums_have_cases() -> None:
    counts = CountsDocument(**COUNTS)
    assert counts.ranked is True
    assert (counts.fewest, counts.hidden_rows, counts.hidden_weight) == (0, 0, 0)
    assert (counts.sites, counts.salt, counts.case_hashes) == (1, None, None)
    assert moments({"cases": 1}).sums == {"cases": 1.0}
    for cases in ({}, {"cases": 0.0}, {"cases": 0.5}, {"cases": 1.5}):
        with pytest.raises(ValidationError, match="the number of cases is missing, or none"):
            moments(cases)


def test_counts_within_their_ranges_are_read_and_those_beyond_are_refused() -> None:
    for edge in ({"bits": 1}, {"bits": 23}, {"fewest": 2**53}, {"outcomes": {"answered": 0}}):
        assert CountsDocument(**COUNTS | edge).model_dump().items() >= edge.items()
    for wrong in (
        *({"bits": 0}, {"bits": 24}, {"sites": 0}, {"levels": [0]}, {"hidden_weight": -1.0}),
        *({"fewest": 2**53 + 1}, {"hidden_rows": -1}, {"outcomes": {"answered": -1}}),
    ):
        with pytest.raises(ValidationError):
            CountsDocument(**COUNTS | wrong)


# of two cases, 1 and 3: 1 + 3, 1 + 9, 1 + 27, 1 + 81; both above 0, the largest 3
TWO = {"1": 4.0, "2": 10.0, "3": 28.0, "4": 82.0, "above": 2.0, "most": 3.0}


def sums_of_x(values: dict[str, float]) -> dict[str, float]:
    return {f"x_{power}": value for power, value in values.items()}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"above": 1.5}, id="half a case"),
        pytest.param({"above": -1.0, "1": -4.0}, id="fewer than none above 0"),
        pytest.param({"above": 3.0}, id="more above 0 than there are"),
        pytest.param({"most": -3.0}, id="a size below 0"),
        pytest.param({"most": 3.2}, id="the largest alone has a larger square"),
        pytest.param({"most": 2.2}, id="squares larger than the largest allows"),
        pytest.param({"4": 91.0}, id="fourth powers larger than the largest allows"),
        pytest.param({"1": -4.5}, id="4.5² is above 2 · 10"),
        pytest.param({"above": 1.0}, id="one case above 0 with a sum of 4"),
        pytest.param({"4": 49.0, "3": 1.0}, id="10² is above 2 · 49"),
        pytest.param({"3": 29.0}, id="29² is above 10 · 82"),
    ],
)
def test_sums_that_no_two_cases_have_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="no 2 cases have the sums of x, or some are missing"):
        moments({"cases": 2} | sums_of_x(TWO | change))


def test_the_sums_of_two_cases_are_read() -> None:
    assert moments({"cases": 2} | sums_of_x(TWO)).sums["x_4"] == 82.0
    without = {power: value for power, value in TWO.items() if power != "3"}
    with pytest.raises(ValidationError, match="or some are missing"):
        moments({"cases": 2} | sums_of_x(without))


@pytest.mark.parametrize("size", [0.0, 1.0, 3.0])
def test_equal_cases_lie_at_every_bound(size: float) -> None:
    values = {str(power): 2 * size**power for power in (1, 2, 3, 4)}
    sums = {"cases": 2} | sums_of_x(values | {"above": 2.0 * (size > 0), "most": size})
    assert moments(sums).sums == sums
