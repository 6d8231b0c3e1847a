"""The jackknife, quantiles and reaches by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acumen.inference.jackknife import Jackknife
from acumen.inference.paired import _reach
from acumen.inference.replicates import Replicates, bca, percentile, quantiles
from acumen.inference.resample import lanes_for
from acumen.values.measured import Absence, Flag, Interval, NoInterval


def moved(*deviations: float, **more: Jackknife | np.ndarray) -> Jackknife:
    return Jackknife(np.array(deviations), **more)  # type: ignore[arg-type]


def test_leave_one_out_values_by_hand() -> None:
    jackknife = Jackknife.of(np.array([1.0, np.nan, 3.0, 5.0]))
    assert jackknife.deviations.tolist() == [-2.0, 0.0, 2.0]
    assert (jackknife.undefined, jackknife.gaps, jackknife.n, jackknife.cases) == ((1,), (1,), 3, 4)
    assert jackknife.variance == pytest.approx(2 / 3 * 8)
    assert jackknife.top_share == 0.5
    assert Jackknife.of(np.array([1.0, 1.0 + 1e-13])).deviations.tolist() == [0.0, 0.0]
    assert Jackknife.of(np.array([1.0, 1.0 + 1e-11])).standard_error > 0.0
    assert Jackknife.of_influence(np.array([1.0, -1.0])).deviations.tolist() == [-2.0, 2.0]
    assert moved(1.0, -1.0, n_cases=9).cases == 9  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("deviations", "degrees"),
    [
        ([1.0, -1.0, 1.0, -1.0], 3.0),  # kurtosis 1
        ([2.0, -2.0, 1.0, -1.0], 3.0),  # 1.36: 8/.36, but no more than 3
        ([9.0] + [0.0] * 9, 20 / 9),  # 10
        ([9.0, 0.0, 0.0], 2.0),  # 3: 6/2 = 3, but no more than 2
        ([0.0, 0.0, 0.0], 2.0),
        ([1e-200] + [0.0] * 9, 20 / 9),
    ],
)
def test_degrees_of_freedom_fall_where_a_few_carry_all(
    deviations: list[float], degrees: float
) -> None:
    assert moved(*deviations).degrees == pytest.approx(degrees)


@pytest.mark.parametrize(
    ("left", "right", "correlation"),
    [
        ([1.0, -1.0, 0.0], [2.0, -2.0, 0.0], 1.0),
        ([1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], -1.0),
        ([3.0, 4.0, 0.0], [4.0, 3.0, 0.0], 24 / 25),
        ([0.0, 0.0], [1.0, -1.0], 0.0),
        ([1.0, -1.0], [0.0, 0.0], 0.0),
    ],
)
def test_two_estimates_move_together(
    left: list[float], right: list[float], correlation: float
) -> None:
    assert moved(*left).correlation(moved(*right)) == pytest.approx(correlation)
    items = {"items": moved(0.0, 0.0)}
    both = moved(*left, **items).correlation(moved(*right, **items))
    assert both == pytest.approx(correlation)


def test_the_variance_over_cases_and_items_by_hand() -> None:
    """Three cases with ±1: 4/3. Two items with ±1: 1."""
    two = moved(1.0, -1.0, 0.0, items=moved(1.0, -1.0))
    assert two.standard_error**2 == pytest.approx(4 / 3 + 1)
    # (7/3)² / ((4/3)²/2 + 1/1), within 1 and 2
    assert two.degrees == pytest.approx(2.0)
    heavy = moved(1.0, -1.0, 0.0, items=moved(10.0, -10.0))
    assert heavy.degrees == pytest.approx((4 / 3 + 100) ** 2 / ((16 / 9) / 2 + 10_000), rel=1e-12)
    still = moved(0.0, 0.0, 0.0, items=moved(0.0, 0.0))
    assert (still.standard_error, still.degrees) == (0.0, 2.0)
    # all that is between items is left over in the cells: no more than over cases
    cells = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])
    crossed = moved(1.0, -1.0, 0.0, items=moved(1.0, -1.0), cells=cells)
    assert crossed.standard_error**2 == pytest.approx(4 / 3)
    assert moved(1.0, items=moved(1.0, undefined=(1,))).gaps == (-1, 1)  # type: ignore[arg-type]


def test_quantiles_are_numpys_and_of_weighted_values_the_smallest_that_reach() -> None:
    values = np.array([5.0, 1.0, 3.0, 2.0, 4.0, 9.0])
    for at in ((0.05, 0.95), (0.0, 1.0), (0.4, 0.5)):
        assert quantiles(values, at) == pytest.approx(np.quantile(values, at).tolist())
    weight = np.array([0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
    assert quantiles(values, (0.2, 0.8), weight) == (1.0, 4.0)
    assert quantiles(values, (0.21, 1.0), weight) == (2.0, 9.0)


def test_corrections_that_do_not_exist_leave_the_percentiles() -> None:
    replicates = Replicates(np.linspace(0.0, 1.0, 101))
    plain = percentile(replicates)
    assert isinstance(plain, Interval)
    skewed = moved(2.0, -1.0, -1.0)
    found = bca(replicates, 0.5, skewed)
    assert isinstance(found, Interval)
    assert (found.method, found.flags) == ("BCa", ())
    for estimate, jackknife in ((2.0, skewed), (-1.0, skewed), (0.5, moved(0.0, 0.0, 0.0))):
        fallback = bca(replicates, estimate, jackknife)
        assert isinstance(fallback, Interval)
        assert fallback.flags == (Flag.FALLBACK,)
        assert fallback.ends == plain.ends
    even = bca(replicates, 0.5, moved(1.0, -1.0, 0.0))
    assert isinstance(even, Interval)
    assert even.ends == pytest.approx(plain.ends)  # neither bias nor acceleration


@pytest.mark.parametrize(("size", "is_there"), [(39, False), (40, True)])
def test_an_interval_needs_a_resample_beyond_each_end(size: int, is_there: bool) -> None:
    found = percentile(Replicates(np.arange(size, dtype=float)), 0.95)
    assert isinstance(found, Interval) is is_there
    if isinstance(found, NoInterval):
        assert (found.why, found.count, found.of) == (Absence.TOO_FEW_RESAMPLES, 40, 39)


def test_the_reach_of_a_difference() -> None:
    assert _reach(3.0, 4.0, 0.0) == 5.0
    assert _reach(3.0, 4.0, 1.0) == 1.0
    assert _reach(1.0, 1.0, 1.0) == _reach(0.1, 0.1, 1.0 + 1e-15) == 0.0
    assert _reach(math.inf, 1.0, 0.0) == _reach(1.0, math.inf, 0.5) == math.inf


def test_few_cases_travel_in_many_lanes_and_very_many_in_sixteen() -> None:
    assert lanes_for(10**9) == 16
    assert lanes_for(0) == lanes_for(1) > lanes_for(100) > 16


def test_many_metrics_at_once_are_each_of_them_alone() -> None:
    rows = np.random.default_rng(4).random((5, 9))
    rows[1, [0, 4]] = np.nan  # without some cases undefined
    rows[2] = np.nan
    rows[3] = 0.1 + 1e-17 * np.arange(9)
    for one, row in zip(Jackknife.of_rows(rows, 9), rows, strict=True):
        alone = Jackknife.of(row, 9)
        assert one.deviations == pytest.approx(alone.deviations, rel=1e-13, abs=1e-16)
        assert (one.undefined, one.n_cases) == (alone.undefined, 9)
    assert Jackknife.of_rows(rows, 9)[1].undefined == (0, 4)
    assert not Jackknife.of_rows(rows, 9)[3].deviations.any()
    assert [j.n for j in Jackknife.of_rows(np.empty((2, 0)), 0)] == [0, 0]
