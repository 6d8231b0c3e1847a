"""What sums over cases say: the jackknife, who errs, and whether a few cases weigh too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen.inference.infer import weighed
from acumen.large.gradient import CaseSums, CaseView
from acumen.values.measured import Flag, Interval
from acumen.views.confusion import confuse
from acumen.views.ranking import rank
from acumen.views.weights import Group

SUMS = {
    "cases": 10.0,
    "answered_1_above": 8.0,
    "right_1_above": 7.0,
    "wrong_1_above": 3.0,
    "wrong_1_most": 2.0,
    "missed_1_above": 5.0,
    "missed_1_most": 4.0,
    "far_1_above": 1.0,
    "far_1_most": 1.5,
    "off_1_above": 3.0,
    "off_1_most": 6.0,
    "loss_1_above": 2.0,
    "loss_1_most": 9.0,
}
LEVELS, RANKED = confuse([0, 1, 2], [0, 2, -1]), rank([0, 2], [0.9, 0.1])


@pytest.mark.parametrize(
    ("view", "beyond", "kind", "erring", "worst", "cases"),
    [
        (LEVELS, None, {}, 3, 6.0, 8),
        (LEVELS, 0, {}, 3, 2.0, 8),
        (LEVELS, 0, {"silence": True}, 5, 4.0, 10),
        (LEVELS, 0, {"silence": False}, 3, 2.0, 8),
        (LEVELS, 1, {}, 1, 1.5, 8),
        (LEVELS, 1, {"silence": True}, 1, 1.5, 10),
        (RANKED, None, {}, 2, 9.0, 8),
        (RANKED, 0, {}, 3, 2.0, 8),
    ],
)
def test_who_errs_is_what_the_second_pass_counted(
    view: Any, beyond: int | None, kind: dict[str, bool], erring: int, worst: float, cases: int
) -> None:
    errors = CaseView(view, SUMS, 1).errors(beyond, **kind)
    assert (errors.erring_cases, errors.worst_case, errors.cases) == (erring, worst, cases)
    assert errors.answered == view.errors(beyond=beyond, **kind).answered


def test_the_cases_of_a_view_of_cells() -> None:
    view = CaseView(LEVELS, SUMS, 1)
    assert (view.n_cases, view.cases_behind("mean_loss")) == (10, 8)
    assert view.groups() == [Group(7, "right"), Group(3, "wrong")]
    assert view.levels == 3


@pytest.mark.parametrize(
    ("cases", "squares", "most", "is_marked"),
    [
        (20, 10.0, 1.0, False),
        (20, 10.1, 1.0, True),  # as many as 10 cases of one weight, and no fewer
        (20, 10.0, 1.99, False),
        (20, 10.0, 2.0, True),  # one has a fifth of the weight
        (10, 10.0, 2.0, True),
        (9, 99.0, 9.0, False),  # so few cases are marked anyway
    ],
)
def test_a_few_cases_that_hold_most_of_the_weight_are_marked(
    cases: int, squares: float, most: float, is_marked: bool
) -> None:
    sums = {"cases": float(cases), "rows_0_1": 10.0, "rows_0_2": squares, "rows_0_most": most}
    view, interval = CaseView(LEVELS, sums, 0), Interval(low=0.0, high=1.0, method="t")
    jackknife = CaseSums(np.zeros(1), size=cases)
    assert weighed(interval, view, jackknife).flags == ((Flag.DOMINATED,) if is_marked else ())


def case_sums(influence: list[float], scale: float = 1.0) -> CaseSums:
    each = np.array(influence)
    powers = {f"mae_0_{k}": float((each**k).sum()) for k in (2, 4)}
    powers |= {"cases": float(len(each)), "mae_0_most": float(abs(each).max())}
    return CaseSums.among(powers, "mae_0", scale)


def test_the_jackknife_of_sums_by_hand() -> None:
    sums = case_sums([2.0, -2.0, 4.0, -4.0], scale=2.0)  # influence 1, 1, 2, 2
    assert (sums.n, sums.square, sums.fourth, sums.most) == (4, 10.0, 34.0, 2.0)
    assert sums.variance == pytest.approx(4 / 3 * 10)
    assert sums.top_share == 0.4
    # kurtosis 4·34/100 = 1.36: 8/0.36 degrees, but no more than 3
    assert sums.degrees == 3.0
    alone = case_sums([9.0] + [0.0] * 9)  # kurtosis 10: 20/9 degrees
    assert (alone.top_share, alone.degrees) == (1.0, pytest.approx(20 / 9))
    assert case_sums([1.0, 1.0]).degrees == 1.0  # kurtosis 1
    assert case_sums([3.0]).variance == 0.0


@pytest.mark.parametrize(("size", "square"), [(1e-12, 0.0), (1.1e-12, 2 * 1.1e-12**2)])
def test_what_varies_in_the_last_digits_alone_does_not_vary(size: float, square: float) -> None:
    sums = case_sums([size, -size])
    assert sums.square == pytest.approx(square, rel=1e-9, abs=0.0)
    assert sums.top_share == pytest.approx(0.5 if square else 0.0)


@pytest.mark.parametrize(
    ("left", "right", "correlation"),
    [
        ([1.0, -1.0, 2.0], [2.0, -2.0, 4.0], 1.0),
        ([1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], -1.0),
        ([1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0], 0.0),
        ([3.0, 4.0, 0.0], [4.0, 3.0, 0.0], 24 / 25),
        ([1.0, -1.0], [0.0, 0.0], 0.0),
        ([0.0, 0.0], [1.0, -1.0], 0.0),
    ],
)
def test_two_systems_correlate_as_their_difference_says(
    left: list[float], right: list[float], correlation: float
) -> None:
    ours, theirs = case_sums(left), case_sums(right)
    differing = case_sums([b - a for a, b in zip(left, right, strict=True)])
    theirs = CaseSums(theirs.deviations, size=theirs.size, square=theirs.square, against=differing)
    assert ours.correlation(theirs) == pytest.approx(correlation, abs=1e-12)
