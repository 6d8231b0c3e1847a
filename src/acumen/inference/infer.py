"""Estimate, interval and replicates of many metrics of one view, under the same draws.

The one place where metrics meet the resampling engine. A metric's numbers do not depend on which
others are asked for beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from acumen.defaults import (
    CONFIDENCE_LEVEL,
    FEWEST_AT_LEVEL,
    FEWEST_CASES,
    FEWEST_ITEMS,
    LARGEST_SHARE,
    RELIABLE_CASES,
)
from acumen.inference.curve import along_curve, crossing
from acumen.inference.influence import case_influence, cross, statistic_of, without_groups
from acumen.inference.intervals import Form, at_level, default_form
from acumen.inference.jackknife import ROUNDING, Jackknife
from acumen.inference.options import Options
from acumen.inference.replicates import MOST_DROPPED, Replicates, bca, percentile, too_few_cases
from acumen.inference.resample import LeaveOut, plan_resamples, replicate
from acumen.metrics.registry import Estimate, Kind, Metric
from acumen.stages import stage
from acumen.values.measured import (
    UNRELIABLE,
    Absence,
    Flag,
    Interval,
    Measured,
    NoInterval,
    RestsOn,
    finite,
)
from acumen.views.groups import deal
from acumen.views.weights import CaseWeights, Errors

HALF: Final = 0.5
"""Where one case carries more of the variance, an interval says so."""


@dataclass(frozen=True, slots=True)
class Result:
    """A number with its interval, and the replicates behind it."""

    metric: Metric
    value: float | None
    reason: str | None
    """Why there is no value."""
    interval: Interval | NoInterval
    percentile: Interval | NoInterval
    replicates: Replicates

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def ci95(self) -> tuple[float | None, float | None] | None:
        """The ends of the 95% percentile interval, whatever the level of the others."""
        interval = self.percentile
        if isinstance(interval, NoInterval) or interval.confidence_level != CONFIDENCE_LEVEL:
            interval = percentile(self.replicates)
        return None if self.value is None or isinstance(interval, NoInterval) else interval.ends

    @property
    def facts(self) -> dict[str, Any]:
        """What is written of a value and of a difference alike."""
        return {
            "reason": self.reason,
            "better": self.metric.better,
            **one_of(self.interval),
            "drop_rate": self.replicates.drop_rate,
        }


@dataclass(frozen=True, slots=True)
class Inference(Result):
    """A metric's estimate, and the jackknife its interval was made from."""

    jackknife: Jackknife
    form: Form | NoInterval
    """The default interval at any confidence level."""

    @property
    def summary(self) -> Inference:
        """The same without what its interval was made of: nothing will be compared with it."""
        none = NoInterval(why=Absence.NEEDS_ROWS)
        return replace(self, jackknife=Jackknife(np.empty(0)), form=none)

    def interval_at(self, level: float) -> Interval | NoInterval:
        """The default interval at another confidence level."""
        return at_level(self.form, level)

    @property
    def measured(self) -> Measured:
        """What is written of it."""
        return Measured(value=finite(self.value), **self.facts)


def one_of(interval: Interval | NoInterval) -> dict[str, Any]:
    """The field that holds an interval, or the one that says why there is none."""
    return {"interval" if isinstance(interval, Interval) else "no_interval": interval}


