"""How little would undo a decision: the fewest further cases, each as bad as one can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from acumen.inference.distributions import t_above
from acumen.inference.unseen import largest_unseen
from acumen.types import Floats
from acumen.values.measured import Delta, Fragility

MOST: Final = 1000
"""More further cases than these are not counted."""
CHANCE: Final = 0.05
"""With which a kind of failure may be among none of the cases."""


def fewest(undoes: Callable[[int], bool]) -> int | None:
    """The fewest further cases that undo a decision, where more undo it too; None beyond MOST.

    >>> fewest(lambda cases: cases >= 7), fewest(lambda cases: False)
    (7, None)
    """
    low, high = 0, 1
    while not undoes(high):
        if high == MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if undoes(middle) else (middle, high)
    return high


def mean_undone_by(parts: Floats, worst: float, bound: float, chance: float) -> int | None:
    """The fewest further cases, each the worst, with which a mean's upper end reaches a bound.

    ``parts`` are what cases add, larger is worse; the end is that of the t-test.

    >>> mean_undone_by(np.array([0.0, 0.1] * 20), 0.1, 0.08, 0.05)
    29
    """

    n = len(parts)
    error = float(parts.std(ddof=1)) / math.sqrt(n)
    return undone_by(float(parts.mean()), error, n, worst, bound, chance)


def undone_by(
    mean: float, error: float, n: int, worst: float, bound: float, chance: float
) -> int | None:
    """The same of a mean of n cases that is known by its standard error."""

    def undoes(cases: int) -> bool:
        more = n + cases
        moved = (n * mean + cases * worst) / more
        squares = n * (n - 1) * error**2 + n * (mean - moved) ** 2 + cases * (worst - moved) ** 2
        end = moved + t_above(chance, more - 1) * math.sqrt(squares / (more - 1) / more)
        return end >= bound

    return fewest(undoes)


def of_claim(deltas: Sequence[Delta], worst: float, n: int, level: float) -> Fragility | None:
    """How little would undo that a side is better, which all of these differences must show.

    ``worst`` is the most by which a case can speak against it; a claim that was made among others
    is undone as soon as its own p-value is too large for it to be made among them.
    """
    known = [
        (abs(d.delta), d.interval.standard_error, d.p_value, d.p_adjusted)
        for d in deltas
        if d.delta is not None and d.interval is not None and d.interval.standard_error
    ]
    if not known or len(known) < len(deltas):
        return None
    counts = []
    for value, error, p, adjusted in known:
        assert error is not None
        among = p / adjusted if p and adjusted else 1.0
        counts.append(undone_by(-value, error, n, worst, 0.0, (1.0 - level) / 2.0 * among))
    few = [count for count in counts if count is not None]
    return Fragility(undone_by=min(few, default=None), unseen=unseen(np.ones(n)))


def unseen(sizes: Floats) -> float:
    """The largest share of a kind of failure that so many cases need not show: about 3/n."""
    return largest_unseen(sizes, CHANCE)
