r"""Betting against a claim about a mean, case by case: it holds however often one looks.

The claim is that a case's value z is at most 0 in the mean, whatever came before. A gambler who
stakes a share of the capital on the next z has :math:`K_n = \prod_c (1 + \nu z_c)`, which does not
grow in the mean while the claim is true; so it ever reaches 1/δ with chance δ at most (Ville). The
size of the bet is not known beforehand, so the capital is spread over several (:data:`BETS`), each
of which is left alone: the order of the cases changes nothing.

Waudby-Smith and Ramdas (2024), JRSS B 86; Ramdas et al. (2023), Statistical Science 38.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.types import Floats

BETS: Final = np.array([0.03, 0.1, 0.3, 0.65, 0.95])
"""Shares of the largest bet, at which one loss takes all."""
STEPS: Final = 40
"""Halvings that find an end of an interval."""


def log_capital(values: Floats, least: float, times: ArrayLike = 1.0) -> Floats:
    """Logarithm of what a stake of 1 has become, the claim being "the mean is at most 0".

    ``least`` is the lowest value that a case can have; cases are the last axis, and each counts
    ``times``.

    >>> round(float(np.exp(log_capital(np.array([1.0, -1.0, 1.0]), -1.0))), 4)  # of five, the mean
    0.8888
    """
    gains = np.log1p(BETS[:, None] / -least * values[..., None, :])
    grown = (gains * times).sum(axis=-1)
    most = grown.max(axis=-1)
    capital: Floats = most + np.log(np.exp(grown - most[..., None]).mean(axis=-1))
    return capital


def p_value(values: Floats, least: float, times: ArrayLike = 1.0) -> Floats:
    """p of "the mean is at most 0", at every number of cases at once."""
    p: Floats = np.exp(-np.maximum(log_capital(values, least, times), 0.0))
    return p


def fewest_bet(alpha: float, error: float) -> int:
    """So many cases without a loss refute that a share is ``alpha`` or more; fewer never do.

    >>> fewest_bet(0.1, 0.1)
    35
    """
    gains, cases = alpha / (1.0 - alpha), 1
    while float(np.mean((1.0 + BETS * gains) ** cases)) < 1.0 / error:
        cases += 1
    return cases


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows over cases: the sum of the parts over that of the rows; parts in 0..rows."""

    part: Floats
    rows: Floats
    most: float
    """The most rows that a case can have."""
    times: NDArray[np.int64]
    """How many cases are alike."""

    def log_above(self, bound: float) -> float:
        """What betting that the share lies above a bound has earned, as a logarithm."""
        if bound <= 0.0:
            return math.inf if self.part.any() else 0.0
        values = self.part - bound * self.rows
        return float(log_capital(values, -bound * self.most, self.times))

    def log_below(self, bound: float) -> float:
        """The same of betting that it lies below."""
        return self.rest.log_above(1.0 - bound)

    @property
    def rest(self) -> Share:
        """The share of the rows that are left."""
        return Share(self.rows - self.part, self.rows, self.most, self.times)

    def ends(self, error: float) -> tuple[float, float]:
        """Both ends of an interval: all of them, at all looks, hold the share but for ``error``."""
        return self.low(error / 2.0), 1.0 - self.rest.low(error / 2.0)

    def low(self, error: float) -> float:
        """The largest bound that betting above has refuted: what it earns falls with the bound."""
        return _last(lambda bound: self.log_above(bound) >= -math.log(error))


def _last(holds: Callable[[float], bool]) -> float:
    """The largest share at which something holds that holds below it; 0 where it never does."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@dataclass(slots=True)
class Alarm:
    """Betting against a promise that may hold at first and break later.

    What is not staked yet goes into new bets as cases come, so that what was lost while the promise
    held is not what a break must be seen with (Shin, Ramdas and Rinaldo 2023). It goes off by
    mistake with chance 1/level over the whole stream, however long that is.
    """

    stakes: Floats = field(default_factory=lambda: np.zeros(len(BETS)))
    """What the bets that were begun have become."""
    cases: int = 0

    @property
    def capital(self) -> Floats:
        """All there is, of a stake of 1."""
        return np.asarray(self.stakes.sum(axis=-1) + _unstaked(self.cases))

    def bet(self, value: ArrayLike, least: float) -> Floats:
        """Another case's value, whose mean is at most 0 while the promise holds; the capital.

        An array of values is of as many streams.
        """
        begun = (_unstaked(self.cases) - _unstaked(self.cases + 1)) / len(BETS)
        gains = 1.0 + BETS / -least * np.asarray(value)[..., None]
        self.stakes = (self.stakes + begun) * gains
        self.cases += 1
        return self.capital


def _unstaked(cases: int) -> float:
    """The part of the stake that is kept for later cases: it falls as slowly as a sum allows."""
    return 1.0 / (1.0 + math.log1p(cases))
