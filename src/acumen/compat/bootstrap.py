"""Resampling lists of rows by their case: results, and any Python function as a metric.

Used through :func:`acumen.compat.compute.bootstrap_by_participant`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, refuse
from acumen.inference.infer import Inference
from acumen.inference.paired import Contrast
from acumen.metrics.registry import Kind, Metric
from acumen.table.align import list_cases
from acumen.table.coded import check_ids, factorize
from acumen.types import CaseId, Floats
from acumen.values.measured import Interval, NoInterval
from acumen.views.weights import CaseWeights

if TYPE_CHECKING:
    from acumen.readers.items import ItemPrediction

RowsFunction = Callable[[list["ItemPrediction"]], float | None]
"""A metric as people write it: rows in, a number out, None where it has none."""


@dataclass(frozen=True)
class BootstrapResult:
    """An estimate, its interval, and what the resamples of the cases say."""

    estimate: float | None
    reason: str | None
    """Why there is no estimate, if there is none."""
    interval: Interval | NoInterval
    percentile: Interval | NoInterval
    n_cases: int
    n_resamples: int
    drop_rate: float | None
    """Share of the resamples in which the metric is undefined."""
    replicates: Floats = field(repr=False)
    probability: Floats | None = field(default=None, repr=False)
    """How likely each resample is; None where all are equally likely.

    Of few cases every resample is there once, and they are not equally likely.
    """

    @property
    def std_error(self) -> float | None:
        """The standard deviation over the resamples that have a value, each by its chance."""
        there = np.isfinite(self.replicates)
        if not there.any():
            return None
        chance = np.ones(len(there)) if self.probability is None else self.probability
        values, weight = self.replicates[there], chance[there]
        mean = np.average(values, weights=weight)
        return float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))

    @classmethod
    def of(cls, numbers: Inference | Contrast, n_cases: int) -> Self:
        """The result of one side, or of a difference."""
        draws = numbers.replicates
        values = (numbers.value, numbers.reason, numbers.interval, numbers.percentile)
        numbers_of = draws.drop_rate, draws.values, draws.probability
        return cls(*values, n_cases, len(draws), *numbers_of)


@dataclass(frozen=True)
class PairedBootstrapResult(BootstrapResult):
    """Right minus left, with each side's own estimate and the permutation p-value."""

    left: float | None = None
    right: float | None = None
    p_value: float | None = None


@dataclass(frozen=True, eq=False)
class RowsByCase:
    """Rows in lists, one a case: what a Python function is given, as often as a case counts."""

    rows: tuple[tuple[ItemPrediction, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[ItemPrediction], codes: NDArray[Any], n: int) -> RowsByCase:
        """Rows sorted into their cases, in the order they came."""
        lists: list[list[ItemPrediction]] = [[] for _ in range(n)]
        for row, code in zip(rows, codes.tolist(), strict=True):
            lists[code].append(row)
        return cls(tuple(map(tuple, lists)))

    @property
    def n_cases(self) -> int:
        """How many cases there are."""
        return len(self.rows)

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Only the function knows."""
        return None

    def beside(self, other: RowsByCase) -> RowsByCase:
        """Both sides' cases in one, the other's numbered after ours."""
        return RowsByCase((*self.rows, *other.rows))

    def repeated(self, counts: NDArray[Any]) -> list[ItemPrediction]:
        """The rows of a resample: each case's as often as it was drawn."""
        return [
            row
            for case, times in zip(self.rows, counts.tolist(), strict=True)
            for _ in range(int(times))
            for row in case
        ]


def metric_of_rows(function: RowsFunction) -> Metric:
    """A metric made of any Python function of a list of rows; None and NaN are undefined."""

    def of_block(view: RowsByCase, weights: CaseWeights) -> Floats:
        out = np.full(weights.lanes, math.nan)
        for lane in range(weights.lanes):
            rows = view.repeated(weights.counts[:, lane])
            value = function(rows) if rows else None
            out[lane] = math.nan if value is None else float(value)
        return out

    name = getattr(function, "__name__", "function")
    return Metric(name, of_block, RowsByCase, "lower", Kind.REAL, "the function gave no value")


def cases_of(rows: Sequence[ItemPrediction]) -> tuple[tuple[CaseId, ...], NDArray[np.int32]]:
    """The cases in their canonical order, and each row's; every row must name its case."""
    if not rows:
        raise DataError(["there are no rows in it"])
    problems = [
        Problem("needs a case: a whole number or a text", field=f"row {index}")
        for index, row in enumerate(rows)
        if isinstance(row.case, bool) or not isinstance(row.case, int | str | np.integer)
    ]
    refuse(problems)
    cases, codes = factorize([row.case for row in rows if row.case is not None])
    twice, _ = check_ids(cases, "case")
    refuse(twice)
    return cases, codes


def same_cases(
    left: Sequence[ItemPrediction], right: Sequence[ItemPrediction], *, intersection_only: bool
) -> tuple[list[ItemPrediction], list[ItemPrediction]]:
    """Both lists on their common cases; other cases and other truths are refused."""
    (a, _), (b, _) = cases_of(left), cases_of(right)
    common = set(a) & set(b)
    if not common:
        raise DataError(["there is no common case: the two lists do not overlap"])
    if not intersection_only and (len(a) > len(common) or len(b) > len(common)):
        one, two = (list_cases(c for c in cases if c not in common) or "none" for cases in (a, b))
        only = f"only left: {one}; only right: {two} (the overlap: intersection_only=True)"
        raise DataError([f"the two lists hold different cases; {only}"])
    sides = [[row for row in rows if row.case in common] for rows in (left, right)]
    ours, theirs = (Counter((r.case, r.item, int(r.ground_truth)) for r in side) for side in sides)
    problems = [
        Problem(f"truth {truth} stands only on the {side}", case=case, item=item)
        for side, beyond in (("left", ours - theirs), ("right", theirs - ours))
        for case, item, truth in beyond
    ]
    refuse(problems)
    return sides[0], sides[1]
