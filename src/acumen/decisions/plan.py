r"""How many cases? From a pilot or a guess of how much cases differ.

A case's share of a metric is its jackknife pseudo-value, and these vary with ``sd``; n cases show
an effect with the power of the noncentral t on n − 1 degrees of freedom, :math:`\delta\sqrt n/sd`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from acumen import defaults
from acumen.errors import DataError
from acumen.inference.distributions import normal_cdf, normal_quantile, root, t_above
from acumen.inference.infer import leave_out
from acumen.inference.influence import row_influence
from acumen.metrics.registry import Metric
from acumen.results.decisions import Design
from acumen.types import Floats

MOST_CASES: Final = 1_000_000
MOST_DRAWS: Final = 20_000_000
SIMULATIONS: Final = 2000
POINTS: Final = 600
"""Of the sum over variances: it has fourteen digits of a power, from two cases on."""


def power_at(n: int, effect: float, sd: float, *, one_sided: bool) -> float:
    """The chance that n cases show an effect.

    >>> round(power_at(199, 0.05, 0.25, one_sided=False), 4)
    0.8017
    """
    miss = (1 - defaults.CONFIDENCE_LEVEL) / (1 if one_sided else 2)
    critical, shift = t_above(miss, n - 1), effect * math.sqrt(n) / sd
    reach = _exceeds(critical, n - 1, shift)
    return reach if one_sided else reach + _exceeds(critical, n - 1, -shift)


def _exceeds(critical: float, degrees: int, shift: float) -> float:
    """The chance of a noncentral t above ``critical``: a normal one, over all variances."""
    spread = math.sqrt(2 / degrees)
    v = np.linspace(-80 / degrees - 9 * spread, math.log1p(80 / degrees) + 9 * spread, POINTS)
    weight = np.exp(degrees / 2 * (v - np.expm1(v)))  # of the logarithm of a variance over its mean
    tails = [normal_cdf(shift - critical * s) for s in np.exp(v / 2).tolist()]
    return float(np.average(tails, weights=weight))


def cases_for(effect: float, sd: float, power: float, *, one_sided: bool = False) -> int:
    """The fewest cases with that power.

    >>> cases_for(0.05, 0.25, 0.8), cases_for(0.03, 0.1, 0.8, one_sided=True)
    (199, 71)
    """
    low, high = 1, 2
    while power_at(high, effect, sd, one_sided=one_sided) < power:
        low, high = high, 2 * high
        if high > MOST_CASES:
            raise DataError([f"more than {MOST_CASES:,} cases are needed for {effect:g}"])
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_at(middle, effect, sd, one_sided=one_sided) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def normal_cases(effect: float, variance: float, power: float = defaults.POWER) -> float:
    """The same by Miller (2024), two-sided, with normal quantiles.

    >>> round(normal_cases(0.03, 1 / 9), 4), round(normal_cases(0.03, 1 / 9 + 2 / 6), 2)
    (968.9975, 3875.99)
    """
    quantiles = normal_quantile((1 + defaults.CONFIDENCE_LEVEL) / 2) + normal_quantile(power)
    return float(quantiles**2 * variance / effect**2)


def pseudo_values(metric: Metric, views: Sequence[Any]) -> Floats:
    """What each case adds to a metric, or to the difference of two, around 0."""
    if reason := next((view for view in views if isinstance(view, str)), None):
        raise DataError([reason])
    sides = [dict(leave_out([metric], view))[metric.name] for view in views]
    if any(side.undefined for side in sides) or sides[0].n < defaults.FEWEST_CASES:
        raise DataError([f"{metric.name} is undefined without some of the pilot's cases"])
    jackknife = sides[0] if len(sides) == 1 else sides[1].minus(sides[0])
    return -(jackknife.n - 1) * jackknife.deviations


def components(metric: Metric, views: Sequence[Any], variance: float) -> tuple[float, ...] | None:
    """Variance between cases and within them, and the judgments of a case; None where unknown."""
    by_row = [row_influence([metric], view).get(metric.name) for view in views]
    case, n = views[0].case, views[0].n_cases
    if by_row[0] is None or by_row[-1] is None or len(case) == n:
        return None
    sizes, items = np.bincount(case, minlength=n), len(case) / n
    x = n * sizes[case] * (by_row[0] if len(by_row) == 1 else by_row[-1] - by_row[0])
    means = np.bincount(case, x, n) / sizes
    within = float(((x - means[case]) ** 2).sum()) / (len(case) - n)
    within = min(within, variance * items)  # no more than there is
    return variance - within / items, within, items


def by_items(
    parts: tuple[float, ...] | None, draws: float, enough: partial[int], effect: float
) -> Iterator[Design]:
    """Fewer cases with more items, or with repeats: as many as have the power."""
    between, within, items = parts or (0.0, 0.0, 0.0)
    noise, power = min(draws**2, within), enough.keywords["power"]
    for m in (items / 2, items, 2 * items):
        for repeats in (1, 3) if draws else (1,):
            if m >= 1 and (v := between + (within - noise + noise / repeats) / m) > 0.0:
                n = enough(effect, math.sqrt(v))
                yield Design(cases=n, items=m, repeats=repeats, power=power)


def by_labels(n: int, agreement: float | None, power: float) -> Iterator[Design]:
    """Labels that do where a judge judges more cases, power-tuned (Angelopoulos et al. 2023)."""
    for more in () if agreement is None else (n, 2 * n, 5 * n, 10 * n):
        assert agreement is not None
        saved = (1 - agreement**2 * more / (k + more) for k in range(1, n + 1))
        k = next(k for k, share in enumerate(saved, start=1) if k >= n * share)
        yield Design(cases=k, judged=more, power=power)


def smallest(reach: Callable[[int, float, float], float], n: int, sd: float, power: float) -> float:
    """The effect that n cases show with that power."""
    return root(lambda effect: reach(n, effect, sd) - power, 1e-9 * sd, 30 * sd / math.sqrt(n))


def simulate(values: Floats, n: int, rng: np.random.Generator, *, one_sided: bool) -> float:
    """The share of studies of n of these cases whose t-test rejects."""
    studies = min(SIMULATIONS, max(100, MOST_DRAWS // n))
    drawn = rng.choice(values, (studies, n))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    miss = (1 - defaults.CONFIDENCE_LEVEL) / (1 if one_sided else 2)
    return float(((t if one_sided else np.abs(t)) > t_above(miss, n - 1)).mean())
