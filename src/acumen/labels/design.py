r"""Which cases to label: whole cases, each drawn with a chance that is known beforehand.

A case c has a size s, and of N cases n are drawn, c with the chance

.. math:: \pi_c = n \left(\frac{1}{2N} + \frac{s_c}{2 \sum s}\right)

cut to 1, the others raised until they add up to n. So no case weighs more than twice what it would
if all were alike, however wrong the sizes are. The draw is systematic along a random order (Hartley
and Rao 1962): as many cases as asked for, each with exactly its chance, and a simple random sample
where all sizes are equal. The order is that of hashes of the case ids with the seed, so that rows
in another order, another machine and another version of NumPy draw the same cases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from acumen.types import CaseId, Floats

Purpose = Literal["estimate", "threshold", "rate"]
PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)
ALIKE: Final = 0.5
"""The part of the chances that every case has alike."""


def chances(sizes: Floats, budget: int) -> Floats:
    """The chance of each case to be drawn; they add up to the budget.

    >>> chances(np.array([1.0, 1, 1, 5]), 2).round(4).tolist()
    [0.375, 0.375, 0.375, 0.875]
    >>> chances(np.array([0.0, 0, 0, 8]), 3).tolist()  # the last is cut to 1
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 1.0]
    """
    n, total = len(sizes), float(sizes.sum())
    parts = np.full(n, 1.0 / n)
    if total > 0.0 and float(np.ptp(sizes)) > 0.0:
        parts = ALIKE / n + (1.0 - ALIKE) * sizes / total
    out, sure = np.zeros(n), np.zeros(n, bool)
    while True:
        left = budget - int(sure.sum())
        out[sure] = 1.0
        out[~sure] = left * (parts[~sure] / parts[~sure].sum()) if left else 0.0
        over = ~sure & (out >= 1.0)
        if not over.any():
            return out
        sure |= over


def draw(cases: Sequence[CaseId], chance: Floats, seed: int) -> NDArray[np.int64]:
    """The places of the cases that are drawn, in a random order.

    >>> draw(["a", "b", "c", "d"], np.full(4, 0.5), 1).tolist()
    [3, 0]
    """
    numbers = np.array([_number(seed, "case", case) for case in cases])
    order = np.lexsort((np.arange(len(cases)), numbers))
    sure = order[chance[order] >= 1.0]
    open_ = order[chance[order] < 1.0]
    ends = np.cumsum(chance[open_])
    count = round(float(ends[-1])) if len(ends) else 0
    if count:
        ends *= count / ends[-1]  # sums of floats: the last point stays inside
    points = _number(seed, "start", count) + np.arange(count)
    taken = open_[np.searchsorted(ends, points, side="right")]
    both = np.concatenate([sure, taken])
    return both[np.argsort([_number(seed, "turn", cases[at]) for at in both.tolist()])]


def _number(seed: int, what: str, of: CaseId) -> float:
    """A number from 0 up to 1, evenly spread; 7 and "7" have different ones."""
    text = f"{seed}|{what}|{type(of).__name__}|{of}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2.0**53


def sizes_for(purpose: Purpose, case: NDArray[Any], sure: Floats | None, cases: int) -> Floats:
    """What each case is worth to the question; all alike where nothing tells them apart.

    To *estimate*, labels are worth most where the judge is least sure: the root of the rows of a
    case times the sum of their ranks of doubt, as far as it may be off if all its rows err alike.
    To *rate* is to measure agreement on all cases alike. For a *threshold* they are drawn alike
    too: drawing sure cases more often certified less in simulated studies, since a bound pays for
    unequal weights, and the exact tests need cases that had the same chance.
    """
    if sure is None or purpose != "estimate":
        return np.ones(cases)
    doubt = np.bincount(case, 1.0 - _ranks(sure), cases)
    return np.asarray(np.sqrt(np.bincount(case, minlength=cases) * doubt))


def _ranks(sure: Floats) -> Floats:
    """From 0 to 1, the share of rows below and half of those that are equal; none is the lowest."""
    values = np.where(np.isnan(sure), -np.inf, sure)
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(((np.cumsum(counts) - counts / 2) / len(values))[place])