def infer(
    metrics: Sequence[Metric],
    view: Any,
    options: Options = Options(),  # noqa: B008  (frozen)
    compared: Collection[str] | None = None,
    resampled: Collection[str] | None = None,
) -> dict[str, Inference]:
    """Estimates and intervals of metrics of a view, by name; summaries but of the ``compared``.

    Replicates of those not ``resampled`` tell only in how many resamples they are undefined.
    """
    statistic = statistic_of(metrics, view)
    drawn = [m if resampled is None or m.name in resampled else m.stand_in for m in metrics]
    functions = [(m.function, *m.parameters.items()) for m in drawn]  # stand-ins are mostly one
    rows = {function: row for row, function in enumerate(dict.fromkeys(functions))}
    values = np.empty((len(rows), 0))
    probability = None
    if view.n_cases >= FEWEST_CASES and options.resamples > 0:
        plan = plan_resamples(view.n_cases, options.resamples, options.seed, options.weights)
        draw = statistic_of([drawn[functions.index(function)] for function in rows], view)
        values = replicate(draw, plan, threads=options.threads, advance=options.advance)
        probability = plan.probability
    once = CaseWeights.once(view.n_cases)
    with stage(share=0.3):
        estimates = statistic(once)[:, 0]
    of_curve = [m for m in metrics if m.curve is not None]
    rest = [m for m in metrics if m.curve is None]
    jackknives = leave_out(rest, view, options.threads, once)
    if options.items == "random" and view.n_cases >= FEWEST_CASES:
        of_cases = dict(jackknives)
        both = cross(rest, view, [of_cases[metric.name] for metric in rest])
        jackknives = zip((metric.name for metric in rest), both, strict=True)
    jackknives = chain(jackknives, along_curve(of_curve, view, options.items, once))
    place = {metric.name: row for row, metric in enumerate(metrics)}
    numbers = {}
    for name, jackknife in jackknives:
        metric, row = metrics[place[name]], place[name]
        estimate = metric.estimate(estimates[row], view, once)
        is_stand_in = resampled is not None and name not in resampled
        replicates = Replicates(values[rows[functions[row]]], probability, is_stand_in)
        number = inference_of(metric, view, estimate, replicates, jackknife, options)
        numbers[name] = number if compared is None or name in compared else number.summary
    if compared is not None:
        view.forget()
    return {name: numbers[name] for name in place}


def _on_cases_that_count(
    metric: Metric, view: Any, jackknife: Jackknife, errors: Errors | None
) -> Jackknife:
    """All right, or all wrong: what that is worth depends on the cases that answered.

    Where something varies, a case without an answer adds nothing to the variance by itself.
    """
    if errors is not None and errors.erring_cases == 0:
        return replace(jackknife, n_cases=errors.cases)
    if metric.kind is Kind.CASES:
        return replace(jackknife, n_cases=metric.rests_on(view))
    if metric.kind is not Kind.PROPORTION or jackknife.deviations.any():
        return jackknife
    return replace(jackknife, n_cases=metric.rests_on(view))


def inference_of(
    metric: Metric,
    view: Any,
    estimate: Estimate,
    replicates: Replicates,
    jackknife: Jackknife,
    options: Options,
) -> Inference:
    """The interval of an estimate with this jackknife; ``view`` says who errs."""
    value = estimate.value
    if value is None:
        none = NoInterval(why=Absence.NO_VALUE)
        reason = estimate.reason or metric.undefined
        return Inference(metric, None, reason, none, none, replicates, jackknife, none)
    level, one_error = options.confidence_level, metric.one_error
    errors = None if metric.errors is None else metric.errors(view, **metric.parameters)
    jackknife = _on_cases_that_count(metric, view, jackknife, errors)
    noise = None if metric.noise is None else metric.noise(view, value, **metric.parameters)
    bounds = metric.bounds(view)
    if errors is not None and one_error is not None:
        bounds = errors.bounds(one_error)

    if metric.kind is Kind.CROSSING:
        form = crossing(view, value, metric.parameters["risk"], options.items)
    else:
        form = default_form(metric.kind, value, jackknife, errors, one_error, noise)
        form = form.within(bounds) if isinstance(form, Form) else form
    interval, by_percentile = intervals(
        options,
        replicates,
        jackknife.cases,
        default=lambda: at_level(form, level),
        corrected=lambda: bca(replicates, value, jackknife, level),
        of_curve=metric.curve is not None,
    )
    if isinstance(by_percentile, Interval):
        by_percentile = by_percentile.within(bounds)
    if isinstance(interval, Interval):
        interval = marked(interval.within(bounds), jackknife.cases)
        if metric.kind is not Kind.CASES:  # exact: no case can carry its variance
            interval = weighed(interval, view, jackknife, metric.caution or "")
    interval = _resting(interval, _rare_group(metric, view))
    return Inference(metric, value, None, interval, by_percentile, replicates, jackknife, form)


