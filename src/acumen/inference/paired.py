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

from acumen.defaults import FEWEST_CASES
from acumen.inference.infer import Inference, Result, infer, intervals, marked
from acumen.inference.influence import statistic_of
from acumen.inference.intervals import plain
from acumen.inference.options import Options
from acumen.inference.replicates import MOST_DROPPED, bca, between, too_few_cases
from acumen.inference.resample import Swaps, replicate
from acumen.metrics.registry import Kind, Metric
from acumen.results.measured import (
    Absence,
    Delta,
    Interval,
    NoInterval,
    Side,
    favoured_side,
    finite,
)
from acumen.types import Floats
from acumen.views.weights import CaseWeights

PLAIN: frozenset[str] = frozenset({"cmax"})
"""Metrics whose difference takes the plain jackknife-t: measured to cover as well, and shorter."""


@dataclass(frozen=True, slots=True)
class Contrast(Result):
    """Right minus left for one metric, and what it was made from."""

    left: Inference
    right: Inference
    p_value: float | None

    @property
    def favours(self) -> Side | None:
        """The better side where the interval excludes 0 and may be relied on, else None."""
        interval = self.interval if isinstance(self.interval, Interval) else None
        return favoured_side(interval, self.metric.better)

    def delta(self, p_holm: float | None = None) -> Delta:
        """What is written of it."""
        return Delta(
            delta=finite(self.value),
            left=finite(self.left.value),
            right=finite(self.right.value),
            **self.facts,
            ci95=self.ci95,
            p_value=self.p_value,
            p_holm=p_holm,
            favours=self.favours,
        )

    def undefined(self, reason: str) -> Contrast:
        """This difference with a reason of its own, if it has no value."""
        return self if self.value is not None else replace(self, reason=reason)


def compare(
    metrics: Sequence[Metric],
    left: Any,
    right: Any,
    options: Options = Options(),  # noqa: B008  (frozen)
    *,
    p_values: bool = True,
    settle: Callable[[Any, Mapping[str, Inference]], Mapping[str, Inference]] | None = None,
) -> dict[str, Contrast]:
    """Paired differences of metrics between two views of the same cases, by name.

    ``settle`` adds what a view knows of the inferences on it, before they are set side by side.
    """
    if left.n_cases != right.n_cases:
        raise ValueError("the two sides must hold the same cases; align them first")
    a: Mapping[str, Inference] = infer(metrics, left, options)
    b: Mapping[str, Inference] = infer(metrics, right, options)
    if settle is not None:
        a, b = settle(left, a), settle(right, b)
    swapped = _p_values(metrics, left, right, options) if p_values else {}
    return {
        m.name: _contrast(m, a[m.name], b[m.name], swapped.get(m.name), options) for m in metrics
    }


def _contrast(
    metric: Metric, left: Inference, right: Inference, p_value: float | None, options: Options
) -> Contrast:
    replicates = right.replicates.minus(left.replicates)
    if left.value is None or right.value is None:
        side, reason = ("left", left.reason) if left.value is None else ("right", right.reason)
        none = NoInterval(why=Absence.NO_VALUE)
        reason = f"undefined on the {side}: {reason}"
        return Contrast(metric, None, reason, none, none, replicates, left, right, None)
    value, level = right.value - left.value, options.confidence_level
    cases = min(left.jackknife.cases, right.jackknife.cases)

    def corrected() -> Interval | NoInterval:
        if left.jackknife.undefined != right.jackknife.undefined:
            return NoInterval(why=Absence.SIDES_DIFFER)
        return bca(replicates, value, right.jackknife.minus(left.jackknife), level)

    interval, by_percentile = intervals(
        options,
        replicates,
        cases,
        default=lambda: delta_interval(metric, left, right, level),
        corrected=corrected,
    )
    if isinstance(interval, Interval):
        interval = marked(interval, cases, left, right)
    return Contrast(metric, value, None, interval, by_percentile, replicates, left, right, p_value)


def delta_interval(
    metric: Metric, left: Inference, right: Inference, level: float
) -> Interval | NoInterval:
    """The default interval of a difference: MOVER, or the plain jackknife-t where that is best."""
    assert left.value is not None
    assert right.value is not None
    value = right.value - left.value
    if left.jackknife.undefined != right.jackknife.undefined:
        return NoInterval(why=Absence.SIDES_DIFFER)
    cases = min(left.jackknife.cases, right.jackknife.cases)
    if cases < FEWEST_CASES:
        return too_few_cases(cases)
    difference = right.jackknife.minus(left.jackknife)
    if not difference.deviations.any() and not _open_without_variation(left, right):
        return between(value, value, "no variation between cases", level, 0.0)
    if metric.kind is Kind.REAL or metric.name in PLAIN:
        return plain(value, difference, level)
    if isinstance(left.interval, NoInterval):
        return left.interval.model_copy(update={"side": "left"})
    if isinstance(right.interval, NoInterval):
        return right.interval.model_copy(update={"side": "right"})
    r = left.jackknife.correlation(right.jackknife)
    below = _reach(right.value - right.interval.low, left.interval.high - left.value, r)
    above = _reach(right.interval.high - right.value, left.value - left.interval.low, r)
    return between(value - below, value + above, "MOVER", level, difference.standard_error)


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
        unswapped = (1 - swapped).astype(np.uint16)
        a = both(CaseWeights(np.concatenate([unswapped, swapped])))
        b = both(CaseWeights(np.concatenate([swapped, unswapped])))
        return np.subtract(b, a)

    deltas = replicate(difference, plan, threads=options.threads, advance=options.advance)
    observed = difference(CaseWeights(np.zeros((left.n_cases, 1), np.uint16)))[:, 0]
    return {
        m.name: _p_value(deltas[row], float(observed[row]), exact=plan.is_exact)
        for row, m in enumerate(metrics)
    }


def _p_value(deltas: Floats, observed: float, *, exact: bool) -> float | None:
    values = deltas[~np.isnan(deltas)]
    if math.isnan(observed) or len(values) < (1 - MOST_DROPPED) * len(deltas):
        return None
    tolerance = 1e-12 * max(1.0, abs(observed))
    extreme = int((np.abs(values) >= abs(observed) - tolerance).sum())
    return extreme / len(values) if exact else (extreme + 1) / (len(values) + 1)
