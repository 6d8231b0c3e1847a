"""Errors of totals: by hand, and against pingouin, NumPy and scikit-learn."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import mean_absolute_error

from acumen.table.totals import Total
from acumen.totals.error import error_of, estimates_of, prorating_of
from acumen.totals.shares import share
from acumen.totals.sums import read_sums
from acumen.types import Floats
from tests.totals.studies import CUT, random_study, sums


def test_errors_by_hand() -> None:
    """A, B and F have all items: off by −1, 2 and 0."""
    own = sums()
    error = error_of(own, own.complete, 0.95)
    sd = math.sqrt(7 / 3)
    assert error.cases == 3
    assert error.mae.value == 1.0
    assert error.bias.value == pytest.approx(1 / 3, abs=1e-12)
    assert error.sd.value == pytest.approx(sd, abs=1e-12)
    assert error.lower_limit.value == pytest.approx(1 / 3 - 1.96 * sd, abs=1e-12)
    assert error.upper_limit.value == pytest.approx(1 / 3 + 1.96 * sd, abs=1e-12)
    assert error.exact.value == pytest.approx(1 / 3)
    # totals 5, 5, 1 and truths 6, 3, 1: s_xy = 38/9 over n, s_x² = 32/9, s_y² = 38/9, gap 1/9
    sxy = Fraction(5 * 6 + 5 * 3 + 1) / 3 - Fraction(11, 3) * Fraction(10, 3)
    sx, sy = Fraction(51, 3) - Fraction(121, 9), Fraction(46, 3) - Fraction(100, 9)
    assert error.ccc.value == pytest.approx(float(2 * sxy / (sx + sy + Fraction(1, 9))), abs=1e-12)


def test_no_interval_reaches_beyond_what_a_total_can_be_off() -> None:
    """Two cases off by −1 and 2, of totals from 0 to 9: by a mean alone it would be −18.6 to 19."""
    own = sums()
    rows = np.array([True, True, False, False, False, False])
    error = error_of(own, rows, 0.95)
    for measured in (error.mae, error.bias):
        assert measured.interval is not None
        assert -9 <= measured.interval.low <= measured.interval.high <= 9
    assert error.bias.interval is not None
    assert error.bias.interval.ends == (-9, 9)


def test_prorated_totals_are_scored_apart() -> None:
    part = prorating_of(sums(CUT, 2 / 3), 0.95)
    assert part is not None
    assert (part.cases, part.too_few) == (3, 0)
    assert part.error is not None
    assert part.complete is not None
    assert part.error.bias.value == 0.0  # off by 0, 1.5 and −1.5
    assert part.error.mae.value == 1.0
    assert part.complete.bias.value == pytest.approx(1 / 3)


def pairs(seed: int) -> tuple[Floats, Floats]:
    own = read_sums(random_study(seed, cases=25, silence=0.0), Total()).sums
    return own.total, own.truth


@pytest.mark.filterwarnings("ignore")  # pingouin's own, of pandas
@pytest.mark.parametrize("seed", range(4))
def test_icc_is_that_of_pingouin(seed: int) -> None:
    pingouin = pytest.importorskip("pingouin")
    own, truth = pairs(seed)
    frame = pd.DataFrame(
        {
            "case": [*range(len(own))] * 2,
            "rater": ["own"] * len(own) + ["truth"] * len(own),
            "total": [*own, *truth],
        }
    )
    table = pingouin.intraclass_corr(frame, "case", "rater", "total").set_index("Type")["ICC"]
    name = "ICC2" if "ICC2" in table.index else "ICC(A,1)"
    assert estimates_of(own, truth)["icc"].value == pytest.approx(table[name], abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_errors_and_concordance_are_those_of_other_libraries(seed: int) -> None:
    own, truth = pairs(seed)
    estimates, off = estimates_of(own, truth), own - truth
    (sx, sxy), (_, sy) = np.cov(own, truth, ddof=0)
    ccc = 2 * sxy / (sx + sy + (own.mean() - truth.mean()) ** 2)
    assert estimates["ccc"].value == pytest.approx(ccc, abs=1e-9)
    assert estimates["mae"].value == pytest.approx(mean_absolute_error(truth, own), abs=1e-12)
    assert estimates["sd"].value == pytest.approx(np.std(off, ddof=1), abs=1e-12)
    for name, sign in (("lower_limit", -1.96), ("upper_limit", 1.96)):
        limit = off.mean() + sign * np.std(off, ddof=1)
        assert estimates[name].value == pytest.approx(limit, abs=1e-12)


@pytest.mark.parametrize("name", ["mae", "bias", "sd", "lower_limit", "icc", "ccc"])
def test_the_values_without_a_case_are_those_of_the_other_cases(name: str) -> None:
    own, truth = pairs(7)
    left_out = estimates_of(own, truth)[name].left_out
    for at in (0, 11):
        others = np.arange(len(own)) != at
        expected = estimates_of(own[others], truth[others])[name].value
        assert left_out[at] == pytest.approx(expected, abs=1e-9)


def test_large_totals_lose_no_digits() -> None:
    own, truth = pairs(3)
    far = estimates_of(own + 1e8, truth + 1e8)
    for name, estimate in estimates_of(own, truth).items():
        assert far[name].value == pytest.approx(estimate.value, rel=1e-6), name


def test_totals_that_are_all_right_agree_perfectly() -> None:
    _, truth = pairs(1)
    estimates = estimates_of(truth, truth)
    assert (estimates["icc"].value, estimates["ccc"].value) == pytest.approx((1.0, 1.0))
    assert estimates["mae"].value == estimates["sd"].value == 0.0


def test_one_case_has_no_correlation() -> None:
    estimates = estimates_of(np.array([3.0]), np.array([2.0]))
    assert estimates["mae"].value == 1.0
    assert np.isnan([estimates[name].value for name in ("icc", "ccc", "sd")]).all()


def test_of_no_case_nothing_is_said() -> None:
    own = sums()
    error = error_of(own, np.zeros(6, bool), 0.95)
    assert error.cases == 0
    assert error.mae.value is error.ccc.value is error.exact.value is None
    assert error.mae.reason


@pytest.mark.parametrize(("hits", "of"), [(0, 5), (5, 5), (1, 3), (40, 97)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_of_a_share_is_wilsons(hits: int, of: int, level: float) -> None:
    interval = share(hits, of, "", level).interval
    expected = stats.binomtest(hits, of).proportion_ci(level, method="wilson")
    assert interval is not None
    assert interval.ends == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_a_share_of_few_cases_says_so_and_of_none_has_no_value() -> None:
    few, many = share(3, 9, "").interval, share(3, 10, "").interval
    assert few is not None
    assert many is not None
    assert (few.is_reliable, many.is_reliable) == (False, True)
    assert share(0, 0, "none such").reason == "none such"
