"""Answered rows by falling risk score, ties together: does the worst come first?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.table.judgments import Judgments
from acumen.types import CaseId, Floats
from acumen.views.confusion import answered_among
from acumen.views.tangents import Part, Tangent, by_case, of_pairs, of_precision, summed
from acumen.views.weights import (
    CaseRows,
    CaseWeights,
    Group,
    Sum,
    cases_of,
    once_a_block,
    rows_of,
    tie_ends,
    tie_of_row,
)

BY_SCORE: Final = "risk_score"
BY_LEVEL: Final = "predicted level"


@dataclass(frozen=True, slots=True)
class ThresholdSums:
    """Sums of one pass down the ranking; thresholds k = 1 … K−1 are rows 0 … K−2."""

    weight: Floats
    above: Floats
    """Weight at or above each threshold."""
    precision: Floats
    """Σ over those rows of the precision at their tie."""
    outranked: Floats
    """Weight of pairs where a row below outranks a row at or above; a tie counts half."""
    ordering: Floats
    """Σ over top-level rows of the precision among rows at level ≥ 1."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SeverityRanking(CaseRows):
    """Rows ranked by falling score. Make one with :func:`rank_severity`.

    Which thresholds exist is fixed by the whole study; a weighting that lacks a positive or a
    negative for one of them leaves the means over thresholds undefined.
    """

    level: NDArray[np.int64]
    """True levels of the answered rows, most severe score first."""
    ends: NDArray[np.int64]
    """Where each tie ends (exclusive)."""
    levels: int
    score: Floats
    """Of the rows in order."""
    ranked_by: str = BY_SCORE
    covered: tuple[int, ...] = ()
    """The thresholds with cases on both sides, in the whole study: the means are over these."""

    names: tuple[str | int | float, ...] = ()
    """What the levels are called, where that is known."""

    def groups(self, level: float) -> list[Group]:
        """The cases on either side of a threshold."""
        above, where = self.level >= level, "at" if level == self.levels - 1 else "at_least"
        up = Group(self.cases_among(above), where, int(level))  # type: ignore[arg-type]  # both are
        return [up, Group(self.cases_among(~above), "below", int(level))]

    def all_groups(self) -> list[Group]:
        """Those of every threshold of the scale: the means leave out what no case is beyond."""
        return [group for k in self.thresholds for group in self.groups(k)]

    def risky_groups(self) -> list[Group]:
        """The cases at the top, and those between it and the lowest level."""
        top = self.levels - 1
        between = self.cases_among((self.level > 0) & (self.level < top))
        return [self.groups(top)[0], Group(between, "between", 0, top)]

    @property
    def thresholds(self) -> range:
        """All thresholds k, whether or not the study has cases on both sides."""
        return range(1, self.levels)

    def beside(self, other: SeverityRanking) -> SeverityRanking:
        """The rows of two rankings of the same cases in one, the other's cases numbered after ours.

        Levels are the same for both. A score is each side's own, and counts by its place there.
        """
        sides = (self, other)
        by_level = all(side.ranked_by == BY_LEVEL for side in sides)
        return rank_severity(
            np.concatenate([side.level for side in sides]),
            np.concatenate([side.score if by_level else side.places() for side in sides]),
            levels=self.levels,
            covered=sorted({*self.covered, *other.covered}),
            **self.cases_beside(other, ranked=True),
        )

    def places(self) -> Floats:
        """How high each row stands among all, from 1 down to 0; a tie stands at its middle."""
        before = np.append(0, self.ends[:-1])
        middle = (before + self.ends) / 2 / len(self)
        return 1.0 - np.repeat(middle, self.ends - before)

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums move with the weight of a case."""
        if not len(self.order) or not block.sums_of(self):
            return None
        # rows of one tie and level move alike: of predicted levels there are a few such lanes
        code = tie_of_row(self.ends) * self.levels + self.level
        there = np.zeros(len(self.ends) * self.levels, bool)
        there[code] = True
        lane = (np.cumsum(there, dtype=np.int32) - 1)[code]
        tie, level = np.divmod(np.flatnonzero(there), self.levels)
        of_case = by_case(self, lane)
        size, own = len(tie), summed(lane, self.row_weight[self.order])
        base = self.sums(block)
        high = level >= np.arange(1, self.levels)[:, None]
        risky, top = own * (level > 0), level == self.levels - 1
        ordering = np.where(level > 0, of_precision(tie, risky, risky * top, top), 0.0)
        slopes: tuple[Sequence[Floats], ...] = (
            [np.ones(size)],
            [*high.astype(np.float64)],
            [of_precision(tie, own, own * row, row) for row in high],
            [of_pairs(tie, own, row) for row in high],
            [ordering],
        )
        names = ThresholdSums.__slots__
        sizes = np.cumsum([len(part) for part in slopes])[:-1]
        sums = [np.atleast_2d(getattr(base, name))[:, 0] for name in names]
        parts = [
            Part.dense(total, of_case(np.append(by_lane, 0.0)))
            for totals, rows in zip(sums, slopes, strict=True)
            for total, by_lane in zip(totals, rows, strict=True)
        ]

        def name(moved: list[Floats]) -> Mapping[Sum, Any]:
            weight, above, precision, outranked, order = np.split(np.vstack(moved), sizes)
            sums = ThresholdSums(weight[0], above, precision, outranked, order[0])
            return {Sum(self, "sums"): sums}

        return Tangent(parts, name)

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds."""
        return self._codes_of(tie_of_row(self.ends) * self.levels + self.level)

    @once_a_block
    def sums(self, weights: CaseWeights) -> ThresholdSums:
        """What every metric of the ranking is made of, in one pass."""
        from acumen.views.cell_kernels import severity_sums

        rows = (self.index, self.level, self.ends)
        return ThresholdSums(*severity_sums(*rows, weights.counts, self.own, self.levels - 1))


