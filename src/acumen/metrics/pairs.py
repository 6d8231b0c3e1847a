r"""Agreement of two columns of numbers, as functions of sums over cases: ICC, concordance, limits.

A function is given the sums along the last axis. *Pairs* are n, the sum of :math:`(x + y)^2`, of
:math:`x^2 + y^2`, of x and of y; *differences* are n, the sum of :math:`d = x - y` and of its
squares. Totals of cases, raters and decimal scores share them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from acumen.types import Floats

Statistic = Callable[[Floats], Any]

Z: Final = 1.96
"""Of the limits of agreement, as Bland and Altman have it."""


def icc_of(name: str, k: int) -> Statistic:
    """An intraclass correlation of sums: n, squared sums of units, squares, sums of raters."""

    def icc(sums: Floats) -> Any:
        n, of_rows, squares, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
        grand = columns.sum(axis=1) ** 2 / (n * k)
        between = of_rows / k - grand
        raters = (columns**2).sum(axis=1) / n - grand
        rest = squares - grand - between - raters
        msr, msc = between / (n - 1), raters / (k - 1)
        mse, msw = rest / ((n - 1) * (k - 1)), (raters + rest) / (n * (k - 1))
        forms = {
            "icc_1_1": (msr - msw) / (msr + (k - 1) * msw),
            "icc_a_1": (msr - mse) / (msr + (k - 1) * mse + k / n * (msc - mse)),
            "icc_c_1": (msr - mse) / (msr + (k - 1) * mse),
            "icc_1_k": (msr - msw) / msr,
            "icc_a_k": (msr - mse) / (msr + (msc - mse) / n),
            "icc_c_k": (msr - mse) / msr,
        }
        return np.where(n > 1, forms[name], np.nan)

    return icc


def ccc(sums: Floats) -> Any:
    """Lin's concordance of pairs."""
    n, of_rows, squares, x, y = sums.T
    product = (of_rows - squares) / 2
    # 2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²), times n throughout
    apart = squares - (x * x + y * y) / n + (x - y) ** 2 / n
    # one case agrees or not: it has no correlation
    return 2 * (product - x * y / n) / np.where((apart > 1e-12) & (n > 1), apart, np.nan)


def spread(sums: Floats) -> Any:
    """The standard deviation of differences."""
    n, off, squares = sums[:, 0], sums[:, 1], sums[:, 2]
    return np.sqrt(np.maximum(squares - off * off / n, 0.0) / np.where(n > 1, n - 1, np.nan))


def limit(z: float) -> Statistic:
    """A limit of agreement of differences: their mean and so many standard deviations."""
    return lambda sums: sums[:, 1] / sums[:, 0] + z * spread(sums)
