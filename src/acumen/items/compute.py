"""The door for people with a list of rows: ``ItemPrediction`` and the ``compute_*`` functions.

One row a judgment, ``score`` None where the system abstained. When nobody answered, areas and cmax
are 0.0, the curve is empty and a risk is None: the values this interface has always had. Everywhere
else in acumen such a number is null with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, overload

import numpy as np

from acumen.defaults import CONFIDENCE_LEVEL, RESAMPLES, SEED
from acumen.errors import DataError, UsageError, what_came
from acumen.inference.infer import infer
from acumen.inference.options import Method, Options
from acumen.inference.paired import compare
from acumen.items.bootstrap import (
    BootstrapResult,
    PairedBootstrapResult,
    RowsByCase,
    RowsFunction,
    brought,
    cases_of,
    same_cases,
)
from acumen.items.rows import ItemPrediction as ItemPrediction  # the door is this module
from acumen.items.rows import Row, off_scale, rows_of
from acumen.items.rows import judgments_of as judgments_of
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.table.losses import find_loss
from acumen.table.scale import Scale, find_scale
from acumen.types import Floats
from acumen.views.ranking import Curve, Ranking, rank
from acumen.views.weights import CaseWeights


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
    loss: str = "abs",
    scale: str | Scale | None = None,
    *,
    by_case: bool = False,
) -> Ranking:
    """The ranking of a list of rows, each its own case unless they are to be kept together.

    ``abs_norm`` needs to know the scale.
    """
    rows = rows_of(items)
    cases, codes = cases_of(rows) if by_case else ((), None)
    chosen = find_loss(loss)
    if scale is None and chosen.name != "abs":
        raise UsageError(f"the loss {chosen.name} needs a scale, such as scale='phq8'")
    unit = 1.0
    if scale is not None:
        scale = find_scale(scale)
        problems = off_scale(rows, scale)
        if problems:
            raise DataError(problems)
        unit = chosen.unit(scale)
    return rank(
        np.array([r.absolute_error for r in rows], np.int64),
        np.array([float(r.confidence) if r.is_predicted else 0.0 for r in rows]),
        np.array([r.is_predicted for r in rows], bool),
        case=codes,
        n_cases=len(cases) if by_case else None,
        unit=unit,
    )


def _value(metric: Metric, items: Iterable[Row], loss: str, scale: str | Scale | None) -> float:
    ranking = ranking_of(items, loss, scale)
    if len(ranking.order) == 0:
        return 0.0
    values: Floats = metric.function(
        ranking, CaseWeights.once(ranking.n_cases), **metric.parameters
    )
    return float(values[0])


def _checked(coverage: float) -> float:
    if not 0.0 < coverage <= 1.0:
        raise ValueError(f"target coverage must be in (0, 1], got {coverage}")
    return coverage


def compute_risk_coverage_curve(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> RiskCoverageCurve:
    """The risk–coverage curve, one point for each distinct confidence.

    >>> compute_risk_coverage_curve([
    ...     ItemPrediction(2, 2, 2), ItemPrediction(3, 1, 2), ItemPrediction(None, 0, 0)])
    RiskCoverageCurve([(0.6666666666666666, 1.0)])
    """
    return RiskCoverageCurve(ranking_of(items, loss, scale).curve())


def compute_cmax(items: Iterable[Row]) -> float:
    """Share of the rows that were answered."""
    return _value(METRICS["cmax"], items, "abs", None)


def compute_aurc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the risk–coverage curve on [0, cmax]; lower is better.

    >>> compute_aurc([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)])
    0.5
    """
    return _value(METRICS["aurc"], items, loss, scale)


def compute_augrc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the generalized-risk–coverage curve on [0, cmax]; lower is better."""
    return _value(METRICS["augrc"], items, loss, scale)


def compute_aurc_optimal(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AURC had the answered rows been ranked by loss."""
    return _value(METRICS["aurc_optimal"], items, loss, scale)


