"""What moves a judge: leniency, the ends of the scale, length, its own kin, order, its own noise.

Leniency is judge minus people, in levels; all else is measured only where its column is mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, label
from acumen.inference.sums import Estimate, by_block, quotient
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.panel import Panel
from acumen.raters.reading import Ints, Ratings
from acumen.results.raters import Bias
from acumen.types import Floats

YES: Final = frozenset({"yes", "true", "1", "1.0"})
"""How a column says that an output is the judge's own; or it holds the judge's name."""


@dataclass(frozen=True, eq=False)
class Beside:
    """What is known of each unit beside its ratings, and the judge's further draws."""

    level_names: tuple[Any, ...]
    length: Floats | None = None
    own: Floats | None = None
    """1 where the output is the judge's own, 0 where not, NaN where unknown."""
    slots: tuple[Ints, Ints] | None = None
    """What the judge gave a unit when it stood first, and second; −1 where nothing."""
    draws: Panel | None = None
    """The judge's draws, each as if it were a rater."""

    @classmethod
    def of(cls, ratings: Ratings, aside: Mapping[str, str], judge: int, panel: Panel) -> Beside:
        """From the columns of a table beside the ratings: ``aside`` is what -> column."""
        table, unit = ratings.table, ratings.unit
        mine = np.flatnonzero(ratings.rater == judge)
        length = own = slots = draws = None

        def on_units(values: Any, rows: Any, missing: float) -> Any:
            out = np.full(len(panel.block), missing, values.dtype)
            out[unit[rows][::-1]] = values[::-1]  # the first row of a unit is written last
            return out

        if "length" in aside:
            if aside["length"] not in table.signals:
                raise DataError([f"column {label(aside['length'])} holds no numbers"])
            values = table.signals[aside["length"]].values[ratings.row]
            rows = np.flatnonzero(values > 0)
            length = on_units(values[rows], rows, np.nan)
        if "own" in aside:
            column = table.groups[aside["own"]].take(ratings.row)
            name = ratings.raters[judge]
            is_own = [str(v).casefold() in YES or str(v) == name for v in column.values]
            rows = np.flatnonzero(~column.missing)
            own = on_units(column.spread(is_own, np.nan, np.float64)[rows], rows, np.nan)
        if "position" in aside:
            slot = table.groups[aside["position"]].take(ratings.row[mine]).in_order()
            both = (mine[slot.codes == at] for at in (0, 1))
            first, second = (
                on_units(np.searchsorted(panel.ranks, ratings.rank[rows]), rows, -1)
                for rows in both
            )
            slots = first, second
        elif table.repeat is not None:
            own_rows = ratings.take(mine)
            draw = table.repeat.codes[own_rows.row].astype(np.int64)
            own_draws = Panel.of(replace(own_rows, raters=table.repeat.values, rater=draw))
            draws = replace(own_draws, weight=panel.weight)
        return cls(table.scale.levels, length, own, slots, draws)


def bias_of(people: Panel, answer: Ints, beside: Beside, level: float) -> Bias:
    """Every bias there is a column for."""
    shared = people.take((answer >= 0)[people.unit])
    units, off, _ = shared.gap(answer)
    block, rank = people.block[shared.unit], people.ranks[shared.level]
    share = 1.0 / shared.per_unit[shared.unit]
    judged, top = people.ranks[answer[units]], people.scale_size - 1

    def of_people(values: Any, weights: Any) -> Estimate:
        return people.estimate(
            by_block(block, people.n_blocks, values * weights, weights), quotient
        )

    ends = [
        people.mean(units, judged == end).minus(of_people(rank == end, share), level)
        for end in (0, top)
    ]
    above = people.ranks[answer[shared.unit]] - rank
    out: dict[str, Any] = {}
    if beside.length is not None:
        out["length"] = _slope(people, units, beside.length, off).measured(
            Kind.REAL, level, "all lengths are equal, or missing"
        )
    if beside.own is not None:
        own, others = (beside.own[units] == is_own for is_own in (1.0, 0.0))
        kin = people.mean(units[own], off[own])
        out["self_preference"] = kin.minus(people.mean(units[others], off[others]), level)
    return Bias(
        leniency=people.mean(units, off).measured(Kind.REAL, level),
        by_level={
            str(beside.level_names[k]): of_people(above, rank == k).measured(Kind.REAL, level)
            for k in np.unique(rank).tolist()
        },
        lowest=ends[0],
        highest=ends[1],
        **out,
        **_of_order(people, beside.slots, level),
        **_of_draws(beside.draws, level),
    )


def _slope(people: Panel, units: Ints, length: Floats, off: Floats) -> Estimate:
    """Levels a doubling of the length adds."""
    there = np.isfinite(length[units])
    x, y = np.log2(length[units][there]), off[there]
    x = x - (x.mean() if len(x) else 0.0)
    block, ones = people.block[units][there], np.ones(len(x))
    sums = by_block(block, people.n_blocks, ones, x, y, x * x, x * y)

    def slope(sums: Floats) -> Any:
        n, x, y, xx, xy = np.moveaxis(sums, 1, 0)
        spread = n * xx - x * x
        return (n * xy - x * y) / np.where(spread > 1e-12, spread, np.nan)

    return people.estimate(sums, slope)


def _of_order(people: Panel, slots: tuple[Ints, Ints] | None, level: float) -> dict[str, Any]:
    """Of what was judged in both orders: how often it flips, and who gains by standing first."""
    if slots is None:
        return {}
    units = np.flatnonzero((slots[0] >= 0) & (slots[1] >= 0))
    one, two = (people.ranks[slot[units]] for slot in slots)
    middle = (people.scale_size - 1) / 2
    favour = (np.sign(one - middle) - np.sign(two - middle) + 2) / 4
    measures = {
        "flips": (one != two, Kind.PROPORTION),
        "first_slot": (favour, Kind.PROPORTION),
        "order_effect": (one - two, Kind.REAL),
    }
    none = "nothing was judged in both orders"
    return {
        name: people.mean(units, values).measured(kind, level, none)
        for name, (values, kind) in measures.items()
    }


def _of_draws(draws: Panel | None, level: float) -> dict[str, Any]:
    """Of what was drawn more than once: how far the judge agrees with itself."""
    if draws is None or (draws.per_unit < 2).all():
        return {}
    shares = draws.meetings.shares
    sums = np.stack([np.einsum("bkk->b", shares), shares.sum(axis=(1, 2))], axis=1)
    alpha = agreement.alpha(draws, "interval")
    return {
        "repeats_equal": draws.estimate(sums, quotient).measured(Kind.PROPORTION, level),
        "repeats_alpha": alpha.measured(Kind.CORRELATION, level),
        "ceiling": None if np.isnan(alpha.value) else float(np.sqrt(max(0.0, alpha.value))),
    }
