r"""A gate: may this run replace that one, or does it meet a bound? Pass, fail, or undecided.

D = new − base, turned so that positive is worse, with its one-sided 95% ends l and u. Between the
two clear answers there are too few data, and the gate says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from acumen.decisions.repeated import measure_repeatedly, refuse_others
from acumen.decisions.sample import one_confidence
from acumen.defaults import CONFIDENCE_LEVEL, RELIABLE_CASES
from acumen.errors import UsageError, label, printable
from acumen.evaluation.bounds import MOST_TRIED, Completions, Extremes
from acumen.evaluation.completions import BOUNDED, Missing
from acumen.evaluation.missing import without_missing
from acumen.evaluation.plan import Plan, System, all_answered
from acumen.inference.distributions import t_cdf
from acumen.inference.fragile import fewest, mean_undone_by
from acumen.inference.infer import infer, marked, one_of
from acumen.inference.intervals import plain
from acumen.inference.jackknife import Jackknife
from acumen.inference.one_more import end_with, worst_of
from acumen.inference.options import Options
from acumen.inference.paired import delta_interval
from acumen.inference.unseen import FEW, carrying, mean_bound
from acumen.metrics import METRICS, find_metric
from acumen.metrics.registry import Metric, did_you_mean
from acumen.results.decisions import Check, Rule, Undecided, Verdict
from acumen.table.judgments import Judgments
from acumen.types import Floats
from acumen.values.measured import Interval, Measured
from acumen.views.abstention import Abstention
from acumen.views.confusion import Confusion
from acumen.views.forecast import Forecast
from acumen.views.level_forecast import LevelForecast
from acumen.views.ranking import Ranking
from acumen.views.scores import Scores
from acumen.views.severity import SeverityRanking
from acumen.views.weights import CaseRows

LEVEL: Final = 2 * CONFIDENCE_LEVEL - 1
"""A two-sided interval of this level has one-sided ends of the usual one."""
LOPSIDED: Final = 1e-9
"""A skewness above this is no rounding."""
UNRANKED: Final = ("coverage", "accuracy", "mean_loss")
"""Metrics of a ranking that no confidence changes."""


def decide(rule: Rule, low: float, high: float, bound: float) -> Verdict:
    """The verdict on one-sided ends; a difference is turned so that positive is worse.

    >>> decide("non-inferiority", -0.01, 0.015, 0.02), decide("at-least", 0.65, 0.75, 0.7)
    ('pass', 'undecided')
    """
    passes, fails = {
        "non-inferiority": (high < bound, low >= bound),
        "superiority": (high < 0.0, low >= 0.0),
        "equivalence": (-bound < low and high < bound, low >= bound or high <= -bound),
        "at-least": (low > bound, high < bound),
        "at-most": (high < bound, low > bound),
    }[rule]
    return "pass" if passes else "fail" if fails else "undecided"


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Fail if any fails, pass if all pass: intersection–union, so nothing is corrected."""
    if "fail" in verdicts:
        return "fail"
    return "pass" if set(verdicts) == {"pass"} else "undecided"


def find_views(
    key: str,
    tables: Sequence[Judgments],
    plan: Plan,
    selector: str,
    *,
    repeatedly: bool = False,
) -> tuple[Metric, list[Any], str | None]:
    """A metric by its key, what it looks at on each side, and the confidence it goes by.

    Levels are compared on the rows that both answered.
    """
    metric = find_metric(key, tables[0].scale.levels)
    known = (Ranking, Forecast, Confusion, SeverityRanking, Abstention, LevelForecast, Scores)
    if metric is None or metric.view not in known:
        names = [name for name, m in METRICS.items() if m.view in known]
        raise UsageError(f"no metric '{printable(key)}' here; {did_you_mean(key, names)}")
    of_levels, name = metric.view in (Confusion, SeverityRanking), None
    of_both = (of_levels and metric.name != "total_accuracy") or metric.view in (
        LevelForecast,
        Scores,
    )
    if repeatedly:
        refuse_others(metric)
        of_both = metric.name != "coverage"
    if of_both and len(tables) == 2:
        tables = all_answered(tables)
    if metric.view in (Abstention, LevelForecast, Scores):
        alone = [System.of(table, plan, {}) for table in tables]
        return metric, [system.view_of(metric, None) for system in alone], None
    if not of_levels and metric.name not in UNRANKED:
        name = one_confidence(selector, without_missing(tables[-1]), plan.calibration)
    functions = {} if name is None else {name: name}
    systems = [System.of(table, plan, functions) for table in tables]
    views: list[Any]
    if of_levels:
        views = [s.confusion if metric.view is Confusion else s.severity for s in systems]
    elif name is None:
        views = [system.unranked for system in systems]
    else:
        views = [(s.rankings if metric.view is Ranking else s.forecasts)[name] for s in systems]
    return metric, views, name


