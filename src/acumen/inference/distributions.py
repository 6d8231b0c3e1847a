"""The normal distribution, Student's t and the gamma distribution, one number at a time.

SciPy has them for whole arrays, and importing it took 0.15 of the 1.2 s of a small evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

LARGE: Final = 1e4
"""From this shape on a gamma quantile is its expansion about the normal's."""
FEW, MANY = 4.0, 2000.0
"""With more degrees of freedom a quantile is sought near its expansion about the normal's, with
very many it is the expansion."""
EXPANSION: Final = (
    (1, 1, 4),
    (5, 16, 3, 96),
    (3, 19, 17, -15, 384),
    (79, 776, 1482, -1920, -945, 92160),
)
"""Odd polynomials by falling powers, and what divides each (Abramowitz and Stegun, 26.7.5)."""


def normal_cdf(z: float) -> float:
    """The chance of a normal value of at most ``z``.

    >>> round(normal_cdf(-1.96), 4)
    0.025
    """
    return math.erfc(-z / math.sqrt(2)) / 2


@lru_cache(1000)
def normal_quantile(p: float) -> float:
    """The value that a normal one stays below with chance ``p``.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    if p > 0.5:
        return -normal_quantile(1 - p)
    return -_above(p, lambda z: (normal_cdf(-z), math.exp(-z * z / 2) / math.sqrt(2 * math.pi), z))


def t_cdf(degrees: float, t: float) -> float:
    """The chance of a value of Student's t of at most ``t``.

    >>> round(t_cdf(40, -2.0211), 4)
    0.025
    """
    beyond = 0.0 if math.isinf(t) else _tail(degrees, abs(t))[0]
    return beyond if t < 0 else 1 - beyond


def t_quantile(level: float, degrees: float) -> float:
    """Two-sided Student quantile: a share of ``level`` lies within it.

    >>> round(t_quantile(0.95, 40), 4)
    2.0211
    """
    return t_above((1 - level) / 2, degrees)


@lru_cache(1000)
def t_above(chance: float, degrees: float) -> float:
    """What Student's t exceeds with this chance, of at most a half."""
    t = z = -normal_quantile(chance)
    if z == math.inf:
        return z
    for power, (*parts, divisor) in enumerate(EXPANSION if degrees >= FEW else (), 1):
        value = 0.0
        for part in parts:
            value = value * z * z + part
        t += value * z / divisor / degrees**power
    return t if degrees >= MANY else _above(chance, lambda t: _tail(degrees, t), t)


def gamma_quantile(shape: float, p: float) -> float:
    """The value that a gamma one of this shape and scale 1 stays below with chance ``p``.

    Newton's steps for its logarithm, halving where one leads out of what is known; of a large
    shape the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.4.11, of half a χ²).

    >>> round(gamma_quantile(1, 0.5), 4)  # of the exponential
    0.6931
    """
    if shape >= LARGE:
        z, r = normal_quantile(p), math.sqrt(shape)
        rest = (
            (z * z - 1) / 3,
            (z**3 - 7 * z) / 36,
            -(3 * z**4 + 7 * z * z - 16) / 810,
            (9 * z**5 + 256 * z**3 - 433 * z) / 38880,
        )
        return shape + r * z + sum(part / r**power for power, part in enumerate(rest))
    low, high = -750.0, math.log(shape + 1) + 10  # below it nothing is left, above it everything
    at = min(max(low, (math.log(p) + math.lgamma(shape + 1)) / shape), high)
    for _ in range(100):
        below, density = _gamma_below(shape, math.exp(at))
        low, high = (at, high) if below < p else (low, at)
        near = at - (below - p) / density if density > 0.0 else math.nan
        near = near if low <= near <= high else (low + high) / 2
        if abs(near - at) < 1e-15:
            break
        at = near
    return math.exp(at)


def _gamma_below(shape: float, x: float) -> tuple[float, float]:
    """The chance of at most ``x``, and its slope by log x."""
    density = math.exp(shape * math.log(x) - x - math.lgamma(shape)) if x > 0.0 else 0.0
    if x > shape + 1:
        c, d = math.inf, 1 / (x + 1 - shape)
        value = d
        for n in range(1, 1000):
            part, plus = n * (shape - n), x + 2 * n + 1 - shape
            d, c = 1 / (plus + part * d), plus + part / c
            value *= c * d
            if abs(c * d - 1) < 5e-16:
                break
        return 1 - density * value, density
    term = total = 1 / shape
    n = 0
    while term > 1e-17 * total:
        n += 1
        term *= x / (shape + n)
        total += term
    return density * total, density


def _above(
    chance: float, tail: Callable[[float], tuple[float, float, float]], at: float = 0.0
) -> float:
    """What a symmetric value exceeds with this chance, by its tail, its density and how that falls.

    Newton's steps: a tail falls ever more gently, so from below they rise to the root and never
    pass it, and from above the first falls below it. Near the root they are Halley's.
    """
    if not 0.0 < chance <= 0.5:
        return math.inf if chance == 0.0 else math.nan
    is_far = True
    while is_far:
        beyond, density, fall = tail(at)
        if density == 0.0:  # so far out that no number holds how likely it is
            return math.inf
        step = (beyond - chance) / density
        bend = step * fall
        if abs(bend) < 0.5:
            step /= 1 - bend / 2
        is_far = abs(step) > 1e-5 * at or abs(bend) > 1e-5  # else the next would be of 1e-15
        at = max(0.0, at + step) if step < 0.0 else at + step
    return at


def _tail(degrees: float, t: float) -> tuple[float, float, float]:
    """The chance of more than ``t`` ≥ 0, the density there, and how fast its logarithm falls."""
    if not 0.0 < degrees < math.inf:
        return (normal_cdf(-t) if degrees > 0.0 else math.nan), math.nan, math.nan
    a, square = degrees / 2, t * t / degrees
    power = math.exp(-a * math.log1p(square))
    density = power / math.sqrt(1 + square) * _gammas(a) / math.sqrt(math.pi * degrees)
    x = 1 / (1 + square)
    scale, fall = density * t, (degrees + 1) * t / (degrees + t * t)
    # the scale is x^a (1 - x)^½ / B(a, ½)
    if x < (a + 1) / (a + 2.5):
        return scale * _fraction(a, 0.5, x) / (2 * a), density, fall
    return 0.5 - scale * _fraction(0.5, a, square * x), density, fall


def _gammas(a: float) -> float:
    """Γ(a + ½) / Γ(a)."""
    if a < 100:
        return math.gamma(a + 0.5) / math.gamma(a)
    series = 0.0
    for part in (-399 / 262144, -21 / 32768, 5 / 1024, 1 / 128, -1 / 8, 1.0):
        series = series / a + part
    return math.sqrt(a) * series


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), after Lentz."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d)
            c = 1 + part / c
            value *= c * d
        if abs(c * d - 1) < 5e-16:
            break
    return value
