"""Truth against prediction, level by level: what every agreement metric looks at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.table.judgments import NO_PREDICTION, Judgments
from acumen.types import CaseId, Floats
from acumen.views.tangents import Part, Tangent
from acumen.views.weights import CaseRows, CaseWeights, Errors, Group, Sum, cases_of, once_a_block


@dataclass(frozen=True, eq=False, kw_only=True)
class Confusion(CaseRows):
    """Rows as cells (truth, prediction) of a table. Make one with :func:`confuse`.

    Which levels there are is fixed by the whole study, so that a mean over levels means the same
    under every weighting; where one of them has no weight the mean is undefined.
    """

    truth: NDArray[np.int64]
    """Of every row, as is the prediction."""
    prediction: NDArray[np.int64]
    """−1 where the row was not answered."""
    levels: int
    true_levels: NDArray[np.int64]
    """Levels that are the truth of some answered row of the study."""
    seen_levels: NDArray[np.int64]
    """Levels that are the truth or the prediction of some answered row of the study."""

    names: tuple[str | int | float, ...] = ()
    """What the levels are called, where that is known."""
    step: float = 1.0
    """From one level to the next, in the scale's own unit."""

    def errors(self, beyond: int | None = None, *, silence: bool = False) -> Errors:
        """Who errs: levels off, or rows ``beyond`` so many; ``silence`` counts as wrong."""
        rows = np.arange(len(self.case)) if silence else self.order
        off = np.abs(self.truth - self.prediction)[rows]
        off = np.where(self.prediction[rows] == NO_PREDICTION, self.levels, off)
        loss = off if beyond is None else off > beyond
        if beyond is not None:
            return self.sparse_errors(rows, loss, most_loss=1)
        return self.sparse_errors(rows, loss, most_loss=self.levels - 1, unit=self.step)

    def groups(self) -> list[Group]:
        """The cases at each level of the scale: a mean over levels rests on all of them.

        One that no case is of counts too: the mean here is without it, that of others is not.
        """
        truth = self.truth[self.order]
        return [Group(self.cases_among(truth == k), "at", k) for k in range(self.levels)]

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Why a metric may have no value under the first weighting of a block, if it is plain."""
        square = self.square(weights)[:, :, 0]
        margins = (np.count_nonzero(square.sum(axis=axis)) for axis in (0, 1))
        if all(levels == 1 for levels in margins):
            return "truth and prediction are each one and the same level throughout"
        return super().why_undefined(weights)

    @cached_property
    def cell(self) -> NDArray[np.int64]:
        """Cell of each row: one row a truth, one column a prediction, the last for none."""
        column = np.where(self.prediction == NO_PREDICTION, self.levels, self.prediction)
        return self.truth * (self.levels + 1) + column

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the cells move with the weight of a case."""
        if not len(self.order) or not block.sums_of(self):
            return None
        base = self.sums(block)[..., 0]

        def along(slope: Floats) -> Floats:
            rows = slope[self.cell] * (1.0 if self.weight is None else self.weight)
            return np.bincount(self.case, rows, self.n_cases).astype(np.float64)

        key = Sum(self, "sums")
        return Tangent(
            [Part(base.ravel(), along)], lambda moved: {key: moved[0].reshape(*base.shape, -1)}
        )

    @property
    def codes(self) -> NDArray[Any]:
        """The cell of each row."""
        return self.cell

    def beside(self, other: Confusion) -> Confusion:
        """The rows of two tables of the same cases in one, the other's numbered after ours."""
        return confuse(
            np.concatenate([self.truth, other.truth]),
            np.concatenate([self.prediction, other.prediction]),
            levels=self.levels,
            step=self.step,
            **self.cases_beside(other),
        )

    @once_a_block
    def sums(self, weights: CaseWeights) -> Floats:
        """Weight by truth, prediction (the last is none) and weighting."""
        from acumen.views.cell_kernels import cell_sums

        cells = self.levels * (self.levels + 1)
        sums = cell_sums(self.case, self.cell, weights.counts, self.weight, cells)
        return sums.reshape(self.levels, self.levels + 1, -1)

    def square(self, weights: CaseWeights) -> Floats:
        """Weight of the answered rows: ``(truth, prediction, weighting)``."""
        return self.sums(weights)[:, :-1]

    def total(self, weights: CaseWeights) -> Floats:
        """Weight of all rows, abstained ones too."""
        total: Floats = self.sums(weights).sum(axis=(0, 1))
        return total


def confuse(
    truth: ArrayLike,
    prediction: ArrayLike,
    *,
    levels: int | None = None,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
    study_levels: Sequence[int] | None = None,
    names: Sequence[str | int | float] = (),
    step: float = 1.0,
) -> Confusion:
    """The table of plain arrays of ranks; ``prediction`` −1 is an abstention.

    ``study_levels`` are the levels the means go over, where these rows are part of a larger study.

    >>> confuse([0, 1, 1], [0, 1, 0]).square(CaseWeights.once(3))[:, :, 0]
    array([[1., 0.],
           [1., 1.]])
    """
    truth, prediction = np.asarray(truth, np.int64), np.asarray(prediction, np.int64)
    highest = max(truth.max(initial=0), prediction.max(initial=0))
    codes, n_cases = cases_of(case, n_cases, len(truth))
    own = None if weight is None else np.asarray(weight, np.float64)
    order = np.flatnonzero(prediction != NO_PREDICTION).astype(np.int32)
    heavy = order if own is None else order[own[order] > 0]
    true_levels = np.unique(truth[heavy] if study_levels is None else np.asarray(study_levels))
    return Confusion(
        item=None if item is None else np.asarray(item, np.int32),
        order=order,
        truth=truth,
        prediction=prediction,
        case=codes,
        n_cases=n_cases,
        levels=int(highest) + 1 if levels is None else levels,
        weight=own,
        names=tuple(names),
        step=step,
        true_levels=true_levels,
        seen_levels=np.union1d(
            true_levels, prediction[heavy] if study_levels is None else true_levels
        ),
    )


def answered_among(table: Judgments, cases: Collection[CaseId] | None) -> NDArray[np.bool_]:
    """The answered rows, of some cases only where they are named."""
    if cases is None:
        return table.answered
    among = np.array([case in cases for case in table.cases], np.bool_)
    return table.answered & among[table.case]


def confuse_judgments(table: Judgments, among: Collection[CaseId] | None = None) -> Confusion:
    """The table of a study's included cases.

    ``among`` keeps the verdicts of some cases only; the others are as if they had abstained.
    """
    table = table.scored.on_levels
    return confuse(
        table.truth,
        np.where(answered_among(table, among), table.prediction, NO_PREDICTION),
        levels=len(table.scale.levels),
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
        names=table.scale.levels,
        step=table.scale.step or 1.0,
    )
