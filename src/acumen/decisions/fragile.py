"""How little would undo a decision: the fewest further cases, each as bad as one can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from acumen.inference.distributions import t_above
from acumen.inference.unseen import largest_unseen
from acumen.types import Floats

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

    def undoes(cases: int) -> bool:
        more = np.append(parts, np.full(cases, worst))
        error = more.std(ddof=1) / np.sqrt(len(more))
        return bool(more.mean() + t_above(chance, len(more) - 1) * error >= bound)

    return fewest(undoes)


def unseen(sizes: Floats) -> float:
    """The largest share of a kind of failure that so many cases need not show: about 3/n."""
    return largest_unseen(sizes, CHANCE)