def compute_augrc_optimal(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AUGRC had the answered rows been ranked by loss."""
    return _value(METRICS["augrc_optimal"], items, loss, scale)


def compute_eaurc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AURC above its optimum."""
    return _value(METRICS["eaurc"], items, loss, scale)


def compute_eaugrc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AUGRC above its optimum."""
    return _value(METRICS["eaugrc"], items, loss, scale)


def compute_aurc_achievable(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the lower convex hull of the risk–coverage curve."""
    return _value(METRICS["aurc_achievable"], items, loss, scale)


def compute_aurc_at_coverage(
    items: Iterable[Row],
    max_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float:
    """AURC up to min(max_coverage, cmax)."""
    metric = METRICS["aurc_at_coverage"].at(coverage=_checked(max_coverage))
    return _value(metric, items, loss, scale)


def compute_augrc_at_coverage(
    items: Iterable[Row],
    max_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float:
    """AUGRC up to min(max_coverage, cmax)."""
    metric = METRICS["augrc_at_coverage"].at(coverage=_checked(max_coverage))
    return _value(metric, items, loss, scale)


def compute_risk_at_coverage(
    items: Iterable[Row],
    target_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float | None:
    """Risk at the first working point that reaches the target coverage; None if none does.

    >>> rows = [ItemPrediction(2, 2, 1.0), ItemPrediction(3, 1, 0.8), ItemPrediction(None, 1, 0)]
    >>> compute_risk_at_coverage(rows, 0.5), compute_risk_at_coverage(rows, 0.9)
    (1.0, None)
    """
    metric = METRICS["mae_at_coverage"].at(coverage=_checked(target_coverage))
    return metric.measure(ranking_of(items, loss, scale)).value


_METRIC_OF: Final[Mapping[Any, str]] = {
    compute_cmax: "cmax",
    compute_aurc: "aurc",
    compute_augrc: "augrc",
    compute_aurc_optimal: "aurc_optimal",
    compute_augrc_optimal: "augrc_optimal",
    compute_eaurc: "eaurc",
    compute_eaugrc: "eaugrc",
    compute_aurc_achievable: "aurc_achievable",
    compute_aurc_at_coverage: "aurc_at_coverage",
    compute_augrc_at_coverage: "augrc_at_coverage",
    compute_risk_at_coverage: "mae_at_coverage",
}


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
    found = compare([metric], left_view, right_view, options)[metric.name]
    return PairedBootstrapResult.of_delta(found, left_view.n_cases)


def _metric_and_view(metric_fn: Any, rows: list[ItemPrediction]) -> tuple[Metric, Any, int | None]:
    """The registry's metric and a ranking where the function is one of ours, else the rows."""
    if not callable(metric_fn):
        came = what_came(metric_fn)
        raise UsageError(f"metric_fn is a function of rows, such as compute_aurc, not {came}")
    base, given = metric_fn, {}
    if isinstance(metric_fn, partial) and not metric_fn.args:
        base, given = metric_fn.func, dict(metric_fn.keywords)
    name = next((name for function, name in _METRIC_OF.items() if function is base), None)
    if name is None:
        cases, codes = cases_of(rows)
        # threads would only wait for each other, and a function may not expect company
        return brought(metric_fn), RowsByCase.of(rows, codes, len(cases)), 1
    metric = METRICS[name]
    loss, scale = given.pop("loss", "abs"), given.pop("scale", None)
    for key in ("max_coverage", "target_coverage"):
        if key in given:
            metric = metric.at(coverage=_checked(given.pop(key)))
    if given:
        raise UsageError(f"{base.__name__} knows no {', '.join(given)}")
    if "coverage" in metric.parameters and metric is METRICS[name]:
        raise UsageError(f"{base.__name__} needs its coverage: use functools.partial")
    return metric, ranking_of(rows, loss, scale, by_case=True), None
