"""What is asked again as cases come: ends and thresholds whose promise is of all answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import UsageError
from acumen.inference.betting import Share, p_value
from acumen.results.decisions import Check


def study(wrong: str, silent: str = "", items: int = 2, start: int = 0) -> Any:
    """Two rows a case: the first right; the second wrong by 2 of 3 where a letter says so."""
    n = len(wrong)
    second = [None if s == "s" else 2 * (w == "w") for w, s in zip(wrong, silent or wrong)]  # noqa: B905
    return acumen.from_columns(
        case=np.repeat(np.arange(start, start + n), items),
        item=["x", "y"][:items] * n,
        truth=[0] * items * n,
        prediction=[p for s in second for p in (0, s)],
        confidence=[0.9, 0.6] * n,
        scale=[0, 1, 2, 3],
    )


def check(*runs: Any, **asked: Any) -> Check:
    return acumen.gate(*runs, repeated=True, **asked).document.checks[0]


MIXED = "w..w...w" * 5


def test_a_mean_loss_has_the_ends_of_betting_on_its_shares_of_the_largest() -> None:
    result = check(study(MIXED), metric="mean_loss", at_most=0.5, loss="abs")
    once = np.ones(40, int)
    lost = np.array([2 / 3 * (letter == "w") for letter in MIXED])
    low, high = Share(lost, np.full(40, 2.0), 2.0, once).ends(0.1)
    assert result.measured.value == pytest.approx(15 * 2 / 80)
    assert result.measured.interval is not None
    assert result.measured.interval.low == pytest.approx(3 * low)
    assert result.measured.interval.high == pytest.approx(3 * high)
    assert result.verdict == "undecided"


def test_coverage_and_accuracy_are_shares_of_all_rows_and_of_the_answered_ones() -> None:
    silent = "s" * 10 + "." * 30
    run = study("." * 20 + "w" * 20, silent)
    once = np.ones(40, int)
    answered = np.array([1.0] * 10 + [2.0] * 30)
    for metric, part, rows in (
        ("coverage", answered, np.full(40, 2.0)),
        ("accuracy", np.array([1.0] * 10 + [2.0] * 10 + [1.0] * 20), answered),
    ):
        interval = check(run, metric=metric, at_least=0.1).measured.interval
        assert interval is not None
        ends = Share(part, rows, 2.0, once).ends(0.1)
        assert (interval.low, interval.high) == pytest.approx(ends)


def test_a_difference_is_on_the_rows_that_both_answered_and_positive_is_worse() -> None:
    base = study("." * 40)
    new = study("w" * 4 + "." * 36, "." * 20 + "s" * 20)
    result = check(new, base, metric="accuracy", margin=0.2)
    assert result.values == [1.0, pytest.approx(1 - 4 / 60)]
    assert result.measured.value == pytest.approx(4 / 60)
    lost = check(new, base, metric="coverage", margin=0.2)
    assert lost.measured.value == pytest.approx(20 / 80)
    turned = check(base, new, metric="coverage", margin=0.2)
    assert turned.measured.interval is not None
    assert lost.measured.interval is not None
    assert turned.measured.interval.low == pytest.approx(-lost.measured.interval.high)


def test_the_most_items_of_a_case_may_be_declared_and_make_bets_smaller() -> None:
    asked: dict[str, Any] = {"metric": "accuracy", "at_least": 0.5}
    narrow = check(study(MIXED), **asked).measured.interval
    wide = check(study(MIXED), most_items=8, **asked).measured.interval
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high


def test_a_threshold_asked_again_is_certified_by_betting_and_says_so() -> None:
    run = study("." * 120)
    document = acumen.threshold(run, risk=0.2, grid=[0.5, 0.7], repeated=True).document
    assert (document.method, document.test, document.threshold) == ("exact", "repeated", 0.5)
    values = np.full(120, 0.2 * 1)  # above 0.7 lies one row a case
    p = p_value(values, -0.8 * 2)
    assert document.grid[0].p_value == pytest.approx(float(p))
    assert "at every number of cases" in repr(acumen.Result(document))


def test_with_too_few_cases_the_least_number_is_that_of_betting() -> None:
    few, one_less, enough = (
        acumen.threshold(study("." * n), risk=0.2, grid=[0.5], repeated=True).document
        for n in (12, 16, 17)
    )
    assert (few.certified, one_less.certified, enough.certified) == (False, False, True)
    assert few.fewest_cases == 17


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"metric": "augrc", "at_most": 0.1}, "augrc cannot be asked repeatedly: only means can"),
        (
            {"metric": "quadratic_kappa", "at_least": 0.1},
            "only means can .coverage, accuracy, mean_loss",
        ),
    ],
)
def test_a_gate_asks_repeatedly_of_means_alone(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(study(MIXED), **asked)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "needs thresholds that no case chose"),
        ({"grid": "ranks"}, "needs thresholds that no case chose"),
        ({"grid": [0.5], "method": "approx"}, "only exact can be asked repeatedly, not approx"),
    ],
)
def test_a_threshold_asked_again_needs_a_grid_that_stays(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        acumen.threshold(study(MIXED), risk=0.2, repeated=True, **asked)


def test_what_belongs_to_repetition_is_refused_without_it() -> None:
    with pytest.raises(UsageError, match="most_items belongs to a gate that is asked repeatedly"):
        acumen.gate(study(MIXED), metric="mean_loss", at_most=0.5, most_items=3)
    with pytest.raises(UsageError, match="a cut that keeps a coverage moves with the cases"):
        acumen.threshold(study(MIXED), coverage=0.5, repeated=True)
