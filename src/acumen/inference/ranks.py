r"""Several systems compared at once: which differences hold together, and the ranks they leave.

Each pair has the test and the interval of a comparison of two. Among several pairs, with
:math:`z` how far a difference lies from 0 in units of its interval's reach, the reach being 1.96,
its adjusted p-value is the chance that the furthest pair of a resample strays as far,

.. math:: \tilde p = P\Big(\max_{ab} \frac{|\hat d^*_{ab} - \hat d_{ab}|}{s_{ab}} \ge z\Big)

(max-T: Romano and Wolf 2005, Econometrica 73), with :math:`s_{ab}` the root mean square of the
same deviations under the same resamples of the cases. Where the furthest strays by more than
:math:`z_c` in 5%, intervals stretched by :math:`z_c/1.96` hold together, and have 0 in them exactly
where the adjusted p-value is above 5%. One pair needs no adjustment.

A system's rank then lies between 1 + those that beat it and k − those that it beats, for all k at
once (Mogstad, Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from acumen.inference.distributions import normal_cdf, normal_quantile, t_above, t_cdf
from acumen.inference.jackknife import ROUNDING
from acumen.inference.replicates import MOST_DROPPED
from acumen.types import Floats
from acumen.values.measured import Interval


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Differences that are tested together."""

    size: int
    furthest: Floats = field(default_factory=lambda: np.empty(0))
    """Of each resample the largest deviation, rising; none: they share no resamples."""
    degrees: float = math.inf
    """Of the intervals' t, where items are a sample: resamples of cases know nothing of theirs."""

    @classmethod
    def of(
        cls,
        replicates: Sequence[Floats] | Floats,
        estimates: Sequence[float] | Floats,
        pairs: Sequence[tuple[int, int]],
    ) -> Family:
        """Of the differences of pairs of numbers, second minus first, under the same resamples.

        A resample in which one of them is undefined is dropped for all. The differences are taken
        one by one: those of 100 systems, all at once, would be a gigabyte.
        """
        if len(pairs) < 2:
            return cls(len(pairs))
        whole = ~np.any([np.isnan(replicates[at]) for at in {*chain(*pairs)}], axis=0)
        if whole.sum() < max(1, (1 - MOST_DROPPED) * len(whole)):
            return cls(len(pairs))
        furthest = np.zeros(int(whole.sum()))
        of = replicates if whole.all() else [row[whole] for row in replicates]
        for a, b in pairs:
            moves = of[b] - of[a] - (estimates[b] - estimates[a])
            error = math.sqrt(float((moves**2).mean()))
            if error > 0.0:
                np.maximum(furthest, np.abs(moves) / error, out=furthest)
        return cls(len(pairs), np.sort(furthest))

    def adjusted(self, p_value: float, z: float) -> float:
        """A p-value among those of all; without shared resamples, Bonferroni's."""
        if self.size == 1:
            return p_value
        if not len(self.furthest):
            return min(1.0, self.size * 2.0 * normal_cdf(-z))
        as_far = len(self.furthest) - np.searchsorted(self.furthest, z - ROUNDING)
        return max(p_value, float(as_far + 1) / (len(self.furthest) + 1))

    def stretch(self, level: float) -> float:
        """How much wider intervals are that hold together at their level."""
        if self.size == 1:
            return 1.0
        alpha = 1.0 - level
        few = int(alpha * (len(self.furthest) + 1) + ROUNDING) - 1
        far = -normal_quantile(alpha / 2 / self.size)
        if 0 <= few < len(self.furthest):
            far = float(self.furthest[-1 - few])
        return max(1.0, self._of_t(far) / self._of_t(reach_of(level)))

    def _of_t(self, z: float) -> float:
        """What a t strays by as seldom as a normal by ``z``."""
        return z if self.degrees == math.inf else t_above(normal_cdf(-z), self.degrees)

    def of_normal(self, z: float, level: float) -> float:
        """What a normal strays by as seldom as a t by ``z``, in units of an interval's reach."""
        if self.degrees == math.inf or z == math.inf:
            return z
        t = z * self._of_t(reach_of(level)) / reach_of(level)
        return -normal_quantile(t_cdf(self.degrees, -t))

    def widened(self, interval: Interval, value: float) -> Interval:
        """The interval of a difference so stretched."""
        if self.size == 1:
            return interval
        by = self.stretch(interval.confidence_level)
        ends = {"low": value - by * (value - interval.low)}
        ends |= {"high": value + by * (interval.high - value)}
        method = f"{interval.method}, {self.size} together"
        return interval.model_copy(update={**ends, "method": method})


def reach_of(level: float) -> float:
    """The normal quantile of an interval: 1.96 for 95%."""
    return normal_quantile((1.0 + level) / 2.0)


def reaches(interval: Interval, value: float) -> float:
    """How far from 0 a difference lies, its interval reaching 1.96 if it is one of 95%."""
    towards = interval.low if value > 0.0 else interval.high
    if abs(value - towards) == 0.0:
        return math.inf
    return reach_of(interval.confidence_level) * abs(value) / abs(value - towards)


def rank_intervals(
    systems: Collection[str], wins: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """The best and the worst rank each system may have, of (winner, loser) pairs.

    >>> rank_intervals("abc", [("a", "b")])
    {'a': (1, 2), 'b': (2, 3), 'c': (1, 3)}
    """
    wins = list(wins)
    winners, losers = [w for w, _ in wins], [loser for _, loser in wins]
    return {s: (1 + losers.count(s), len(systems) - winners.count(s)) for s in systems}
