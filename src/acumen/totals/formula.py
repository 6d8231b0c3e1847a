"""A declared total ready for a table: its items, and what each of their levels adds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, label
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale, builtin_scales
from acumen.table.totals import Total, tidy, wrong_places
from acumen.types import Floats

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Formula:
    """A declared total with its items, and what each of their levels adds."""

    total: Total
    items: tuple[str, ...]
    points: Floats
    """``(item, level)``"""

    @classmethod
    def of(cls, total: Total, table: Judgments) -> Formula:
        """The formula of a total for the items of a table; refused where it lacks some."""
        scale = table.scale
        items = total.items or scale.items or table.items
        lacking = [item for item in items if item not in table.items]
        if lacking:
            there = ", ".join(map(label, table.items))
            message = f"the total needs {', '.join(map(label, lacking))}; the items are {there}"
            raise DataError([message], source=table.source.name)
        if wrong := [*wrong_places(total, *total.ends(scale.levels, items))]:
            raise UsageError("; ".join(f"{key}: {message}" for key, message in wrong))
        return cls(total, tuple(items), total.points(scale.levels, items))

    @cached_property
    def lowest(self) -> Floats:
        """The least that each item may add."""
        least: Floats = self.points.min(axis=1)
        return least

    @cached_property
    def highest(self) -> Floats:
        """The most."""
        most: Floats = self.points.max(axis=1)
        return most

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest total."""
        return float(tidy(self.lowest.sum())), float(tidy(self.highest.sum()))

    @property
    def span(self) -> float:
        """The most that a total can be off."""
        return self.ends[1] - self.ends[0]

    def at_ranks(self, item: NDArray[Any], rank: NDArray[Any]) -> Floats:
        """What ranks of items add, also between two levels: points are evenly spaced."""
        step = self.points[:, 1] - self.points[:, 0]
        added: Floats = self.points[item, 0] + rank * step[item]
        return added

    def is_positive(self, totals: Floats) -> Mask:
        """Whether totals lie on the side of the cut that is looked for."""
        cut = self.total.cut
        assert cut is not None, "asked only where there is one"
        return totals >= cut if self.total.positive == "high" else totals <= cut

    def band(self, totals: Floats) -> Codes:
        """The band of each total, 0 for the lowest."""
        return np.searchsorted(self.total.bands, totals, side="right").astype(np.int64)


def total_of(scale: Scale, name: str | None) -> Total:
    """The total that is asked for among those of a scale; without any, the sum of all items."""
    totals = scale.totals
    if not totals and scale.name in builtin_scales():  # a run file repeats the levels alone
        ours = Scale.named(scale.name)
        totals = ours.totals if ours.levels == scale.levels else ()
    totals = totals or (Total(),)
    names = [total.name for total in totals]
    if name is None and len(totals) == 1:
        return totals[0]
    if name not in names:
        lacks = "has several totals" if name is None else f"has no total {label(name)}"
        there = ", ".join(map(label, names))
        raise UsageError(
            f"{label(scale.title or scale.name)} {lacks}: name one with --total: {there}"
        )
    return totals[names.index(name)]
