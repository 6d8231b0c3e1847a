"""A panel: who gave which level to what; and how often two levels meet on one thing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError
from acumen.inference.resample import LeaveOut
from acumen.inference.sums import Estimate, Statistic, by_block, quotient
from acumen.raters.reading import Ints, Ratings
from acumen.types import Floats

MOST_CELLS: Final = 20_000_000
"""Blocks × levels² that are held at once; with very many levels, blocks of cases are larger."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One rating a row, ordered by block, then unit: what is rated is a unit, a case's item."""

    raters: tuple[str, ...]
    scale_size: int
    """Levels of the declared scale."""
    ranks: Ints
    """Ranks on the scale of the levels that somebody gave."""
    unit: Ints
    rater: Ints
    level: Ints
    """Place of the level among ``ranks``."""
    block: Ints
    """Of each unit: its case, or the group of cases that is left out together."""
    n_blocks: int
    weight: Floats | None = None
    """How often each block counts, where cases were drawn with different chances; 1 on average."""

    @classmethod
    def of(cls, ratings: Ratings, of_cases: Floats | None = None) -> Panel:
        """The panel of some ratings, one for each unit and rater; and how often cases count."""
        unit, case = ratings.unit, ratings.table.case[ratings.row]
        ranks = ratings.ranks
        most = max(30, MOST_CELLS // max(1, len(ranks)) ** 2)
        blocks = min(LeaveOut.of(len(ratings.table.cases)).size, most)
        if of_cases is not None and blocks < len(of_cases):
            raise UsageError(
                f"weights take at most {blocks:,} cases, and here are {len(of_cases):,}"
            )
        block = np.zeros(int(unit.max(initial=-1)) + 1, np.int64)
        block[unit] = case % blocks
        rows = np.lexsort((unit, case % blocks))
        return cls(
            raters=ratings.raters,
            scale_size=len(ratings.table.scale.levels),
            ranks=ranks,
            unit=unit[rows],
            rater=ratings.rater[rows],
            level=np.searchsorted(ranks, ratings.rank[rows]),
            block=block,
            n_blocks=blocks,
            weight=None if of_cases is None else of_cases / of_cases.mean(),
        )

    def __len__(self) -> int:
        return len(self.unit)

    def take(self, rows: NDArray[Any]) -> Panel:
        """Some of the ratings, in order."""
        return replace(self, unit=self.unit[rows], rater=self.rater[rows], level=self.level[rows])

    def without(self, *raters: int) -> Panel:
        """The ratings of all others."""
        return self.take(~np.isin(self.rater, raters))

    def by(self, rater: int) -> Ints:
        """What a rater gave each unit, as a place among the levels; −1 where nothing."""
        answer = np.full(len(self.block), -1)
        own = self.rater == rater
        answer[self.unit[own]] = self.level[own]
        return answer

    @property
    def size(self) -> int:
        """How many levels somebody gave."""
        return len(self.ranks)

    @cached_property
    def per_unit(self) -> Ints:
        """How many ratings each unit has."""
        return np.bincount(self.unit, minlength=len(self.block))

    def weighed(self, sums: NDArray[Any]) -> NDArray[Any]:
        """What blocks add, each as often as it counts."""
        if self.weight is None:
            return sums
        return np.asarray(sums * self.weight.reshape(-1, *[1] * (sums.ndim - 1)))

    def estimate(self, sums: NDArray[Any], statistic: Statistic) -> Estimate:
        """A function of what blocks add."""
        return Estimate.of(self.weighed(sums), statistic)

    def mean(self, units: Ints, values: NDArray[Any]) -> Estimate:
        """The mean of a number a unit."""
        ones = np.ones(len(units))
        return self.estimate(by_block(self.block[units], self.n_blocks, values, ones), quotient)

    def gap(self, answer: Ints) -> tuple[Ints, Floats, Floats]:
        """Units that an answer shares with these; answer minus their mean, and how far off it is.

        Both are means over the ratings of a unit, so that units count alike.
        """
        rows = answer[self.unit] >= 0
        unit = self.unit[rows]
        off = (self.ranks[answer[unit]] - self.ranks[self.level[rows]]).astype(np.float64)
        units = np.flatnonzero((answer >= 0) & (self.per_unit > 0))
        sums = by_block(unit, len(self.block), off, np.abs(off), np.ones(len(unit)))[units]
        return units, sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]

    @cached_property
    def meetings(self) -> Meetings:
        """How often two levels meet on a unit."""
        return _meetings(self)

    @property
    def counts(self) -> Ints:
        """How many ratings each rater gave: ``(rater, level)``."""
        cells = np.bincount(
            self.rater * self.size + self.level, minlength=len(self.raters) * self.size
        )
        return cells.reshape(len(self.raters), self.size)

    def confusion(self, one: Ints, other: Ints) -> Floats:
        """How often two raters gave two levels, by block: ``(block, one's, other's)``."""
        units = np.flatnonzero((one >= 0) & (other >= 0))
        k = self.size
        cell = (self.block[units] * k + one[units]) * k + other[units]
        counts = np.bincount(cell, minlength=self.n_blocks * k * k)
        return counts.reshape(self.n_blocks, k, k).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Meetings:
    """Of the units that two or more rated: ordered pairs of two raters' levels, by block."""

    pairs: Floats
    """``(block, level, level)``; a unit of m ratings counts m."""
    shares: Floats
    """The same, where every unit counts once."""
    usage: Floats
    """``(block, level)``: what share of a unit's ratings each level has, over all rated units."""


def _meetings(panel: Panel) -> Meetings:
    size, n = panel.size, panel.n_blocks
    pairs, shares = (np.zeros((n, size, size)) for _ in range(2))
    usage = np.zeros((n, size))
    block = panel.block[panel.unit]
    starts = np.flatnonzero(np.append(True, block[1:] != block[:-1])[: len(block)])
    place = np.cumsum(np.append(0, panel.unit[1:] != panel.unit[:-1]))
    for start, stop in zip(starts, np.append(starts[1:], len(block)), strict=True):
        at, rows = block[start], slice(start, stop)
        cell = (place[rows] - place[start]) * size + panel.level[rows]
        units = int(place[stop - 1] - place[start]) + 1
        counts = np.bincount(cell, minlength=units * size).reshape(units, size).astype(np.float64)
        m = counts.sum(axis=1)
        usage[at] = (counts / m[:, None]).sum(axis=0)
        counts, m = counts[m > 1], m[m > 1]
        for out, weight in ((pairs, 1 / (m - 1)), (shares, 1 / (m * (m - 1)))):
            weighed = counts * weight[:, None]
            out[at] = weighed.T @ counts - np.diag(weighed.sum(axis=0))
    return Meetings(pairs, shares, usage)
