"""A confidence read as a probability, beside what came true: what calibration looks at.

Only answered rows count. They are kept by rising probability, ties together; under a weighting of
the cases everything needed is a sum over rows, so a block of weightings is one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import BINS as BINS
from acumen.errors import DataError, UsageError, printable
from acumen.table.judgments import Judgments
from acumen.table.losses import rungs_off
from acumen.types import Floats
from acumen.views.bins import equal_width_bin
from acumen.views.tangents import Tangent
from acumen.views.weights import (
    CaseRows,
    CaseWeights,
    Group,
    KnownSums,
    cases_of,
    once_a_block,
    rows_of,
    tie_ends,
    tie_of_row,
)

CLIP: Final = 1e-6
"""Probabilities are kept this far from 0 and 1 where a logarithm is taken."""
FREQUENCIES: Final = 100
"""Cosines that the smoothed calibration error is made of; see ``smooth_ece``."""

MANY_CASES: Final = 1000
"""Beyond this many the cosines of each case are not kept: they would fill the memory."""

TARGETS: Final[dict[str, Callable[[NDArray[np.int16], int], Floats]]] = {
    "correctness": lambda off, most: (off == 0).astype(np.float64),
    "near_correct": lambda off, most: (off <= 1).astype(np.float64),
    "loss": lambda off, most: 1.0 - off / most,
}
"""What a confidence may be a forecast of, from the rungs off and the most there can be."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the answered rows, one value a weighting."""

    weight: Floats
    target: Floats
    target_squared: Floats
    brier: Floats
    log_loss: Floats


