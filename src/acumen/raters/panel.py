"""A panel: who gave which level to what; and how often two levels meet on one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.inference.resample import LeaveOut
from acumen.table.judgments import Judgments
from acumen.types import Floats

Ints = NDArray[np.int64]
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

    @classmethod
    def of(cls, table: Judgments, rows: NDArray[Any]) -> Panel:
        """The panel of some rows of a table whose truth is what each rater said."""
        assert table.rater is not None
        _, unit = np.unique(table.row_keys(), return_inverse=True)
        ranks = np.unique(table.truth)  # of all rows: a later draw may be a level of its own
        n = len(table.cases)
        most = max(30, MOST_CELLS // max(1, len(ranks)) ** 2)
        blocks = min(LeaveOut.of(n).size, most)
        block = np.zeros(int(unit.max(initial=-1)) + 1, np.int64)
        block[unit] = table.case % blocks
        rows = rows[np.lexsort((unit[rows], block[unit[rows]]))]
        return cls(
            raters=tuple(str(name) for name in table.rater.values),
            scale_size=len(table.scale.levels),
            ranks=ranks.astype(np.int64),
            unit=unit[rows].astype(np.int64),
            rater=table.rater.codes[rows].astype(np.int64),
            level=np.searchsorted(ranks, table.truth[rows]),
            block=block,
            n_blocks=blocks,
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

    def on_units(self, values: Floats) -> Floats:
        """Sums over the ratings of each unit."""
        return np.bincount(self.unit, values, len(self.block)).astype(np.float64)

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
    """Of the units that two or more rated: ordered pairs of two raters' levels, by block.

    They can be added and taken off, so that a change of a few units costs as little.
    """

    pairs: Floats
    """``(block, level, level)``; a unit of m ratings counts m."""
    shares: Floats
    """The same, where every unit counts once."""
    usage: Floats
    """``(block, level)``: what share of a unit's ratings each level has, over all rated units."""

    def changed(self, before: Meetings, after: Meetings) -> Meetings:
        """These without some units, and with others in their place."""
        return Meetings(
            *(
                getattr(self, name) - getattr(before, name) + getattr(after, name)
                for name in ("pairs", "shares", "usage")
            )
        )


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


def codes_of(names: Sequence[str], panel: Panel) -> list[int]:
    """The codes of raters by their names."""
    return [panel.raters.index(name) for name in names]
