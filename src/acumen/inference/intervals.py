r"""Intervals: what a study of these cases allows one to say about the population.

The default is a jackknife-t on the scale that suits the metric, because the percentile bootstrap
covers 86–90% instead of 95% with 20 cases. For risks, with :math:`\hat\theta` the estimate,
:math:`d_c` the leave-one-out values minus their mean and :math:`s^2 = \frac{n-1}{n}\sum d_c^2`:

.. math:: \hat\theta \exp\big(\pm t_{df}\, s/\hat\theta\big), \quad
          df = \min\big(n-1, \max(2, 2n/(\kappa-1))\big), \quad
          \kappa = n \sum d_c^4 \big/ \big(\sum d_c^2\big)^2

Every interval names the method that made it, so a fallback is seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from acumen.defaults import LEVEL as LEVEL
from acumen.defaults import RELIABLE_CASES as RELIABLE_CASES
from acumen.metrics.registry import Kind
from acumen.types import Floats

FEWEST_CASES: Final = 2
MOST_DROPPED: Final = 0.05
TOO_FEW: Final = f"an interval needs at least {FEWEST_CASES} cases"
ROUNDING: Final = 1e-12
ZERO_ERRORS: Final = "zero-error bound"
WILSON: Final = "Wilson"
RAISED: Final = "noise raises the estimate, most where rows are few; the low end allows for it"
NO_RESAMPLES: Final = "no resamples were asked for"


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, the method that made them, and what to know before using them."""

    low: float
    high: float
    method: str
    level: float = LEVEL
    standard_error: float | None = None
    note: str | None = None

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The same interval cut to the values the metric may take."""
        low, high = bounds
        return replace(self, low=min(max(self.low, low), high), high=max(min(self.high, high), low))


@dataclass(frozen=True, slots=True)
class NoInterval:
    """Why there is none."""

    reason: str


@dataclass(frozen=True, slots=True)
class Errors:
    """What sparse errors need to know about the study; losses in rungs of cost ``unit``."""

    erring_cases: int
    """Cases with any loss."""
    answered: float
    """Answered rows."""
    cmax: float
    worst_case: float
    """The largest summed loss of a case."""
    unit: float = 1.0
    most_loss: float = math.inf
    """The largest loss of a row, in rungs."""

    def bounds(self, one_error: Callable[[float], float]) -> tuple[float, float]:
        """Smallest and largest value of a risk: every row answered, and as wrong as can be."""
        return 0.0, one_error(1.0) * self.most_loss * self.unit


@dataclass(frozen=True, slots=True)
class Jackknife:
    """Leave-one-out values, ready for use: how far each lies from their mean."""

    deviations: Floats
    undefined: tuple[int, ...] = ()
    """Which values (by place) do not exist, and so are not among the deviations."""
    n_cases: int | None = None
    """How many cases there are, where groups of cases were left out."""
    mean: float | None = None
    """The mean of the values themselves, where they were computed."""

    @classmethod
    def of(cls, left_out: Floats, n_cases: int | None = None) -> Jackknife:
        """From the values without each case (or group); undefined ones are left aside."""
        missing = np.isnan(left_out)
        values = left_out[~missing]
        mean = values.mean() if len(values) else np.nan
        deviations = _without_rounding(values - mean, np.abs(values).max(initial=0.0))
        undefined = tuple(np.flatnonzero(missing).tolist())
        return cls(deviations, undefined, n_cases, float(mean) if len(values) else None)

    @classmethod
    def of_influence(cls, derivatives: Floats) -> Jackknife:
        r"""From :math:`U_c = \partial T/\partial w_c`; leaving out c moves a mean by −U_c·n/(n−1).

        So :math:`s^2 = \frac{n}{n-1} \sum U_c^2`.
        """
        n = len(derivatives)
        return cls(-derivatives * (n / (n - 1)))

    def minus(self, other: Jackknife) -> Jackknife:
        """The leave-one-out values of a difference; both must lack the same cases."""
        size = np.abs([self.deviations, other.deviations]).max(initial=0.0)
        deviations = _without_rounding(self.deviations - other.deviations, size)
        return Jackknife(deviations, self.undefined, self.n_cases)

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.deviations)

    @property
    def cases(self) -> int:
        """How many cases the study has."""
        return self.n + len(self.undefined) if self.n_cases is None else self.n_cases

    @property
    def standard_error(self) -> float:
        """Jackknife standard error."""
        return math.sqrt((self.n - 1) / self.n * float(self.deviations @ self.deviations))

    def bias(self, estimate: float) -> float:
        """How much too high the estimate is, by the jackknife; 0 where that is not known."""
        return 0.0 if self.mean is None else (self.n - 1) * (self.mean - estimate)

    @property
    def degrees(self) -> float:
        """Degrees of freedom: fewer when a few cases carry most of the variance."""
        largest = float(np.abs(self.deviations).max(initial=0.0))
        if largest == 0.0:
            return self.n - 1.0
        squares = (self.deviations / largest) ** 2  # so that no power of them vanishes
        total = float(squares.sum())
        kurtosis = self.n * float((squares**2).sum()) / total**2
        if kurtosis <= 1.0:
            return self.n - 1.0
        return min(self.n - 1.0, max(2.0, 2.0 * self.n / (kurtosis - 1.0)))


def _without_rounding(deviations: Floats, size: float) -> Floats:
    """Zeros where all that varies is the last digits: equal values must have no spread at all."""
    return np.where(np.abs(deviations).max(initial=0.0) <= ROUNDING * size, 0.0, deviations)


def t_quantile(level: float, degrees: float) -> float:
    """Two-sided Student quantile.

    >>> round(t_quantile(0.95, 40), 4)
    2.0211
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))


