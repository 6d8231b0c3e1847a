"""The normal distribution and Student's t against 40 digits and known values."""

from __future__ import annotations

import math

import mpmath
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from acumen.inference.distributions import (
    gamma_quantile,
    normal_cdf,
    normal_quantile,
    t_above,
    t_cdf,
    t_quantile,
)


@pytest.mark.parametrize("degrees", [0.5, 1, 3.7, 40, 199.9, 200.1, 1999, 2001, 1e4, 1e6])
@pytest.mark.parametrize("t", [0.0, 0.01, 0.5, 1.0, 1.5, 2.0, 8.0, 30.0])
def test_chances_have_their_digits_far_out(degrees: float, t: float) -> None:
    with mpmath.workdps(40):
        a, square = mpmath.mpf(degrees) / 2, mpmath.mpf(t) ** 2
        x = degrees / (degrees + square)
        exact = float(mpmath.betainc(a, 0.5, 0, x, regularized=True) / 2) if t else 0.5
    assert t_cdf(degrees, -t) == pytest.approx(exact, rel=1e-11)
    assert t_cdf(degrees, t) == pytest.approx(1 - exact, rel=1e-15)


FAREST = 1e100
OLD_SCIPY = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17)
"""It looks no farther than that for a quantile, which a tenth of a degree of freedom may pass."""


@given(st.floats(0.1, 1e6), st.floats(1e-15, 0.5))
def test_a_quantile_is_exceeded_with_its_chance(degrees: float, chance: float) -> None:
    above = t_above(chance, degrees)
    if above == FAREST and OLD_SCIPY:
        assert t_cdf(degrees, -above) > chance  # cut there
    else:
        assert t_cdf(degrees, -above) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize(
    ("shape", "p", "expected"),
    [
        (1.0, 0.5, math.log(2)),  # the exponential, and far out in its tail
        (1.0, 1 - 2**-30, 30 * math.log(2)),
        (1.0, 2**-60, 2**-60),
        (0.5, 0.95, 3.841458820694124 / 2),  # half of chi-square with one degree of freedom
        (0.01, 0.1, (0.1 * math.gamma(1.01)) ** 100),  # near 0 it grows with x to the shape
        (0.001, 0.025, 0.0),  # 10⁻¹⁶⁰²: smaller than any float
        (1e28, 0.975, 1e28),  # the spread of a sum of rounding errors
    ],
)
def test_quantiles_of_the_gamma_distribution_by_hand(
    shape: float, p: float, expected: float
) -> None:
    assert gamma_quantile(shape, p) == pytest.approx(expected, rel=1e-8, abs=1e-300)


def test_the_ends() -> None:
    assert t_quantile(0.0, 7) == 0.0
    assert t_quantile(1.0, 7) == math.inf == -normal_quantile(0.0) == normal_quantile(1.0)
    assert t_above(0.0, 40) == t_above(0.0, 1e5) == math.inf
    # 4.4e30, where the density is no number any more for a newer SciPy
    assert t_above(1e-300, 10) == (pytest.approx(4.416e30, rel=1e-3) if OLD_SCIPY else math.inf)
    assert t_quantile(0.95, math.inf) == pytest.approx(normal_quantile(0.975), rel=1e-15)
    assert t_cdf(math.inf, -1.96) == pytest.approx(normal_cdf(-1.96), rel=1e-15)
    for value in (t_quantile(0.95, 0), t_quantile(0.95, math.nan), t_cdf(0, 1), t_quantile(2, 7)):
        assert math.isnan(value)


@pytest.mark.parametrize("shape", [1e4, 537741.0])
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.975])
def test_a_large_gamma_shape_has_its_quantile(shape: float, p: float) -> None:
    with mpmath.workdps(30):
        below = float(mpmath.gammainc(shape, 0, gamma_quantile(shape, p), regularized=True))
    assert below == pytest.approx(p, rel=1e-10)


def test_beyond_everything_lies_nothing() -> None:
    assert [t_cdf(5, t) for t in (-math.inf, math.inf)] == [0.0, 1.0]
