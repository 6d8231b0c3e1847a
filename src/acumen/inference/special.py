r"""The beta and the gamma distribution and Student's t, as compiled loops over arrays.

A tail is a continued fraction or a series times a *front*, the density times :math:`x(1-x)` (beta)
or :math:`x` (gamma). The front is made of deviances and the error of Stirling's formula (Loader
2000), which have all their digits for large parameters too. The logarithm of a tail is concave in
the logarithm of the odds (beta) or of the value (gamma, t): Newton's method, from the middle of
the distribution, passes the quantile at most once and then nears it from one side. Where it lands
beyond the smallest chance that has its digits, it goes half of the way back.
"""

from __future__ import annotations

import math
from typing import Final

from acumen.types import Floats
from acumen.views.compiled import compiled, inlined

TINY: Final = 1e-300
SMALLEST: Final = 1e-305
"""A chance with fewer digits than others."""
EXACT: Final = 2.3e-16
TERMS: Final = 100_000
"""More than any series here takes: a beta of 10⁹ cases takes 20,000."""
STEPS: Final = 200
CLOSE: Final = 1e-7
"""An error in the logarithm of a chance whose square is beyond all digits: the last step."""
LARGEST_T: Final = 350.0
LEAST: Final = -700.0
"""Logarithms: of a t whose square is still a number, and of odds and values that are."""
MANY: Final = 1e6
"""From so many on a series takes thousands of terms, and an expansion has the digits."""
HALF_LOG_2PI: Final = 0.5 * math.log(2 * math.pi)


@inlined
def _stirling(n: float) -> float:
    """The error of Stirling's formula for the logarithm of n!."""
    error = 0.0
    while n < 16.0:  # to where the series has its digits
        error += (n + 0.5) * math.log1p(1.0 / n) - 1.0
        n += 1.0
    square = n * n
    series = 1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square
    return error + (1 / 12 - (1 / 360 - series / square) / square) / n


@inlined
def _deviance(x: float, mean: float) -> float:
    """How far x is from a mean, x log(x / mean) + mean - x, also where they are close."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    ratio = (x - mean) / (x + mean)
    total, term = (x - mean) * ratio, 2.0 * x * ratio
    for place in range(3, 21, 2):  # a tenth to the 20th is beyond all digits
        term *= ratio * ratio
        total += term / place
    return total


@inlined
def _beta_front(a: float, b: float, x: float, y: float) -> float:
    """The density times x y, for y = 1 - x."""
    n = a + b
    off = _deviance(a, n * x) + _deviance(b, n * y)
    off += _stirling(a) + _stirling(b) - _stirling(n)
    return math.exp(-off) * math.sqrt(a / n * b / (2.0 * math.pi))


@inlined
def _beta_fraction(a: float, b: float, x: float) -> float:
    """The lower tail over the front, for an x below the mean (Lentz's method)."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, TERMS):
        for odd in range(2):
            if odd:
                term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            else:
                term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1.0 + term * d
            c = 1.0 + term / c
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = c if abs(c) > TINY else TINY
            value *= d * c
        if abs(d * c - 1.0) <= EXACT:
            break
    return value / a


@inlined
def _beta_lower(a: float, b: float, x: float, y: float, front: float) -> float:
    """The chance of a value of at most x = 1 - y."""
    if x <= 0.0 or y <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x)
    return 1.0 - front * _beta_fraction(b, a, y)


@inlined
def _gamma_tail(shape: float, x: float, front: float, upper: bool) -> float:
    """The chance of a value of at most x, or above it."""
    if x < shape + 1.0:
        term = 1.0 / shape
        total, place = term, shape
        while term > EXACT * total:
            place += 1.0
            term *= x / place
            total += term
        return 1.0 - front * total if upper else front * total
    b = x + 1.0 - shape
    c, d = 1.0 / TINY, 1.0 / b
    value = d
    for m in range(1, TERMS):
        term = -m * (m - shape)
        b += 2.0
        d = term * d + b
        c = b + term / c
        d = 1.0 / (d if abs(d) > TINY else TINY)
        c = c if abs(c) > TINY else TINY
        value *= d * c
        if abs(d * c - 1.0) <= EXACT:
            break
    return front * value if upper else 1.0 - front * value


