r"""The jackknife: how far a metric moves when a case is left out.

For very many cases a pass per case is too slow; there the influence function stands in, the
derivative of a metric by the weight of a case, in closed form and in one pass. With blocks
:math:`k` by falling confidence, :math:`A_k, L_k` their answered rows and loss, :math:`B_k` the
answered rows below, :math:`CA_k, r_k` cumulative count and risk, :math:`m_c` the rows of a case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.ranking import Ranking

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


def _of_coverage(ranking: Ranking) -> Floats:
    """:math:`(a_c - C_{max} m_c)/N`.

    >>> from acumen.views.ranking import rank
    >>> study = rank([0, 1, 0], [2, 1, 0], answered=[True, True, False])
    >>> _of_coverage(study).round(4).tolist()
    [0.1111, 0.1111, -0.2222]
    """
    rows, answered = _rows(ranking), _by_case(ranking, np.ones(len(ranking.order)))
    total = float(rows.sum())
    return (answered - float(answered.sum()) / total * rows) / total


def _of_mae(ranking: Ranking) -> Floats:
    r""":math:`(\ell_c - \mathrm{MAE}\, a_c)/A`."""
    answered = _by_case(ranking, np.ones(len(ranking.order)))
    lost = _by_case(ranking, ranking.loss)
    total = float(answered.sum())
    return (lost - float(lost.sum()) / total * answered) / total * ranking.unit


def _of_augrc(ranking: Ranking) -> Floats:
    """Each row adds its own loss to what is below it, and carries the loss above it."""
    count, lost, block = _blocks(ranking)
    below = count.sum() - np.cumsum(count)
    above = np.cumsum(lost) - lost
    per_row = ranking.loss * (below + count / 2)[block] + (above + lost / 2)[block]
    rows = _rows(ranking)
    total = float(rows.sum())
    area = float((lost * (below + count / 2)).sum()) / (total * total)
    return (_by_case(ranking, per_row) / (total * total) - 2 * area * rows / total) * ranking.unit


def _of_aurc(ranking: Ranking) -> Floats:
    r""":math:`\{\sum [h_k + \sum_{j \ge k} g_j (\ell - r_j)/CA_j] - \mathrm{AURC}\, m_c\}/N`."""
    count, lost, block = _blocks(ranking)
    reach = np.cumsum(count)
    risk = np.cumsum(lost) / reach
    height = (risk + np.concatenate([risk[:1], risk[:-1]])) / 2
    width = (count + np.append(count[1:], 0.0)) / 2
    width[0] += count[0] / 2
    slope = _from_here_on(width / reach)
    level = _from_here_on(width * risk / reach)
    per_row = height[block] + ranking.loss * slope[block] - level[block]
    rows = _rows(ranking)
    total = float(rows.sum())
    area = float((count * height).sum()) / total
    return (_by_case(ranking, per_row) - area * rows) / total * ranking.unit


INFLUENCE: Final[dict[str, Callable[[Ranking], Floats]]] = {
    "cmax": _of_coverage,
    "mae": _of_mae,
    "augrc": _of_augrc,
    "aurc": _of_aurc,
}
"""∂T/∂w of every case, for the metrics whose influence function is known."""


def _blocks(ranking: Ranking) -> tuple[Floats, Floats, NDArray[Any]]:
    """Weight and loss of each tie, and the tie of each ranked row."""
    size, own = len(ranking.ends), ranking.row_weight[ranking.order]
    block = np.repeat(np.arange(size), np.diff(ranking.ends, prepend=0))
    return _sums(block, own, size), _sums(block, own * ranking.loss, size), block


def _by_case(ranking: Ranking, per_row: NDArray[Any]) -> Floats:
    own = ranking.row_weight[ranking.order]
    return _sums(ranking.index, own * per_row, ranking.n_cases)


def _rows(ranking: Ranking) -> Floats:
    return _sums(ranking.case, ranking.weight, ranking.n_cases)


def _sums(index: NDArray[Any], values: NDArray[Any] | None, size: int) -> Floats:
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)


def _from_here_on(values: Floats) -> Floats:
    return np.cumsum(values[::-1])[::-1]
