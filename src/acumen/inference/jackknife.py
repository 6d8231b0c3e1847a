"""The jackknife: how far a metric moves when a case is left out.

For very many cases a pass per case is too slow; there the influence of a case stands in, the
derivative of a metric by its weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from acumen.types import Floats

ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Leave-one-out values, ready for use: how far each lies from their mean."""

    deviations: Floats
    undefined: tuple[int, ...] = ()
    """Which values (by place) do not exist, and so are not among the deviations."""
    n_cases: int | None = None
    """How many cases there are, where groups of cases were left out."""
    items: Jackknife | None = None
    """The same with each item left out, where the items are a sample too."""
    cells: Floats | None = None
    """Influence of each (case, item), where every case has every item and it is known."""

    @classmethod
    def of(cls, left_out: Floats, n_cases: int | None = None) -> Jackknife:
        """From the values without each case (or group); undefined ones are not used."""
        missing = np.isnan(left_out)
        values = left_out[~missing]
        mean = values.mean() if len(values) else np.nan
        deviations = _without_rounding(values - mean, np.abs(values).max(initial=0.0))
        return cls(deviations, tuple(np.flatnonzero(missing).tolist()), n_cases)

    @classmethod
    def of_rows(cls, left_out: Floats, n_cases: int) -> list[Jackknife]:
        """The same of many metrics, one a row."""
        if not left_out.size:
            return [cls.of(row, n_cases) for row in left_out]
        deviations = left_out - left_out.mean(axis=1, keepdims=True)
        largest, size = (np.abs(x).max(axis=1, keepdims=True) for x in (deviations, left_out))
        deviations[(largest <= ROUNDING * size)[:, 0]] = 0.0
        rows = zip(left_out, deviations, np.isnan(deviations[:, 0]).tolist(), strict=True)
        return [cls.of(row, n_cases) if gap else cls(own, (), n_cases) for row, own, gap in rows]

    @classmethod
    def of_influence(cls, derivatives: Floats) -> Jackknife:
        r"""From :math:`U_c = \partial T/\partial w_c`; leaving out c moves a mean by −U_c·n/(n−1).

        So :math:`s^2 = \frac{n}{n-1} \sum U_c^2`.
        """
        n = len(derivatives)
        return cls(-derivatives * (n / (n - 1)))

    @property
    def gaps(self) -> tuple[int, ...]:
        """Which values do not exist: without cases, then without items."""
        return self.undefined + (() if self.items is None else (-1, *self.items.undefined))

    def minus(self, other: Jackknife) -> Jackknife:
        """The leave-one-out values of a difference; both must have the same gaps."""
        size = np.abs([self.deviations, other.deviations]).max(initial=0.0)
        deviations = _without_rounding(self.deviations - other.deviations, size)
        items = self.items and other.items and self.items.minus(other.items)
        a, b = self.cells, other.cells
        cells = None if a is None or b is None else a - b
        return Jackknife(deviations, self.undefined, self.n_cases, items, cells)

    def correlation(self, other: Jackknife) -> float:
        """How far the two estimates move together; 0 where one does not move."""
        if self.items is not None:
            return self._shared_with(other)
        x, y = self.deviations, other.deviations
        scale = math.sqrt(float(x @ x) * float(y @ y))
        return float(x @ y) / scale if scale > 0.0 else 0.0

    def _shared_with(self, other: Jackknife) -> float:
        """The same by the variances of both and of their difference."""
        a, b = self.standard_error, other.standard_error
        shared = a * a + b * b - other.minus(self).standard_error ** 2
        return max(-1.0, min(1.0, shared / (2 * a * b))) if a > 0.0 and b > 0.0 else 0.0

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.deviations)

    @property
    def cases(self) -> int:
        """How many cases the study has."""
        return self.n + len(self.undefined) if self.n_cases is None else self.n_cases

    @property
    def standard_error(self) -> float:
        """Jackknife standard error; of cases and items where both are a sample."""
        return math.sqrt(self.variance if self.items is None else self._two_way[0])

    @property
    def variance(self) -> float:
        """Squared standard error, the items as they are."""
        return (self.n - 1) / self.n * float(self.deviations @ self.deviations)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: fewer when a few cases, or the items, carry most of the variance."""
        return self._case_degrees if self.items is None else self._two_way[1]

    @property
    def _two_way(self) -> tuple[float, float]:
        r"""Variance over cases and items, and its degrees of freedom.

        .. math:: V = \max(V_{case}, V_{case} + V_{item} - V_{res}), \quad
                  df = V^2 \Big/ \Big(\frac{V_{case}^2}{df_{case}} + \frac{V_{item}^2}{k-1}
                  + \frac{V_{res}^2}{(n-1)(k-1)}\Big)

        held between min(n, k) − 1 and n − 1; without cells nothing is taken off, which is wide.
        """
        assert self.items is not None
        n, k = self.n, self.items.n
        if k < 2:
            return self.variance, self._case_degrees
        of_case, of_item, rest = self.variance, self.items.variance, 0.0
        if self.cells is not None:
            by_case, by_item = (self.cells.mean(axis=axis, keepdims=True) for axis in (1, 0))
            left = self.cells - by_case - by_item + self.cells.mean()
            rest = n * k / ((n - 1) * (k - 1)) * float((left * left).sum())
        variance = max(of_case, of_case + of_item - rest)
        if variance == 0.0:
            return 0.0, self._case_degrees
        parts = of_case**2 / self._case_degrees + of_item**2 / (k - 1)
        degrees = variance**2 / (parts + rest**2 / ((n - 1) * (k - 1)))
        return variance, min(n - 1.0, max(min(n, k) - 1.0, degrees))

    @property
    def top_share(self) -> float:
        """Share of the variance over cases that one of them carries."""
        squares = self.deviations**2
        total = float(squares.sum())
        return float(squares.max()) / total if total > 0.0 else 0.0

    @property
    def carrying(self) -> float:
        """As how many cases of one deviation these are: few, where few carry the variance."""
        squares = self.deviations**2
        fourth = float((squares**2).sum())
        return float(squares.sum()) ** 2 / fourth if fourth > 0.0 else 0.0

    @property
    def _case_degrees(self) -> float:
        largest = float(np.abs(self.deviations).max(initial=0.0))
        if largest == 0.0:
            return self.n - 1.0
        squares = (self.deviations / largest) ** 2  # so that no power of them vanishes
        total = float(squares.sum())
        return degrees_of(self.n, self.n * float((squares**2).sum()) / total**2)


def degrees_of(n: int, kurtosis: float) -> float:
    """Degrees of freedom of a variance over n cases, fewer where their kurtosis is large."""
    most = n - 1.0
    return most if kurtosis <= 1.0 else min(most, max(2.0, 2.0 * n / (kurtosis - 1.0)))


def _without_rounding(deviations: Floats, size: float) -> Floats:
    """Zeros where all that varies is the last digits: equal values must have no spread at all."""
    return np.where(np.abs(deviations).max(initial=0.0) <= ROUNDING * size, 0.0, deviations)
