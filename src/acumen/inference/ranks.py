r"""Several systems compared at once: which differences hold together, and the ranks they leave.

Each pair has the test and the interval of a comparison of two. Among several pairs, with
:math:`z` the normal quantile of a pair's own p-value, its adjusted one is the chance that the
furthest pair of a resample strays as far,

.. math:: \tilde p = P\Big(\max_{ab} \frac{|\hat d^*_{ab} - \hat d_{ab}|}{s_{ab}} \ge z\Big)

(max-T: Romano and Wolf 2005, Econometrica 73), with :math:`s_{ab}` the root mean square of the
same deviations under the same resamples of the cases. Where the furthest strays by more than
:math:`z_c` in 5%, an interval at the level of :math:`z_c` holds with all the others, and has 0 in
it exactly where the adjusted p-value is above 5%. One pair needs no adjustment.

A system's rank then lies between 1 + those that beat it and k − those that it beats, for all k at
once (Mogstad, Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.inference.jackknife import ROUNDING
from acumen.inference.replicates import MOST_DROPPED
from acumen.results.measured import Interval
from acumen.types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Differences that are tested together."""

    size: int
    furthest: Floats = field(default_factory=lambda: np.empty(0))
    """Of each resample the largest deviation, rising; none: they share no resamples."""

    @classmethod
    def of(cls, replicates: Sequence[Floats], estimates: Sequence[float]) -> Family:
        """Of differences under the same resamples; one undefined anywhere is dropped for all."""
        moves = np.asarray(replicates) - np.asarray(estimates)[:, None]
        whole = ~np.isnan(moves).any(axis=0)
        if len(moves) < 2 or whole.sum() < max(1, (1 - MOST_DROPPED) * len(whole)):
            return cls(len(moves))
        moves = moves[:, whole]
        error = np.sqrt((moves**2).mean(axis=1, keepdims=True))
        moves = np.divide(np.abs(moves), error, out=np.zeros_like(moves), where=error > 0.0)
        return cls(len(moves), np.sort(moves.max(axis=0)))

    def adjusted(self, p_value: float | None) -> float | None:
        """A p-value among those of all; without shared resamples, Bonferroni's."""
        from scipy.special import ndtri

        if p_value is None or self.size == 1:
            return p_value
        if not len(self.furthest):
            return min(1.0, self.size * p_value)
        as_far = len(self.furthest) - np.searchsorted(
            self.furthest, -float(ndtri(p_value / 2)) - ROUNDING
        )
        return max(p_value, float(as_far + 1) / (len(self.furthest) + 1))

    def level(self, together: float) -> float:
        """The level of each interval under which all of them hold together at another."""
        from scipy.special import ndtr

        alpha = 1.0 - together
        if self.size < 2:
            return together
        few = int(alpha * (len(self.furthest) + 1) + ROUNDING) - 1
        if not 0 <= few < len(self.furthest):
            return 1.0 - alpha / self.size
        return 1.0 - min(alpha, 2.0 * float(ndtr(-self.furthest[-1 - few])))


def together(interval: Interval | None, level: float, family: Family) -> Interval | None:
    """An interval by the level at which it holds with those of the family."""
    if interval is None or family.size < 2:
        return interval
    method = f"{interval.method}, {family.size} together"
    return interval.model_copy(update={"confidence_level": level, "method": method})


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