@compiled
def beta_cdf(a: Floats, b: Floats, x: Floats, cdf: Floats) -> None:
    """The chance of a value of at most x, into ``cdf``."""
    for i in range(len(x)):
        front = _beta_front(a[i], b[i], x[i], 1.0 - x[i]) if 0.0 < x[i] < 1.0 else 0.0
        cdf[i] = _beta_lower(a[i], b[i], x[i], 1.0 - x[i], front)


@inlined
def _t_tail(t: float, degrees: float) -> tuple[float, float]:
    """The chance of a value above ``t``, which is not negative, and t times the density."""
    if degrees > MANY:  # the normal value that is exceeded as often (Cornish and Fisher 1938)
        if t > 40.0:
            return 0.0, 0.0
        square, fourth = t * t, 0.25 / degrees
        z = t - t * fourth * (square + 1.0 - fourth * (13 * square * square + 8 * square + 3) / 6)
        front = t * math.exp(-0.5 * z * z - HALF_LOG_2PI)
        return 0.5 * math.erfc(z / math.sqrt(2.0)), front
    a, square = 0.5 * degrees, t * t
    x, y = degrees / (degrees + square), square / (degrees + square)
    front = _beta_front(a, 0.5, x, y) if y > 0.0 else 0.0
    return 0.5 * _beta_lower(a, 0.5, x, y, front), front


@inlined
def _t_exceeded(chance: float, degrees: float) -> float:
    if chance >= 0.5:
        return -math.inf
    u, before = 0.0, 0.0
    for _ in range(STEPS):
        tail, front = _t_tail(math.exp(u), degrees)
        if tail < SMALLEST:
            u = 0.5 * (u + before)
            continue
        off = math.log(tail / chance)
        before, u = u, min(LARGEST_T, u + off * tail / front)
        if u == before == LARGEST_T:
            return math.inf  # beyond it its square is no number any more
        if abs(off) <= CLOSE and abs(u - before) <= 1e-6:  # near 0 each step only divides it by e
            break
    return u


@compiled
def t_above(t: float, degrees: float) -> float:
    """The chance of a value of Student's t above ``t``, which is not negative."""
    return _t_tail(t, degrees)[0]


@compiled
def t_exceeded(chance: float, degrees: float) -> float:
    """The logarithm of the value that Student's t exceeds with this chance, below a half."""
    return _t_exceeded(chance, degrees)


@compiled
def t_quantiles(chance: Floats, degrees: Floats, quantiles: Floats) -> None:
    """What Student's t exceeds with each chance; none where there are no degrees of freedom."""
    for i in range(len(chance)):
        u = _t_exceeded(chance[i], degrees[i]) if degrees[i] > 0.0 else math.nan
        quantiles[i] = math.exp(u)


@compiled
def beta_odds(a: float, b: float, p: float) -> float:
    """The logarithm of the odds of the value that a beta one stays below with chance p ≤ 1/2."""
    u = before = math.log(a / b)
    for _ in range(STEPS):
        x, y = 1.0 / (1.0 + math.exp(-u)), 1.0 / (1.0 + math.exp(u))
        front = _beta_front(a, b, x, y)
        lower = _beta_lower(a, b, x, y, front)
        if lower < SMALLEST:
            u = 0.5 * (u + before)
            continue
        off = math.log(p / lower)
        before, u = u, max(LEAST, u + off * lower / front)
        if abs(off) <= CLOSE or u == before == LEAST:
            break
    return u


@compiled
def gamma_log(shape: float, chance: float, upper: bool) -> float:
    """The logarithm of the value that a gamma one stays below, or above, with chance ≤ 1/2."""
    u = before = math.log(shape)
    for _ in range(STEPS):
        x = math.exp(u)
        off = _deviance(shape, x) + _stirling(shape)
        front = math.exp(-off) * math.sqrt(shape / (2.0 * math.pi))
        tail = _gamma_tail(shape, x, front, upper)
        if tail < SMALLEST:
            u = 0.5 * (u + before)
            continue
        off = math.log(tail / chance)
        step = off * tail / front
        before, u = u, max(LEAST, u + step if upper else u - step)
        if u == before == LEAST:
            return -math.inf
        if abs(off) <= CLOSE:
            break
    return u