@dataclass(frozen=True, slots=True)
class ReliabilityCurve:
    """One point a bin that holds any weight: what was said, and what came true."""

    bin: NDArray[np.int64]
    weight: Floats
    confidence: Floats
    accuracy: Floats

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, eq=False, kw_only=True)
class Forecast(CaseRows):
    """Answered rows by rising probability. Make one with :func:`forecast` or from judgments.

    Rows that say the same and came out the same are one *atom*: sums over atoms do not depend on
    the order of the rows.
    """

    atom: NDArray[np.int32]
    """Atom of each answered row."""
    probability: Floats
    """Of each atom, rising."""
    target: Floats
    """Of each atom."""
    _bin_columns: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)

    def by_row(self, weights: Floats) -> tuple[Forecast, CaseWeights]:
        """Every atom a case of its own, so that the order of the rows does not matter."""
        size = len(self.probability)
        mass = np.bincount(self.atom, weights=weights[self.order], minlength=size)
        atoms = np.arange(size, dtype=np.int32)
        view = Forecast(
            order=atoms,
            atom=atoms,
            case=atoms,
            n_cases=size,
            probability=self.probability,
            target=self.target,
        )
        return view, CaseWeights(mass.reshape(-1, 1))

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums that a block remembers move with the weight of a case."""
        from acumen.views.forecast_moves import tangent

        return tangent(self, block)

    def without(self, block: CaseWeights, group: NDArray[np.int64], groups: int) -> KnownSums:
        """What jumps from row to row, of what a block remembers, without each group of cases."""
        from acumen.views.forecast_moves import without

        return without(self, block, group, groups)

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds."""
        return self._codes_of(self.atom)

    def beside(self, other: Forecast) -> Forecast:
        """The rows of two forecasts of the same cases in one, the other's numbered after ours."""
        sides = (self, other)
        return forecast(
            np.concatenate([side.probability[side.atom] for side in sides]),
            np.concatenate([side.target[side.atom] for side in sides]),
            **self.cases_beside(other, ranked=True),
        )

    @once_a_block
    def moments(self, weights: CaseWeights) -> Moments:
        """Sums over all answered rows."""
        return Moments(*weights.weigh(self.moment_columns))

    @cached_property
    def moment_columns(self) -> Floats:
        """The same of each case: ``(moment, case)``."""
        p, y = self.probability, self.target
        return self._per_case([np.ones(len(p)), y, y * y, (p - y) ** 2, log_loss(p, y)])

    @once_a_block
    def bins(self, weights: CaseWeights, bins: int) -> Floats:
        """``(3, bin, weighting)``: weight, summed probability and target in bins of equal width."""
        if weights.lanes > 1 or self.n_cases <= MANY_CASES:
            if bins not in self._bin_columns:
                self._bin_columns[bins] = np.vstack([*self._in_bins(bins)])
            return weights.weigh(self._bin_columns[bins]).reshape(3, bins, weights.lanes)
        return np.stack([weights.weigh(columns) for columns in self._in_bins(bins)])

    def _in_bins(self, bins: int) -> Iterator[Floats]:
        """The same of each case, one after another: ``(bin, case)``."""
        p, y = self.probability, self.target
        cell = equal_width_bin(p, bins)
        yield from (self._per_case([part], cell, bins) for part in (np.ones(len(p)), p, y))

    @cached_property
    def row_bin(self) -> NDArray[np.int8]:
        """Bin of equal width of each answered row."""
        return equal_width_bin(self.probability).astype(np.int8)[self.atom]

    def of_bin(self, number: int) -> tuple[Floats, Floats, int]:
        """Of each case weight and target in a bin of equal width; how many cases have a row there.

        >>> forecast([0.95, 0.2, 0.91], [1, 0, 0], case=[0, 0, 1]).of_bin(9)
        (array([1., 1.]), array([1., 0.]), 2)
        """
        rows = np.flatnonzero(self.row_bin == number)
        case, own = self.index[rows], self.row_weight[self.order[rows]]
        target = self.target[self.atom[rows]] * own
        parts = [np.bincount(case, part, self.n_cases) for part in (own, target)]
        weight, summed = np.asarray(parts, np.float64)
        return weight, summed, int(np.count_nonzero(np.bincount(case)))

    @once_a_block
    def equal_mass_bins(self, weights: CaseWeights, bins: int) -> Floats:
        """The same in bins of equal weight; a tie goes whole to the bin its middle lies in."""
        from acumen.views.cell_kernels import equal_mass

        total = self.moments(weights).weight
        p, y, ends = self.by_answered_row
        return equal_mass(p, y, ends, self.index, weights.counts, self.own, total, bins)

    @once_a_block
    def pooled(self, weights: CaseWeights) -> Floats:
        """Of the isotonic regression: sum over blocks of (summed target)²/weight; the blocks."""
        from acumen.views.cell_kernels import pooled_squares

        _, y, ends = self.by_answered_row
        return pooled_squares(y, ends, self.index, weights.counts, self.own)

    def isotonic(self) -> Floats:
        """The regression itself, at each atom; every case counts once."""
        from acumen.views.cell_kernels import pool

        own = np.ones(len(self.order)) if self.own is None else self.own
        mass = np.bincount(self.atom, own, len(self.probability))
        tie = tie_of_row(tie_ends(self.probability))
        weight, summed = (
            np.bincount(tie, mass * part).astype(np.float64) for part in (1.0, self.target)
        )
        return pool(weight, summed)[tie]

    @once_a_block
    def cosines(self, weights: CaseWeights) -> Floats:
        """``(frequency, weighting)``: sums of (y − p)·cos(πkp), the residual in a cosine basis."""
        if weights.lanes > 1 or self.n_cases <= MANY_CASES:
            return weights.weigh(self.cosine_columns)
        return self.cosines_by(np.zeros(self.n_cases, np.int64), 1, weights.counts[:, 0])

    @cached_property
    def cosine_columns(self) -> Floats:
        """The same of each case: ``(frequency, case)``."""
        p, residual = self.probability, self.target - self.probability
        return self._per_case([residual * np.cos(np.pi * k * p) for k in range(FREQUENCIES)])

    def cosines_by(
        self, group: NDArray[np.int64], groups: int, counts: NDArray[Any] | None = None
    ) -> Floats:
        """The same of groups of cases, without those of each case in between."""
        from acumen.views.cell_kernels import cosine_sums

        p, y = (values[self.atom] for values in (self.probability, self.target))
        mass = (y - p) * (1.0 if self.own is None else self.own)
        mass = mass if counts is None else mass * counts[self.index]
        return cosine_sums(mass, p, group[self.index], groups, FREQUENCIES)

    def residuals(self, bins: int = BINS, *, by_mass: bool = False) -> tuple[Floats, Floats]:
        """``(bin, case)`` summed target − probability, and the weight of each case."""
        own = np.ones(len(self.order)) if self.own is None else self.own
        mass = np.bincount(self.atom, own, len(self.probability))
        cell = equal_width_bin(self.probability, bins)
        if by_mass:
            ends = tie_ends(self.probability)
            until = np.cumsum(mass)[ends - 1]
            middle = (until + np.append(0.0, until[:-1])) / 2
            of_tie = np.minimum((middle / until[-1] * bins).astype(np.int64), bins - 1)
            cell = np.repeat(of_tie, np.diff(ends, prepend=0))
        weight = self._per_case([np.ones(len(self.probability))])[0]
        return self._per_case([self.target - self.probability], cell, bins), weight

    def groups(self) -> list[Group]:
        """The cases that are certain and wrong, where any is certain: they decide a mean log."""
        certain = np.abs(self.probability - 0.5) > 0.5 - 2 * CLIP
        wrong = certain & (np.abs(self.probability - self.target) > 0.5)
        return [Group(self.cases_among(wrong[self.atom]), "certain")] if certain.any() else []

    def curve(self, bins: int = BINS) -> ReliabilityCurve:
        """The reliability curve; every case counts once.

        >>> forecast([0.9, 0.9, 0.2], [1, 0, 0]).curve().accuracy
        array([0. , 0.5])
        """
        sums = self.bins(CaseWeights.once(self.n_cases), bins)[:, :, 0]
        heavy = np.flatnonzero(sums[0] > 0)
        weight, probability, target = sums[:, heavy]
        return ReliabilityCurve(heavy, weight, probability / weight, target / weight)

    @cached_property
    def by_answered_row(self) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Probability and target of the answered rows, and where each tie ends."""
        p = self.probability[self.atom]
        return p, self.target[self.atom], tie_ends(p)

    def _per_case(
        self, values: Sequence[Floats], cell: NDArray[np.int64] | None = None, cells: int = 1
    ) -> Floats:
        """Sums within each (cell, case): one row for every value and cell, one column a case."""
        cell = np.zeros(len(self.probability), np.int64) if cell is None else cell
        own = 1.0 if self.own is None else self.own
        return np.vstack([self.by_cell(cell[self.atom], cells, v[self.atom] * own) for v in values])


def forecast(
    probability: ArrayLike,
    target: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
) -> Forecast:
    """A forecast from plain arrays, one value a row; each row its own case by default.

    >>> forecast([0.9, 0.2], [1, 0]).probability
    array([0.2, 0.9])
    """
    p, y = np.asarray(probability, np.float64), np.asarray(target, np.float64)
    size = len(p)
    rows = rows_of(answered, size)
    if p.shape != y.shape or p.ndim != 1:
        raise UsageError(f"one target a probability: shapes {p.shape} and {y.shape}")
    for name, column in (("probability", p[rows]), ("target", y[rows])):
        outside = ~((column >= 0) & (column <= 1))
        if outside.any():
            value = f"{column[np.argmax(outside)]:g}"
            raise DataError([f"{name} {value} is outside 0..1 ({int(outside.sum())} rows)"])
    own = None if weight is None else np.asarray(weight, np.float64)
    keys = (y[rows], p[rows]) if own is None else (own[rows], y[rows], p[rows])
    rows = rows[np.lexsort(keys)]
    p, y = p[rows] + 0.0, y[rows]
    first = np.append(True, (p[1:] != p[:-1]) | (y[1:] != y[:-1])) if len(p) else np.empty(0, bool)
    codes, n_cases = cases_of(case, n_cases, size)
    return Forecast(
        item=None if item is None else np.asarray(item, np.int32),
        order=rows,
        atom=np.cumsum(first, dtype=np.int32) - np.int32(1),
        case=codes,
        n_cases=n_cases,
        probability=p[first],
        target=y[first],
        weight=own,
    )


def forecast_judgments(
    table: Judgments, confidence: ArrayLike, target: str = "correctness"
) -> Forecast:
    """The forecast a confidence makes; it has one value for each row of ``table.included``."""
    table = table.scored
    return forecast(
        confidence,
        target_of(table, target),
        table.answered,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
    )


def why_no_forecast(table: Judgments, confidence: Floats) -> str | None:
    """Why a confidence cannot be read as a probability; None when it can."""
    values = confidence[table.included.answered]
    if len(values) and (values.min() < 0 or values.max() > 1):
        return f"not a probability: it runs from {values.min():g} to {values.max():g}"
    return None


def target_of(table: Judgments, target: str) -> Floats:
    """The target of every row of a table; abstained rows hold a number without meaning."""
    if target not in TARGETS:
        raise UsageError(f"no target '{printable(target)}'; there are {', '.join(TARGETS)}")
    right = TARGETS[target](rungs_off(table.prediction, table.exact_truth), table.scale.range)
    # an answer to what cannot be judged is as wrong as any can be
    return right if table.unanswerable is None else np.where(table.unanswerable, 0.0, right)


def log_loss(probability: Floats, target: Floats) -> Floats:
    """−y·ln p − (1 − y)·ln(1 − p), p kept a little away from 0 and 1."""
    p = np.clip(probability, CLIP, 1 - CLIP)
    return -target * np.log(p) - (1 - target) * np.log1p(-p)