def measure(metric: Metric, views: Sequence[Any], n: int) -> tuple[list[float | None], Measured]:
    """A metric with ends of the gate's level; of two sides the difference, positive is worse."""
    if reason := next((view for view in views if isinstance(view, str)), None):
        return [None] * len(views), Measured(value=None, reason=reason)
    options = Options(resamples=0, confidence_level=LEVEL)
    sides = [infer([metric], view, options)[metric.name] for view in views]
    values, left, right = [side.value for side in sides], sides[0], sides[-1]
    if left.value is None or right.value is None:
        return values, (right if left.value is not None else left).measured
    jackknife = right.jackknife
    if len(sides) == 1:
        return values, _with_few(metric, views, right.measured, jackknife)
    value, interval = right.value - left.value, delta_interval(metric, left, right, LEVEL)
    sign = 1.0 if metric.better == "lower" else -1.0
    if isinstance(interval, Interval):
        jackknife = jackknife.minus(left.jackknife)
        if interval.method == "jackknife-t":
            interval = plain(value, jackknife, jackknife.n - 1.0).at(LEVEL)
        low, high = sorted(sign * end for end in (interval.low, interval.high))
        interval = interval.model_copy(update={"low": low, "high": high})
        interval = marked(interval, n, left, right)
    measured = Measured(value=sign * value, **one_of(interval))
    jackknife = replace(jackknife, deviations=sign * jackknife.deviations)
    return values, _with_few(metric, views, measured, jackknife)


Measuring = Callable[[Metric, Sequence[Any], int], tuple[list[float | None], Measured]]


def measuring_repeatedly(most_items: int | None) -> Measuring:
    """Ends that hold at every number of cases, however often the gate is asked."""

    def measured(
        metric: Metric, views: Sequence[Any], _: int
    ) -> tuple[list[float | None], Measured]:
        if reason := next((view for view in views if isinstance(view, str)), None):
            return [None] * len(views), Measured(value=None, reason=reason)
        return measure_repeatedly(metric, views, 1.0 - CONFIDENCE_LEVEL, most_items)

    return measured


def _with_few(
    metric: Metric, views: Sequence[CaseRows], measured: Measured, jackknife: Jackknife
) -> Measured:
    """The ends that hold where few cases carry the value: their variance says too little.

    Coverage may be lost in the largest case as a whole; elsewhere the most is what is seen.
    """
    interval, value, chance = measured.interval, measured.value, 1.0 - CONFIDENCE_LEVEL
    if interval is None or value is None or jackknife.undefined:
        return measured
    if metric.name == "coverage":
        lost, sizes = _left_open(views), views[-1].case_weight
        low, high = (sign * _end(sign * lost, sizes) for sign in (-1.0, 1.0))
        if len(views) == 1:
            low, high = 1.0 - high, 1.0 - low
    else:
        parts = value - (jackknife.n - 1) * jackknife.deviations
        if interval.method == "jackknife-t":
            once = np.ones(len(parts))
            low, high = (sign * _end_of_mean(sign * parts, once) for sign in (-1.0, 1.0))
        else:
            low = -mean_bound(-parts, float(-parts.min()), chance)
            high = mean_bound(parts, float(parts.max()), chance)
    if low >= interval.low and high <= interval.high:
        return measured
    ends = {"low": min(interval.low, low), "high": max(interval.high, high)}
    wider = interval.model_copy(update={**ends, "method": f"{interval.method}, one case more"})
    return measured.model_copy(update={"interval": wider})


def _end(lost: Floats, sizes: Floats) -> float:
    """The upper end of the share of rows that is lost, where it needs more than a t-test.

    So it does where few cases lose any: then the largest may be lost as a whole.
    """
    if float(carrying(np.maximum(lost, 0.0))) >= FEW:
        return _end_of_mean(lost, sizes)
    more = float(sizes.max()), float(sizes.mean())
    return min(1.0, end_with(lost, sizes, more, 1.0 - CONFIDENCE_LEVEL))


