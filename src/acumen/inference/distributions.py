"""The normal distribution, Student's t, the gamma and the beta distribution and the binomial.

The loops behind them are imported when the first one is asked for: a user waits for every import.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from acumen.types import Floats

_NORMAL: Final = NormalDist()


@cache
def _special() -> Any:
    """Looked up once: an import statement that finds its module costs as much as a quantile."""
    from acumen.inference import special

    return special


def normal_cdf(z: float) -> float:
    """The chance of a normal value of at most ``z``.

    >>> round(normal_cdf(-1.96), 4)
    0.025
    """
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def normal_quantile(p: float) -> float:
    """The value that a normal one stays below with chance ``p``.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    if not 0.0 < p < 1.0:
        return math.copysign(math.inf, p - 0.5) if p in (0.0, 1.0) else math.nan
    return _NORMAL.inv_cdf(p)


def t_cdf(degrees: float, t: float) -> float:
    """The chance of a value of Student's t of at most ``t``.

    >>> round(t_cdf(40, -2.0211), 4)
    0.025
    """
    if not degrees > 0.0 or math.isnan(t):
        return math.nan
    if math.isinf(t):
        return normal_cdf(t)
    above: float = _special().t_above(abs(t), degrees)
    return above if t < 0.0 else 1.0 - above


def t_quantile(level: float, degrees: float) -> float:
    """Two-sided Student quantile: a share of ``level`` lies within it.

    >>> round(t_quantile(0.95, 40), 4)
    2.0211
    """
    return t_above((1 - level) / 2, degrees)


def t_above(chance: float, degrees: float) -> float:
    """What Student's t exceeds with this chance, of at most a half."""
    if not (degrees > 0.0 and 0.0 <= chance <= 0.5):
        return math.nan
    if chance == 0.0:
        return math.inf
    return _exp(_special().t_exceeded(chance, degrees))


def t_quantiles(chance: ArrayLike, degrees: ArrayLike) -> Floats:
    """What Student's t exceeds with each chance, below a half; none where no degree is free.

    >>> t_quantiles(0.025, [0, 40, np.inf]).round(4)
    array([   nan, 2.0211, 1.96  ])
    """
    return _each(_special().t_quantiles, chance, degrees)


def gamma_quantile(shape: float, p: float) -> float:
    """The value that a gamma one of this shape and scale 1 stays below with chance ``p``.

    >>> round(gamma_quantile(1, 0.5), 4)  # of the exponential
    0.6931
    """
    if not (shape > 0.0 and 0.0 <= p <= 1.0):
        return math.nan
    if p in (0.0, 1.0):
        return math.inf if p else 0.0
    if shape > _special().MANY:  # Cornish and Fisher's expansion
        z, root_of = normal_quantile(p), math.sqrt(shape)
        third = (z**3 - 7 * z) / 36 - (3 * z**4 + 7 * z**2 - 16) / (810 * root_of)
        return shape + z * root_of + (z**2 - 1) / 3 + third / root_of
    return _exp(_special().gamma_log(shape, min(p, 1.0 - p), p > 0.5))


def beta_quantile(a: float, b: float, p: float) -> float:
    """The value that a beta one stays below with chance ``p``.

    >>> round(beta_quantile(1, 20, 0.95), 4)  # nothing seen in 20: up to 14% may be
    0.1391
    """
    if not (a > 0.0 and b > 0.0 and 0.0 <= p <= 1.0):
        return math.nan
    if p in (0.0, 1.0):
        return p
    log_odds = _special().beta_odds(a, b, p) if p <= 0.5 else -_special().beta_odds(b, a, 1.0 - p)
    return 1.0 / (1.0 + _exp(-log_odds))


def beta_cdf(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """The chance of a beta value of at most ``x``, element by element.

    >>> beta_cdf(1, 20, [0.0, 0.1391, 1.0]).round(4)
    array([0.  , 0.95, 1.  ])
    """
    return _each(_special().beta_cdf, a, b, x)


def binomial_cdf(errors: ArrayLike, n: ArrayLike, share: ArrayLike) -> Floats:
    """The chance of at most so many errors among n, each with the chance ``share``.

    >>> binomial_cdf([0, 1, 20], 20, 0.1).round(4)
    array([0.1216, 0.3917, 1.    ])
    """
    k, total = np.floor(np.asarray(errors, np.float64)), np.asarray(n, np.float64)
    some = k < total  # else there is no beta: all may err
    below = beta_cdf(np.where(some, total - k, 1.0), k + 1.0, 1.0 - np.asarray(share, np.float64))
    return np.where(some, below, 1.0)


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that goes from one sign to the other does so, by halving.

    >>> root(lambda x: x * x - 2, 1, 2) == 2**0.5
    True
    """
    falls = function(low) > 0.0
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if (function(middle) > 0.0) == falls else (low, middle)
    return high


def _each(loop: Callable[..., None], *parts: ArrayLike) -> Floats:
    """What a loop says of every element."""
    arrays = [np.asarray(part, np.float64) for part in parts]
    values = np.empty(np.broadcast_shapes(*(array.shape for array in arrays)))
    # copies: a loop is compiled for arrays that may be written
    loop(*(np.broadcast_to(a, values.shape).flatten() for a in arrays), values.reshape(-1))
    return values


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf
