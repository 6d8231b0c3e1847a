r"""Intervals for a case's total that hold the truth as often as is promised: split conformal.

With c the total that its answers make likely (prorated, where items are open), t the true one and
:math:`w = \sqrt{1 + k}` for k open items,

.. math:: C = [c - q_- w,\; c + q_+ w]

cut to what totals there can be. Of n cases with as many open items, :math:`q_-` is the
⌈(n + 1)(1 − α/2)⌉-th smallest :math:`(c - t) / w`, and :math:`q_+` that of :math:`(t - c) / w`;
infinite where there are not so many (Vovk 2012; Lei et al. 2018; Romano, Patterson and Candès
2019). Numbers of open items that few cases have are one group, made without a look at any error;
within one, more open items make a wider interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from acumen.defaults import COST_FOLDS, FEWEST_IN_GROUP
from acumen.results.calibration import case_hash
from acumen.results.totals import Bound, IntervalPart
from acumen.table.totals import tidy
from acumen.totals.formula import Codes, Mask
from acumen.totals.shares import share
from acumen.totals.sums import Sums
from acumen.types import Floats
from acumen.values.measured import Measured, finite


@dataclass(frozen=True, slots=True)
class Margins:
    """How far intervals reach below and above what is likely, by the number of open items.

    Of a case without open items; of others √(1 + open items) times as far.
    """

    groups: tuple[Codes, ...]
    """The numbers of open items of each group; the last group has every larger one."""
    below: Floats
    above: Floats

    def around(self, sums: Sums) -> tuple[Floats, Floats]:
        """The intervals of cases, within what totals there can be."""
        starts = [int(group.min()) for group in self.groups]
        at = np.searchsorted(starts, sums.n_open, side="right") - 1
        low, high = sums.formula.ends
        reach = self.below[at] * sums.spread, self.above[at] * sums.spread
        ends = sums.estimate - reach[0], sums.estimate + reach[1]
        return np.clip(tidy(ends[0]), low, high), np.clip(tidy(ends[1]), low, high)


def groups_of(n_open: Codes, fewest: int) -> tuple[Codes, ...]:
    """Numbers of open items, next to each other, merged until so many cases have one of them.

    >>> [group.tolist() for group in groups_of(np.array([0, 0, 0, 1, 2, 2, 5]), 3)]
    [[0], [1, 2, 3, 4, 5]]
    """
    counts = np.bincount(n_open)
    starts, held = [0], 0
    for number, count in enumerate(counts.tolist()):
        if held >= fewest:
            starts.append(number)
            held = 0
        held += count
    if held < fewest and len(starts) > 1:
        starts.pop()  # what is left over goes to the group before it
    return tuple(np.split(np.arange(len(counts)), starts[1:]))


def fewest_of(alpha: float) -> int:
    """The cases of a group: enough for margins that are not infinite, and for steady ones."""
    return max(FEWEST_IN_GROUP, math.ceil((2 - alpha) / alpha - 1e-9))


def quantile(scores: Floats, alpha: float) -> float:
    """The conformal quantile; infinite where the scores are too few.

    >>> quantile(np.arange(9.0), 0.1), quantile(np.arange(8.0), 0.1)
    (8.0, inf)
    """
    place = math.ceil((len(scores) + 1) * (1 - alpha) - 1e-9)
    return float(np.sort(scores)[place - 1]) if place <= len(scores) else math.inf


def margins_of(sums: Sums, alpha: float) -> Margins:
    """The margins that these cases make, group by group; half of the chance lies on each side."""
    groups = groups_of(sums.n_open, fewest_of(alpha))
    off = (sums.estimate - sums.truth) / sums.spread
    at = np.searchsorted([int(group.max()) for group in groups], sums.n_open)
    below, above = (
        np.array([quantile(scores[at == k], alpha / 2) for k in range(len(groups))])
        for scores in (off, -off)
    )
    return Margins(groups, below, above)


def held_out(sums: Sums, alpha: float) -> tuple[Floats, Floats]:
    """Of each fold of cases, the intervals that the other folds make; folds go by hashes of ids."""
    place = np.argsort(np.argsort([case_hash(case, "") for case in sums.cases]))
    fold, ends = place % COST_FOLDS, np.empty((2, len(sums)))
    for k in range(COST_FOLDS):
        others = margins_of(sums.take(fold != k), alpha)
        ends[:, fold == k] = others.around(sums.take(fold == k))
    return ends[0], ends[1]


def intervals_of(
    sums: Sums, new: Sums, alpha: float, level: float
) -> tuple[IntervalPart | None, Floats | None, Floats | None]:
    """The promise and how often it held on other cases; the ends that these made, of all cases.

    Those of new cases, which have no truth, are made of all that have one.
    """
    if not sums.has_truth or len(sums) < COST_FOLDS:
        return None, None, None
    margins, (low, high) = margins_of(sums, alpha), held_out(sums, alpha)
    holds = (low <= sums.truth) & (sums.truth <= high)
    part = IntervalPart(
        alpha=alpha,
        groups=[
            Bound(
                fewest_open=int(group.min()),
                most_open=int(group.max()),
                cases=int(rows.sum()),
                below=finite(float(below * math.sqrt(1 + group.min()))),
                above=finite(float(above * math.sqrt(1 + group.min()))),
                coverage=_held(holds, rows, level),
                width=float((high - low)[rows].mean()),
            )
            for group, below, above in zip(
                margins.groups, margins.below, margins.above, strict=True
            )
            for rows in [np.isin(sums.n_open, group)]
        ],
        coverage=_held(holds, np.ones(len(sums), bool), level),
        width=float((high - low).mean()),
    )
    return part, np.stack([low, high], axis=1), np.stack(margins.around(new), axis=1)


def _held(holds: Mask, rows: Mask, level: float) -> Measured:
    return share(int(holds[rows].sum()), int(rows.sum()), "no such case", level)
