r"""Prediction-powered inference by case: what people would say of all, from few labelled cases.

With people's ratings Y and the judge's F on n labelled cases, and F alone on N others,

.. math:: \hat\theta = \lambda\, \bar F_U + \bar Y - \lambda \bar F, \quad
          \lambda = \frac{k \sum_c a_c b_c}{k \sum_c b_c^2 + V_U}, \quad k = \frac{n}{n - 1}

where :math:`a_c` and :math:`b_c` are the influences of a case on the two means, and :math:`V_U` the
variance of :math:`\bar F_U`. It holds however bad the judge is, and is short where it is good.
Angelopoulos, Duchi and Zrnic (2023), PPI++, for rows; here a case is what is drawn.

Where the labelled cases were drawn with chances :math:`\pi_c`, each counts :math:`w_c = 1/\pi_c`
times, and so do its influences. The cases without a label are no random sample then either: what
stands beside their mean is what the labelled cases foretell of it,

.. math:: \tilde F = \bar F_w + \frac{1}{M_U} \sum_c (m_c \bar F_w - F_c), \quad
          \bar F_w = \frac{\sum_c w_c F_c}{\sum_c w_c m_c}

the weighted mean less the part of all rows that they are themselves. So
:math:`\hat\theta = \bar Y_w + \lambda\,(\bar F_U - \tilde F)`, which is the formula above where all
chances are the same, and otherwise active inference (Zrnic and Candès 2024) with the weighted means
taken out first: a constant added to all ratings is added to the estimate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.inference.distributions import t_quantile
from acumen.inference.jackknife import Jackknife
from acumen.inference.resample import LeaveOut
from acumen.inference.unseen import FEW, carrying, mean_bound
from acumen.types import Floats


@dataclass(frozen=True, eq=False)
class Sample:
    """Sums of cases: ``rows (case, part)``, and of each cut ``y`` and ``f (case, part, cut)``.

    A part is a system; the estimate is the sum of the parts' means, each ``sign`` times.
    """

    rows: Floats
    y: Floats
    f: Floats
    sign: Floats
    weight: Floats | None = None
    """How many cases each stands for, where they were drawn with different chances."""

    def take(self, cases: NDArray[Any]) -> Sample:
        """Some of the cases."""
        weight = None if self.weight is None else self.weight[cases]
        rows, y, f = self.rows[cases], self.y[cases], self.f[cases]
        return replace(self, rows=rows, y=y, f=f, weight=weight)

    def mean(self, sums: Floats) -> tuple[Floats, Floats]:
        """The mean a row of each cut, and the influence of each case on it."""
        mean, influence = self._parts(sums)
        return self.sign @ mean, self._joined(influence)

    def foretold(self, others: Sample) -> tuple[Floats, Floats, Floats]:
        """What these say of the judge's mean of the others, their influence on it, and by how much
        it is above the mean of all, by part: by nothing where every case had the same chance.
        """
        mean, influence = self._parts(self.f)
        there = others.rows.sum(axis=0)[:, None]
        if self.weight is None or not there.all():
            return self.sign @ mean, self._joined(influence), np.zeros_like(mean)
        shift = (mean * self.rows.sum(axis=0)[:, None] - self.f.sum(axis=0)) / there
        own = (mean * self.rows[:, :, None] - self.f) / there
        scale = 1.0 + self.rows.sum(axis=0)[:, None] / there
        return self.sign @ (mean + shift), self._joined(influence * scale + own), shift

    def _parts(self, sums: Floats) -> tuple[Floats, Floats]:
        rows = self._times(self.rows)
        total = rows.sum(axis=0)[:, None]
        sums = self._times(sums)
        mean = sums.sum(axis=0) / total
        return mean, (sums - mean * rows[:, :, None]) / total

    def _joined(self, influence: Floats) -> Floats:
        return np.asarray(np.einsum("p,cpk->ck", self.sign, influence))

    def _times(self, values: Floats) -> Floats:
        """Sums of cases, each as often as it stands for one."""
        if self.weight is None:
            return values
        return np.asarray(values * self.weight.reshape(-1, *[1] * (values.ndim - 1)))

    def of_cases(self, sums: Floats) -> Floats:
        """What each case adds to a mean of sums: as many times the mean as there are cases."""
        return np.asarray(self._times(sums) / self._times(self.rows).mean(axis=0) @ self.sign)

    @property
    def share(self) -> Floats:
        """Of the rows, times the cases."""
        rows = self._times(self.rows)
        return np.asarray(rows.mean(axis=1) / rows.mean())

    @property
    def heaviest(self) -> float:
        """How much more than the mean a case may count that looks like none of them."""
        return 1.0 if self.weight is None else float(self.weight.max() / self.weight.mean())

    def __len__(self) -> int:
        return len(self.rows)


class Room(NamedTuple):
    """The least and the largest value that a row can have, and the step between two values."""

    least: float
    most: float
    step: float


@dataclass(frozen=True, slots=True)
class Powered:
    """Estimates of each cut, one weight for all of them, and what they were made from."""

    value: Floats
    weight: float
    variance: Floats
    degrees: Floats
    of_others: Floats
    """The part of the variance that the cases without a label have."""

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Of the intervals."""
        t = np.array([t_quantile(level, df) for df in self.degrees])
        reach = t * np.sqrt(self.variance)
        return self.value - reach, self.value + reach