def rank_severity(
    truth: ArrayLike,
    score: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    levels: int | None = None,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
    ranked_by: str = BY_SCORE,
    covered: Sequence[int] | None = None,
    names: Sequence[str | int | float] = (),
) -> SeverityRanking:
    """Rank rows given as plain arrays; ``truth`` as ranks, each row its own case by default.

    ``covered`` are the thresholds the means go over, where these rows are part of a larger study.

    >>> rank_severity([0, 0, 1, 2], [1.0, 2.0, 6.0, 10.0]).level
    array([2, 1, 0, 0])
    """
    truth, score = np.asarray(truth, np.int64), np.asarray(score, np.float64)
    rows = rows_of(answered, len(truth))
    order = rows[np.argsort(-score[rows], kind="stable")]
    codes, n_cases = cases_of(case, n_cases, len(truth))
    highest = int(truth.max(initial=0)) + 1 if levels is None else levels
    own = None if weight is None else np.asarray(weight, np.float64)
    present = truth[order] if own is None else truth[order[own[order] > 0]]
    two_sided = (k for k in range(1, highest) if 0 < np.count_nonzero(present >= k) < len(present))
    return SeverityRanking(
        item=None if item is None else np.asarray(item, np.int32),
        order=order,
        level=truth[order],
        ends=tie_ends(score[order]),
        score=score[order],
        case=codes,
        n_cases=n_cases,
        levels=highest,
        weight=own,
        ranked_by=ranked_by,
        names=tuple(names),
        covered=tuple(two_sided if covered is None else covered),
    )


def rank_judgments_by_severity(
    table: Judgments, among: Collection[CaseId] | None = None
) -> SeverityRanking:
    """Rank a study's included cases by risk score, or all by predicted level if one has none.

    ``among`` keeps the verdicts of some cases only; the others are as if they had abstained.
    """
    table = table.scored.on_levels
    score = table.risk_score
    if score is not None and not np.isfinite(score[table.answered]).all():
        score = None
    return rank_severity(
        table.truth,
        table.prediction if score is None else score,
        answered_among(table, among),
        levels=len(table.scale.levels),
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
        ranked_by=BY_LEVEL if score is None else BY_SCORE,
        names=table.scale.levels,
    )