def default_interval(
    kind: Kind,
    estimate: float,
    jackknife: Jackknife,
    *,
    errors: Errors | None = None,
    one_error: Callable[[float], float] | None = None,
    level: float = LEVEL,
) -> Interval | NoInterval:
    """The default interval of a metric, by the kind of values it takes.

    ``errors`` and ``one_error`` serve risks when errors are sparse: fewer than 3 erring cases.
    """
    if jackknife.cases < FEWEST_CASES:
        return NoInterval(TOO_FEW)
    lacking, left_out = len(jackknife.undefined), jackknife.n + len(jackknife.undefined)
    if lacking > MOST_DROPPED * left_out:
        what = "case" if left_out == jackknife.cases else "group of cases"
        return NoInterval(f"undefined when leaving out any of {lacking} {what}s (of {left_out})")
    match kind:
        case Kind.RISK:
            found = _risk(estimate, jackknife, errors, one_error, level)
        case Kind.PROPORTION:
            found = _proportion(estimate, jackknife, level)
        case Kind.DISTANCE:
            found = _distance(estimate, jackknife, level)
        case Kind.CORRELATION:
            found = _correlation(estimate, jackknife, level)
        case Kind.EXCESS if estimate >= 0.0:
            found = _risk(estimate, jackknife, errors, one_error, level)
        case Kind.REAL | Kind.EXCESS:
            found = plain(estimate, jackknife, level)
    return found.within(kind.bounds) if isinstance(found, Interval) else found


def plain(estimate: float, jackknife: Jackknife, level: float = LEVEL) -> Interval:
    """θ ± t·s, with the kurtosis' degrees of freedom."""
    s = jackknife.standard_error
    reach = t_quantile(level, jackknife.degrees) * s
    return Interval(estimate - reach, estimate + reach, "jackknife-t", level, s)


def _risk(
    estimate: float,
    jackknife: Jackknife,
    errors: Errors | None,
    one_error: Callable[[float], float] | None,
    level: float,
) -> Interval | NoInterval:
    s = jackknife.standard_error
    if errors is not None and one_error is not None and errors.erring_cases < 3:
        per_error = one_error(errors.cmax) / errors.answered * errors.unit
        if errors.erring_cases == 0:
            return _zero_errors(jackknife.cases, per_error, level)
        return _few_errors(estimate, s, jackknife.n, errors, per_error, level)
    if estimate > 0.0 and s > 0.0:
        reach = t_quantile(level, jackknife.degrees) * s / estimate
        low = estimate * math.exp(-reach)
        high = estimate * math.exp(reach) if reach < 700 else math.inf
        return Interval(low, high, "log-jackknife-t", level, s)
    if s > 0.0:
        return plain(estimate, jackknife, level)
    return NoInterval("leaving out any one case changes nothing")


def _few_errors(
    estimate: float, s: float, n: int, errors: Errors, per_error: float, level: float
) -> Interval:
    """One or two erring cases: gamma quantiles, the upper one as if one more error had come."""
    from scipy.special import gammaincinv, ndtri

    upper = (1 + level) / 2
    variance = (s * t_quantile(level, n - 1) / float(ndtri(upper))) ** 2
    extra = max(1.0, errors.worst_case) * per_error

    def quantile(mean: float, variance: float, p: float) -> float:
        if mean <= 0.0 or variance <= 0.0:  # an excess may be 0 although there are errors
            return max(mean, 0.0)
        return float(gammaincinv(mean * mean / variance, p)) * variance / mean

    low = quantile(estimate, variance, 1 - upper)
    high = quantile(estimate + extra, variance + extra * extra, upper)
    return Interval(low, high, "gamma", level, s, f"{errors.erring_cases} erring case(s)")


def _zero_errors(n: int, per_error: float, level: float) -> Interval:
    """No error at all: how many could have stayed hidden."""
    high = n * (1 - ((1 - level) / 2) ** (1 / n)) * per_error
    note = "assumes that an erring case loses at most one level in total, on average"
    return Interval(0.0, high, ZERO_ERRORS, level, 0.0, note)


def _proportion(p: float, jackknife: Jackknife, level: float) -> Interval:
    s = jackknife.standard_error
    t = t_quantile(level, jackknife.n - 1)
    if 0.0 < p < 1.0 and s > 0.0:
        center, reach = math.log(p / (1 - p)), t * s / (p * (1 - p))
        return Interval(
            _expit(center - reach), _expit(center + reach), "logit-jackknife-t", level, s
        )
    n = jackknife.cases
    t = t_quantile(level, n - 1)
    middle = (p + t * t / (2 * n)) / (1 + t * t / n)
    reach = t / (1 + t * t / n) * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
    low = middle - reach if p > 0.0 else 0.0  # exactly, where rounding would miss it
    high = middle + reach if p < 1.0 else 1.0
    return Interval(low, high, WILSON, level, s)


