"""Estimate, interval and replicates of many metrics of one view, under the same draws.

The one place where metrics meet the resampling engine. A metric's numbers do not depend on which
others are asked for beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from acumen.errors import UsageError, what_came
from acumen.inference.influence import INFLUENCE, influence
from acumen.inference.intervals import (
    FEWEST_CASES,
    LEVEL,
    MOST_DROPPED,
    NO_RESAMPLES,
    RELIABLE_CASES,
    TOO_FEW,
    Errors,
    Interval,
    Jackknife,
    NoInterval,
    bca,
    default_interval,
    defined,
    percentile,
)
from acumen.inference.resample import (
    MOST_GROUPS,
    RESAMPLES,
    SEED,
    Enumeration,
    LeaveOut,
    Statistic,
    plan_resamples,
    replicate,
)
from acumen.metrics.registry import Kind, Metric
from acumen.types import Floats
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

Method = Literal["default", "percentile", "bca"]
METHODS: Final[tuple[Method, ...]] = ("default", "percentile", "bca")
JACKKNIFE_CASES: Final = 2000
"""Beyond this many cases, influence functions or a delete-a-group jackknife."""


@dataclass(frozen=True, slots=True)
class Options:
    """How intervals are made."""

    resamples: int = RESAMPLES
    seed: int = SEED
    level: float = LEVEL
    method: Method = "default"
    weights: Literal["multinomial", "poisson"] = "multinomial"
    threads: int | None = None
    advance: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        for name in ("resamples", "seed", "threads"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | np.integer):
                raise UsageError(f"{name} must be a whole number, not {what_came(value)}")
            if value is not None:
                object.__setattr__(self, name, int(value))  # a NumPy number could not be written
        if not 0.0 < self.level < 1.0:
            raise UsageError(f"the level must lie between 0 and 1, not {self.level}")
        if self.resamples < 0:
            raise UsageError(f"the number of resamples cannot be negative: {self.resamples}")
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"the number of threads must be at least 1, not {self.threads}")
        if self.weights not in ("multinomial", "poisson"):
            raise UsageError(f"no weights {self.weights!r}: multinomial or poisson")
        if self.method not in METHODS:
            raise UsageError(f"no interval method {self.method!r}: one of {', '.join(METHODS)}")


@dataclass(frozen=True, slots=True)
class Inference:
    """A metric's estimate with its interval, and what the resamples say."""

    metric: Metric
    value: float | None
    reason: str | None
    interval: Interval | NoInterval
    percentile: Interval | NoInterval
    drop_rate: float | None
    replicates: Floats
    jackknife: Jackknife

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name


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
    plan = plan_resamples(view.n_cases, options.resamples, options.seed, options.weights)
    replicates = np.empty((len(metrics), 0))
    if view.n_cases >= FEWEST_CASES and options.resamples > 0:
        replicates = replicate(statistic, plan, threads=options.threads, advance=options.advance)
    jackknives = leave_out(metrics, view, options.threads)
    errors = errors_of(view)
    probability = plan.probability if isinstance(plan, Enumeration) else None
    once = CaseWeights.once(view.n_cases)
    values = statistic(once)[:, 0]
    found = {}
    for row, metric in enumerate(metrics):
        estimate = metric.estimate(values[row], view, once)
        found[metric.name] = _inference(
            metric,
            estimate.value,
            estimate.reason,
            replicates[row],
            probability,
            _on_cases_that_count(metric, view, jackknives[row]),
            errors,
            metric.bounds(view),
            options,
        )
    return found


def _on_cases_that_count(metric: Metric, view: Any, jackknife: Jackknife) -> Jackknife:
    """All right, or all wrong: what that is worth depends on the cases that answered.

    Where something varies, a case without an answer adds nothing to the variance by itself.
    """
    if metric.kind not in (Kind.PROPORTION, Kind.DISTANCE) or jackknife.deviations.any():
        return jackknife
    return replace(jackknife, n_cases=metric.rests_on(view))


def _inference(
    metric: Metric,
    value: float | None,
    reason: str | None,
    replicates: Floats,
    probability: Floats | None,
    jackknife: Jackknife,
    errors: Errors | None,
    bounds: tuple[float, float],
    options: Options,
) -> Inference:
    _, _, dropped = defined(replicates, probability)
    drop_rate = dropped if len(replicates) else None
    if value is None:
        chosen: Interval | NoInterval = NoInterval(reason or metric.undefined)
        by_percentile: Interval | NoInterval = chosen
    elif len(replicates) == 0:
        by_percentile = NoInterval(TOO_FEW if jackknife.cases < FEWEST_CASES else NO_RESAMPLES)
        chosen = by_percentile
        if options.method == "default":
            chosen = _default(metric, value, jackknife, errors, options.level)
    else:
        by_percentile = percentile(replicates, options.level, probability)
        chosen = by_percentile
        if dropped <= MOST_DROPPED and options.method == "default":
            chosen = _default(metric, value, jackknife, errors, options.level)
        elif options.method == "bca":
            chosen = bca(replicates, value, jackknife, options.level, probability)
    if errors is not None and metric.one_error is not None:
        bounds = errors.bounds(metric.one_error)
    if isinstance(by_percentile, Interval):
        by_percentile = by_percentile.within(bounds)
    if isinstance(chosen, Interval):
        chosen = marked(chosen.within(bounds), jackknife.cases)
    return Inference(metric, value, reason, chosen, by_percentile, drop_rate, replicates, jackknife)


def _default(
    metric: Metric, value: float, jackknife: Jackknife, errors: Errors | None, level: float
) -> Interval | NoInterval:
    return default_interval(
        metric.kind, value, jackknife, errors=errors, one_error=metric.one_error, level=level
    )


def marked(interval: Interval, n_cases: int) -> Interval:
    """The interval with a note when there are too few cases to rely on it."""
    if n_cases >= RELIABLE_CASES:
        return interval
    note = f"fewer than {RELIABLE_CASES} cases: unreliable"
    return replace(interval, note=note if interval.note is None else f"{note}; {interval.note}")


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
