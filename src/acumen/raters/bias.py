"""What moves a judge: leniency, the ends of the scale, length, its own kin, order, its own noise.

Leniency is judge minus people, in levels; all else is measured only where its column is mapped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.panel import Ints, Panel
from acumen.raters.sums import Estimate, by_block, quotient
from acumen.results.raters import Bias, LevelUse
from acumen.table.judgments import Judgments
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
    draws: Panel | None = field(default=None)
    """The judge's draws, each as if it were a rater."""

    @classmethod
    def of(cls, table: Judgments, judge: str, panel: Panel) -> Beside:
        """From the columns that a table has beside the ratings."""
        assert table.rater is not None
        unit = np.unique(table.row_keys(), return_inverse=True)[1]
        mine = np.flatnonzero(table.rater.codes == table.rater.values.index(judge))
        length = own = slots = draws = None
        if "length" in table.signals:
            length = _on_units(unit, table.signals["length"].values, len(panel.block))
            length = np.where(length > 0, length, np.nan)
        if "own" in table.groups:
            column = table.groups["own"]
            is_own = [str(v).casefold() in YES or str(v) == judge for v in column.values]
            own = _on_units(unit, column.spread(is_own, np.nan, np.float64), len(panel.block))
        if "position" in table.groups:
            slot = table.groups["position"].take(mine).in_order()
            first, second = (_answers(table, unit, mine[slot.codes == at], panel) for at in (0, 1))
            slots = (first, second) if len(slot.values) == 2 else None
            mine = mine[slot.codes == 0]
        if table.repeat is not None and len(np.unique(table.repeat.codes[mine])) > 1:
            own_rows = table.take(mine)
            as_raters = replace(own_rows, rater=own_rows.repeat, repeat=None)
            draws = Panel.of(as_raters, np.arange(len(mine)))
        return cls(table.scale.levels, length, own, slots, draws)


def _on_units(unit: Ints, values: Floats, size: int) -> Floats:
    """A number of each unit: that of its first row that has one."""
    out = np.full(size, np.nan)
    rows = np.flatnonzero(np.isfinite(values))[::-1]
    out[unit[rows]] = values[rows]
    return out


def _answers(table: Judgments, unit: Ints, rows: NDArray[Any], panel: Panel) -> Ints:
    out = np.full(len(panel.block), -1)
    out[unit[rows][::-1]] = np.searchsorted(panel.ranks, table.truth[rows])[::-1]
    return out


def bias_of(people: Panel, answer: Ints, beside: Beside, level: float) -> Bias:
    """Every bias there is a column for."""
    there = answer >= 0
    rows = there[people.unit]
    unit, rank = people.unit[rows], people.ranks[people.level[rows]]
    judged = people.ranks[answer[unit]]
    block = people.block[unit]
    share = 1.0 / people.take(rows).per_unit[unit]
    off = (judged - rank).astype(np.float64)

    def mean(values: Floats, weights: Floats) -> Estimate:
        return Estimate.of(by_block(block, people.n_blocks, values * weights, weights), quotient)

    def use(of_judge: NDArray[np.bool_], of_people: NDArray[np.bool_]) -> Any:
        judge, others = (mean(v.astype(np.float64), share) for v in (of_judge, of_people))
        return judge.minus(others, level)

    top = people.scale_size - 1
    seen = np.unique(rank).tolist()
    return Bias(
        leniency=mean(off, share).measured(Kind.REAL, level),
        by_level=[
            LevelUse(
                level=beside.level_names[k],
                ratings=int((rank == k).sum()),
                leniency=mean(off, (rank == k).astype(np.float64)).measured(Kind.REAL, level),
            )
            for k in seen
        ],
        lowest=use(judged == 0, rank == 0),
        highest=use(judged == top, rank == top),
        **_of_outputs(people, unit, off * share, beside, level),
        **_of_order(people, beside, level),
        **_of_draws(beside, level),
    )


def _of_outputs(
    people: Panel, unit: Ints, parts: Floats, beside: Beside, level: float
) -> dict[str, Any]:
    """What the length of an output does, and who made it."""
    off = np.bincount(unit, parts, len(people.block))
    rated = np.bincount(unit, minlength=len(people.block)) > 0
    out: dict[str, Any] = {}
    if beside.length is not None:
        units = np.flatnonzero(rated & np.isfinite(beside.length))
        x, y = np.log2(beside.length[units]), off[units]
        x, y = x - (x.mean() if len(x) else 0.0), y - (y.mean() if len(y) else 0.0)
        sums = by_block(
            people.block[units], people.n_blocks, np.ones(len(units)), x, y, x * x, x * y
        )
        slope = Estimate.of(sums, _slope)
        out["length"] = slope.measured(Kind.REAL, level, "all lengths are equal, or missing")
    if beside.own is not None:
        own, others = (
            Estimate.of(
                by_block(people.block[units], people.n_blocks, off[units], np.ones(len(units))),
                quotient,
            )
            for units in (np.flatnonzero(rated & (beside.own == is_own)) for is_own in (1, 0))
        )
        out["self_preference"] = own.minus(others, level)
    return out


def _slope(sums: Floats) -> Floats:
    n, x, y, xx, xy = np.moveaxis(sums, 1, 0)
    slope: Floats = (n * xy - x * y) / np.where(n * xx - x * x > 1e-12, n * xx - x * x, np.nan)
    return slope


def _of_order(people: Panel, beside: Beside, level: float) -> dict[str, Any]:
    """Of what was judged in both orders: how often it flips, and who gains by standing first."""
    if beside.slots is None:
        return {}
    first, second = beside.slots
    units = np.flatnonzero((first >= 0) & (second >= 0))
    one, two = people.ranks[first[units]], people.ranks[second[units]]
    middle = (people.scale_size - 1) / 2
    favour = (np.sign(one - middle) - np.sign(two - middle) + 2) / 4

    def measured(values: Floats, kind: Kind) -> Any:
        sums = by_block(people.block[units], people.n_blocks, values, np.ones(len(units)))
        return Estimate.of(sums, quotient).measured(
            kind, level, "nothing was judged in both orders"
        )

    return {
        "flips": measured((one != two).astype(np.float64), Kind.PROPORTION),
        "first_slot": measured(favour, Kind.PROPORTION),
        "order_effect": measured((one - two).astype(np.float64), Kind.REAL),
    }


def _of_draws(beside: Beside, level: float) -> dict[str, Any]:
    """Of what was drawn more than once: how far the judge agrees with itself."""
    if beside.draws is None:
        return {}
    shares = beside.draws.meetings.shares
    sums = np.stack([np.einsum("bkk->b", shares), shares.sum(axis=(1, 2))], axis=1)
    alpha = agreement.alpha(beside.draws, "interval")
    return {
        "repeats_equal": Estimate.of(sums, quotient).measured(Kind.PROPORTION, level),
        "repeats_alpha": alpha.measured(Kind.CORRELATION, level),
        "ceiling": None if np.isnan(alpha.value) else float(np.sqrt(max(0.0, alpha.value))),
    }
