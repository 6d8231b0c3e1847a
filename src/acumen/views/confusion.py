"""Truth against prediction, level by level: what every agreement metric looks at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.table.judgments import NO_PREDICTION, Judgments
from acumen.types import CaseId, Floats
from acumen.views.weights import CaseWeights, Weights

NO_WEIGHT: Final = "no row has weight"


def total_weight(case: NDArray[Any], own: Floats | None, weights: Weights) -> float:
    """Weight of all rows of a table under one weighting, or the first of a block."""
    if not isinstance(weights, CaseWeights):
        return float(np.sum(weights))
    per_row = weights.counts[case, 0]
    return float(per_row.sum() if own is None else per_row @ own)


@dataclass(frozen=True, eq=False)
class Confusion:
    """Rows as cells (truth, prediction) of a table. Make one with :func:`confuse`.

    Which levels there are is fixed by the whole study, so that a mean over levels means the same
    under every weighting; where one of them has no weight the mean is undefined.
    """

    truth: NDArray[np.int64]
    prediction: NDArray[np.int64]
    """−1 where the row was not answered."""
    case: NDArray[np.int32]
    n_cases: int
    levels: int
    weight: Floats | None = None
    true_levels: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Levels that are the truth of some answered row of the study."""
    seen_levels: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Levels that are the truth or the prediction of some answered row of the study."""

    def __len__(self) -> int:
        return len(self.truth)

    def why_undefined(self, weights: Weights) -> str | None:
        """Why a metric of the table may have no value under this weighting, if it is plain."""
        table = self._sums(weights)[:, :1]
        if not table.sum():
            return NO_WEIGHT
        answered = table[: self.levels**2]
        if not answered.sum():
            return "no row was answered"
        square = answered.reshape(self.levels, self.levels)
        if np.count_nonzero(square.sum(axis=1)) == 1 and np.count_nonzero(square.sum(axis=0)) == 1:
            return "truth and prediction are each one and the same level throughout"
        return None

    def cases_behind(self, metric: str) -> int:
        """Cases with an answered row that has weight."""
        counts = self.prediction != NO_PREDICTION
        if self.weight is not None:
            counts &= self.weight > 0
        return len(np.unique(self.case[counts]))

    @cached_property
    def _cell(self) -> NDArray[np.int64]:
        """Cell of each row; after the square, one cell a true level for rows without prediction."""
        unanswered = self.levels**2 + self.truth
        answered = self.truth * self.levels + self.prediction
        return np.where(self.prediction == NO_PREDICTION, unanswered, answered)

    def _sums(self, weights: Weights) -> Floats:
        from acumen.views.level_kernels import cell_sums

        cells = self.levels * (self.levels + 1)
        if not isinstance(weights, CaseWeights):
            lanes = np.asarray(weights, np.float64).reshape(-1, 1)
            return cell_sums(np.arange(len(self)), self._cell, lanes, None, cells)
        return weights.remember(
            self,
            "cells",
            lambda: cell_sums(self.case, self._cell, weights.counts, self.weight, cells),
        )

    def square(self, weights: Weights) -> Floats:
        """Weight of the answered rows: ``(truth, prediction, weighting)``."""
        cells = self._sums(weights)[: self.levels**2]
        return cells.reshape(self.levels, self.levels, -1)

    def total(self, weights: Weights) -> Floats:
        """Weight of all rows, abstained ones too."""
        total: Floats = self._sums(weights).sum(axis=0)
        return total


def confuse(
    truth: ArrayLike,
    prediction: ArrayLike,
    *,
    levels: int | None = None,
    case: NDArray[Any] | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    study_levels: Sequence[int] | None = None,
) -> Confusion:
    """The table of plain arrays of ranks; ``prediction`` −1 is an abstention.

    ``study_levels`` are the levels the means go over, where these rows are part of a larger study.

    >>> confuse([0, 1, 1], [0, 1, 0]).square(np.ones(3))[:, :, 0]
    array([[1., 0.],
           [1., 1.]])
    """
    truth, prediction = np.asarray(truth, np.int64), np.asarray(prediction, np.int64)
    highest = max(truth.max(initial=0), prediction.max(initial=0))
    codes = np.arange(len(truth), dtype=np.int32) if case is None else case
    own = None if weight is None else np.asarray(weight, np.float64)
    kept = prediction != NO_PREDICTION if own is None else (prediction != NO_PREDICTION) & (own > 0)
    true_levels = np.unique(truth[kept] if study_levels is None else np.asarray(study_levels))
    return Confusion(
        truth=truth,
        prediction=prediction,
        case=codes.astype(np.int32, copy=False),
        n_cases=int(codes.max(initial=-1)) + 1 if n_cases is None else n_cases,
        levels=int(highest) + 1 if levels is None else levels,
        weight=own,
        true_levels=true_levels,
        seen_levels=np.union1d(
            true_levels, prediction[kept] if study_levels is None else true_levels
        ),
    )


def answered_among(table: Judgments, cases: Collection[CaseId] | None) -> NDArray[np.bool_]:
    """The answered rows, of some cases only where they are named."""
    if cases is None:
        return table.answered
    named = np.array([case in cases for case in table.cases], np.bool_)
    return table.answered & named[table.case]


def confuse_judgments(table: Judgments, among: Collection[CaseId] | None = None) -> Confusion:
    """The table of a study's included cases.

    ``among`` keeps the verdicts of some cases only; the others are as if they had abstained.
    """
    table = table.included
    return confuse(
        table.truth,
        np.where(answered_among(table, among), table.prediction, NO_PREDICTION),
        levels=len(table.scale.levels),
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
    )
