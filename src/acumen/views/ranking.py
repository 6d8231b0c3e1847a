"""Answered rows by falling confidence, ties together: what every selective metric looks at.

Made once. Under a weighting of the cases, one pass over the ranked rows gives what the metrics
need; :class:`~acumen.views.weights.CaseWeights` remembers it, so all metrics share the pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import AREA_COVERAGE, COVERAGE_GRID
from acumen.errors import UsageError
from acumen.table.judgments import Judgments
from acumen.table.losses import Loss, find_loss, rungs_off
from acumen.table.scale import MOST_LEVELS
from acumen.types import Floats
from acumen.views.weights import CaseRows, CaseWeights, cases_of, once_a_block, rows_of, tie_ends

COVERAGE_TOLERANCE: Final = 1e-9
MOST_RISK: Final = 0.25


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the rows, one value a weighting; losses in rungs."""

    rows: Floats
    by_loss: Floats
    """Weight of the answered rows at each loss: ``by_loss[rungs, weighting]``."""

    @property
    def answered(self) -> Floats:
        """Weight of the answered rows."""
        answered: Floats = self.by_loss.sum(axis=0)
        return answered

    @property
    def loss(self) -> Floats:
        """Summed loss of the answered rows, in rungs."""
        return np.arange(len(self.by_loss), dtype=np.float64) @ self.by_loss