def _end_of_mean(x: Floats, m: Floats) -> float:
    """The upper end of the ratio of sums, where a few cases lie far above the others; else −∞."""
    rest = x - float(x.sum() / m.sum()) * m
    spread = float(rest @ rest) / len(rest)
    if float((rest**3).mean()) <= LOPSIDED * spread**1.5:
        return -math.inf
    return end_with(x, m, worst_of(x, m), 1.0 - CONFIDENCE_LEVEL)


def _left_open(views: Sequence[CaseRows]) -> Floats:
    """The rows that each case leaves open, or leaves open more than before."""
    answered = [np.bincount(v.index, v.own, v.n_cases) for v in views]
    return np.asarray((answered[0] if len(views) == 2 else views[0].case_weight) - answered[-1])


def p_value(rule: Rule, measured: Measured, bound: float, n: int) -> float | None:
    """Of the t-tests, where the interval is theirs: "it is ``bound`` worse, or more"."""
    interval, value = measured.interval, measured.value
    if interval is None or value is None or interval.method != "jackknife-t":
        return None
    error = interval.standard_error or 1.0
    above, below = (t_cdf(n - 1, (v - bound) / error) for v in (value, -value))
    return max(above, below) if rule == "equivalence" else above


def check_of(
    asked: tuple[Rule, float],
    metric: Metric,
    views: list[Any],
    least: int,
    facts: dict[str, Any],
    measuring: Measuring = measure,
) -> Check:
    """A requirement, compared with what was measured."""
    (rule, bound), n = asked, facts["cases"]
    values, measured = measuring(metric, views, n)
    interval = measured.interval
    verdict: Verdict = "undecided"
    why: Undecided | None = None
    if n < max(least, RELIABLE_CASES):
        why = "few_cases"
    elif measured.value is None or interval is None:
        why = "no_value" if measured.value is None else "no_interval"
    elif not interval.is_reliable:
        why = "unreliable"
    else:
        verdict = decide(rule, interval.low, interval.high, bound)
        why = "between" if verdict == "undecided" else None
    p = p_value(rule, measured, bound, n) if len(views) == 2 else None
    if verdict == "pass" and measuring is measure:
        facts |= {"undone_by": _undone_by(rule, metric, views, bound)}
    facts |= {"metric": metric.name, "rule": rule, "bound": bound, "p_value": p}
    return Check(**facts, values=values, measured=measured, verdict=verdict, why=why)


def bounded_check_of(
    asked: tuple[Rule, float],
    metric: Metric,
    views: list[Any],
    sides: Sequence[Missing],
    least: int,
    facts: dict[str, Any],
) -> Check:
    """The same whatever the missing rows are: what holds at one bound must hold at the other.

    ``views`` are of the rows that are there, ``sides`` the systems with their missing rows.
    """
    alone = check_of(asked, metric, views, least, dict(facts))
    facts |= {"cases": len(sides[0].table.cases)}
    rows = sum(side.n for side in sides)
    if not rows:
        return alone.model_copy(update={"missing_rows": 0})
    extremes = Extremes.of(metric, sides, Options(resamples=0, confidence_level=LEVEL))
    if isinstance(extremes, str):
        measured = Measured(value=alone.measured.value, reason=extremes, better=metric.better)
        held = {"verdict": "undecided", "why": "missing", "measured": measured}
        return alone.model_copy(update={**held, "missing_rows": rows})

    def at(completions: Completions) -> Check:
        return check_of(asked, metric, extremes.views(completions), least, dict(facts))

    ends = [at(extremes.low), at(extremes.high)]
    intervals = [end.measured.interval for end in ends]
    values = [end.measured.value for end in ends]
    if None in intervals or None in values:
        worst = next(end for end in ends if None in (end.measured.interval, end.measured.value))
        return worst.model_copy(update={"values": alone.values, "missing_rows": rows})
    low, high = sorted(v for v in values if v is not None)
    whole = _hull([interval for interval in intervals if interval is not None])
    measured = alone.measured.model_copy(update={"interval": whole, "no_interval": None})
    verdicts = {end.verdict for end in ends}
    verdict: Verdict = ends[0].verdict if len(verdicts) == 1 else "undecided"
    why: Undecided | None = None
    if verdict == "undecided":
        of_ends = (end.why for end in ends if end.why in ("few_cases", "unreliable"))
        rests = alone.verdict == "undecided" and alone.measured.value is not None
        why = next(of_ends, "between" if rests else "missing")
    tipping = None
    if why == "missing" and extremes.n <= MOST_TRIED:
        start, end = extremes.high, extremes.low
        if ends[1].verdict != alone.verdict:
            start, end = end, start
        tipping = extremes.fewest(start, end, lambda mixed: at(mixed).verdict == alone.verdict)
    return Check(
        **facts | alone.model_dump(include={"metric", "rule", "bound"}),
        values=alone.values,
        measured=measured,
        verdict=verdict,
        why=why,
        bounds=(low, high),
        missing_rows=rows,
        tipping=tipping,
    )


