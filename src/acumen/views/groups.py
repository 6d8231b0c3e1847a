"""Groups of cases left out, where a pass over all rows for every group would be too slow.

What jumps from row to row (the risk at a coverage, bins of equal mass) is read off sums down an
order of rows. Those of all rows, less those of a group's own, are the sums without the group; a
block that knows them gives every such metric without each group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.weights import CaseRows, tie_of_row


def deal(view: Any, groups: int) -> NDArray[np.int64]:
    """The group of each case: dealt by what its rows hold, so that no numbering of cases matters.

    Cases that hold the same are dealt one after another, and may change places.
    """
    group = np.empty(view.n_cases, np.int64)
    group[np.argsort(_contents(view), kind="stable")] = np.arange(view.n_cases) % groups
    return group


def _contents(view: Any) -> Floats:
    """A number for what the rows of a case hold together, in any order."""
    if not isinstance(view, CaseRows):
        return np.arange(view.n_cases, dtype=np.float64)
    rows = np.asarray(view.codes, np.uint64) + np.uint64(1)  # an abstained row counts too
    if view.weight is not None:
        rows = rows * np.uint64(0x9E3779B97F4A7C15) ^ view.weight.view(np.uint64)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        rows = (rows ^ (rows >> np.uint64(shift))) * np.uint64(factor)
    # 32 bits of each row: whole numbers, whose sum is exact in any order
    bits = (rows >> np.uint64(32)).astype(np.float64)
    return np.bincount(view.case, bits, view.n_cases).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Sums down an order of ties: of all rows, and of the rows of each group in turn."""

    whole: Floats
    """``(sum, tie)``, beginning with nothing."""
    own: Floats
    """``(sum, row)`` over rows by group, those of a group in order."""
    tie: NDArray[np.int64]
    """Of these rows."""
    start: NDArray[np.int64]
    """Where the rows of each group begin, and where the last ones end."""

    @classmethod
    def of(
        cls, ends: NDArray[np.int64], columns: Sequence[Floats], group: NDArray[Any], groups: int
    ) -> Prefixes:
        """Of columns over the rows in order, with the group of each row."""
        tie, order = tie_of_row(ends), np.argsort(group.astype(np.int32), kind="stable")
        whole, own = (np.zeros((len(columns), size + 1)) for size in (len(ends), len(tie)))
        for at, column in enumerate(columns):
            np.cumsum(np.bincount(tie, column, len(ends)), out=whole[at, 1:])
            np.cumsum(column[order], out=own[at, 1:])
        start = np.searchsorted(group[order], np.arange(groups + 1))
        return cls(whole, own, tie[order], start)

    def without(self, until: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
        """Sums over so many ties, less those of so many rows of each group's own."""
        before = self.own[:, self.start[:-1], None]
        sums: Floats = self.whole[:, until] - (self.own[:, rows] - before)
        return sums

    def reaching(self, need: Floats, *, middle: bool = False) -> Floats:
        """``(sum, group, need)`` where the first sum reaches what each group needs, else NaN.

        Up to the tie that reaches it; or up to the one whose ``middle`` does, and without it.
        """
        from acumen.views.ranking_kernels import first_without

        until, rows = first_without(self.whole[0], self.own[0], self.tie, self.start, need, middle)
        is_there = until < self.whole.shape[1]
        return np.where(is_there, self.without(np.where(is_there, until, 0), rows), np.nan)


def left(columns: Floats, group: NDArray[np.int64], groups: int) -> Floats:
    """Sums over cases, ``(column, group)``, without each group."""
    return np.stack([c.sum() - np.bincount(group, c, groups) for c in columns])