def power(labelled: Sample, others: Sample, bounds: tuple[float, float] = (0.0, 1.0)) -> Powered:
    """Estimates with the weight that makes them shortest, within bounds; (0, 0) is the classical.

    >>> m, y, f = np.array([[1.0], [2], [3]]), [[[1.0]], [[3]], [[5]]], [[[1.0]], [[4]], [[5]]]
    >>> some = Sample(m, np.array(y), np.array(f), np.ones(1))
    >>> power(some, some, (0, 0)).value
    array([1.5])
    """
    if len(others) < 2:
        bounds = 0.0, 0.0
    n, far = len(labelled), len(others)
    mean_u, variance_u = np.zeros(1), np.zeros(1)
    if far:
        mean_u, influence_u = others.mean(others.f)
        # around the mean of all, from which a draw that is not even holds the others off
        shift = labelled.foretold(others)[2] / others.rows.sum(axis=0)[:, None]
        influence_u = influence_u + np.einsum("p,cp,pk->ck", others.sign, others.rows, shift)
        variance_u = far / max(1, far - 1) * (influence_u**2).sum(axis=0)

    def estimate(sample: Sample) -> tuple[Floats, float]:
        size = len(sample)
        mean_y, a = sample.mean(sample.y)
        mean_f, b, _ = sample.foretold(others)
        scale = size / max(1, size - 1)
        over = float((scale * (b**2).sum(axis=0) + variance_u).sum())
        weight = scale * float((a * b).sum()) / over if over > 0 else 0.0
        weight = min(bounds[1], max(bounds[0], weight))
        return weight * (mean_u - mean_f) + mean_y, weight

    value, weight = estimate(labelled)
    block = np.arange(n) % LeaveOut.of(n).size
    with np.errstate(divide="ignore", invalid="ignore"):  # a system may be left without a case
        left_out = np.array([estimate(labelled.take(block != b))[0] for b in np.unique(block)])
    jackknives = [Jackknife.of(column) for column in left_out.T]
    own = np.array([j.variance for j in jackknives])
    rest = weight**2 * variance_u
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = own**2 / [j.degrees for j in jackknives] + rest**2 / max(1, far - 1)
        degrees = np.where(own + rest > 0, (own + rest) ** 2 / shares, n - 1)
    return Powered(value, weight, own + rest, degrees, np.broadcast_to(rest, value.shape))


def reaches(powered: Powered, labelled: Sample, room: Room, level: float) -> tuple[Floats, Floats]:
    r"""How far each interval goes below and above its value: ``t`` errors, or what few cases hide.

    :math:`y - \lambda f = \lambda (y - f) + (1 - \lambda) y`: the judge is off, or the label is not
    the usual one. Where fewer than three labelled cases carry one of these, their variance
    says nothing of it, and the exact ends of the share of such cases take its place.
    """
    t = np.array([t_quantile(level, df) for df in powered.degrees])
    below = t * np.sqrt(powered.variance)
    above, chance = below.copy(), (1.0 - level) / 2
    step = room.step * labelled.heaviest
    by_label, by_judge = abs(1.0 - powered.weight), abs(powered.weight)
    for cut, usual in enumerate(_usual(labelled, room)):
        y, f = (labelled.of_cases(sums[:, :, cut]) for sums in (labelled.y, labelled.f))
        rest = y - usual * labelled.share
        others = t[cut] * math.sqrt(powered.of_others[cut])
        for side, sign, end in ((below, -1.0, room.least), (above, 1.0, room.most)):
            # one that was not seen may be as far off as half of the way there is
            far = max(step, abs(end - usual) / 2.0 * labelled.heaviest)
            hidden = (
                by_judge * _hidden(sign * (y - f), step, chance),
                by_label * (usual != end) * _hidden(sign * rest, far, chance),
            )
            if any(hidden):
                side[cut] = max(side[cut], math.hypot(*hidden, others))
    return below, above


def _usual(labelled: Sample, room: Room) -> Floats:
    """The usual value of a case, on the grid of values."""
    rows = np.maximum(labelled.rows, 1.0)
    middle = np.median(labelled.sign @ (labelled.y / rows[:, :, None]), axis=0)
    usual: Floats = room.least + room.step * np.round((middle - room.least) / room.step)
    return usual


def _hidden(parts: Floats, step: float, chance: float) -> float:
    """How much more than is seen the cases above 0 may add to a mean, where few differ from 0."""
    if float(carrying(np.abs(parts))) >= FEW:
        return 0.0
    above = np.maximum(parts, 0.0)
    bound = mean_bound(above, float(above.max()) or step, chance)
    return max(0.0, bound - float(above.mean()))
