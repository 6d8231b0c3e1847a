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
    mean: float | None = None
    """The mean of the values themselves, where they were computed."""

    @classmethod
    def of(cls, left_out: Floats, n_cases: int | None = None) -> Jackknife:
        """From the values without each case (or group); undefined ones are left aside."""
        missing = np.isnan(left_out)
        values = left_out[~missing]
        mean = values.mean() if len(values) else np.nan
        deviations = _without_rounding(values - mean, np.abs(values).max(initial=0.0))
        undefined = tuple(np.flatnonzero(missing).tolist())
        return cls(deviations, undefined, n_cases, float(mean) if len(values) else None)

    @classmethod
    def of_influence(cls, derivatives: Floats) -> Jackknife:
        r"""From :math:`U_c = \partial T/\partial w_c`; leaving out c moves a mean by −U_c·n/(n−1).

        So :math:`s^2 = \frac{n}{n-1} \sum U_c^2`.
        """
        n = len(derivatives)
        return cls(-derivatives * (n / (n - 1)))

    def minus(self, other: Jackknife) -> Jackknife:
        """The leave-one-out values of a difference; both must lack the same cases."""
        size = np.abs([self.deviations, other.deviations]).max(initial=0.0)
        deviations = _without_rounding(self.deviations - other.deviations, size)
        return Jackknife(deviations, self.undefined, self.n_cases)

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
        """Jackknife standard error."""
        return math.sqrt((self.n - 1) / self.n * float(self.deviations @ self.deviations))

    def bias(self, estimate: float) -> float:
        """How much too high the estimate is, by the jackknife; 0 where that is not known."""
        return 0.0 if self.mean is None else (self.n - 1) * (self.mean - estimate)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: fewer when a few cases carry most of the variance."""
        largest = float(np.abs(self.deviations).max(initial=0.0))
        if largest == 0.0:
            return self.n - 1.0
        squares = (self.deviations / largest) ** 2  # so that no power of them vanishes
        total = float(squares.sum())
        kurtosis = self.n * float((squares**2).sum()) / total**2
        if kurtosis <= 1.0:
            return self.n - 1.0
        return min(self.n - 1.0, max(2.0, 2.0 * self.n / (kurtosis - 1.0)))


def _without_rounding(deviations: Floats, size: float) -> Floats:
    """Zeros where all that varies is the last digits: equal values must have no spread at all."""
    return np.where(np.abs(deviations).max(initial=0.0) <= ROUNDING * size, 0.0, deviations)
