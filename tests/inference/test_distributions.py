"""The normal distribution and Student's t against 40 digits and known values."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from acumen.inference.distributions import (
    beta_cdf,
    beta_quantile,
    binomial_cdf,
    gamma_quantile,
    normal_cdf,
    normal_quantile,
    t_above,
    t_cdf,
    t_quantile,
    t_quantiles,
)

BETA_5_HALF = math.gamma(5) * math.gamma(0.5) / math.gamma(5.5)


@pytest.mark.parametrize("degrees", [0.5, 1, 3.7, 40, 199.9, 200.1, 1999, 2001, 1e4, 1e6])
@pytest.mark.parametrize("t", [0.0, 0.01, 0.5, 1.0, 1.5, 2.0, 8.0, 30.0])
def test_chances_have_their_digits_far_out(degrees: float, t: float) -> None:
    with mpmath.workdps(40):
        a, square = mpmath.mpf(degrees) / 2, mpmath.mpf(t) ** 2
        x = degrees / (degrees + square)
        exact = float(mpmath.betainc(a, 0.5, 0, x, regularized=True) / 2) if t else 0.5
    assert t_cdf(degrees, -t) == pytest.approx(exact, rel=1e-11)
    assert t_cdf(degrees, t) == pytest.approx(1 - exact, rel=1e-15)


@given(st.floats(0.1, 1e6), st.floats(1e-15, 0.5))
def test_a_quantile_is_exceeded_with_its_chance(degrees: float, chance: float) -> None:
    above = t_above(chance, degrees)
    assert t_cdf(degrees, -above) == pytest.approx(chance, rel=1e-9)
    assert t_quantiles([chance], degrees) == pytest.approx([above], rel=1e-15)


@given(st.floats(0.05, 1e6), st.floats(0.05, 1e6), st.floats(1e-12, 1.0, exclude_max=True))
def test_a_beta_value_stays_below_its_quantile_with_its_chance(
    a: float, b: float, p: float
) -> None:
    quantile = beta_quantile(a, b, p)
    # where the next value a float has stands for much more: its ends
    if 1e-250 < quantile < 1 - 1e-6:
        assert beta_cdf(a, b, quantile) == pytest.approx(p, rel=1e-8)
        assert quantile == pytest.approx(special.betaincinv(a, b, p), rel=1e-9)


@given(st.floats(0.01, 1e5), st.floats(1e-12, 1.0, exclude_max=True))
def test_a_gamma_value_stays_below_its_quantile_with_its_chance(shape: float, p: float) -> None:
    quantile = gamma_quantile(shape, p)
    if quantile > 1e-250:
        assert special.gammainc(shape, quantile) == pytest.approx(p, rel=1e-9)


def test_chances_of_counts_are_sums_of_chances() -> None:
    for n, share in ((1, 0.3), (7, 0.5), (40, 0.02), (40, 0.999)):
        each = [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
        expected = np.minimum(1.0, np.cumsum(each))
        assert binomial_cdf(np.arange(n + 1), n, share) == pytest.approx(expected, rel=1e-12)
    k, many = np.array([0, 4, 999, 10**6]), np.array([10, 5, 2000, 4 * 10**6])
    expected = special.betainc(many - k, k + 1, 0.75)
    assert binomial_cdf(k + 0.9, many, 0.25) == pytest.approx(expected, rel=1e-9)
    assert binomial_cdf([0, 3], 3, [0.0, 1.0]).tolist() == [1.0, 1.0]


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
    # far out the tail is that of a power: 10⁵ / (10 B(5, 1/2)) t⁻¹⁰
    assert t_above(1e-300, 10) == pytest.approx((1e305 / 10 / BETA_5_HALF) ** 0.1, rel=1e-12)
    assert t_above(1e-300, 0.1) == math.inf
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


EXTREMES = """
import json
from acumen.inference.distributions import beta_quantile, gamma_quantile, t_above
chances = [1e-300, 1e-12, 0.025, 0.3, 0.5, 0.975, 1 - 1e-12]
values = [gamma_quantile(shape, p) for shape in (1e-4, 0.01, 0.5, 3.0, 1e4) for p in chances]
sizes = [1e-3, 0.5, 40.0]
values += [beta_quantile(a, b, p) for a in sizes for b in sizes for p in chances]
values += [t_above(p, degrees) for degrees in (0.1, 1.0, 40.0) for p in chances if p <= 0.5]
print(json.dumps(values))
"""


def test_the_loops_give_the_same_where_nothing_is_compiled() -> None:
    compiled, interpreted = (
        json.loads(
            subprocess.run(
                [sys.executable, "-c", EXTREMES], env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
                capture_output=True, text=True, check=True,
            ).stdout
        )
        for disabled in ("0", "1")
    )  # fmt: skip
    assert interpreted == pytest.approx(compiled, rel=1e-9, abs=1e-250)
    assert not any(math.isnan(value) for value in compiled)


def test_beyond_everything_lies_nothing() -> None:
    assert [t_cdf(5, t) for t in (-math.inf, math.inf)] == [0.0, 1.0]


@pytest.mark.parametrize("z", [0.1, 1.0, 3.0, 8.0])
def test_many_degrees_and_large_shapes_go_on_where_series_end(z: float) -> None:
    below, above = special.ndtr(-z), special.ndtr(z)
    for degrees in (1e6 + 1, 3e7, 1e13, 1e300):
        with mpmath.workdps(50):
            a, square = mpmath.mpf(degrees) / 2, mpmath.mpf(z) ** 2
            y = square / (degrees + square)
            # 1 - y is 1 in a float; the tail is the rest of the lower part
            exact = float((1 - mpmath.betainc(0.5, a, 0, y, regularized=True)) / 2)
        if degrees < 1e9:
            assert t_cdf(degrees, -z) == pytest.approx(exact, rel=1e-10)
        assert t_above(t_cdf(degrees, -z), degrees) == pytest.approx(z, rel=1e-9)
    for p in (below, above):
        near = [gamma_quantile(shape, p) for shape in (1e6 - 0.5, 1e6, 1e6 + 0.5)]
        assert near[2] - near[1] == pytest.approx(near[1] - near[0], abs=1e-6)
        assert gamma_quantile(1e28, p) == pytest.approx(1e28, rel=1e-12)
