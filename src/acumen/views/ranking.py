"""Answered rows by falling confidence, ties together: what every selective metric looks at.

Made once. Under a weighting of the cases, one pass over the ranked rows gives what the metrics
need; :class:`~acumen.views.weights.CaseWeights` remembers it, so all metrics share the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.errors import UsageError
from acumen.table.judgments import Judgments
from acumen.table.losses import Loss, find_loss, rungs_off
from acumen.table.scale import MOST_LEVELS
from acumen.types import Floats
from acumen.views.weights import CaseWeights, Weights

COVERAGE_GRID: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
AREA_COVERAGE: Final = 0.5
COVERAGE_TOLERANCE: Final = 1e-9
SHOWN_RISK: Final = 0.25


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


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows ranked by falling confidence. Make one with :func:`rank` or :func:`rank_judgments`."""

    order: NDArray[np.int32]
    """Answered rows, surest first."""
    loss: NDArray[np.int16]
    """Their losses in rungs, in that order."""
    ends: NDArray[np.int64]
    """Where each tie ends (exclusive)."""
    threshold: Floats
    """The confidence of each tie."""
    case: NDArray[np.int32]
    """Case of every row of the table."""
    n_cases: int
    unit: float = 1.0
    """What one rung costs."""
    weight: Floats | None = None
    """A weight of its own for every row of the table, if any."""
    grid: tuple[float, ...] = COVERAGE_GRID
    """Coverages whose risk is found in the same pass."""
    cuts: tuple[float, ...] = (AREA_COVERAGE,)
    """Coverages up to which areas are found in the same pass."""
    most_loss: int = field(default=0)
    """The largest loss there can be, in rungs."""

    def __len__(self) -> int:
        return len(self.case)

    def why_undefined(self, weights: Weights) -> str | None:
        """Why a metric of the ranking may have no value under this weighting, if it is plain."""
        totals = self.totals(weights)
        if totals.rows[0] == 0:
            return "no row has weight"
        return "no row was answered" if totals.answered[0] == 0 else None

    def cases_behind(self, metric: str) -> int:
        """Cases with an answered row that has weight."""
        own = self._weight_of_ranked
        cases = self._case_of_ranked if own is None else self._case_of_ranked[own > 0]
        return len(np.unique(cases))

    @cached_property
    def _case_of_ranked(self) -> NDArray[np.int32]:
        return self.case[self.order]

    @cached_property
    def _weight_of_ranked(self) -> Floats | None:
        return None if self.weight is None else self.weight[self.order]

    @cached_property
    def _case_columns(self) -> Floats:
        """Per case: weight of its rows, then weight of its answered rows at each loss."""
        levels = self.most_loss + 1
        rows = np.bincount(self.case, weights=self.weight, minlength=self.n_cases)
        cell = self.loss.astype(np.int64) * self.n_cases + self._case_of_ranked
        by_loss = np.bincount(
            cell, weights=self._weight_of_ranked, minlength=levels * self.n_cases
        ).reshape(levels, self.n_cases)
        return np.vstack([rows, by_loss]).astype(np.float64)

    def _lanes(self, weights: Weights) -> tuple[NDArray[np.int32], NDArray[Any], Floats | None]:
        """Where each ranked row finds its weights, the weights, and the rows' own weights."""
        if isinstance(weights, CaseWeights):
            return self._case_of_ranked, weights.counts, self._weight_of_ranked
        return self.order, np.asarray(weights, np.float64).reshape(-1, 1), None

    def row_weights(self, weights: Weights) -> Floats:
        """The weights of the ranked rows, spelled out: ``(ranked row, weighting)``."""
        index, counts, own = self._lanes(weights)
        per_row = counts[index].astype(np.float64)
        return per_row if own is None else per_row * own[:, None]

    def loss_by_case(self) -> Floats:
        """Summed loss of each case, in rungs."""
        levels = np.arange(self.most_loss + 1, dtype=np.float64)
        return levels @ self._case_columns[1:]

    def totals(self, weights: Weights) -> Totals:
        """Sums over rows: all, and answered by loss."""
        if not isinstance(weights, CaseWeights):
            w = np.asarray(weights, np.float64)
            by_loss = np.bincount(self.loss, weights=w[self.order], minlength=self.most_loss + 1)
            return Totals(np.array([w.sum()]), by_loss[:, None].astype(np.float64))

        def compute() -> Totals:
            from acumen.views.ranking_kernels import weigh_columns

            sums = weigh_columns(self._case_columns, weights.counts)
            return Totals(sums[0], sums[1:])

        return weights.remember(self, "totals", compute)

    def areas(
        self,
        weights: Weights,
        grid: Sequence[float] | None = None,
        cuts: Sequence[float] | None = None,
    ) -> Areas:
        """Trapezoid areas, and the points at the coverages of ``grid`` and ``cuts``."""
        grid = self.grid if grid is None else tuple(sorted(grid))
        cuts = self.cuts if cuts is None else tuple(sorted(cuts))

        def compute() -> Areas:
            from acumen.views import ranking_kernels as kernels

            rows = self.totals(weights).rows
            reach = (np.asarray(grid, np.float64).reshape(-1, 1) - COVERAGE_TOLERANCE) * rows
            cut = np.asarray(cuts, np.float64).reshape(-1, 1) * rows
            index, counts, own = self._lanes(weights)
            total, reached, cut_area = kernels.areas(
                index, self.loss, self.ends, counts, own, reach, cut
            )
            whole = np.isnan(cut_area)
            cut_area = np.where(whole, total[:, None, :], cut_area)
            return Areas(total[0] / 2, total[1] / 2, reached, cut_area / 2)

        if isinstance(weights, CaseWeights):
            return weights.remember(self, ("areas", grid, cuts), compute)
        return compute()

    def exact(self, weights: Weights, risk: float = SHOWN_RISK) -> Floats:
        """Exact area, most weight within a risk, concordant and lost pairs: one row each."""
        limit = (risk + COVERAGE_TOLERANCE) / self.unit
        return self._fine("exact", weights, limit)

    def hulls(self, weights: Weights) -> Floats:
        """Doubled area under the hull of risk and of loss, exact area of the latter."""
        return self._fine("hulls", weights)

    def tie_orders(self, weights: Weights) -> Floats:
        """Risk so far summed over accepted rows, averaged over the orders inside ties."""
        summed: Floats = self._fine("tie_orders", weights)[0]
        return summed

    def _fine(self, kernel: str, weights: Weights, *arguments: float) -> Floats:
        """What needs the working points of one replicate at a time."""

        def compute() -> Floats:
            from acumen.views import ranking_kernels as kernels

            index, counts, own = self._lanes(weights)
            loop: Callable[..., Floats] = getattr(kernels, kernel)
            return loop(index, self.loss, self.ends, counts, own, *arguments)

        if isinstance(weights, CaseWeights):
            return weights.remember(self, (kernel, *arguments), compute)
        return compute()

    def beside(self, other: Ranking) -> Ranking:
        """The rows of two rankings of the same cases in one, the other's cases numbered after ours.

        Weighing the two halves against each other then swaps the systems case by case.
        """

        def column(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(r, name)() for r in (self, other)])

        return rank(
            column("_loss_of_rows"),
            column("_confidence_of_rows"),
            column("_answered_rows"),
            case=np.concatenate([self.case, other.case + self.n_cases]),
            n_cases=self.n_cases + other.n_cases,
            weight=None if self.weight is other.weight is None else column("_own_weights"),
            unit=self.unit,
            most_loss=max(self.most_loss, other.most_loss),
            grid=self.grid,
            cuts=self.cuts,
        )

    def _loss_of_rows(self) -> NDArray[np.int16]:
        out = np.zeros(len(self), np.int16)
        out[self.order] = self.loss
        return out

    def _confidence_of_rows(self) -> Floats:
        out = np.zeros(len(self))
        out[self.order] = np.repeat(self.threshold, np.diff(self.ends, prepend=0))
        return out

    def _answered_rows(self) -> NDArray[np.bool_]:
        out = np.zeros(len(self), bool)
        out[self.order] = True
        return out

    def _own_weights(self) -> Floats:
        return np.ones(len(self)) if self.weight is None else self.weight

    def curve(self, weights: NDArray[Any] | None = None) -> Curve:
        """The curve as arrays; by default each row counts with its own weight."""
        weights = self._own_weights() if weights is None else np.asarray(weights, np.float64)
        ranked = weights[self.order]
        k = np.cumsum(ranked)[self.ends - 1]
        loss = np.cumsum(ranked * self.loss)[self.ends - 1] * self.unit
        kept = np.diff(k, prepend=0.0) > 0.0  # a tie without weight is no working point
        k, loss, total = k[kept], loss[kept], weights.sum()
        return Curve(k / total, loss / k, loss / total, self.threshold[kept])


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
    grid: Sequence[float] = COVERAGE_GRID,
    cuts: Sequence[float] = (AREA_COVERAGE,),
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
    if answered is None:
        rows = np.arange(len(confidence), dtype=np.int32)
    else:
        rows = np.flatnonzero(np.asarray(answered, bool)).astype(np.int32)
    _check_values(rungs[rows], confidence[rows])
    surest_first = np.argsort(-confidence[rows], kind="stable")
    order = rows[surest_first]
    ranked = confidence[order]
    last_of_tie = np.append(ranked[1:] != ranked[:-1], True) if len(ranked) else np.empty(0, bool)
    ends = np.flatnonzero(last_of_tie) + 1
    codes = np.arange(len(confidence), dtype=np.int32) if case is None else np.asarray(case)
    losses = rungs[order].astype(np.int16)
    return Ranking(
        order=order,
        loss=losses,
        ends=ends,
        threshold=ranked[ends - 1].astype(np.float64),
        case=codes.astype(np.int32, copy=False),
        n_cases=int(codes.max(initial=-1)) + 1 if n_cases is None else n_cases,
        unit=unit,
        weight=None if weight is None else np.asarray(weight, np.float64),
        grid=tuple(sorted(grid)),
        cuts=tuple(sorted(cuts)),
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


def rank_judgments(
    table: Judgments,
    confidence: ArrayLike,
    loss: str | Loss = "abs",
    *,
    grid: Sequence[float] = COVERAGE_GRID,
    cuts: Sequence[float] = (AREA_COVERAGE,),
) -> Ranking:
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
        grid=grid,
        cuts=cuts,
    )
