r"""Paired deltas: right − left, on the same cases, under the same draws.

The interval is MOVER (Zou and Donner 2008): with each side's own interval :math:`(l, u)` and
:math:`r` the correlation of the two sides' leave-one-out deviations,

.. math:: \hat a - \hat b - \sqrt{x^2 + y^2 - 2rxy}, \quad x = \hat a - l_a,\; y = u_b - \hat b

and mirrored above. The p-value permutes: it swaps the two systems within a case. It tests whether
the systems are exchangeable, not whether one metric is equal; the interval decides what is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.inference.infer import Inference, Options, infer, marked, statistic_of
from acumen.inference.intervals import (
    FEWEST_CASES,
    MOST_DROPPED,
    NO_RESAMPLES,
    TOO_FEW,
    Interval,
    NoInterval,
    bca,
    defined,
    percentile,
    plain,
)
from acumen.inference.resample import Enumeration, Swaps, plan_resamples, replicate
from acumen.metrics.registry import Kind, Metric
from acumen.types import Floats
from acumen.views.weights import CaseWeights

PLAIN: frozenset[str] = frozenset({"cmax"})
"""Metrics whose difference takes the plain jackknife-t: measured to cover as well, and shorter."""
_LACKING = "leaving out some case makes one side undefined and not the other"


@dataclass(frozen=True, slots=True)
class Delta:
    """Right minus left for one metric."""

    metric: Metric
    left: Inference
    right: Inference
    value: float | None
    reason: str | None
    interval: Interval | NoInterval
    percentile: Interval | NoInterval
    p_value: float | None
    drop_rate: float | None
    replicates: Floats

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    def undefined(self, reason: str) -> Delta:
        """This difference with a reason of its own, if it has no value."""
        none = NoInterval(reason)
        return (
            self
            if self.value is not None
            else replace(self, reason=reason, interval=none, percentile=none)
        )

    @property
    def favours(self) -> str | None:
        """``left`` or ``right`` when the interval excludes 0 and may be relied on, else None."""
        if not isinstance(self.interval, Interval) or _is_unreliable(self.interval):
            return None
        if self.interval.low <= 0.0 <= self.interval.high:
            return None
        right_is_lower = self.interval.high < 0.0
        return "right" if right_is_lower == (self.metric.better == "lower") else "left"


def _is_unreliable(interval: Interval) -> bool:
    return interval.note is not None and interval.note.startswith("fewer than")


def compare(
    metrics: Sequence[Metric],
    left: Any,
    right: Any,
    options: Options = Options(),  # noqa: B008  (frozen)
    *,
    p_values: bool = True,
    settle: Callable[[Any, Mapping[str, Inference]], Mapping[str, Inference]] | None = None,
) -> dict[str, Delta]:
    """Paired deltas of metrics between two views of the same cases, by name.

    ``settle`` adds what a view knows of the inferences on it, before they are set side by side.
    """
    if left.n_cases != right.n_cases:
        raise ValueError("the two sides must hold the same cases; align them first")
    a: Mapping[str, Inference] = infer(metrics, left, options)
    b: Mapping[str, Inference] = infer(metrics, right, options)
    if settle is not None:
        a, b = settle(left, a), settle(right, b)
    swapped = _p_values(metrics, left, right, options) if p_values else {}
    plan = plan_resamples(left.n_cases, options.resamples, options.seed, options.weights)
    probability = plan.probability if isinstance(plan, Enumeration) else None
    return {
        m.name: _delta(m, a[m.name], b[m.name], swapped.get(m.name), probability, options)
        for m in metrics
    }


def _delta(
    metric: Metric,
    left: Inference,
    right: Inference,
    p_value: float | None,
    probability: Floats | None,
    options: Options,
) -> Delta:
    replicates = right.replicates - left.replicates
    _, _, dropped = defined(replicates, probability)
    drop_rate = dropped if len(replicates) else None
    if left.value is None or right.value is None:
        side, reason = ("left", left.reason) if left.value is None else ("right", right.reason)
        told = f"undefined on the {side}: {reason}"
        none = NoInterval(told)
        return Delta(metric, left, right, None, told, none, none, None, drop_rate, replicates)
    value = right.value - left.value
    cases = min(left.jackknife.cases, right.jackknife.cases)
    few = cases < FEWEST_CASES
    by_percentile: Interval | NoInterval = NoInterval(TOO_FEW if few else NO_RESAMPLES)
    if len(replicates):
        by_percentile = percentile(replicates, options.level, probability)
    chosen = by_percentile
    if options.method == "default" and not (len(replicates) and dropped > MOST_DROPPED):
        chosen = delta_interval(metric, left, right, options.level)
    elif options.method == "bca" and len(replicates):
        chosen = _bca(value, left, right, replicates, probability, options.level)
    if isinstance(chosen, Interval):
        chosen = marked(chosen, cases)
    return Delta(
        metric, left, right, value, None, chosen, by_percentile, p_value, drop_rate, replicates
    )


def _bca(
    value: float,
    left: Inference,
    right: Inference,
    replicates: Floats,
    probability: Floats | None,
    level: float,
) -> Interval | NoInterval:
    if left.jackknife.undefined != right.jackknife.undefined:
        return NoInterval(_LACKING)
    return bca(replicates, value, right.jackknife.minus(left.jackknife), level, probability)


def delta_interval(
    metric: Metric, left: Inference, right: Inference, level: float
) -> Interval | NoInterval:
    """The default interval of a difference: MOVER, or the plain jackknife-t where that is best."""
    assert left.value is not None
    assert right.value is not None
    value = right.value - left.value
    if left.jackknife.undefined != right.jackknife.undefined:
        return NoInterval(_LACKING)
    if min(left.jackknife.cases, right.jackknife.cases) < FEWEST_CASES:
        return NoInterval(TOO_FEW)
    difference = right.jackknife.minus(left.jackknife)
    if not difference.deviations.any() and not _open_without_variation(left, right):
        return Interval(value, value, "no variation between cases", level, 0.0)
    if metric.kind is Kind.REAL or metric.name in PLAIN:
        return plain(value, difference, level)
    for side, inference in (("left", left), ("right", right)):
        if isinstance(inference.interval, NoInterval):
            return NoInterval(f"no interval on the {side}: {inference.interval.reason}")
    assert isinstance(left.interval, Interval)
    assert isinstance(right.interval, Interval)
    r = _correlation(left.jackknife.deviations, right.jackknife.deviations)
    below = _reach(right.value - right.interval.low, left.interval.high - left.value, r)
    above = _reach(right.interval.high - right.value, left.value - left.interval.low, r)
    return Interval(value - below, value + above, "MOVER", level, difference.standard_error)


def _open_without_variation(left: Inference, right: Inference) -> bool:
    """Two systems that never erred, or always, do not vary, yet either may do otherwise to come."""
    return all(
        not side.jackknife.deviations.any()
        and isinstance(side.interval, Interval)
        and side.interval.low < side.interval.high
        for side in (left, right)
    )


def _reach(x: float, y: float, r: float) -> float:
    if math.isinf(x) or math.isinf(y):
        return math.inf
    return math.sqrt(max(0.0, x * x + y * y - 2 * r * x * y))


def _correlation(x: Floats, y: Floats) -> float:
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0.0 else 0.0


def _p_values(
    metrics: Sequence[Metric], left: Any, right: Any, options: Options
) -> Mapping[str, float | None]:
    """Two-sided permutation p-values: the systems swapped within cases, all ways or at random."""
    if not hasattr(left, "beside") or left.n_cases < 2 or options.resamples < 1:
        return {}
    both = statistic_of(metrics, left.beside(right))
    plan = Swaps(left.n_cases, options.resamples, options.seed)

    def difference(block: CaseWeights) -> Floats:
        swapped = block.counts
        kept = (1 - swapped).astype(np.uint16)
        a = both(CaseWeights(np.concatenate([kept, swapped])))
        b = both(CaseWeights(np.concatenate([swapped, kept])))
        return np.subtract(b, a)

    deltas = replicate(difference, plan, threads=options.threads, advance=options.advance)
    observed = difference(CaseWeights(np.zeros((left.n_cases, 1), np.uint16)))[:, 0]
    return {
        m.name: _p_value(deltas[row], float(observed[row]), exact=plan.is_exact)
        for row, m in enumerate(metrics)
    }


def _p_value(deltas: Floats, observed: float, *, exact: bool) -> float | None:
    kept = deltas[~np.isnan(deltas)]
    if math.isnan(observed) or len(kept) < (1 - MOST_DROPPED) * len(deltas):
        return None
    tolerance = 1e-12 * max(1.0, abs(observed))
    extreme = int((np.abs(kept) >= abs(observed) - tolerance).sum())
    return extreme / len(kept) if exact else (extreme + 1) / (len(kept) + 1)