def _distance(d: float, jackknife: Jackknife, level: float) -> Interval:
    """As a proportion, but the low end makes good for the noise that a distance adds up.

    Near 0 that bias falls with the root of the number of cases, and of such a bias the jackknife
    sees half: so it is taken off twice.
    """
    found = _proportion(d, jackknife, level)
    if found.method == WILSON:
        return found
    s = jackknife.standard_error
    bias = max(0.0, jackknife.bias(d))
    low = max(0.0, d - 2.0 * bias - t_quantile(level, jackknife.n - 1) * s)
    return replace(found, low=min(low, found.low), method="jackknife-t less bias", note=RAISED)


def _correlation(r: float, jackknife: Jackknife, level: float) -> Interval | NoInterval:
    s = jackknife.standard_error
    if not (abs(r) < 1.0 and s > 0.0):
        return NoInterval("leaving out any one case changes nothing")
    center, reach = math.atanh(r), t_quantile(level, jackknife.n - 1) * s / (1 - r * r)
    low, high = math.tanh(center - reach), math.tanh(center + reach)
    return Interval(low, high, "atanh-jackknife-t", level, s)


def percentile(
    replicates: Floats, level: float = LEVEL, probability: Floats | None = None
) -> Interval | NoInterval:
    """Quantiles of the replicates (``probability`` weighs them when they were enumerated)."""
    kept, weight, dropped = defined(replicates, probability)
    if dropped > MOST_DROPPED:
        return NoInterval(
            f"undefined in {dropped:.0%} of the resamples, more than {MOST_DROPPED:.0%}"
        )
    needed = math.ceil(2 / (1 - level) - 1e-9)  # one beyond each end
    if probability is None and len(replicates) < needed:
        return NoInterval(f"{level:.0%} need at least {needed} resamples, not {len(replicates)}")
    low, high = quantiles(kept, ((1 - level) / 2, (1 + level) / 2), weight)
    return Interval(low, high, "percentile", level, spread(kept, weight))


def bca(
    replicates: Floats,
    estimate: float,
    jackknife: Jackknife,
    level: float = LEVEL,
    probability: Floats | None = None,
) -> Interval | NoInterval:
    """Bias-corrected and accelerated: the percentile interval with its ends moved.

    Efron (1987), JASA 82. Falls back to the percentile interval where the corrections do not exist.
    """
    from scipy.special import ndtr, ndtri

    fallback = percentile(replicates, level, probability)
    if isinstance(fallback, NoInterval):
        return fallback
    kept, weight, _ = defined(replicates, probability)
    ties = np.abs(kept - estimate) <= ROUNDING * max(1.0, abs(estimate))
    less = (kept < estimate) & ~ties
    below = float(np.average(less + ties / 2, weights=weight))
    cubes, squares = float((jackknife.deviations**3).sum()), jackknife.deviations**2
    if less.all() or not (less | ties).any() or squares.sum() == 0.0:
        return replace(fallback, method="percentile (BCa does not exist)")
    bias = float(ndtri(below))
    acceleration = -cubes / (6 * float(squares.sum()) ** 1.5)
    ends = []
    for p in ((1 - level) / 2, (1 + level) / 2):
        z = bias + float(ndtri(p))
        if acceleration * z >= 1.0:
            return replace(fallback, method="percentile (BCa does not exist)")
        ends.append(float(ndtr(bias + z / (1 - acceleration * z))))
    low, high = quantiles(kept, (ends[0], ends[1]), weight)
    return Interval(low, high, "BCa", level, fallback.standard_error)


def defined(
    replicates: Floats, probability: Floats | None = None
) -> tuple[Floats, Floats | None, float]:
    """The replicates that have a value, their probabilities, and the share that has none."""
    missing = np.isnan(replicates)
    if probability is None:
        dropped = int(missing.sum()) / len(replicates) if len(replicates) else 1.0
        return replicates[~missing], None, dropped
    kept = probability[~missing]
    dropped = float(probability[missing].sum() / probability.sum())
    return replicates[~missing], kept / kept.sum() if len(kept) else kept, dropped


def quantiles(
    values: Floats, at: tuple[float, float], weight: Floats | None = None
) -> tuple[float, float]:
    """Two quantiles; of enumerated values, the smallest with at least that probability below."""
    if weight is None:
        low, high = np.quantile(values, at)
        return float(low), float(high)
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(weight[order])
    found = np.searchsorted(cumulative, np.asarray(at) - 1e-12)
    low, high = values[order][np.minimum(found, len(values) - 1)]
    return float(low), float(high)


def spread(values: Floats, weight: Floats | None = None) -> float:
    """Standard deviation of the replicates: the bootstrap's standard error."""
    mean = np.average(values, weights=weight)
    return math.sqrt(float(np.average((values - mean) ** 2, weights=weight)))


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
