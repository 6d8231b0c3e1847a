r"""Tests of a bounded mean over cases: is the risk of what is accepted at most α?

With losses in 0..1, the selective risk is at most α exactly where E[Z] ≤ 0, for
:math:`Z_c = \sum_i (l_i - \alpha)\,1[c_i > \lambda]`. Cases are independent, so a test of that mean
holds with abstentions, ordinal losses and clusters. The last axis of ``(…, case)`` is the cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.inference.distributions import beta_cdf, binomial_cdf, t_quantiles
from acumen.inference.unseen import FEW, carrying, share_p
from acumen.types import Floats


def binomial(errors: ArrayLike, n: ArrayLike, alpha: float) -> Floats:
    """p of "the share is above α", exact for independent rows that are right or wrong."""
    return binomial_cdf(errors, n, alpha)


def hoeffding_bentkus(mean: ArrayLike, n: int, alpha: float) -> Floats:
    r"""p of "the mean is above α" for values in 0..1 (Bates et al. 2021).

    .. math:: \min\{e^{-n h(\min(\hat r, \alpha), \alpha)},\ e\,P(Bin(n, \alpha) \le n \hat r)\}

    >>> round(float(hoeffding_bentkus(0.05, 200, 0.1)), 7)
    0.0219399
    """
    r = np.asarray(mean, np.float64)
    a = np.minimum(r, alpha)
    entropy = sum(
        part * np.log(np.where(part > 0, part, 1.0) / of)
        for part, of in ((a, alpha), (1 - a, 1 - alpha))
    )
    tail = math.e * binomial_cdf(np.ceil(n * r - 1e-9), n, alpha)
    p: Floats = np.minimum(1.0, np.minimum(np.exp(-n * entropy), tail))
    return p


def betting(values: Floats, alpha: float, delta: float) -> Floats:
    """p of the same by the betting test (Waudby-Smith and Ramdas 2024).

    ``delta`` shapes the bets and is fixed beforehand; the order of the cases may not follow them.
    """
    n, places = values.shape[-1], np.arange(2, values.shape[-1] + 2)
    mean = (0.5 + np.cumsum(values, axis=-1)) / places
    variance = (0.25 + np.cumsum((values - mean) ** 2, axis=-1)) / places
    before = np.concatenate([np.full((*values.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    bet = np.minimum(1.0, np.sqrt(2 * math.log(1 / delta) / (n * before)))
    wealth = np.cumsum(np.log1p(-bet * (values - alpha)), axis=-1).max(axis=-1)
    p: Floats = np.exp(-np.maximum(wealth, 0.0))
    return p


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is accepted at each threshold, summed over the cases."""

    rows: Floats
    risk: Floats
    variance: Floats
    """Of the risk, by case."""
    answering: Floats
    """Cases with an accepted row."""
    erring: Floats
    """Cases with a loss among them."""
    carrying: Floats
    """As how many cases of one loss they count."""
    largest: Floats
    """The most rows accepted of a case."""
    most: Floats
    """Rows there are: no more independent ones can they be worth."""

    @classmethod
    def of(cls, rows: Floats, loss: Floats, weight: Floats | None = None) -> Accepted:
        """From accepted rows and their loss in 0..1, both ``(…, case)``.

        Cases that were drawn with different chances each count as often as their weight says;
        what they are worth together falls with the spread of the weights (Korn and Graubard 1998).
        """
        most = np.maximum(rows.sum(axis=-1), 1.0)
        if weight is not None:
            rows, loss = rows * weight, loss * weight
        n, total = rows.shape[-1], np.maximum(rows.sum(axis=-1), 1.0)
        risk = loss.sum(axis=-1) / total
        residual = ((loss - risk[..., None] * rows) ** 2).sum(axis=-1)
        variance = n / max(n - 1, 1) * residual / total**2
        counts = (rows > 0).sum(axis=-1), (loss > 0).sum(axis=-1)
        return cls(total, risk, variance, *counts, carrying(loss), rows.max(axis=-1), most)

    def effective(self, delta: Floats | float) -> Floats:
        """How many independent rows the accepted ones are worth: cases, where few of them err."""
        squeeze = (t_quantiles(delta, math.inf) / t_quantiles(delta, self.answering - 1)) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = self.risk * (1 - self.risk) / self.variance * squeeze
        worth = np.where(self.variance > 0, np.minimum(self.most, worth), self.most)
        few = np.where(self.erring < 3, np.minimum(worth, self.answering), worth)
        return np.where(self.erring == 0, self.answering, few)

    def p_value(self, alpha: float, unseen: float = 1.0) -> Floats:
        """Of "the risk is above α"; 1 where nothing decides it.

        Where fewer than three cases carry the loss, their variance says nothing. Then it is the
        share of cases that err at all which is tested, in which every row of a case as large as
        the largest is lost; ``unseen`` times as large as the largest here may be drawn.
        """
        few = self.carrying < FEW
        cases = np.maximum(self.answering, 1)
        share = alpha * self.rows / cases / np.maximum(self.largest * unseen, 1.0)
        of_cases = share_p(self.erring, cases, np.minimum(1.0, share))
        by_variance = self._korn_graubard(alpha)
        return np.where(few, np.maximum(by_variance, of_cases), by_variance)

    def _korn_graubard(self, alpha: float) -> Floats:
        """The least δ at which the Korn–Graubard upper end is at most α; 1 above a half."""
        sure = (self.answering > 1) & (self.risk < 1)
        low, high = np.full(self.risk.shape, 1e-12), np.full(self.risk.shape, 0.499)

        def holds(delta: Floats) -> NDArray[np.bool_]:
            n = self.effective(delta)
            b = np.where(sure, n * (1 - self.risk), 1.0)
            return np.asarray(sure & (beta_cdf(n * self.risk + 1, b, alpha) >= 1 - delta))

        never = ~holds(high)
        for _ in range(50):
            middle = np.sqrt(low * high)
            fits = holds(middle)
            low, high = np.where(fits, low, middle), np.where(fits, middle, high)
        return np.where(never, 1.0, high)


