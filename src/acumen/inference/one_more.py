r"""An end of a ratio over few cases: what it could be with one more case of the worst kind.

Of cases with :math:`x_c` of :math:`m_c` rows, the last of them that further case, the end b is
where

.. math:: P\Big(\sum_c E_c (x_c - b\,m_c) > 0\Big) = \alpha

over independent exponential :math:`E_c`: every case counts as often as chance would have it
(Gaffke 2005). Where cases are lost whole or not at all, and are of one size, this is the exact end
of a binomial share. A t-test knows only the variance of the cases there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from acumen.types import Floats

STEP: Final = 0.1
FAR: Final = 30.0
"""The integral is summed over logarithms: so far apart, and to where it is below 1e-13."""
CERTAIN: Final = 5.0
"""A sum whose mean lies so many standard deviations from 0 is taken to lie there always."""
NONE: Final = 1e-12
MOST: Final = 100
NEAR: Final = 1e-14
CLOSE: Final = 1e-12
"""How often an end is looked for, and how closely: by itself, or by the chance it has."""


def chance_above(amounts: Floats, times: Floats) -> float:
    r"""The chance that a sum of amounts is above 0, each as often as an exponential number says.

    .. math:: \frac12 + \frac1\pi \int_0^\infty \frac{\sin \sum_c \arctan a_c t}
              {t \prod_c \sqrt{1 + a_c^2 t^2}}\, dt

    Imhof (1961), Biometrika 48. ``times`` is how many cases have each amount.

    >>> round(chance_above(np.array([1.0, -2.0]), np.ones(2)), 10)  # 1 / (1 + 2)
    0.3333333333
    """
    largest = float(np.abs(amounts).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    apart = float(times @ amounts) / math.sqrt(float(times @ amounts**2))
    if abs(apart) > CERTAIN:
        return float(apart > 0.0)
    some = np.abs(amounts) > NONE * largest
    a, times = amounts[some] / largest, times[some]
    t = np.exp(np.arange(-FAR - math.log(times.sum()), FAR, STEP))[:, None] * a
    value = np.sin(np.arctan(t) @ times) * np.exp(-0.5 * np.log1p(t * t) @ times)
    return 0.5 + STEP / math.pi * float(value.sum())


def end_with(x: Floats, m: Floats, more: tuple[float, float], chance: float) -> float:
    """The upper end of the sum of x over that of m, the further case being ``more``.

    >>> x, m = np.array([4.0] + [0.0] * 40), np.full(41, 4.0)
    >>> round(end_with(x, m, (4.0, 4.0), 0.05), 4)  # of a binomial share, 1 of 41
    0.1106
    """
    cases = np.column_stack([np.append(x, more[0]), np.append(m, more[1])])
    kinds, times = np.unique(cases, axis=0, return_counts=True)
    ratios = kinds[kinds[:, 1] > 0]
    ratios = ratios[:, 0] / ratios[:, 1]
    low, high = float(ratios.min()), float(ratios.max())

    def beyond(end: float) -> float:
        return chance_above(kinds[:, 0] - end * kinds[:, 1], times.astype(np.float64)) - chance

    if low == high or beyond(low) <= 0.0:
        return low
    return _root(beyond, low, high)


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0: by its chord, which leaves a side that stays (Illinois)."""
    left, right = of(low), of(high)
    for _ in range(MOST):
        middle = (low * right - high * left) / (right - left)
        value = of(middle)
        if abs(value) < CLOSE or high - low < NEAR:
            break
        if value > 0.0:
            low, left, right = middle, value, right / 2.0
        else:
            high, right, left = middle, value, left / 2.0
    return middle


def worst_of(x: Floats, m: Floats) -> tuple[float, float]:
    """A further case: as large as that of an average row, and lost like the worst there is.

    Or that of the cases there are which weighs most, where it weighs more.

    >>> worst_of(np.array([0.0, 2.0, 1.0]), np.array([4.0, 4.0, 2.0]))
    (2.0, 4.0)
    """
    there = m > 0
    share = float((x[there] / m[there]).max())
    size = float((m**2).sum() / m.sum())
    residual = x - float(x.sum() / m.sum()) * m
    seen = int(np.argmax(residual))
    if residual[seen] >= (share - float(x.sum() / m.sum())) * size:
        return float(x[seen]), float(m[seen])
    return share * size, size
