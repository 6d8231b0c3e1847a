"""``ItemPrediction`` and the ``compute_*`` functions, for people who come from tools with these.

>>> rows = [ItemPrediction(2, 2, 1.0), ItemPrediction(3, 1, 0.8), ItemPrediction(None, 1, 0)]
>>> compute_aurc(rows), compute_risk_at_coverage(rows, 0.5), compute_risk_at_coverage(rows, 0.9)
(0.16666666666666666, 1.0, None)

One row a judgment, ``score`` None where the system abstained. When nobody answered, areas and cmax
are 0.0, the curve is empty and a risk is None: the values this interface has always had. Everywhere
else in acumen such a number is null with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from acumen.compat.bootstrap import (
    BootstrapResult,
    PairedBootstrapResult,
    RowsByCase,
    RowsFunction,
    cases_of,
    metric_of_rows,
    same_cases,
)
from acumen.defaults import CONFIDENCE_LEVEL, RESAMPLES, SEED
from acumen.errors import UsageError, refuse, what_came
from acumen.inference.infer import infer
from acumen.inference.options import Method, Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.readers.items import ItemPrediction, Row, off_scale, rows_of
from acumen.table.losses import AnyLoss, find_loss
from acumen.table.scale import Scale, find_scale
from acumen.views.ranking import Curve, Ranking, rank
from acumen.views.weights import CaseWeights

__all__ = [
    "BootstrapResult",
    "ItemPrediction",
    "PairedBootstrapResult",
    "RiskCoverageCurve",
    "bootstrap_by_participant",
    "compute_augrc",
    "compute_augrc_at_coverage",
    "compute_augrc_optimal",
    "compute_aurc",
    "compute_aurc_achievable",
    "compute_aurc_at_coverage",
    "compute_aurc_optimal",
    "compute_cmax",
    "compute_eaugrc",
    "compute_eaurc",
    "compute_risk_at_coverage",
    "compute_risk_coverage_curve",
    "paired_bootstrap_delta_by_participant",
]


class RiskCoverageCurve(Sequence[tuple[float, float]]):
    """A sequence of (coverage, risk) points, with the arrays beside it."""

    def __init__(self, curve: Curve) -> None:
        self.coverage = curve.coverage
        self.selective_risk = curve.selective_risk
        self.generalized_risk = curve.generalized_risk
        self.threshold = curve.threshold

    def __len__(self) -> int:
        return len(self.coverage)

    @overload
    def __getitem__(self, index: int) -> tuple[float, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[float, float]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        points = list(zip(self.coverage.tolist(), self.selective_risk.tolist(), strict=True))
        return points[index]

    def __repr__(self) -> str:
        return f"RiskCoverageCurve({list(self)})"


def ranking_of(
    items: Iterable[Row],
    loss: AnyLoss = "abs",
    scale: str | Scale | None = None,
    *,
    by_case: bool = False,
) -> Ranking:
    """The ranking of a list of rows, each its own case unless they are to be kept together.

    ``abs_norm`` needs to know the scale.
    """
    rows = rows_of(items)
    cases, codes = cases_of(rows) if by_case else ((), None)
    cost = find_loss(loss)
    if scale is None and cost.name != "abs":
        raise UsageError(f"the loss {cost.name} needs a scale, such as scale='phq8'")
    kinds, grades = np.array([r.absolute_error for r in rows], np.int64), None
    if scale is not None:
        scale = find_scale(scale)
        refuse(off_scale(rows, scale))
        grades = cost.grades(scale)
        kinds = grades.kinds(*(_ranks(rows, key, scale) for key in ("score", "ground_truth")))
    return rank(
        kinds,
        np.array([float(r.confidence) if r.is_predicted else 0.0 for r in rows]),
        np.array([r.is_predicted for r in rows], bool),
        case=codes,
        n_cases=len(cases) if by_case else None,
        grades=grades,
    )


def _ranks(rows: Sequence[ItemPrediction], key: str, scale: Scale) -> NDArray[np.int64]:
    values = (getattr(row, key) for row in rows)
    return np.array([0 if value is None else scale.rank(int(value)) for value in values], np.int64)


@dataclass(frozen=True)
class RowsMetric:
    """A metric as a function of rows; 0.0 when nobody answered."""

    name: str
    called: str | None = None
    """What this interface calls it, where the metric has another name."""

    @property
    def __name__(self) -> str:
        return f"compute_{self.called or self.name}"

    def __repr__(self) -> str:
        return f"<{self.__name__}: {METRICS[self.name].about}>"

    def at(self, coverage: float | None = None) -> Metric:
        """The metric, at a coverage if it is measured at one."""
        metric = METRICS[self.name]
        if coverage is None:
            return metric
        if not 0.0 < coverage <= 1.0:
            raise ValueError(f"target coverage must be in (0, 1], got {coverage}")
        return metric.at(coverage=coverage)

    def value(self, ranking: Ranking, coverage: float | None = None) -> float:
        """The number of a ranking, as this interface has always had it."""
        metric = self.at(coverage)
        if len(ranking.order) == 0:
            return 0.0
        weights = CaseWeights.once(ranking.n_cases)
        return float(metric.function(ranking, weights, **metric.parameters)[0])

    def __call__(
        self, items: Iterable[Row], loss: AnyLoss = "abs", scale: str | Scale | None = None
    ) -> float:
        return self.value(ranking_of(items, loss, scale))


class _UpToCoverage(RowsMetric):
    """The same up to min(max_coverage, cmax)."""

    def __call__(  # type: ignore[override]  # it needs to be told the coverage
        self,
        items: Iterable[Row],
        max_coverage: float,
        loss: AnyLoss = "abs",
        scale: str | Scale | None = None,
    ) -> float:
        return self.value(ranking_of(items, loss, scale), max_coverage)


class _RiskAtCoverage(RowsMetric):
    """Risk at the first working point that reaches the target coverage; None if none does."""

    def __call__(  # type: ignore[override]  # as above, and it may have no value
        self,
        items: Iterable[Row],
        target_coverage: float,
        loss: AnyLoss = "abs",
        scale: str | Scale | None = None,
    ) -> float | None:
        return self.at(target_coverage).measure(ranking_of(items, loss, scale)).value


compute_cmax = RowsMetric("coverage", "cmax")
compute_aurc = RowsMetric("aurc")
compute_augrc = RowsMetric("augrc")
compute_aurc_optimal = RowsMetric("aurc_optimal")
compute_augrc_optimal = RowsMetric("augrc_optimal")
compute_eaurc = RowsMetric("eaurc")
compute_eaugrc = RowsMetric("eaugrc")
compute_aurc_achievable = RowsMetric("aurc_achievable")
compute_aurc_at_coverage = _UpToCoverage("aurc_at_coverage")
compute_augrc_at_coverage = _UpToCoverage("augrc_at_coverage")
compute_risk_at_coverage = _RiskAtCoverage("mean_loss_at_cut", "risk_at_coverage")


def compute_risk_coverage_curve(
    items: Iterable[Row], loss: AnyLoss = "abs", scale: str | Scale | None = None
) -> RiskCoverageCurve:
    """The risk–coverage curve, one point for each distinct confidence.

    >>> compute_risk_coverage_curve([
    ...     ItemPrediction(2, 2, 2), ItemPrediction(3, 1, 2), ItemPrediction(None, 0, 0)])
    RiskCoverageCurve([(0.6666666666666666, 1.0)])
    """
    return RiskCoverageCurve(ranking_of(items, loss, scale).curve())


def bootstrap_by_participant(
    items: Iterable[Row],
    *,
    metric_fn: RowsFunction | Callable[..., float | None],
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = CONFIDENCE_LEVEL,
    method: Method = "default",
) -> BootstrapResult:
    """Estimate and interval of a metric when cases are drawn with replacement, rows and all.

    ``metric_fn`` is one of the ``compute_*`` functions (or a ``functools.partial`` of one, to set a
    coverage or a loss), which run compiled, or any function of a list of rows, which is called once
    for each resample. Every row names its ``case``.

    >>> rows = [ItemPrediction(2, 2, 1.0, case=1), ItemPrediction(None, 1, 0.0, case=2),
    ...         ItemPrediction(1, 1, 0.5, case=2)]
    >>> result = bootstrap_by_participant(rows, metric_fn=compute_cmax)
    >>> round(result.estimate, 4), result.n_resamples, result.percentile.low
    (0.6667, 3, 0.5)
    """
    rows = rows_of(items)
    metric, view, threads = _metric_and_view(metric_fn, rows)
    options = Options(n_resamples, seed, level, method, threads=threads)
    return BootstrapResult.of(infer([metric], view, options)[metric.name], view.n_cases)


def paired_bootstrap_delta_by_participant(
    left: Iterable[Row],
    right: Iterable[Row],
    *,
    metric_fn: RowsFunction | Callable[..., float | None],
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = CONFIDENCE_LEVEL,
    method: Method = "default",
    intersection_only: bool = False,
) -> PairedBootstrapResult:
    """Right minus left on the same cases under the same draws, with a permutation p-value.

    Different cases are refused unless the overlap is asked for; different truths always. See
    :func:`bootstrap_by_participant` for ``metric_fn``.

    >>> one = [ItemPrediction(2, 2, 1.0, case=c) for c in range(12)]
    >>> two = [ItemPrediction(c % 2, 2, 1.0, case=c) for c in range(12)]
    >>> paired_bootstrap_delta_by_participant(one, two, metric_fn=compute_aurc).estimate
    1.5
    """
    a, b = same_cases(rows_of(left), rows_of(right), intersection_only=intersection_only)
    metric, left_view, threads = _metric_and_view(metric_fn, a)
    _, right_view, _ = _metric_and_view(metric_fn, b)
    options = Options(n_resamples, seed, level, method, threads=threads)
    contrast = compare([metric], left_view, right_view, options)[metric.name]
    return replace(
        PairedBootstrapResult.of(contrast, left_view.n_cases),
        left=contrast.left.value,
        right=contrast.right.value,
        p_value=contrast.p_value,
    )


def _metric_and_view(metric_fn: Any, rows: list[ItemPrediction]) -> tuple[Metric, Any, int | None]:
    """The registry's metric and a ranking where the function is one of ours, else the rows."""
    if not callable(metric_fn):
        value = what_came(metric_fn)
        raise UsageError(f"metric_fn is a function of rows, such as compute_aurc, not {value}")
    base, keywords = metric_fn, {}
    if isinstance(metric_fn, partial) and not metric_fn.args:
        base, keywords = metric_fn.func, dict(metric_fn.keywords)
    if not isinstance(base, RowsMetric):
        cases, codes = cases_of(rows)
        # threads would only wait for each other, and a function may not expect company
        return metric_of_rows(metric_fn), RowsByCase.of(rows, codes, len(cases)), 1
    loss, scale = keywords.pop("loss", "abs"), keywords.pop("scale", None)
    coverage = keywords.pop("max_coverage", keywords.pop("target_coverage", None))
    if keywords:
        raise UsageError(f"{base.__name__} knows no {', '.join(keywords)}")
    metric = base.at(coverage)
    if coverage is None and "coverage" in metric.parameters:
        raise UsageError(f"{base.__name__} needs its coverage: use functools.partial")
    return metric, ranking_of(rows, loss, scale, by_case=True), None
