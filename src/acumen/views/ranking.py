"""Answered rows by falling confidence, ties together: what every selective metric looks at.

Made once. Under a weighting of the cases, one pass over the ranked rows gives what the metrics
need; :class:`~acumen.views.weights.CaseWeights` remembers it, so all metrics share the pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import AREA_COVERAGE, COVERAGE_GRID, COVERAGE_TOLERANCE, RISKS
from acumen.errors import UsageError
from acumen.table.judgments import Judgments
from acumen.table.losses import AnyLoss, Grades, find_loss
from acumen.table.scale import MOST_LEVELS
from acumen.types import Floats
from acumen.views.tangents import Tangent
from acumen.views.weights import (
    CaseRows,
    CaseWeights,
    Errors,
    Group,
    cases_of,
    once_a_block,
    rows_of,
    tie_ends,
    tie_of_row,
)

MOST_RISK: Final = 0.25
RIGHT_OR_WRONG: Final = Grades.by_rungs(np.array([0.0, 1.0]))


@dataclass(frozen=True)
class Totals:
    """Sums over the rows, one value a weighting; losses in units."""

    rows: Floats
    by_kind: Floats
    """Weight of the answered rows of each kind, cheapest first: ``by_kind[kind, weighting]``."""
    grades: Grades

    @cached_property
    def answered(self) -> Floats:
        """Weight of the answered rows."""
        answered: Floats = self.by_kind.sum(axis=0)
        return answered

    @cached_property
    def loss(self) -> Floats:
        """Summed loss of the answered rows, in units."""
        loss: Floats = self.grades.cost @ self.by_kind
        return loss

    def within(self, rungs: int) -> Floats:
        """Weight of the answered rows that are at most so many rungs off, whatever they cost."""
        weight: Floats = self.by_kind[self.grades.is_level & (self.grades.off <= rungs)].sum(axis=0)
        return weight

    @property
    def mixed_pairs(self) -> Floats:
        """Weight of the pairs of a right and a wrong answer."""
        return self.within(0) * (self.answered - self.within(0))

    @property
    def on_levels(self) -> Floats:
        """Weight of the answered rows whose truth is a level."""
        weight: Floats = self.by_kind[self.grades.is_level].sum(axis=0)
        return weight


@dataclass(frozen=True, slots=True)
class Areas:
    """Trapezoid areas and what lies at given coverages; weights and units, not yet divided."""

    risk: Floats
    """Area under selective risk over accepted weight."""
    loss: Floats
    """Area under summed loss over accepted weight."""
    reached: Floats
    """``(4, coverage, weighting)``: weight and loss of the working point where a coverage is
    reached, and of the one before it; NaN if never."""
    cut: Floats
    """``(2, coverage, weighting)``: the two areas up to a coverage."""
    within: Floats
    """``(risk, weighting)``: the most weight accepted at no more than a risk, a tie in part."""


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

    kind: NDArray[Any]
    """The kind of each answered row among ``grades``, surest first."""
    grades: Grades
    """What each kind of answer costs, and how far it is off."""
    ends: NDArray[np.int64]
    """Where each tie ends (exclusive)."""
    threshold: Floats
    """The confidence of each tie."""
    grid: tuple[float, ...] = COVERAGE_GRID
    """Coverages, rising, whose risk is computed in the same pass."""
    cuts: tuple[float, ...] = (AREA_COVERAGE,)
    """Coverages, rising, up to which areas are computed in the same pass."""
    risks: tuple[float, ...] = RISKS
    """Risks within which the most weight is computed in the same pass."""
    judgment: NDArray[Any] | None = None
    """Which judgment every row of the table is of, where several raters have a row each."""

    def __len__(self) -> int:
        return len(self.case)

    @cached_property
    def loss(self) -> NDArray[Any]:
        """Losses of the answered rows in units, surest first."""
        return self.grades.losses(self.kind)

    @property
    def unit(self) -> float:
        """What one unit of loss costs."""
        return self.grades.unit

    @property
    def most_loss(self) -> float:
        """The largest loss there can be, in units."""
        return float(self.grades.cost[-1])

    @property
    def by_right(self) -> Ranking:
        """The same rows, where a wrong answer costs one unit and a right one nothing."""
        # not kept where it is the ranking itself: a ring would hold the rows of every part
        is_same = np.array_equal(self.grades.off > 0, self.grades.cost > 0)
        return self if is_same else self._by_right

    @cached_property
    def _by_right(self) -> Ranking:
        wrong = (self.grades.off > 0)[self.kind].astype(np.int16)
        return replace(self, kind=wrong, grades=RIGHT_OR_WRONG)

    @property
    def by_judgment(self) -> Ranking:
        """The same rows, each with the mean loss of its judgment: raters are not ranked apart."""
        return self if self.judgment is None else self._by_judgment

    @cached_property
    def _by_judgment(self) -> Ranking:
        assert self.judgment is not None
        own, of = self.row_weight[self.order], self.judgment[self.order]
        weight, lost = (np.bincount(of, own * part) for part in (1.0, self.loss))
        mean = np.divide(lost, weight, out=np.zeros(len(lost)), where=weight > 0)
        # rounded to be told apart, so that 1/3 is one kind however it was summed
        _, first, kind = np.unique(mean.round(12)[of], return_index=True, return_inverse=True)
        grades = Grades.by_rungs(mean[of][first], self.unit)
        return replace(self, kind=kind, grades=grades, judgment=None)

    @cached_property
    def case_columns(self) -> Floats:
        """Per case: weight of its rows, then weight of its answered rows of each kind."""
        return np.vstack([self.case_weight, self.by_cell(self.kind, len(self.grades.cost))])

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """What is read off its curve, kept by those who read it."""
        return {}

    @property
    def reach(self) -> Floats:
        """Weight that is accepted down to each tie."""
        if self.own is None:
            return self.ends.astype(np.float64)
        return np.asarray(np.cumsum(self.own)[self.ends - 1])

    @cached_property
    def is_point(self) -> NDArray[np.bool_]:
        """Which ties are working points: one without weight is none."""
        return np.diff(self.reach, prepend=0.0) > 0.0

    @cached_property
    def accepted(self) -> NDArray[np.int64]:
        """How many answers are accepted down to each tie, however many rated them."""
        if self.judgment is None:
            return self.ends
        first = np.zeros(len(self.order), np.int64)
        first[np.unique(self.judgment[self.order], return_index=True)[1]] = 1
        return np.cumsum(first)[self.ends - 1]

    def place_of(self, coverage: float) -> int | None:
        """How many of the ranked rows are accepted where a coverage is reached; None if never."""
        enough = (coverage - COVERAGE_TOLERANCE) * self.row_weight.sum()
        point = int(np.searchsorted(self.reach, enough))
        return int(self.ends[point]) if point < len(self.ends) else None

    @cached_property
    def off(self) -> NDArray[Any]:
        """Rungs that the answered rows are off, surest first."""
        off: NDArray[Any] = self.grades.off[self.kind]
        return off

    def errors(self, coverage: float | None = None, beyond: int | None = None) -> Errors:
        """Who errs among the answered rows, or those accepted at a coverage.

        ``beyond`` so many rungs a row is wrong, and counts once; without it the loss counts.
        """
        return self._errors if coverage is beyond is None else self._errors_among(coverage, beyond)

    @cached_property
    def _errors(self) -> Errors:
        return self._errors_among(None, None)

    def _errors_among(self, coverage: float | None, beyond: int | None) -> Errors:
        stop = None if coverage is None else self.place_of(coverage)
        rows = self.order[:stop]
        if beyond is not None:
            return self.sparse_errors(rows, self.off[:stop] > beyond, most_loss=1)
        least = self.least_loss if coverage is None else self.usual_loss
        facts = {"unit": self.unit, "most_loss": self.most_loss, "least_loss": least}
        return self.sparse_errors(rows, self.loss[:stop], **facts)

    @property
    def least_loss(self) -> float:
        """The smallest loss that is not 0, in units."""
        return float(min(self.grades.cost[self.grades.cost > 0], default=1.0))

    @cached_property
    def usual_loss(self) -> float:
        """The mean loss of the wrong answers, in units; without any of them the smallest."""
        own = self.row_weight[self.order] * (self.loss > 0)
        total = float(own.sum())
        return float(own @ self.loss) / total if total > 0.0 else self.least_loss

    def groups(self) -> list[Group]:
        """The cases with a right answer, and those with a wrong one."""
        right = self.off == 0
        return [Group(self.cases_among(right), "right"), Group(self.cases_among(~right), "wrong")]

    @once_a_block
    def totals(self, weights: CaseWeights) -> Totals:
        """Sums over rows: all, and answered by kind."""
        sums = weights.weigh(self.case_columns)
        return Totals(sums[0], sums[1:], self.grades)

    @once_a_block
    def areas(
        self, weights: CaseWeights, coverage: float | None = None, risk: float | None = None
    ) -> Areas:
        """Trapezoid areas, and the points at the ranking's own coverages and risks, or at one."""
        from acumen.views.ranking_kernels import areas

        rows = self.totals(weights).rows
        grid, cuts = (self.grid, self.cuts) if coverage is None else ((coverage,), (coverage,))
        reach = (np.asarray(grid, np.float64).reshape(-1, 1) - COVERAGE_TOLERANCE) * rows
        cut = np.asarray(cuts, np.float64).reshape(-1, 1) * rows
        risks = np.asarray(self.risks if risk is None else (risk,), np.float64)
        limits = risks / self.unit, COVERAGE_TOLERANCE / self.unit
        total, reached, cut_area, within = areas(*self._ranked(weights), reach, cut, *limits)
        cut_area = np.where(np.isnan(cut_area[:2]), total[:, None, :], cut_area[:2])
        return Areas(total[0] / 2, total[1] / 2, reached, cut_area / 2, within)

    @once_a_block
    def area(
        self, weights: CaseWeights, of: Literal["risk", "loss"], coverage: float | None = None
    ) -> Floats:
        """Area under risk or summed loss over accepted weight: all of it, or up to a coverage."""
        if coverage is None:
            whole: Floats = getattr(self.areas(weights), of)
            return whole
        is_kept, row = coverage in self.cuts, ("risk", "loss").index(of)
        cut = self.areas(weights, *() if is_kept else (coverage,)).cut
        return np.asarray(cut[row, self.cuts.index(coverage) if is_kept else 0])

    @once_a_block
    def reached(self, weights: CaseWeights, coverage: float) -> Floats:
        """Weight and loss where a coverage is reached, and a working point before; NaN if never."""
        is_kept = coverage in self.grid
        reached = self.areas(weights, *() if is_kept else (coverage,)).reached
        return np.asarray(reached[:, self.grid.index(coverage) if is_kept else 0])

    @once_a_block
    def within(self, weights: CaseWeights, risk: float) -> Floats:
        """The most weight that is accepted at no more than a risk, a tie in proportion."""
        if risk in self.risks:
            return np.asarray(self.areas(weights).within[self.risks.index(risk)])
        return np.asarray(self.areas(weights, None, risk).within[0])

    @once_a_block
    def exact(self, weights: CaseWeights) -> Floats:
        """By row: exact area, concordant pairs and lost pairs."""
        from acumen.views.ranking_kernels import exact

        return exact(*self._ranked(weights))

    def tie_orders(self, weights: CaseWeights) -> Floats:
        """Sum of the risks down the rows, averaged over all orders inside ties."""
        from acumen.views.ranking_kernels import tie_orders

        return tie_orders(self._ranked(weights))

    def risk_within(self, weights: CaseWeights, coverage: Floats) -> Floats:
        """Mean loss of the surest rows up to a coverage of all rows; a tie enters in proportion."""
        from acumen.views.ranking_kernels import areas

        totals = self.totals(weights)
        hair = 0.0 if self.own is None else 1e-12  # own weights are summed with rounding
        limit = np.minimum(coverage * totals.rows, totals.answered * (1.0 - hair))
        nowhere, limit = np.empty((0, weights.lanes)), np.where(limit > 0.0, limit, np.nan)
        lost: Floats = areas(*self._ranked(weights), nowhere, limit[None], np.empty(0), 0.0)[2][
            2, 0
        ]
        return lost * self.unit / limit

    def risk_at(self, weights: CaseWeights, coverage: Floats) -> Floats:
        """``(coverage, weighting)``: risk at rising coverages, NaN beyond what was answered.

        >>> two = rank([0, 2, 0], [2, 2, 1])
        >>> two.risk_at(CaseWeights.once(3), np.array([1 / 3, 1.0]))[:, 0].round(4).tolist()
        [1.0, 0.6667]
        """
        from acumen.views.ranking_kernels import risks_at

        reach = np.outer(self.totals(weights).rows, coverage)
        return risks_at(self._ranked(weights), reach, self.unit).T

    @once_a_block
    def hull(self, weights: CaseWeights, of: Literal["risk", "loss"]) -> Floats:
        """By row: the doubled area under the lower hull; that of summed loss exactly, too."""
        from acumen.views.ranking_kernels import hulls

        return hulls(self._ranked(weights), of == "loss")

    @once_a_block
    def optimum(self, weights: CaseWeights) -> Floats:
        """Areas had the rows been ranked by loss: of risk and of loss doubled, of risk exact."""
        from acumen.views.ranking_kernels import optimum

        view = self.by_judgment
        return optimum(view.totals(weights).by_kind, view.grades.cost)

    def _ranked(self, weights: CaseWeights) -> tuple[Any, Any, Any, Any, Any]:
        """What every compiled loop over the ranking begins with."""
        return self.index, self.loss, self.ends, weights.counts, self.own

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums that a block remembers move with the weight of a case."""
        from acumen.views.ranking_moves import tangent

        return tangent(self, block)

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds."""
        return self._codes_of(tie_of_row(self.ends) * len(self.grades.cost) + self.kind)

    def beside(self, other: Ranking) -> Ranking:
        """The rows of two rankings of the same cases in one, the other's cases numbered after ours.

        Swapping the systems in a case then leaves the whole as it is.
        """
        columns = zip(self.columns(), other.columns(), strict=True)
        kind, confidence, answered = (np.concatenate(pair) for pair in columns)
        both = rank(
            kind,
            confidence,
            answered,
            grades=max(self.grades, other.grades, key=lambda grades: len(grades.cost)),
            judgment=self._judgments_beside(other),
            **self.cases_beside(other),
        )
        return replace(both, grid=self.grid, cuts=self.cuts, risks=self.risks)

    def _judgments_beside(self, other: Ranking) -> NDArray[Any] | None:
        if self.judgment is None or other.judgment is None:
            return None
        return np.append(self.judgment, other.judgment + self.judgment.max(initial=-1) + 1)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """Kind, confidence and whether it is answered, of every row of the table."""
        size = len(self)
        kind, confidence = np.zeros(size, self.kind.dtype), np.zeros(size)
        answered = np.zeros(size, bool)
        kind[self.order], answered[self.order] = self.kind, True
        confidence[self.order] = np.repeat(self.threshold, np.diff(self.ends, prepend=0))
        return kind, confidence, answered

    def curve(self) -> Curve:
        """The curve as arrays; each row counts with its own weight."""
        lost = self.loss if self.own is None else self.own * self.loss
        loss = np.cumsum(lost)[self.ends - 1] * self.unit
        k, loss, total = self.reach[self.is_point], loss[self.is_point], self.row_weight.sum()
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
    item: ArrayLike | None = None,
    unit: float = 1.0,
    most_loss: int | None = None,
    grades: Grades | None = None,
    judgment: NDArray[Any] | None = None,
) -> Ranking:
    """Rank rows given as plain arrays; ``loss`` in whole rungs, each row its own case by default.

    With ``grades``, which hold the unit and all losses there can be, ``loss`` is the kind of each
    row among them. Rows of one ``judgment`` are what its raters said.

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
    _check_values(
        rungs[rows], confidence[rows], MOST_LEVELS if grades is None else len(grades.cost)
    )
    order = rows[np.argsort(-confidence[rows], kind="stable")]  # surest first
    ranked = confidence[order]
    ends = tie_ends(ranked)
    codes, n_cases = cases_of(case, n_cases, len(confidence))
    kind = rungs[order].astype(np.int16 if grades is None or grades.kind_at is None else np.int32)
    if grades is None:
        most = int(kind.max(initial=0)) if most_loss is None else most_loss
        grades = Grades.by_rungs(np.arange(most + 1.0), unit)
    return Ranking(
        item=None if item is None else np.asarray(item, np.int32),
        judgment=judgment,
        order=order,
        kind=kind,
        grades=grades,
        ends=ends,
        threshold=ranked[ends - 1].astype(np.float64),
        case=codes,
        n_cases=n_cases,
        weight=None if weight is None else np.asarray(weight, np.float64),
    )


def _check_values(rungs: NDArray[Any], confidence: NDArray[Any], most: int) -> None:
    """Refuse what could be ranked, but not as it is meant."""
    if confidence.dtype.kind == "f" and np.isnan(confidence).any():
        raise UsageError("an answered row has NaN for a confidence")
    if rungs.dtype.kind == "f" and (rungs != np.floor(rungs)).any():
        raise UsageError("a loss is a whole number of rungs; unit= says what a rung costs")
    low, high = rungs.min(initial=0), rungs.max(initial=0)
    if low < 0 or high >= most:
        odd = low if low < 0 else high
        raise UsageError(f"a loss of {odd:g} levels; a scale has at most {most}")


def rank_judgments(table: Judgments, confidence: ArrayLike, loss: AnyLoss = "abs") -> Ranking:
    """Rank the rows of a table's included cases; ``confidence`` has one value for each of them."""
    table = table.scored
    of_rows = table.prediction, table.exact_truth, table.unanswerable
    cost = find_loss(loss)
    if cost.of_values is not None and table.score is not None:
        raise UsageError(
            "a loss function takes the predicted level, and predictions here are decimals, of "
            "which a loss has the level next to each: round them before, or give costs by level"
        )
    grades, kinds = cost.graded(table.scale, *of_rows)
    return rank(
        kinds,
        confidence,
        table.answered,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
        judgment=table.judgment,
        grades=grades,
    )