def fewest_cases(alpha: float, delta: float) -> int:
    """So many independent cases without an error certify α; fewer never do.

    >>> fewest_cases(0.05, 0.05), fewest_cases(0.1, 0.1)
    (59, 22)
    """
    return math.ceil(math.log(delta) / math.log1p(-alpha) - 1e-9)


def fallback(p_values: Floats, starts: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The level of each test and whether it is certified (Wiens and Dmitrienko 2005).

    Strictest threshold first; ``starts`` holds the δ that begins at each. A certified test hands
    its level on. Chance of any false certificate: the sum of the starts.
    """
    level, certified, carried = np.zeros(len(starts)), np.zeros(len(starts), bool), 0.0
    for at, p in enumerate(p_values.tolist()):
        level[at] = carried + starts[at]
        certified[at] = p <= level[at] and level[at] > 0
        carried = level[at] if certified[at] else 0.0
    return level, certified


FEWEST_TIMES: Final = 8.0
"""The first of two starts has so many times the fewest rows that certify anything above it."""
LATEST_FIRST: Final = 0.3
SECOND: Final = 0.5
ONE_START: Final = 1.4
"""So many times the fewest rows lie above the only start, where half of the rows are too few."""


def shared(
    p_values: Floats, first: int, second: int, delta: float, *, together: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """The same for two sequences, from ``first`` to before ``second`` and from there on.

    Each is tested in turn at δ/2 and stops where one fails; at all of δ where every p of the other
    is at most δ (``together``, Hochberg 1988), or at most δ/2 (otherwise, Holm 1979).

    Why that holds for any number of cases: let a and b be the p of the first threshold in either
    sequence whose risk is too large. Where one of them is alone, a false certificate needs its p to
    be at most δ. Where there are both, one has all of δ only where the other is small as well: a
    false certificate needs a ≤ δ/2 or b ≤ δ/2, of chance δ at most by the union bound, or
    (``together``) both ≤ δ, which costs nothing more by Simes' inequality where a and b rise
    together, as binomial counts of nested rows do (Efron 1965, Sarkar 1998).

    >>> p = np.array([0.5, 0.08, 0.09, 0.1, 0.02, 0.2])
    >>> shared(p, 1, 3, 0.1, together=True)[1]
    array([False, False, False,  True,  True, False])
    >>> shared(p, 1, 3, 0.1, together=False)[1].any()
    np.False_
    """
    level, certified = np.zeros(len(p_values)), np.zeros(len(p_values), bool)
    parts, passes = (slice(first, second), slice(second, None)), delta if together else delta / 2
    for part, other in zip(parts, reversed(parts), strict=True):
        level[part] = delta if (p_values[other] <= passes).all() else delta / 2
        certified[part] = np.logical_and.accumulate(p_values[part] <= level[part])
    return level, certified


def fewest_share(cases: int, rows: int, alpha: float, delta: float) -> float:
    """The share of the answered rows with which α can be certified; above 1 where none can.

    Rows of a case count as independent ones would in part: as the root of their number.
    """
    return fewest_cases(alpha, delta) / math.sqrt(cases * rows)


def two_starts(fewest: float) -> tuple[float, float]:
    """Shares of the answered rows where a search begins, by the share that can certify anything.

    Of few there is one start, at a half or later: a part of δ would certify next to nothing.

    >>> two_starts(0.025), two_starts(0.22)
    ((0.2, 0.5), (0.5, 0.5))
    """
    if fewest * FEWEST_TIMES > 1.0:
        one = SECOND if fewest <= SECOND else min(ONE_START * fewest, 1.0)
        return one, one
    return min(FEWEST_TIMES * fewest, LATEST_FIRST), SECOND
