"""Which single item, asked of a person, closes the most open cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.results.totals import Ask
from acumen.table.totals import tidy
from acumen.totals.formula import Mask
from acumen.totals.sums import OPEN, Sums
from acumen.types import Floats


def asks_of(sums: Sums) -> list[Ask]:
    """What asking each item alone would do to the open cases, the most helpful first.

    An item closes a case if its true answer leaves the whole range on one side of the cut; it
    does so for sure if every answer would.
    """
    if sums.formula.total.cut is None:
        return []
    asks = []
    for at, item in enumerate(sums.formula.items):
        rows = (sums.side == OPEN) & sums.open[:, at]
        levels = (_closes(sums, rows, at, points) for points in sums.formula.points[at])
        surely = np.logical_and.reduce([*levels])
        closes = _closes(sums, rows, at, sums.true[rows, at]) if sums.has_truth else None
        asks.append(
            Ask(
                item=item,
                open_in=int(rows.sum()),
                closes=None if closes is None else int(closes.sum()),
                closes_surely=int(surely.sum()),
            )
        )
    return sorted(asks, key=lambda ask: (-(ask.closes or 0), -ask.closes_surely, -ask.open_in))


def _closes(sums: Sums, rows: Mask, at: int, points: float | Floats) -> Any:
    """Which of some cases are decided once an item adds these points."""
    ends = (
        sums.formula.is_positive(tidy(end[rows] - least[at] + points))
        for end, least in (
            (sums.low, sums.formula.lowest),
            (sums.high, sums.formula.highest),
        )
    )
    low, high = ends
    return low == high
