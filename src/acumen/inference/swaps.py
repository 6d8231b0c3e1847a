r"""The test of a paired difference: the two systems swapped within cases, studentised.

Both systems' cases are put into one study, where every case counts once for each system, and
:math:`u` is how far the metric moves when one of them counts half. Swapping a case changes nothing
of that study and turns the sign of :math:`d_c = u_{c,right} - u_{c,left}`. So

.. math:: T = \frac{\left|\sum_c d_c\right|}{\sqrt{\tfrac{n}{n-1}
          \left(\sum_c d_c^2 - \left(\sum_c d_c\right)^2/n\right)}}

has its exact distribution over all swaps where the systems are exchangeable, whatever the metric,
and costs one sum a swap. Systems may be equal by a metric and yet not exchangeable; there the
studentised difference itself, :math:`(\hat\theta_{right} - \hat\theta_{left})/s` with the jackknife
standard error, is what holds (Janssen 1997, Stat. Probab. Lett. 36; Pauly, Brunner and Konietschke
2015, JRSS B 77). The smaller of the two is tested: a difference is claimed where both say so.

All swaps are those of one plan, so the tests of many differences are joint.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from acumen.defaults import CONFIDENCE_LEVEL
from acumen.inference.distributions import t_quantile
from acumen.inference.influence import statistic_of
from acumen.inference.jackknife import ROUNDING, Jackknife
from acumen.inference.options import Options
from acumen.inference.resample import LeaveOut, Swaps, replicate
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.views.weights import CaseWeights

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True, eq=False)
class SwapTest:
    """What swapping the systems within cases says of one difference."""

    parts: Floats
    """What each case (or group of cases) adds to the difference; their squares add up to 1/n."""
    statistic: float
    r"""The observed :math:`T/\sqrt{n-1+T^2}`: between 0 and 1, and the same order as T."""


def swap_tests(
    metrics: Sequence[Metric], left: Any, right: Any, threads: int | None = None
) -> list[SwapTest | None]:
    """What each case adds to the difference of each metric, its statistic not yet studentised."""
    if not hasattr(left, "beside") or left.n_cases < 2:
        return [None] * len(metrics)
    plan = LeaveOut.of(left.n_cases, sides=2)
    moves = replicate(statistic_of(metrics, left.beside(right)), plan, threads=threads)
    of_left, of_right = moves[:, : plan.size // 2], moves[:, plan.size // 2 :]
    return [_test(of_left[row] - of_right[row]) for row in range(len(metrics))]


def _test(parts: Floats) -> SwapTest | None:
    if np.isnan(parts).any():
        return None
    length = math.sqrt(len(parts) * float(parts @ parts))
    if length > 0.0:
        parts = parts / length
    return SwapTest(parts, float(parts.sum()))


def error_of(jackknife: Jackknife) -> float:
    """The standard error that a test goes by.

    Swaps know of cases alone. Where the items are a sample too, few of them make a t reach further,
    and the error is made longer by as much.
    """
    if jackknife.items is None:
        return jackknife.standard_error
    far, near = (t_quantile(CONFIDENCE_LEVEL, d) for d in (jackknife.degrees, jackknife.n - 1.0))
    return jackknife.standard_error * far / near


def studentise(test: SwapTest, difference: float, jackknife: Jackknife | None) -> SwapTest:
    """The test of a difference with this jackknife; without one, of exchangeability alone."""
    statistic = test.statistic if difference > 0.0 else -test.statistic
    if difference == 0.0:
        statistic = 0.0
    elif jackknife is not None:
        t = abs(difference) / max(error_of(jackknife), 1e-300)
        statistic = min(statistic, 1.0 / math.sqrt(1.0 + (len(test.parts) - 1) / t / t))
    return SwapTest(test.parts, max(0.0, statistic))


@dataclass(frozen=True, slots=True)
class Tested:
    """The outcome of a test: how often swaps go as far, and how far is far."""

    p_value: float
    critical: float
    """The T from which on the difference is claimed at the level of the options."""


def outcomes(
    tests: Mapping[K, SwapTest], options: Options, *, together: bool = False, share: float = 1.0
) -> dict[K, Tested]:
    """The outcome of each test as if it were the only one, or of all ``together``.

    ``share`` of the chance of a false claim is what they may use up; p-values are divided by it.

    Together they are step-down max-T: the chance of any false claim among them keeps the level.
    Romano and Wolf (2005), JASA 100. A copy of a difference costs the others nothing, since it goes
    as far as the original in every swap.
    """
    if not tests:
        return {}
    ordered = dict(sorted(tests.items(), key=lambda item: -item[1].statistic))
    parts = np.stack([test.parts for test in ordered.values()])
    plan, whole = Swaps(len(parts[0]), options.swaps, options.seed), parts.sum(axis=1)[:, None]

    def statistic(block: CaseWeights) -> Floats:
        moves: Floats = np.abs(whole - 2.0 * block.weigh(parts))
        return moves

    far = replicate(statistic, plan, threads=options.threads)
    if together:
        far = np.maximum.accumulate(far[::-1])[::-1]  # of those that are not claimed before
    results: dict[K, Tested] = {}
    largest = 0.0
    for (key, test), row in zip(ordered.items(), far, strict=True):
        itself = 0 if plan.is_exact else 1  # among random swaps the study is one more
        alpha = share * (1.0 - options.confidence_level)
        outcome = _outcome(test, row, itself, alpha)
        p_value = max(largest, min(1.0, outcome.p_value / share))
        results[key] = Tested(p_value, outcome.critical)
        largest = results[key].p_value if together else 0.0
    return results


def _outcome(test: SwapTest, far: Floats, itself: int, alpha: float) -> Tested:
    """The share of swaps that go as far, and the T that no more than a share of alpha reach."""
    extreme = int((far >= test.statistic - ROUNDING).sum())
    p_value = (extreme + itself) / (len(far) + itself)
    few = math.floor(alpha * (len(far) + itself) + 1e-9) - itself
    limit = float(np.partition(far, -few - 1)[-few - 1]) if few >= 0 else 1.0
    scale = (len(test.parts) - 1) / max(1.0 - limit**2, ROUNDING)
    return Tested(p_value, limit * math.sqrt(scale))
