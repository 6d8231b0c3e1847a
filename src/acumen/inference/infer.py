"""Estimate, interval and replicates of many metrics of one view, under the same draws.

The one place where metrics meet the resampling engine. A metric's numbers do not depend on which
others are asked for beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from acumen.defaults import FEWEST_CASES, RELIABLE_CASES
from acumen.inference.influence import INFLUENCE, influence
from acumen.inference.intervals import Errors, default_interval
from acumen.inference.jackknife import Jackknife
from acumen.inference.options import Options
from acumen.inference.replicates import MOST_DROPPED, Replicates, bca, percentile
from acumen.inference.resample import MOST_GROUPS, LeaveOut, Statistic, plan_resamples, replicate
from acumen.metrics.registry import Estimate, Kind, Metric
from acumen.results.measured import Absence, Flag, Interval, Measured, NoInterval, finite
from acumen.types import Floats
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

JACKKNIFE_CASES: Final = 2000
"""Beyond this many cases, influence functions or a delete-a-group jackknife."""


@dataclass(frozen=True, slots=True)
class Inference:
    """A metric's estimate with its interval, and what both were made from."""

    metric: Metric
    value: float | None
    reason: str | None
    """Why there is no value."""
    interval: Interval | NoInterval
    percentile: Interval | NoInterval
    replicates: Replicates
    jackknife: Jackknife

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def measured(self) -> Measured:
        """What is written of it."""
        return Measured(
            value=finite(self.value),
            reason=self.reason,
            better=self.metric.better,
            **one_of(self.interval),
            drop_rate=self.replicates.drop_rate,
        )


def one_of(interval: Interval | NoInterval) -> dict[str, Any]:
    """The two fields that hold an interval or why there is none."""
    here = isinstance(interval, Interval)
    return {"interval": interval} if here else {"no_interval": interval}


def statistic_of(metrics: Sequence[Metric], view: Any) -> Statistic:
    """All metrics of a view as one statistic of a block of weightings."""

    def statistic(block: CaseWeights) -> Floats:
        return np.stack([np.asarray(metric(view, block)) for metric in metrics])

    return statistic


def infer(
    metrics: Sequence[Metric],
    view: Any,
    options: Options = Options(),  # noqa: B008  (frozen)
) -> dict[str, Inference]:
    """Estimates and intervals of metrics that look at the same view, by name."""
    statistic = statistic_of(metrics, view)
    values = np.empty((len(metrics), 0))
    probability = None
    if view.n_cases >= FEWEST_CASES and options.resamples > 0:
        plan = plan_resamples(view.n_cases, options.resamples, options.seed, options.weights)
        values = replicate(statistic, plan, threads=options.threads, advance=options.advance)
        probability = plan.probability
    jackknives = leave_out(metrics, view, options.threads)
    errors = errors_of(view)
    once = CaseWeights.once(view.n_cases)
    estimates = statistic(once)[:, 0]
    return {
        metric.name: _inference(
            metric,
            view,
            metric.estimate(estimates[row], view, once),
            Replicates(values[row], probability),
            _on_cases_that_count(metric, view, jackknives[row]),
            errors,
            options,
        )
        for row, metric in enumerate(metrics)
    }


def _on_cases_that_count(metric: Metric, view: Any, jackknife: Jackknife) -> Jackknife:
    """All right, or all wrong: what that is worth depends on the cases that answered.

    Where something varies, a case without an answer adds nothing to the variance by itself.
    """
    if metric.kind not in (Kind.PROPORTION, Kind.DISTANCE) or jackknife.deviations.any():
        return jackknife
    return replace(jackknife, n_cases=metric.rests_on(view))


def _inference(
    metric: Metric,
    view: Any,
    estimate: Estimate,
    replicates: Replicates,
    jackknife: Jackknife,
    errors: Errors | None,
    options: Options,
) -> Inference:
    value = estimate.value
    if value is None:
        none = NoInterval(why=Absence.NO_VALUE)
        reason = estimate.reason or metric.undefined
        return Inference(metric, None, reason, none, none, replicates, jackknife)
    level = options.confidence_level
    by_percentile = percentile(replicates, level)
    if not len(replicates) and jackknife.cases < FEWEST_CASES:
        by_percentile = too_few_cases(jackknife.cases)
    interval = by_percentile
    if options.method == "default" and not (len(replicates) and replicates.dropped > MOST_DROPPED):
        interval = default_interval(
            metric.kind, value, jackknife, errors=errors, one_error=metric.one_error, level=level
        )
    elif options.method == "bca" and len(replicates):
        interval = bca(replicates, value, jackknife, level)
    bounds = metric.bounds(view)
    if errors is not None and metric.one_error is not None:
        bounds = errors.bounds(metric.one_error)
    if isinstance(by_percentile, Interval):
        by_percentile = by_percentile.within(bounds)
    if isinstance(interval, Interval):
        interval = marked(interval.within(bounds), jackknife.cases)
    return Inference(metric, value, None, interval, by_percentile, replicates, jackknife)


def too_few_cases(cases: int) -> NoInterval:
    """No interval of so few cases."""
    return NoInterval(why=Absence.TOO_FEW_CASES, count=FEWEST_CASES, of=cases)


def marked(interval: Interval, n_cases: int) -> Interval:
    """The interval with a flag when there are too few cases to rely on it."""
    return interval if n_cases >= RELIABLE_CASES else interval.with_flag(Flag.FEW_CASES)


def leave_out(metrics: Sequence[Metric], view: Any, threads: int | None = None) -> list[Jackknife]:
    """Leave-one-out values of each metric; for very many cases, what stands in for them."""
    n = view.n_cases
    if n < FEWEST_CASES:
        return [Jackknife(np.empty(0))] * len(metrics)
    if n <= JACKKNIFE_CASES:
        values = replicate(statistic_of(metrics, view), LeaveOut(n), threads=threads)
        return [Jackknife.of(row) for row in values]
    grouped = [m for m in metrics if not (isinstance(view, Ranking) and m.name in INFLUENCE)]
    by_group = {}
    if grouped:
        plan = LeaveOut(n, min(MOST_GROUPS, n))
        values = replicate(statistic_of(grouped, view), plan, threads=threads)
        by_group = {m.name: Jackknife.of(row, n) for m, row in zip(grouped, values, strict=True)}
    return [
        by_group[m.name] if m.name in by_group else Jackknife.of_influence(influence(m.name, view))
        for m in metrics
    ]


def errors_of(view: Any) -> Errors | None:
    """What sparse errors need to know, where the view has losses."""
    if not isinstance(view, Ranking):
        return None
    totals = view.totals(CaseWeights.once(view.n_cases))
    lost = view.loss_by_case()
    answered, rows = float(totals.answered[0]), float(totals.rows[0])
    return Errors(
        erring_cases=int((lost > 0).sum()),
        answered=answered,
        cmax=answered / rows if rows else 0.0,
        worst_case=float(lost.max(initial=0.0)),
        unit=view.unit,
        most_loss=view.most_loss,
    )
