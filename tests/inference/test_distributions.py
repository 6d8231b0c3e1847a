"""The normal distribution and Student's t against SciPy, and against 40 digits."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincinv, ndtr, ndtri, stdtr, stdtrit

from acumen.inference.distributions import (
    LARGE,
    MANY,
    gamma_quantile,
    normal_cdf,
    normal_quantile,
    t_above,
    t_cdf,
    t_quantile,
)

DEGREES = (
    0.5,
    1,
    1.3,
    2,
    3,
    5,
    9.99,
    40,
    99,
    199,
    199.9,
    200,
    201,
    999,
    MANY - 1e-6,
    MANY,
    1e5,
    1e7,
)
LEVELS = (0.01, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


@pytest.mark.parametrize("degrees", DEGREES)
def test_quantiles_are_those_of_scipy(degrees: float) -> None:
    for level in LEVELS:
        expected = -float(stdtrit(degrees, (1 - level) / 2))
        assert t_quantile(level, degrees) == pytest.approx(expected, rel=2e-13)


@pytest.mark.parametrize("degrees", [0.5, 1, 3.7, 40, 199.9, 200.1, 1999, 2001, 1e4, 1e6])
@pytest.mark.parametrize("t", [0.0, 0.01, 0.5, 1.0, 1.5, 2.0, 8.0, 30.0])
def test_chances_have_their_digits_far_out(degrees: float, t: float) -> None:
    with mpmath.workdps(40):
        a, square = mpmath.mpf(degrees) / 2, mpmath.mpf(t) ** 2
        x = degrees / (degrees + square)
        exact = float(mpmath.betainc(a, 0.5, 0, x, regularized=True) / 2) if t else 0.5
    assert t_cdf(degrees, -t) == pytest.approx(exact, rel=1e-11)
    assert t_cdf(degrees, t) == pytest.approx(1 - exact, rel=1e-15)


@given(st.floats(-37, 37))
def test_the_normal_is_that_of_scipy(z: float) -> None:
    assert normal_cdf(z) == pytest.approx(float(ndtr(z)), rel=1e-12)


@given(st.floats(1e-300, 1, exclude_max=True))
def test_its_quantile_too(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=1e-12, abs=1e-15)


@given(st.floats(0.1, 1e6), st.floats(1e-15, 0.5))
def test_a_quantile_is_exceeded_with_its_chance(degrees: float, chance: float) -> None:
    # near MANY the expansion is cut off after degrees⁻⁴, and z grows as the chance falls
    assert t_cdf(degrees, -t_above(chance, degrees)) == pytest.approx(chance, rel=1e-7)
    if chance > 1e-4:
        assert t_cdf(degrees, -t_above(chance, degrees)) == pytest.approx(chance, rel=1e-11)


@given(st.floats(0.02, 1e4), st.floats(1e-6, 0.9999))
def test_quantiles_of_the_gamma_distribution_are_those_of_scipy(shape: float, p: float) -> None:
    expected = float(gammaincinv(shape, p))
    assert gamma_quantile(shape, p) == pytest.approx(expected, rel=1e-11 / min(1, shape), abs=0)


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
    assert t_above(1e-300, 10) == math.inf  # 1e30, where the density is no number any more
    assert t_quantile(0.95, math.inf) == normal_quantile(0.975)
    assert t_cdf(math.inf, -1.96) == normal_cdf(-1.96)
    for value in (t_quantile(0.95, 0), t_quantile(0.95, math.nan), t_cdf(0, 1), t_quantile(2, 7)):
        assert math.isnan(value)
    assert float(stdtr(7, -2)) == pytest.approx(t_cdf(7, -2), rel=1e-14)


@pytest.mark.parametrize("shape", [1e4, 537741.0, 1e6])
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.975])
def test_a_large_gamma_shape_has_its_quantile(shape: float, p: float) -> None:
    with mpmath.workdps(30):  # at 10⁶ SciPy is off by 10⁻⁶ standard deviations
        below = float(mpmath.gammainc(shape, 0, gamma_quantile(shape, p), regularized=True))
    assert below == pytest.approx(p, rel=1e-10)


@pytest.mark.parametrize("p", [1e-6, 0.025, 0.5, 0.975, 0.9999])
def test_the_expansion_of_a_large_gamma_shape_goes_on_from_the_search(p: float) -> None:
    below, above = gamma_quantile(LARGE * (1 - 1e-12), p), gamma_quantile(LARGE, p)
    assert above == pytest.approx(below, abs=1e-9 * math.sqrt(LARGE))


def test_beyond_everything_lies_nothing() -> None:
    assert [t_cdf(5, t) for t in (-math.inf, math.inf)] == [0.0, 1.0]
