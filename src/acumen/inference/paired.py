r"""Paired deltas: right − left, on the same cases, under the same draws.

The interval is MOVER (Zou and Donner 2008): with each side's own interval :math:`(l, u)` and
:math:`r` the correlation of the two sides' leave-one-out deviations,

.. math:: \hat a - \hat b - \sqrt{x^2 + y^2 - 2rxy}, \quad x = \hat a - l_a,\; y = u_b - \hat b

and mirrored above. Whether a difference is claimed is decided by the test of
:mod:`acumen.inference.swaps`, which is sharper; where that claims what the interval leaves open,
the interval is the test's own, turned around: the differences it would not reject.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from acumen.defaults import CONFIDENCE_LEVEL, FEWEST_CASES
from acumen.inference.infer import Inference, Result, infer, intervals, marked
from acumen.inference.intervals import Form, at_level, plain
from acumen.inference.jackknife import ROUNDING, Jackknife
from acumen.inference.options import Options
from acumen.inference.ranks import Family, reach_of
from acumen.inference.replicates import bca, between, too_few_cases
from acumen.inference.swaps import SwapTest, Tested, error_of, outcomes, studentise, swap_tests
from acumen.metrics.registry import Kind, Metric
from acumen.values.measured import (
    Absence,
    Delta,
    Description,
    Flag,
    Interval,
    NoInterval,
    Side,
    better_side,
    finite,
)

K = TypeVar("K", bound=Hashable)

PLAIN: frozenset[str] = frozenset({"coverage"})
"""Metrics whose difference takes the plain jackknife-t: measured to cover as well, and shorter."""


@dataclass(frozen=True, slots=True)
class Contrast(Result):
    """Right minus left for one metric, and what it was made from."""

    left: Inference
    right: Inference
    form: Form | NoInterval
    """The default interval at any confidence level."""
    test: SwapTest | None = None
    alone: Tested | None = None
    """The outcome of its test, as if it were the only one."""
    together: Tested | None = None
    """The same among all differences of its family."""

    @property
    def p_value(self) -> float | None:
        """Of this difference alone."""
        return None if self.alone is None else self.alone.p_value

    @property
    def favours(self) -> Side | None:
        """The better side where the test shows a difference, and the interval may be relied on."""
        interval, outcome = self.interval, self.together or self.alone
        if self.value is None or isinstance(interval, NoInterval) or not interval.is_reliable:
            return None
        if self.metric.better is None:
            return None
        if outcome is None or outcome.p_value > 1.0 - interval.confidence_level + ROUNDING:
            return None
        return better_side(self.value, self.metric.better)

    def delta(self, description: Description | None = None) -> Delta:
        """What is written of it; a mere description favours nobody."""
        together = None if description is not None else self.together
        return Delta(
            delta=finite(self.value),
            left=finite(self.left.value),
            right=finite(self.right.value),
            **self.facts,
            ci95=self.ci95,
            p_value=self.p_value,
            p_adjusted=None if together is None else together.p_value,
            favours=None if description is not None else self.favours,
            description=description,
        )

    @property
    def jackknife(self) -> Jackknife | None:
        """Of the difference, where leaving out the same leaves both sides defined."""
        a, b = self.left.jackknife, self.right.jackknife
        return None if a.gaps != b.gaps or a.n < 2 else b.minus(a)

    def interval_at(self, level: float) -> Interval | NoInterval:
        """The default interval at another confidence level."""
        return at_level(self.form, level)

    def undefined(self, reason: str) -> Contrast:
        """This difference with a reason of its own, if it has no value."""
        return self if self.value is not None else replace(self, reason=reason)


def compare(
    metrics: Sequence[Metric],
    left: Any,
    right: Any,
    options: Options = Options(),  # noqa: B008  (frozen)
    *,
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
    return contrast(metrics, left, right, a, b, options)


def contrast(
    metrics: Sequence[Metric],
    left: Any,
    right: Any,
    of_left: Mapping[str, Inference],
    of_right: Mapping[str, Inference],
    options: Options,
) -> dict[str, Contrast]:
    """The same of two views whose inferences are there already."""
    contrasts = {
        m.name: contrast_of(m, of_left[m.name], of_right[m.name], options) for m in metrics
    }
    tests = {
        name: studentise(test, contrast.value, contrast.jackknife)
        for (name, contrast), test in zip(
            contrasts.items(), swap_tests(metrics, left, right, options.threads), strict=True
        )
        if test is not None and contrast.value is not None
    }
    alone = outcomes(tests, options)
    return {
        name: agreeing(replace(c, test=tests.get(name), alone=alone.get(name)))
        for name, c in contrasts.items()
    }


def claim(
    contrasts: Mapping[K, Contrast], options: Options, share: float = 1.0
) -> dict[K, Contrast]:
    """Differences as one family: each is claimed only where it holds among all of them.

    ``share`` is the part of the chance of a false claim that this family may use up.
    """
    tests = {k: c.test for k, c in contrasts.items() if c.test is not None and c.metric.better}
    joint = outcomes(tests, options, together=True, share=share)
    return {k: agreeing(replace(c, together=joint.get(k))) for k, c in contrasts.items()}


def among(contrast: Contrast, family: Family) -> Contrast:
    """A difference among those between other pairs; its interval holds together with theirs."""
    interval, alone, value = contrast.interval, contrast.alone, contrast.value
    if isinstance(interval, NoInterval) or alone is None or value is None:
        return contrast
    p_value = family.adjusted(alone.p_value, reach_of(1.0 - alone.p_value))
    tested = Tested(p_value, alone.critical * family.stretch(interval.confidence_level))
    wider = family.widened(interval, value)
    return agreeing(replace(contrast, interval=wider, together=tested))


def agreeing(contrast: Contrast) -> Contrast:
    """The contrast with an interval that says what its test does, or a flag that the test decides.

    Where the test claims what the interval leaves open, the test's own takes its place; where only
    the test of all together leaves it open, the interval is made at the level left to one of them.
    """
    interval, outcome = contrast.interval, contrast.together or contrast.alone
    if isinstance(interval, NoInterval) or contrast.value is None or outcome is None:
        return contrast
    if contrast.metric.better is None:
        return contrast
    shows = contrast.favours is not None
    if shows and interval.has_zero and contrast.jackknife is not None:
        reach = outcome.critical * error_of(contrast.jackknife)
        inverted = between(
            contrast.value - reach, contrast.value + reach, "swap test", interval.confidence_level,
            contrast.jackknife.standard_error, flags=interval.flags,
        )  # fmt: skip
        if reach > 0.0 and not inverted.has_zero:
            return replace(contrast, interval=inverted)
    if interval.is_reliable and shows == interval.has_zero:
        if not shows and contrast.together is not None and contrast.p_value is not None:
            share = contrast.p_value / contrast.together.p_value  # what is left to one of all
            wider = contrast.interval_at(1.0 - share * (1.0 - interval.confidence_level))
            if isinstance(wider, Interval) and wider.has_zero and wider.method == interval.method:
                flags = tuple(flag for flag in interval.flags if flag is not Flag.TEST_DECIDES)
                ends = {"low": wider.low, "high": wider.high, "method": f"{wider.method}, together"}
                wider = interval.model_copy(update={**ends, "flags": flags})
                return replace(contrast, interval=wider)
        return replace(contrast, interval=interval.with_flag(Flag.TEST_DECIDES))
    return contrast


def contrast_of(metric: Metric, left: Inference, right: Inference, options: Options) -> Contrast:
    """Right minus left of a metric, not yet tested."""
    replicates = right.replicates.minus(left.replicates)
    if left.value is None or right.value is None:
        which, reason = ("first", left.reason) if left.value is None else ("second", right.reason)
        none = NoInterval(why=Absence.NO_VALUE)
        reason = f"undefined for the {which}: {reason}"
        return Contrast(metric, None, reason, none, none, replicates, left, right, none)
    value, level = right.value - left.value, options.confidence_level
    form = delta_form(metric, left, right)
    cases = min(left.jackknife.cases, right.jackknife.cases)

    def corrected() -> Interval | NoInterval:
        if left.jackknife.gaps != right.jackknife.gaps:
            return NoInterval(why=Absence.SIDES_DIFFER)
        return bca(replicates, value, right.jackknife.minus(left.jackknife), level)

    interval, by_percentile = intervals(
        options,
        replicates,
        cases,
        default=lambda: at_level(form, level),
        corrected=corrected,
        of_curve=metric.curve is not None,
    )
    if isinstance(interval, Interval):
        interval = marked(interval, cases, left, right)
    return Contrast(metric, value, None, interval, by_percentile, replicates, left, right, form)


def delta_interval(
    metric: Metric, left: Inference, right: Inference, level: float
) -> Interval | NoInterval:
    """The default interval of a difference; see :func:`delta_form`."""
    return at_level(delta_form(metric, left, right), level)


def delta_form(metric: Metric, left: Inference, right: Inference) -> Form | NoInterval:
    """The default interval of a difference at any level: MOVER, or plain where that is best."""
    assert left.value is not None
    assert right.value is not None
    a, b = left.value, right.value
    if left.jackknife.gaps != right.jackknife.gaps:
        return NoInterval(why=Absence.SIDES_DIFFER)
    cases = min(left.jackknife.cases, right.jackknife.cases)
    if cases < FEWEST_CASES:
        return too_few_cases(cases)
    difference = right.jackknife.minus(left.jackknife)
    if (items := difference.items) is not None and items.n < FEWEST_CASES:
        return NoInterval(why=Absence.TOO_FEW_ITEMS, count=FEWEST_CASES, of=items.cases)
    varies = bool(difference.deviations.any())
    if varies and (metric.kind is Kind.REAL or metric.name in PLAIN):
        return plain(b - a, difference)
    of_left, of_right = left.form, right.form
    if isinstance(of_left, NoInterval):
        return _of_side("left", left.interval, of_left)
    if isinstance(of_right, NoInterval):
        return _of_side("right", right.interval, of_right)
    r = left.jackknife.correlation(right.jackknife)
    # both move alike with every case: some cases where they do not may have stayed hidden,
    # and in those they are like any two systems
    is_hidden = not varies and r > 0.0
    r = 0.0 if is_hidden else r

    def reaches(level: float) -> tuple[float, float]:
        share = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / cases) if is_hidden else 1.0
        (low_a, high_a), (low_b, high_b) = of_left.ends(level), of_right.ends(level)
        below, above = _reach(b - low_b, high_a - a, r), _reach(high_b - b, a - low_a, r)
        return math.sqrt(share) * below, math.sqrt(share) * above

    def ends(level: float) -> tuple[float, float]:
        below, above = reaches(level)
        return b - a - below, b - a + above

    if sum(reaches(CONFIDENCE_LEVEL)) == 0.0:
        return NoInterval(why=Absence.NO_VARIATION)
    return Form("MOVER", difference.standard_error, ends)


def _of_side(side: Side, interval: Interval | NoInterval, none: NoInterval) -> NoInterval:
    """Why a side has no interval, with what is told of it there."""
    why = interval if isinstance(interval, NoInterval) else none
    return why.model_copy(update={"side": side})


def _reach(x: float, y: float, r: float) -> float:
    if math.isinf(x) or math.isinf(y):
        return math.inf
    return math.sqrt(max(0.0, x * x + y * y - 2 * r * x * y))