@dataclass(frozen=True, slots=True)
class Areas:
    """Trapezoid areas and what lies at given coverages; weights and rungs, not yet divided."""

    risk: Floats
    """Area under selective risk over accepted weight."""
    loss: Floats
    """Area under summed loss over accepted weight."""
    reached: Floats
    """``(2, coverage, weighting)``: weight and loss where a coverage is reached, NaN if never."""
    cut: Floats
    """``(2, coverage, weighting)``: the two areas up to a coverage."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The working points of a risk–coverage curve, one for each distinct confidence."""

    coverage: Floats
    selective_risk: Floats
    generalized_risk: Floats
    threshold: Floats

    def __len__(self) -> int:
        return len(self.coverage)


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranking(CaseRows):
    """Rows ranked by falling confidence. Make one with :func:`rank` or :func:`rank_judgments`."""

    loss: NDArray[np.int16]
    """Losses of the answered rows in rungs, surest first."""
    ends: NDArray[np.int64]
    """Where each tie ends (exclusive)."""
    threshold: Floats
    """The confidence of each tie."""
    unit: float = 1.0
    """What one rung costs."""
    grid: tuple[float, ...] = COVERAGE_GRID
    """Coverages, rising, whose risk is computed in the same pass."""
    cuts: tuple[float, ...] = (AREA_COVERAGE,)
    """Coverages, rising, up to which areas are computed in the same pass."""
    most_loss: int = 0
    """The largest loss there can be, in rungs."""

    def __len__(self) -> int:
        return len(self.case)

    @cached_property
    def _case_columns(self) -> Floats:
        """Per case: weight of its rows, then weight of its answered rows at each loss."""
        levels = self.most_loss + 1
        rows = np.bincount(self.case, weights=self.weight, minlength=self.n_cases)
        cell = self.loss.astype(np.int64) * self.n_cases + self.index
        by_loss = np.bincount(cell, weights=self.own, minlength=levels * self.n_cases)
        return np.vstack([rows, by_loss.reshape(levels, self.n_cases)]).astype(np.float64)

    def row_weights(self, weights: CaseWeights) -> Floats:
        """The weights of the ranked rows, spelled out: ``(ranked row, weighting)``."""
        per_row = weights.counts[self.index].astype(np.float64)
        return per_row if self.own is None else per_row * self.own[:, None]

    @cached_property
    def is_point(self) -> NDArray[np.bool_]:
        """Which ties are working points: one without weight is none."""
        return np.diff(np.cumsum(self.row_weight[self.order])[self.ends - 1], prepend=0.0) > 0.0

    def loss_by_case(self) -> Floats:
        """Summed loss of each case, in rungs."""
        levels = np.arange(self.most_loss + 1, dtype=np.float64)
        return levels @ self._case_columns[1:]

    @once_a_block
    def totals(self, weights: CaseWeights) -> Totals:
        """Sums over rows: all, and answered by loss."""
        sums = weights.weigh(self._case_columns)
        return Totals(sums[0], sums[1:])

    @once_a_block
    def areas(self, weights: CaseWeights, coverage: float | None = None) -> Areas:
        """Trapezoid areas, and the points at the ranking's own coverages, or at another one."""
        from acumen.views.ranking_kernels import areas

        rows = self.totals(weights).rows
        grid, cuts = (self.grid, self.cuts) if coverage is None else ((coverage,), (coverage,))
        reach = (np.asarray(grid, np.float64).reshape(-1, 1) - COVERAGE_TOLERANCE) * rows
        cut = np.asarray(cuts, np.float64).reshape(-1, 1) * rows
        total, reached, cut_area = areas(*self._ranked(weights), reach, cut)
        cut_area = np.where(np.isnan(cut_area[:2]), total[:, None, :], cut_area[:2])
        return Areas(total[0] / 2, total[1] / 2, reached, cut_area / 2)

    @once_a_block
    def exact(self, weights: CaseWeights, risk: float) -> Floats:
        """Exact area, most weight within a risk, concordant and lost pairs, tie orders: by row."""
        from acumen.views.ranking_kernels import exact

        return exact(*self._ranked(weights), (risk + COVERAGE_TOLERANCE) / self.unit)

    def risk_within(self, weights: CaseWeights, coverage: Floats) -> Floats:
        """Mean loss of the surest rows up to a coverage of all rows; a tie enters in proportion."""
        from acumen.views.ranking_kernels import areas

        totals = self.totals(weights)
        hair = 0.0 if self.own is None else 1e-12  # own weights are summed with rounding
        limit = np.minimum(coverage * totals.rows, totals.answered * (1.0 - hair))
        nowhere, limit = np.empty((0, weights.lanes)), np.where(limit > 0.0, limit, np.nan)
        lost: Floats = areas(*self._ranked(weights), nowhere, limit[None])[2][2, 0]
        return lost * self.unit / limit

    @once_a_block
    def hulls(self, weights: CaseWeights) -> Floats:
        """Doubled area under the hull of risk and of loss, exact area of the latter."""
        from acumen.views.ranking_kernels import hulls

        return hulls(*self._ranked(weights))

    @once_a_block
    def optimum(self, weights: CaseWeights) -> Floats:
        """Areas had the rows been ranked by loss: of risk and of loss doubled, of risk exact."""
        from acumen.views.ranking_kernels import optimum

        return optimum(self.totals(weights).by_loss)

    def _ranked(
        self, weights: CaseWeights
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], Floats | None]:
        """What every compiled loop over the ranking begins with."""
        return self.index, self.loss, self.ends, weights.counts, self.own

    def beside(self, other: Ranking) -> Ranking:
        """The rows of two rankings of the same cases in one, the other's cases numbered after ours.

        Swapping the systems in a case then leaves the whole as it is.
        """
        columns = zip(self.columns(), other.columns(), strict=True)
        loss, confidence, answered = (np.concatenate(pair) for pair in columns)
        both = rank(
            loss,
            confidence,
            answered,
            unit=self.unit,
            most_loss=max(self.most_loss, other.most_loss),
            **self.cases_beside(other),
        )
        return replace(both, grid=self.grid, cuts=self.cuts)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Loss, confidence and whether it is answered, of every row of the table."""
        size = len(self)
        loss, confidence, answered = np.zeros(size, np.int16), np.zeros(size), np.zeros(size, bool)
        loss[self.order], answered[self.order] = self.loss, True
        confidence[self.order] = np.repeat(self.threshold, np.diff(self.ends, prepend=0))
        return loss, confidence, answered

    def curve(self) -> Curve:
        """The curve as arrays; each row counts with its own weight."""
        ranked = self.row_weight[self.order]
        k = np.cumsum(ranked)[self.ends - 1]
        loss = np.cumsum(ranked * self.loss)[self.ends - 1] * self.unit
        k, loss, total = k[self.is_point], loss[self.is_point], self.row_weight.sum()
        return Curve(k / total, loss / k, loss / total, self.threshold[self.is_point])

    def achievable(self) -> tuple[Floats, Floats]:
        """Coverage and generalized risk at the corners of the curve's lower hull, but the origin.

        What mixing thresholds can reach.

        >>> coverage, risk = rank([1, 0, 0, 1], [4, 3, 2, 1]).achievable()
        >>> coverage.tolist(), risk.tolist()
        ([0.75, 1.0], [0.25, 0.5])
        """
        from acumen.views.ranking_kernels import hull_corners

        curve = self.curve()
        x, y = hull_corners(np.append(0.0, curve.coverage), np.append(0.0, curve.generalized_risk))
        return x[1:], y[1:]


def rank(
    loss: ArrayLike,
    confidence: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    unit: float = 1.0,
    most_loss: int | None = None,
) -> Ranking:
    """Rank rows given as plain arrays; ``loss`` in whole rungs, each row its own case by default.

    >>> rank([0, 2, 0, 0], [2, 2, 1, 0], answered=[True, True, True, False]).curve().coverage
    array([0.5 , 0.75])
    """
    confidence = np.asarray(confidence)
    if confidence.dtype.kind in "bu":
        confidence = confidence.astype(np.float64)  # an unsigned number has no negative to sort by
    rungs = np.asarray(loss)
    for what, column in (("confidences", confidence), ("answered", answered), ("cases", case)):
        if column is not None and len(np.asarray(column)) != len(rungs):
            raise UsageError(f"{len(np.asarray(column))} {what} for {len(rungs)} rows")
    rows = rows_of(answered, len(confidence))
    _check_values(rungs[rows], confidence[rows])
    order = rows[np.argsort(-confidence[rows], kind="stable")]  # surest first
    ranked = confidence[order]
    ends = tie_ends(ranked)
    codes, n_cases = cases_of(case, n_cases, len(confidence))
    losses = rungs[order].astype(np.int16)
    return Ranking(
        order=order,
        loss=losses,
        ends=ends,
        threshold=ranked[ends - 1].astype(np.float64),
        case=codes,
        n_cases=n_cases,
        unit=unit,
        weight=None if weight is None else np.asarray(weight, np.float64),
        most_loss=int(losses.max(initial=0)) if most_loss is None else most_loss,
    )


def _check_values(rungs: NDArray[Any], confidence: NDArray[Any]) -> None:
    """Refuse what could be ranked, but not as it is meant."""
    if confidence.dtype.kind == "f" and np.isnan(confidence).any():
        raise UsageError("an answered row has NaN for a confidence")
    if rungs.dtype.kind == "f" and (rungs != np.floor(rungs)).any():
        raise UsageError("a loss is a whole number of rungs; unit= says what a rung costs")
    low, high = rungs.min(initial=0), rungs.max(initial=0)
    if low < 0 or high >= MOST_LEVELS:
        odd = low if low < 0 else high
        raise UsageError(f"a loss of {odd:g} levels; a scale has at most {MOST_LEVELS}")


def rank_judgments(table: Judgments, confidence: ArrayLike, loss: str | Loss = "abs") -> Ranking:
    """Rank the rows of a table's included cases; ``confidence`` has one value for each of them."""
    table = table.included
    return rank(
        rungs_off(table.prediction, table.truth),
        confidence,
        table.answered,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        unit=find_loss(loss).unit(table.scale),
        most_loss=table.scale.range,
    )
