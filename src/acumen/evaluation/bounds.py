r"""Bounds of headline numbers over what missing rows might have been, with intervals that cover.

With :math:`[\hat\theta_l, \hat\theta_u]` the bounds and :math:`s` the larger of their standard
errors, the ends are those of the intervals of the two at the confidence :math:`2\Phi(c) - 1`,

.. math:: \Phi\Big(c + \frac{\hat\theta_u - \hat\theta_l}{s}\Big) - \Phi(-c) = 1 - \alpha

(Imbens and Manski 2004, Econometrica 72; Stoye 2009, Econometrica 77): where bounds lie far apart,
the truth can be beyond one of them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.evaluation.completions import Completion, Missing
from acumen.evaluation.missing import MISSING, missing_rows, unknown_cases
from acumen.evaluation.plan import Plan, System
from acumen.inference.distributions import normal_cdf, normal_quantile
from acumen.inference.infer import Inference, infer
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, contrast_of
from acumen.metrics import METRICS, Metric
from acumen.results.missing import Bounded, MissingPart, MissingRows
from acumen.table.judgments import Judgments
from acumen.values.measured import Absence, Interval, NoInterval, finite

MOST_TRIED: Final = 300
"""With more missing rows it is not tried how many of them take a claim away."""
LINEAR: Final = 40
"""Up to so many are tried one after the other, more by halves."""

OVERALL: Final = (
    *("coverage", "total_accuracy", "accuracy", "mae", "signed_error"),
    *("quadratic_kappa", "mean_loss"),
    *("abstention_recall", "abstention_precision", "false_answers", "false_abstentions"),
)
"""Of a system, whatever its confidence."""
RANKED: Final = ("augrc", "failure_auroc", "brier")
"""By its best confidence."""
OF_TWO: Final = ("coverage", "total_accuracy")
"""Differences that no confidence changes."""
RANKED_OF_TWO: Final = ("augrc", "failure_auroc")
CLAIMS: Final = {"failure_auroc": 0.5}
"""What the number of one system is compared with: a confidence that says nothing."""

Sides = Sequence[Missing]
"""One system with missing rows, or two that are compared."""
Completions = Sequence[Completion]


@dataclass(frozen=True, eq=False)
class Extremes:
    """A metric of one system or the difference of two, at its least and its largest."""

    metric: Metric
    sides: Sides
    options: Options
    low: Completions
    high: Completions

    @classmethod
    def of(cls, metric: Metric, sides: Sides, options: Options) -> Extremes | str:
        """The extremes, or why there are none. Rows are missing on each side by themselves."""
        ends = []
        for way in ("lower", "higher"):
            ways = [way] if len(sides) == 1 else ["higher" if way == "lower" else "lower", way]
            asked = zip(sides, ways, strict=True)
            ends.append([side.extreme(metric, of) for side, of in asked])  # type: ignore[arg-type]  # a way
        if why := next((end for several in ends for end in several if isinstance(end, str)), None):
            return why
        low, high = ends
        return cls(metric, sides, options, low, high)  # type: ignore[arg-type]  # no text is left

    def views(self, completions: Completions) -> list[Any]:
        """What the metric looks at on each side."""
        pairs = zip(self.sides, completions, strict=True)
        return [side.view(self.metric, completion) for side, completion in pairs]

    def result(self, completions: Completions) -> Inference | Contrast:
        """The number and its interval in a completion."""
        return result_of(self.metric, self.views(completions), self.options)

    def value(self, completions: Completions) -> float:
        """The number alone; NaN where it has none."""
        values = [self.metric.measure(view).value for view in self.views(completions)]
        if None in values:
            return float("nan")
        return float(values[-1] or 0.0) - (float(values[0] or 0.0) if len(values) == 2 else 0.0)

    @property
    def n(self) -> int:
        """How many judgments are missing on all sides."""
        return sum(side.n for side in self.sides)

    def between(self, start: Completions, end: Completions, places: Any) -> Completions:
        """The start with those judgments, of all sides in a row, as they are at the end."""
        at, mixed = 0, []
        for side, a, b in zip(self.sides, start, end, strict=True):
            mixed.append(a.mixed(b, places[at : at + side.n]))
            at += side.n
        return mixed

    def tipping(self, claim: float, above: bool, level: float) -> int | None:
        """How many rows it takes until the interval no longer leaves the claim out; None: all."""
        start, end = (self.high, self.low) if above else (self.low, self.high)

        def stands(completions: Completions) -> bool:
            interval = at_level(self.result(completions), level, self.options)
            if not isinstance(interval, Interval):
                return False
            return interval.low > claim if above else interval.high < claim

        return self.fewest(start, end, stands)

    def fewest(
        self, start: Completions, end: Completions, stands: Callable[[Completions], bool]
    ) -> int | None:
        """How many judgments must be as at the end until something no longer stands; None: never.

        One after the other, those that change the number most first.
        """
        alone = [self.value(self.between(start, end, row)) for row in np.eye(self.n, dtype=bool)]
        sign = 1.0 if self.value(start) >= self.value(end) else -1.0
        order = np.argsort(sign * np.array(alone), kind="stable")

        def holds(rows: int) -> bool:
            places = np.zeros(self.n, bool)
            places[order[:rows]] = True
            return stands(self.between(start, end, places))

        if holds(self.n):
            return None
        if self.n <= LINEAR:
            return next(rows for rows in range(self.n + 1) if not holds(rows))
        low, high = -1, self.n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return high


def result_of(metric: Metric, views: Sequence[Any], options: Options) -> Inference | Contrast:
    """The inference of one view, or the difference of two."""
    of = [infer([metric], view, options)[metric.name] for view in views]
    return of[0] if len(of) == 1 else contrast_of(metric, of[0], of[1], options)


def at_level(result: Inference | Contrast, level: float, options: Options) -> Interval | NoInterval:
    """The interval at a level of at most that of the options, no wider than theirs."""
    own = result.interval
    if isinstance(own, NoInterval) or level == options.confidence_level:
        return own
    narrow = result.interval_at(level)
    if isinstance(narrow, NoInterval):
        return own
    return narrow.within((own.low, own.high))


def level_of(width: float, error: float, level: float) -> float:
    """At which level the two bounds have intervals, so that together they hold ``level``.

    >>> round(level_of(0.0, 1.0, 0.95), 6), round(level_of(10.0, 1.0, 0.95), 6)
    (0.95, 0.9)
    """
    if not error > 0.0 or not np.isfinite(error) or width <= 0.0:
        return level
    low, high = normal_quantile(level), normal_quantile((1.0 + level) / 2.0)
    for _ in range(60):
        middle = (low + high) / 2.0
        holds = normal_cdf(middle + width / error) - normal_cdf(-middle) >= level
        low, high = (low, middle) if holds else (middle, high)
    return 2.0 * normal_cdf(high) - 1.0


def bounded(
    metric: Metric, sides: Sides, observed: Sequence[Any], options: Options, claim: float | None
) -> Bounded:
    """A number of the rows that are there, its bounds, and what it takes to take a claim away."""
    there = None
    if not any(isinstance(view, str) for view in observed):
        there = result_of(metric, observed, options)
    value = None if there is None else finite(there.value)
    facts: dict[str, Any] = {
        "metric": metric.name,
        "function": sides[0].function if metric.name.partition("@")[0] not in OVERALL else None,
        "value": value,
        "reason": None if there is None else there.reason,
        "better": metric.better,
    }
    without = None if there is None else there.interval
    if isinstance(without, Interval):
        facts["without"] = without
    extremes = Extremes.of(metric, sides, options)
    if isinstance(extremes, str):
        return Bounded(**facts, why=extremes, no_interval=NoInterval(why=Absence.NO_VALUE))
    ends = [extremes.result(end) for end in (extremes.low, extremes.high)]
    low, high = (finite(end.value) for end in ends)
    if low is None or high is None:
        why = next(end.reason for end in ends if end.value is None)
        return Bounded(**facts, why=why, no_interval=NoInterval(why=Absence.NO_VALUE))
    facts |= {"low": low, "high": high}
    absent = next((end.interval for end in ends if isinstance(end.interval, NoInterval)), None)
    if absent is not None:
        return Bounded(**facts, no_interval=absent)
    level = _level(ends, high - low, options.confidence_level)
    interval = _union(ends, level, options)
    facts["interval"] = interval
    if claim is None or value is None or not isinstance(without, Interval):
        return Bounded(**facts)
    if without.low <= claim <= without.high or not without.is_reliable:
        return Bounded(**facts)
    facts["claim"] = claim
    if extremes.n > MOST_TRIED:
        return Bounded(**facts)
    tipping = extremes.tipping(claim, value > claim, level)
    return Bounded(**facts, tipping=tipping, tried=True)


def _level(ends: Sequence[Inference | Contrast], width: float, level: float) -> float:
    errors = [e for end in ends if (e := getattr(end.interval, "standard_error", None)) is not None]
    # where one is not known, both are at the full level
    return level_of(width, max(errors), level) if len(errors) == len(ends) else level


def _union(ends: Sequence[Inference | Contrast], level: float, options: Options) -> Interval:
    """From the low end of the lower bound to the high end of the upper one, with both's flags."""
    low, high = (at_level(end, level, options) for end in ends)
    assert isinstance(low, Interval)
    assert isinstance(high, Interval)
    methods = dict.fromkeys((low.method, high.method))
    out = Interval(
        low=low.low,
        high=high.high,
        method=f"{', '.join(methods)}, of both bounds",
        confidence_level=options.confidence_level,
    )
    for end in ends:
        for flag in end.interval.flags if isinstance(end.interval, Interval) else ():
            out = out.with_flag(flag, getattr(end.interval, "rests_on", None))
    return out


def missing_part(
    whole: Sequence[Judgments],
    inputs: Sequence[Judgments],
    systems: Sequence[System],
    function: str | None,
    plan: Plan,
) -> MissingPart:
    """The missing rows of each system, and of those that are bounded the bounds.

    ``whole`` are the tables with their missing rows, aligned; ``systems`` those that are measured.
    """
    rows = [_counts(table, source) for table, source in zip(whole, inputs, strict=True)]
    if plan.missing != "bound" or not all(table.has_truth for table in whole):
        return MissingPart(treated_as="wrong" if plan.missing == "wrong" else "bound", inputs=rows)
    sides = []
    for table, system in zip(whole, systems, strict=True):
        named = {} if function is None else {function: system.functions[function]}
        sides.append(Missing(System.of(table, plan, named, system.name), function))
    options = plan.options.without_resamples()
    for side, system, part in zip(sides, systems, rows, strict=True):
        for metric in _of_one(side, system):
            views = [_view(system, metric, side.function)]
            claim = CLAIMS.get(metric.name)
            part.bounds.append(bounded(metric, [side], views, options, claim))
    if len(sides) != 2:
        return MissingPart(treated_as="bound", inputs=rows)
    reach = min(float(s.weight[s.table.answered].sum() / s.weight.sum()) for s in sides)
    metrics = [METRICS[name] for name in OF_TWO]
    if function is not None:
        metrics += [METRICS[name] for name in RANKED_OF_TWO]
        if reach > 0.0:
            metrics.insert(0, METRICS["mean_loss_at_coverage"].at(coverage=reach))
    differences = [
        bounded(m, sides, [_view(s, m, function) for s in systems], options, 0.0) for m in metrics
    ]
    return MissingPart(treated_as="bound", inputs=rows, coverage=reach, differences=differences)


def _of_one(side: Missing, system: System) -> list[Metric]:
    """The headline metrics that there are of a system."""
    names = [name for name in OVERALL if system.abstention is not None or not _is_of_both(name)]
    if side.function is not None:
        honest = not isinstance(system.forecasts[side.function], str)
        names += [name for name in RANKED if name != "brier" or honest]
    return [METRICS[name] for name in names]


def _is_of_both(name: str) -> bool:
    return name.startswith(("abstention_", "false_"))


def _view(system: System, metric: Metric, function: str | None) -> Any:
    if metric.name in OVERALL:
        return system.view_of(metric, None)
    return system.view_of(metric, function)


def _counts(whole: Judgments, source: Judgments) -> MissingRows:
    """How many rows of an input are missing, by what they came to; those left out are not there."""
    gone = missing_rows(source) & source.once
    unparseable, unscored = (
        int((source.outcome[gone] == outcome).sum()) for outcome in MISSING[1:]
    )
    return MissingRows(
        failed=int(gone.sum()) - unparseable - unscored,
        unparseable=unparseable,
        unscored=unscored,
        of=int(source.once.sum()),
        cases=len(np.unique(source.case[gone])),
        unknown_cases=unknown_cases(source),
    )
