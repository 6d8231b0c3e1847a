"""Probabilities of the levels beside the level that came true: what scores of forecasts look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import BINS
from acumen.table.judgments import NO_TRUTH, Judgments
from acumen.types import Floats
from acumen.views.bins import equal_width_bin
from acumen.views.forecast import CLIP, Forecast, forecast
from acumen.views.tangents import Part, Tangent
from acumen.views.weights import (
    CaseRows,
    CaseWeights,
    Group,
    Sum,
    cases_of,
    once_a_block,
    rows_of,
)


@dataclass(frozen=True, slots=True)
class LevelSums:
    """Sums over the answered rows, one value a weighting."""

    weight: Floats
    rps: Floats
    log_score: Floats
    brier: Floats
    expected: Floats
    """Of the ranked probability score that the forecasts themselves expect."""
    truth: Floats
    """``(level, weighting)``: the weight of each true level."""

    @property
    def rows(self) -> Floats:
        """All of them in one array, as the columns are."""
        first = (self.weight, self.rps, self.log_score, self.brier, self.expected)
        return np.vstack([*first, self.truth])


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelForecast(CaseRows):
    """Answered rows with a probability for every level. Make one with :func:`forecast_levels`.

    Rows that say the same and came out the same are one *atom*, as in a
    :class:`~acumen.views.forecast.Forecast`.
    """

    atom: NDArray[np.int32]
    """Atom of each answered row."""
    probability: Floats
    """``(atom, level)``."""
    truth: NDArray[np.int64]
    """Of each atom."""
    names: tuple[str | int | float, ...] = ()
    """What the levels are called, where that is known."""

    def by_row(self, weights: Floats) -> tuple[LevelForecast, CaseWeights]:
        """Every atom a case of its own, so that the order of the rows does not matter."""
        size = len(self.truth)
        mass = np.bincount(self.atom, weights=weights[self.order], minlength=size)
        atoms = np.arange(size, dtype=np.int32)
        view = LevelForecast(
            order=atoms,
            atom=atoms,
            case=atoms,
            n_cases=size,
            probability=self.probability,
            truth=self.truth,
            names=self.names,
        )
        return view, CaseWeights(mass.reshape(-1, 1))

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return int(self.probability.shape[1])

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds."""
        return self._codes_of(self.atom)

    def beside(self, other: LevelForecast) -> LevelForecast:
        """The rows of two forecasts of the same cases in one, the other's numbered after ours."""
        sides = (self, other)
        return forecast_levels(
            np.concatenate([side.probability[side.atom] for side in sides]),
            np.concatenate([side.truth[side.atom] for side in sides]),
            names=self.names,
            **self.cases_beside(other, ranked=True),
        )

    @cached_property
    def reached(self) -> Floats:
        """``(cut, atom)``: the probability of a level at the cut k = 1 … K−1 or above."""
        above = np.cumsum(self.probability[:, ::-1], axis=1)[:, ::-1]
        return np.clip(above[:, 1:].T, 0.0, 1.0)

    @cached_property
    def columns(self) -> Floats:
        """``(sum, case)``: what the sums are made of, the weights of the true levels last."""
        p, rows = self.probability, np.arange(len(self.truth))
        ranks = np.arange(self.levels)
        is_true = self.truth[:, None] == ranks
        off = self.reached - (self.truth >= ranks[1:, None])
        parts = [
            np.ones(len(rows)),
            (off**2).sum(axis=0),
            -np.log(np.clip(p[rows, self.truth], CLIP, 1.0)),
            ((p - is_true) ** 2).sum(axis=1),
            (self.reached * (1.0 - self.reached)).sum(axis=0),
            *is_true.T.astype(np.float64),
        ]
        own = 1.0 if self.own is None else self.own
        none = np.zeros(len(self.order), np.int64)
        return np.vstack([self.by_cell(none, 1, part[self.atom] * own) for part in parts])

    @once_a_block
    def sums(self, weights: CaseWeights) -> LevelSums:
        """What the scores are made of, in one pass."""
        return _sums(weights.weigh(self.columns))

    @cached_property
    def residual_columns(self) -> Floats:
        """``(cut × bin, case)``: truth less probability at every cut, in bins of the latter."""
        own, parts = 1.0 if self.own is None else self.own, []
        for cut, reached in enumerate(self.reached, 1):
            residual = (self.truth >= cut) - reached
            cell = equal_width_bin(reached, BINS)
            parts.append(self.by_cell(cell[self.atom], BINS, residual[self.atom] * own))
        return np.vstack(parts)

    @once_a_block
    def residuals(self, weights: CaseWeights) -> Floats:
        """``(cut, bin, weighting)``: the same, summed over the cases."""
        return self._by_cut(weights.weigh(self.residual_columns))

    def residuals_of(self, level: float) -> tuple[Floats, Floats]:
        """``(bin, case)`` of one cut, and the weight of each case."""
        return self._by_cut(self.residual_columns)[int(level) - 1], self.columns[0]

    def _by_cut(self, rows: Floats) -> Floats:
        return rows.reshape(self.levels - 1, BINS, -1)

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums move with the weight of a case."""
        scale = float(self.row_weight[self.order].sum())
        parts: dict[Sum, Part] = {}
        for key in block.sums_of(self) if len(self.order) else ():
            known = getattr(self, key.name)(block)
            columns = self.columns if key.name == "sums" else self.residual_columns
            rows = known.rows if key.name == "sums" else known.reshape(len(columns), -1)
            parts[key] = Part(rows[:, 0], partial(_along, columns), scale)

        def name(moved: list[Floats]) -> Mapping[Sum, Any]:
            known = zip(parts, moved, strict=True)
            return {k: _sums(m) if k.name == "sums" else self._by_cut(m) for k, m in known}

        return Tangent([*parts.values()], name) if parts else None

    @cached_property
    def cuts(self) -> tuple[Forecast, ...]:
        """The forecasts that the level is k = 1 … K−1 or above, each a probability."""
        size = len(self.case)
        answered = np.zeros(size, bool)
        answered[self.order] = True
        views = []
        for cut, reached in enumerate(self.reached, 1):
            probability, target = np.zeros((2, size))
            probability[self.order] = reached[self.atom]
            target[self.order] = (self.truth >= cut)[self.atom]
            rows: dict[str, Any] = {"case": self.case, "n_cases": self.n_cases}
            rows |= {"weight": self.weight, "item": self.item}
            views.append(forecast(probability, target, answered, **rows))
        return tuple(views)

    def sides(self, level: float) -> list[Group]:
        """The cases on either side of a cut: how honest it is shows on both."""
        above = (self.truth >= level)[self.atom]
        where = "at" if level == self.levels - 1 else "at_least"
        up = Group(self.cases_among(above), where, int(level))  # type: ignore[arg-type]  # both are
        return [up, Group(self.cases_among(~above), "below", int(level))]


def _along(columns: Floats, slope: Floats) -> Floats:
    return np.asarray(slope @ columns)


def _sums(rows: Floats) -> LevelSums:
    return LevelSums(rows[0], rows[1], rows[2], rows[3], rows[4], truth=rows[5:])


def forecast_levels(
    probability: ArrayLike,
    truth: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
    names: tuple[str | int | float, ...] = (),
) -> LevelForecast:
    """A forecast from plain arrays: probabilities ``(row, level)`` and the rank that came true.

    >>> forecast_levels([[0.7, 0.2, 0.1]], [2]).reached[:, 0].round(6)
    array([0.3, 0.1])
    """
    p, ranks = np.asarray(probability, np.float64), np.asarray(truth, np.int64)
    rows, own = rows_of(answered, len(ranks)), None
    if weight is not None:
        own = np.asarray(weight, np.float64)
    keys = (*p[rows].T[::-1], ranks[rows])
    rows = rows[np.lexsort(keys if own is None else (own[rows], *keys))]
    p, ranks = p[rows] + 0.0, ranks[rows]
    changes = (p[1:] != p[:-1]).any(axis=1) | (ranks[1:] != ranks[:-1])
    first = np.append(True, changes) if len(rows) else np.empty(0, bool)
    codes, n = cases_of(case, n_cases, len(np.asarray(truth)))
    return LevelForecast(
        item=None if item is None else np.asarray(item, np.int32),
        order=rows,
        atom=np.cumsum(first, dtype=np.int32) - np.int32(1),
        case=codes,
        n_cases=n,
        probability=p[first],
        truth=ranks[first],
        weight=own,
        names=names,
    )


def forecast_of_levels(table: Judgments) -> LevelForecast | None:
    """That of a study's answered rows; None where it has no probabilities, or no truth."""
    if table.distribution is None or not table.has_truth:
        return None
    table = table.scored.on_levels
    assert table.distribution is not None
    there = table.answered & ~np.isnan(table.distribution[:, 0]) & (table.truth != NO_TRUTH)
    return forecast_levels(
        np.nan_to_num(table.distribution),
        table.truth,
        there,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
        names=tuple(table.scale.levels),
    )