def intervals(
    options: Options,
    replicates: Replicates,
    cases: int,
    *,
    default: Callable[[], Interval | NoInterval],
    corrected: Callable[[], Interval | NoInterval],
    of_curve: bool = False,
) -> tuple[Interval | NoInterval, Interval | NoInterval]:
    """The interval by the method asked for, and the percentile interval.

    What is read ``of_curve`` needs no resample to have a value.
    """
    by_percentile = percentile(replicates, options.confidence_level)
    if not len(replicates) and cases < FEWEST_CASES:
        by_percentile = too_few_cases(cases)
    is_lost = len(replicates) and replicates.dropped > MOST_DROPPED and not of_curve
    if options.method == "default" and not is_lost:
        return default(), by_percentile
    if options.method == "bca" and len(replicates):
        return corrected(), by_percentile
    return by_percentile, by_percentile


def marked(interval: Interval, n_cases: int, *sides: Inference) -> Interval:
    """The interval with a flag when there are too few cases to rely on it.

    That of a difference is no more reliable than those of its ``sides``.
    """
    if n_cases < RELIABLE_CASES:
        return interval.with_flag(Flag.FEW_CASES)
    for own in (side.interval for side in sides):
        for flag in own.flags if isinstance(own, Interval) else ():
            if flag in UNRELIABLE - {*interval.flags}:
                interval = interval.with_flag(flag, own.rests_on)
    return interval


def weighed(interval: Interval, view: Any, jackknife: Jackknife, caution: str = "") -> Interval:
    """The interval with what to know of the weight of its cases, and of its items."""
    effective, largest = getattr(view, "balance", (np.inf, 0.0))
    even = effective >= RELIABLE_CASES and largest < LARGEST_SHARE
    items, top_share = jackknife.items, jackknife.top_share
    flags = {
        Flag.DOMINATED: not even and jackknife.cases >= RELIABLE_CASES,
        Flag.FEW_ITEMS: items is not None and items.n < FEWEST_ITEMS,
        Flag.ONE_CASE: top_share > HALF + ROUNDING,
        **({Flag(caution): True} if caution else {}),
    }
    for flag in (flag for flag, holds in flags.items() if holds):
        interval = interval.with_flag(flag)
    method = interval.method if items is None else f"{interval.method}, cases × items"
    facts = {"method": method, "largest_case_share": top_share}
    return interval.model_copy(update=facts)


def _rare_group(metric: Metric, view: Any) -> RestsOn | None:
    """The group of cases a metric rests on that is too small to trust its interval, if any.

    A threshold rests on both its sides, a mean over levels on each. Few cases below a level do the
    same harm as few at it: docs/coverage.md counts how much.
    """
    groups = [] if metric.groups is None else metric.groups(view, **metric.parameters)
    smallest = min(groups, default=None, key=lambda group: group.cases)
    if smallest is None or smallest.cases >= FEWEST_AT_LEVEL:
        return None
    cases, where, *ranks = smallest
    called = getattr(view, "names", ())
    names = [called[k] if called else k for k in ranks if k is not None]
    return RestsOn(cases=cases, where=where, **dict(zip(("level", "upper"), names, strict=False)))


def _resting(interval: Interval | NoInterval, rare: RestsOn | None) -> Interval | NoInterval:
    """An interval that rests on a few cases of a level says so, and so does one that is missing."""
    if rare is None:
        return interval
    if isinstance(interval, Interval):
        return interval.with_flag(Flag.RARE_LEVEL, rare)
    return interval.model_copy(update={"rests_on": rare})


def leave_out(
    metrics: Sequence[Metric],
    view: Any,
    threads: int | None = None,
    once: CaseWeights | None = None,
) -> Iterator[tuple[str, Jackknife]]:
    """Leave-one-out values of each metric, by name; for very many cases, what stands in for them.

    ``once`` is the block of the estimates, which remembers the sums they are made of.
    """
    n, rest = view.n_cases, {m.name: m for m in metrics}
    if n < FEWEST_CASES:
        yield from dict.fromkeys(rest, Jackknife(np.empty(0))).items()
        return
    plan = LeaveOut.of(n)
    if plan.size < n:
        with stage(share=0.5):
            for name, of_case in case_influence(metrics, view, once):
                del rest[name]
                yield name, Jackknife.of_influence(of_case)
        for name, row in without_groups(metrics, view, plan.size).items():
            del rest[name]
            yield name, Jackknife.of(row, n)
        plan = replace(plan, group=deal(view, plan.size)) if rest else plan
    if rest:
        values = replicate(statistic_of([*rest.values()], view), plan, threads=threads)
        yield from zip(rest, Jackknife.of_rows(values, n), strict=True)
