"""Decimal scores beside the truth as numbers: what measures of their distance look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.table.judgments import NO_TRUTH, Judgments
from acumen.types import Floats
from acumen.views.tangents import Part, Tangent
from acumen.views.weights import CaseRows, CaseWeights, Sum, cases_of, once_a_block, rows_of


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(CaseRows):
    """Answered rows with a score and a truth. Make one with :func:`score_rows`.

    Rows of one score and one truth are one *atom*, so that sums do not depend on their order.
    """

    atom: NDArray[np.int32]
    """Atom of each answered row."""
    score: Floats
    """Of each atom, in units of the scale; so is the truth."""
    truth: Floats

    def by_row(self, weights: Floats) -> tuple[Scores, CaseWeights]:
        """Every atom a case of its own."""
        size = len(self.truth)
        mass = np.bincount(self.atom, weights=weights[self.order], minlength=size)
        atoms = np.arange(size, dtype=np.int32)
        facts = {"order": atoms, "atom": atoms, "case": atoms, "n_cases": size}
        view = Scores(score=self.score, truth=self.truth, **facts)  # type: ignore[arg-type]  # a dict of all
        return view, CaseWeights(mass.reshape(-1, 1))

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds."""
        return self._codes_of(self.atom)

    def beside(self, other: Scores) -> Scores:
        """The rows of two views of the same cases in one, the other's numbered after ours."""
        sides = (self, other)
        return score_rows(
            np.concatenate([side.score[side.atom] for side in sides]),
            np.concatenate([side.truth[side.atom] for side in sides]),
            **self.cases_beside(other, ranked=True),
        )

    @cached_property
    def columns(self) -> Floats:
        """``(sum, case)``: weight, d, d², then (x + y)², x² + y², x, y around a middle."""
        # from a point amid the truths, so that squares of large numbers do not drown the rest
        middle = float(np.median(self.truth)) if len(self.truth) else 0.0
        x, y = self.score - middle, self.truth - middle
        d, own = x - y, 1.0 if self.own is None else self.own
        none = np.zeros(len(self.order), np.int64)
        parts = (np.ones(len(d)), d, d * d, (x + y) ** 2, x * x + y * y, x, y)
        return np.vstack([self.by_cell(none, 1, part[self.atom] * own) for part in parts])

    @once_a_block
    def sums(self, weights: CaseWeights) -> Floats:
        """``(sum, weighting)``: what every measure is made of."""
        return weights.weigh(self.columns)

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums move with the weight of a case."""
        if not len(self.order) or not block.sums_of(self):
            return None
        key, scale = Sum(self, "sums"), float(np.abs(self.columns).sum(axis=1).max())
        part = Part(self.sums(block)[:, 0], lambda slope: np.asarray(slope @ self.columns), scale)

        def name(moved: list[Floats]) -> Mapping[Sum, Any]:
            return {key: moved[0]}

        return Tangent([part], name)


def score_rows(
    score: ArrayLike,
    truth: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
) -> Scores:
    """Scores from plain arrays.

    >>> score_rows([3.5, 1.0], [4, 1]).truth
    array([1., 4.])
    """
    x, y = np.asarray(score, np.float64), np.asarray(truth, np.float64)
    rows, own = rows_of(answered, len(x)), None
    if weight is not None:
        own = np.asarray(weight, np.float64)
    keys = (x[rows], y[rows])
    rows = rows[np.lexsort(keys if own is None else (own[rows], *keys))]
    codes, n = cases_of(case, n_cases, len(x))
    x, y = x[rows] + 0.0, y[rows] + 0.0
    changes = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    first = np.append(True, changes) if len(rows) else np.empty(0, bool)
    return Scores(
        item=None if item is None else np.asarray(item, np.int32),
        order=rows,
        atom=np.cumsum(first, dtype=np.int32) - np.int32(1),
        case=codes,
        n_cases=n,
        score=x[first],
        truth=y[first],
        weight=own,
    )


def scores_of(table: Judgments) -> Scores | None:
    """Those of a study's answered rows; None where it has no decimals, or no truth."""
    if table.score is None or not table.has_truth:
        return None
    table = table.scored
    assert table.score is not None
    truth = table.exact_truth.astype(np.float64)
    known = (truth != NO_TRUTH) & ~np.isnan(truth) & ~np.isnan(table.score)
    low, step = (table.scale.levels[0], table.scale.step) if table.scale.is_numeric else (0, 1)
    assert not isinstance(low, str)
    return score_rows(
        low + (step or 1) * np.nan_to_num(table.score),
        low + (step or 1) * np.where(known, truth, 0.0),
        table.answered & known,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
    )
