"""What a metric was under each resample, and the intervals that are read off it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from acumen.defaults import CONFIDENCE_LEVEL, FEWEST_CASES
from acumen.inference.distributions import normal_cdf, normal_quantile
from acumen.inference.jackknife import ROUNDING, Jackknife
from acumen.types import Floats
from acumen.values.measured import Absence, Flag, Interval, NoInterval

MOST_DROPPED: Final = 0.05
"""Beyond this share of resamples without a value there is no interval."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """One value a resample, NaN where it is undefined."""

    values: Floats
    probability: Floats | None = None
    """How likely each resample is, where all of them were enumerated."""
    is_stand_in: bool = False
    """Whether the values are another metric's, and tell no more than which are undefined."""

    def __len__(self) -> int:
        return len(self.values)

    def minus(self, other: Replicates) -> Replicates:
        """The replicates of a difference, under the same resamples."""
        return Replicates(self.values - other.values, self.probability)

    @cached_property
    def dropped(self) -> float:
        """The share of resamples without a value; all of it where there are no resamples."""
        missing = np.isnan(self.values)
        if self.probability is None:
            return int(missing.sum()) / len(self.values) if len(self.values) else 1.0
        return float(self.probability[missing].sum() / self.probability.sum())

    @property
    def drop_rate(self) -> float | None:
        """The same, null where there are no resamples."""
        return self.dropped if len(self) else None

    def defined(self) -> tuple[Floats, Floats | None]:
        """The values there are, and their probabilities."""
        if self.probability is None and not self.dropped:
            return self.values, None
        missing = np.isnan(self.values)
        if self.probability is None:
            return self.values[~missing], None
        rest = self.probability[~missing]
        return self.values[~missing], rest / rest.sum() if len(rest) else rest


def between(
    low: float, high: float, method: str, level: float, error: float | None, **facts: Any
) -> Interval:
    """The interval from ``low`` to ``high``, with its standard error."""
    return Interval(
        low=low, high=high, method=method, confidence_level=level, standard_error=error, **facts
    )


def too_few_cases(cases: int) -> NoInterval:
    """No interval of so few cases."""
    return NoInterval(why=Absence.TOO_FEW_CASES, count=FEWEST_CASES, of=cases)


def percentile(replicates: Replicates, level: float = CONFIDENCE_LEVEL) -> Interval | NoInterval:
    """Quantiles of the replicates."""
    if not len(replicates):
        return NoInterval(why=Absence.NO_RESAMPLES)
    dropped = replicates.dropped
    if dropped > MOST_DROPPED:
        return NoInterval(why=Absence.UNDEFINED_IN_RESAMPLES, share=dropped)
    if replicates.is_stand_in:
        return NoInterval(why=Absence.NO_RESAMPLES)
    needed = math.ceil(2 / (1 - level) - 1e-9)  # one beyond each end
    if replicates.probability is None and len(replicates) < needed:
        return NoInterval(why=Absence.TOO_FEW_RESAMPLES, count=needed, of=len(replicates))
    values, weight = replicates.defined()
    low, high = quantiles(values, ((1 - level) / 2, (1 + level) / 2), weight)
    return between(low, high, "percentile", level, spread(values, weight))


def bca(
    replicates: Replicates, estimate: float, jackknife: Jackknife, level: float = CONFIDENCE_LEVEL
) -> Interval | NoInterval:
    """Bias-corrected and accelerated: the percentile interval with its ends moved.

    Efron (1987), JASA 82. Falls back to the percentile interval where the corrections do not exist.
    """
    plain = percentile(replicates, level)
    if isinstance(plain, NoInterval):
        return plain
    fallback = plain.with_flag(Flag.FALLBACK)
    values, weight = replicates.defined()
    ties = np.abs(values - estimate) <= ROUNDING * max(1.0, abs(estimate))
    less = (values < estimate) & ~ties
    below = float(np.average(less + ties / 2, weights=weight))
    cubes, squares = float((jackknife.deviations**3).sum()), jackknife.deviations**2
    if less.all() or not (less | ties).any() or squares.sum() == 0.0:
        return fallback
    bias = normal_quantile(below)
    acceleration = -cubes / (6 * float(squares.sum()) ** 1.5)
    ends = []
    for p in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal_quantile(p)
        if acceleration * z >= 1.0:
            return fallback
        ends.append(normal_cdf(bias + z / (1 - acceleration * z)))
    low, high = quantiles(values, (ends[0], ends[1]), weight)
    return plain.model_copy(update={"low": low, "high": high, "method": "BCa"})


def quantiles(
    values: Floats, at: tuple[float, float], weight: Floats | None = None
) -> tuple[float, float]:
    """Two quantiles; of enumerated values, the smallest with at least that probability below."""
    if weight is None:
        # as np.quantile does, in a quarter of its time
        places = [(len(values) - 1) * p for p in at]
        ends = [(int(place), min(int(place) + 1, len(values) - 1)) for place in places]
        ordered = np.partition(values, [*ends[0], *ends[1]])
        low, high = (
            _between(float(ordered[below]), float(ordered[above]), place - below)
            for (below, above), place in zip(ends, places, strict=True)
        )
        return low, high
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weight[order])
    place = np.searchsorted(cumulative, np.asarray(at) - 1e-12)
    low, high = values[order][np.minimum(place, len(values) - 1)]
    return float(low), float(high)


def _between(a: float, b: float, share: float) -> float:
    return a + (b - a) * share if share < 0.5 else b - (b - a) * (1 - share)


def spread(values: Floats, weight: Floats | None = None) -> float:
    """Standard deviation of the replicates: the bootstrap's standard error."""
    if weight is None:
        return math.sqrt(float(((values - values.mean()) ** 2).mean()))
    mean = np.average(values, weights=weight)
    return math.sqrt(float(np.average((values - mean) ** 2, weights=weight)))