def _hull(intervals: Sequence[Interval]) -> Interval:
    """From the lowest end to the highest, with all that is to know of either."""
    first, *rest = intervals
    low, high = min(i.low for i in intervals), max(i.high for i in intervals)
    hull = first.model_copy(update={"low": low, "high": high, "standard_error": None})
    for interval in rest:
        for flag in interval.flags:
            hull = hull.with_flag(flag, interval.rests_on)
    return hull


def missing_sides(
    metric: Metric, tables: Sequence[Judgments], plan: Plan, name: str | None
) -> list[Missing]:
    """The systems of tables whose missing rows are kept, as a metric is bounded on them."""
    base = metric.name.partition("@")[0]
    of_levels = metric.view in (Confusion, SeverityRanking) and base != "total_accuracy"
    if base not in BOUNDED or (of_levels and len(tables) == 2):
        those = [m for m in BOUNDED if len(tables) == 1 or METRICS[m].view is not Confusion]
        what = "no bounds" if len(tables) == 1 else "no bounds of a difference"
        raise UsageError(
            f"{metric.name} has {what} over missing rows; there are "
            f"{', '.join(dict.fromkeys([*those, 'total_accuracy']))}"
        )
    functions = {} if name is None else {name: name}
    return [Missing(System.of(table, plan, functions), name) for table in tables]


def _undone_by(rule: Rule, metric: Metric, views: Sequence[Any], bound: float) -> int | None:
    """The fewest further cases that undo a pass: as bad as one can be, or as the worst here."""
    options = Options(resamples=0, confidence_level=LEVEL)
    parts: list[Floats] = []
    for view in views:
        side = infer([metric], view, options)[metric.name]
        if side.value is None or side.jackknife.undefined:
            return None
        parts.append(side.value - (side.jackknife.n - 1) * side.jackknife.deviations)
    sign = -1.0 if metric.better == "higher" else 1.0
    if len(parts) == 1:
        sign = -1.0 if rule == "at-least" else 1.0
    worse = sign * (parts[-1] - (parts[0] if len(parts) == 2 else 0.0))
    worst, limit = float(worse.max()), {"at-least": -bound, "superiority": 0.0}.get(rule, bound)
    if metric.kind.bounds == (0.0, 1.0):
        worst = max(worst, 0.0 if rule == "at-least" else 1.0)
    by_test = mean_undone_by(worse, worst, limit, 1.0 - CONFIDENCE_LEVEL)
    if metric.name != "coverage" or rule == "at-most":
        return by_test
    lost, sizes = _left_open(views), views[-1].case_weight
    share = 1.0 - bound if rule == "at-least" else limit

    def undoes(cases: int) -> bool:
        more = np.full(cases, sizes.max())
        return _end(np.append(lost, more), np.append(sizes, more)) >= share

    by_case = fewest(undoes)
    return min((count for count in (by_test, by_case) if count is not None), default=None)


def groups_of(
    tables: Sequence[Judgments], by: Sequence[str]
) -> Iterator[tuple[str | None, Sequence[Judgments]]]:
    """All cases together, then every group of every column."""
    yield None, tables
    for column in by:
        groups = tables[0].groups.get(column)
        if groups is None:
            raise UsageError(f"no column {label(column)} to slice by in the input")
        for code, value in enumerate(groups.values):
            if (rows := groups.codes == code).any():
                yield f"{column}={value}", [table.take(rows) for table in tables]
