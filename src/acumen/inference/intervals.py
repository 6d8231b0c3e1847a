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
from dataclasses import dataclass
from typing import Final

from acumen.defaults import CONFIDENCE_LEVEL, FEWEST_CASES
from acumen.inference.jackknife import Jackknife
from acumen.inference.replicates import MOST_DROPPED, between, too_few_cases
from acumen.metrics.registry import Kind
from acumen.results.measured import Absence, Flag, Interval, NoInterval

ZERO_ERRORS: Final = "zero-error bound"
WILSON: Final = "Wilson"
SPARSE_ERRORS: Final = 3
"""With fewer erring cases a risk takes another interval."""


@dataclass(frozen=True, slots=True)
class Errors:
    """What sparse errors need to know about the study; losses in units of cost ``unit``."""

    erring_cases: int
    """Cases with any loss."""
    answered: float
    """Answered rows."""
    cmax: float
    worst_case: float
    """The largest summed loss of a case."""
    unit: float = 1.0
    most_loss: float = math.inf
    """The largest loss of a row."""
    least_loss: float = 1.0
    """The smallest that is not 0: what an error that was not seen costs at least."""

    def bounds(self, one_error: Callable[[float], float]) -> tuple[float, float]:
        """Smallest and largest value of a risk: every row answered, and as wrong as can be."""
        return 0.0, one_error(1.0) * self.most_loss * self.unit


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
    level: float = CONFIDENCE_LEVEL,
) -> Interval | NoInterval:
    """The default interval of a metric, by the kind of values it takes.

    ``errors`` and ``one_error`` serve risks when errors are sparse: fewer than 3 erring cases.
    """
    if jackknife.cases < FEWEST_CASES:
        return too_few_cases(jackknife.cases)
    lacking, left_out = len(jackknife.undefined), jackknife.n + len(jackknife.undefined)
    if lacking > MOST_DROPPED * left_out:
        by_case = left_out == jackknife.cases
        why = Absence.UNDEFINED_WITHOUT_CASES if by_case else Absence.UNDEFINED_WITHOUT_GROUPS
        return NoInterval(why=why, count=lacking, of=left_out)
    interval: Interval | NoInterval
    match kind:
        case Kind.RISK:
            interval = _risk(estimate, jackknife, errors, one_error, level)
        case Kind.PROPORTION:
            interval = _proportion(estimate, jackknife, level)
        case Kind.DISTANCE:
            interval = _distance(estimate, jackknife, level)
        case Kind.CORRELATION:
            interval = _correlation(estimate, jackknife, level)
        case Kind.EXCESS if estimate >= 0.0:
            interval = _risk(estimate, jackknife, errors, one_error, level)
        case Kind.REAL | Kind.EXCESS:
            interval = plain(estimate, jackknife, level)
    return interval.within(kind.bounds) if isinstance(interval, Interval) else interval


def plain(estimate: float, jackknife: Jackknife, level: float = CONFIDENCE_LEVEL) -> Interval:
    """θ ± t·s, with the kurtosis' degrees of freedom."""
    s = jackknife.standard_error
    reach = t_quantile(level, jackknife.degrees) * s
    return between(estimate - reach, estimate + reach, "jackknife-t", level, s)


def _risk(
    estimate: float,
    jackknife: Jackknife,
    errors: Errors | None,
    one_error: Callable[[float], float] | None,
    level: float,
) -> Interval | NoInterval:
    s = jackknife.standard_error
    if errors is not None and one_error is not None and errors.erring_cases < SPARSE_ERRORS:
        per_error = one_error(errors.cmax) / errors.answered * errors.unit
        if errors.erring_cases == 0:
            return _zero_errors(jackknife.cases, errors.least_loss * per_error, level)
        return _few_errors(estimate, s, jackknife.n, errors, per_error, level)
    if estimate > 0.0 and s > 0.0:
        reach = t_quantile(level, jackknife.degrees) * s / estimate
        low = estimate * math.exp(-reach)
        high = estimate * math.exp(reach) if reach < 700 else math.inf
        return between(low, high, "log-jackknife-t", level, s)
    if s > 0.0:
        return plain(estimate, jackknife, level)
    return NoInterval(why=Absence.NO_VARIATION)


def _few_errors(
    estimate: float, s: float, n: int, errors: Errors, per_error: float, level: float
) -> Interval:
    """One or two erring cases: gamma quantiles, the upper one as if one more error had come."""
    from scipy.special import gammaincinv, ndtri

    upper = (1 + level) / 2
    variance = (s * t_quantile(level, n - 1) / float(ndtri(upper))) ** 2
    extra = max(errors.least_loss, errors.worst_case) * per_error

    def quantile(mean: float, variance: float, p: float) -> float:
        if mean <= 0.0 or variance <= 0.0:  # an excess may be 0 although there are errors
            return max(mean, 0.0)
        return float(gammaincinv(mean * mean / variance, p)) * variance / mean

    low = quantile(estimate, variance, 1 - upper)
    high = quantile(estimate + extra, variance + extra * extra, upper)
    flags, erring = (Flag.FEW_ERRORS,), errors.erring_cases
    return between(low, high, "gamma", level, s, flags=flags, erring_cases=erring)


def _zero_errors(n: int, per_error: float, level: float) -> Interval:
    """No error at all: how many could have stayed hidden."""
    high = n * (1 - ((1 - level) / 2) ** (1 / n)) * per_error
    return between(0.0, high, ZERO_ERRORS, level, 0.0, flags=(Flag.NO_ERRORS,))


def _proportion(p: float, jackknife: Jackknife, level: float) -> Interval:
    s = jackknife.standard_error
    t = t_quantile(level, jackknife.n - 1)
    if 0.0 < p < 1.0 and s > 0.0:
        center, reach = math.log(p / (1 - p)), t * s / (p * (1 - p))
        ends = _expit(center - reach), _expit(center + reach)
        return between(*ends, "logit-jackknife-t", level, s)
    n = jackknife.cases
    t = t_quantile(level, n - 1)
    middle = (p + t * t / (2 * n)) / (1 + t * t / n)
    reach = t / (1 + t * t / n) * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
    low = middle - reach if p > 0.0 else 0.0  # exactly, where rounding would miss it
    high = middle + reach if p < 1.0 else 1.0
    return between(low, high, WILSON, level, s)


def _distance(d: float, jackknife: Jackknife, level: float) -> Interval:
    """As a proportion, but the low end makes good for the noise that a distance adds up.

    Near 0 that bias falls with the root of the number of cases, and of such a bias the jackknife
    sees half: so it is taken off twice.
    """
    interval = _proportion(d, jackknife, level)
    if interval.method == WILSON:
        return interval
    s = jackknife.standard_error
    bias = max(0.0, jackknife.bias(d))
    low = max(0.0, d - 2.0 * bias - t_quantile(level, jackknife.n - 1) * s)
    low, flags = min(low, interval.low), (Flag.NOISE_RAISES,)
    return between(low, interval.high, "jackknife-t less bias", level, s, flags=flags)


def _correlation(r: float, jackknife: Jackknife, level: float) -> Interval | NoInterval:
    s = jackknife.standard_error
    if not (abs(r) < 1.0 and s > 0.0):
        return NoInterval(why=Absence.NO_VARIATION)
    center, reach = math.atanh(r), t_quantile(level, jackknife.n - 1) * s / (1 - r * r)
    low, high = math.tanh(center - reach), math.tanh(center + reach)
    return between(low, high, "atanh-jackknife-t", level, s)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
