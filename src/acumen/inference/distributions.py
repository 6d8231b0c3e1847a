"""The normal distribution, Student's t, the gamma and the beta distribution, a number at a time.

They are SciPy's, which is imported when the first one is asked for: a user waits for every import.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any


@cache
def _special() -> Any:
    """To look for a module takes as long as to ask it for a number."""
    from scipy import special

    return special


def normal_cdf(z: float) -> float:
    """The chance of a normal value of at most ``z``.

    >>> round(normal_cdf(-1.96), 4)
    0.025
    """
    return float(_special().ndtr(z))


def normal_quantile(p: float) -> float:
    """The value that a normal one stays below with chance ``p``.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    return float(_special().ndtri(p))


def t_cdf(degrees: float, t: float) -> float:
    """The chance of a value of Student's t of at most ``t``.

    >>> round(t_cdf(40, -2.0211), 4)
    0.025
    """
    return float(_special().stdtr(degrees, t))


def t_quantile(level: float, degrees: float) -> float:
    """Two-sided Student quantile: a share of ``level`` lies within it.

    >>> round(t_quantile(0.95, 40), 4)
    2.0211
    """
    return t_above((1 - level) / 2, degrees)


def t_above(chance: float, degrees: float) -> float:
    """What Student's t exceeds with this chance, of at most a half."""
    # by version, SciPy has -0.0 or 7e-17 at a half, no number at 0, and the wrong sign where a
    # chance is too small for it
    if chance in (0.0, 0.5):
        return 0.0 if chance else math.inf
    return abs(float(_special().stdtrit(degrees, chance)))


def gamma_quantile(shape: float, p: float) -> float:
    """The value that a gamma one of this shape and scale 1 stays below with chance ``p``.

    >>> round(gamma_quantile(1, 0.5), 4)  # of the exponential
    0.6931
    """
    return float(_special().gammaincinv(shape, p))


def beta_quantile(a: float, b: float, p: float) -> float:
    """The value that a beta one stays below with chance ``p``.

    >>> round(beta_quantile(1, 20, 0.95), 4)  # nothing seen in 20: up to 14% may be
    0.1391
    """
    return float(_special().betaincinv(a, b, p))
