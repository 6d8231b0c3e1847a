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
from typing import Any, Final

from acumen.defaults import CONFIDENCE_LEVEL, FEWEST_CASES
from acumen.inference.distributions import (
    beta_quantile,
    gamma_quantile,
    normal_quantile,
    t_quantile,
)
from acumen.inference.jackknife import Jackknife
from acumen.inference.replicates import MOST_DROPPED, between, too_few_cases
from acumen.metrics.registry import Kind
from acumen.values.measured import Absence, Flag, Interval, NoInterval
from acumen.views.weights import Errors

ZERO_ERRORS: Final = "zero-error bound"
WILSON: Final = "Wilson"
CLOPPER_PEARSON: Final = "Clopper-Pearson"
SPARSE_ERRORS: Final = 3
"""With fewer erring cases a risk takes another interval."""
FEW_ERRORS: Final = 2 * SPARSE_ERRORS
"""With fewer of them among the answers accepted at a cut, its upper end looks at that as well."""


@dataclass(frozen=True, slots=True)
class Form:
    """An interval of which only the level is open: cheap to ask for its ends at many."""

    method: str
    standard_error: float | None
    ends_at: Callable[[float], tuple[float, float]]
    """Both ends at a confidence level, before they are cut to what the metric may be."""
    bounds: tuple[tuple[float, float], ...] = ()
    flags: tuple[Flag, ...] = ()
    erring_cases: int | None = None

    def ends(self, level: float) -> tuple[float, float]:
        """Both ends at a confidence level."""
        low, high = self.ends_at(level)
        for least, most in self.bounds:
            if not least <= low <= high <= most:
                low, high = min(max(low, least), most), max(min(high, most), least)
        return low, high

    def at(self, level: float) -> Interval:
        """The interval of a confidence level."""
        facts: Any = {"flags": self.flags, "erring_cases": self.erring_cases}
        return between(*self.ends(level), self.method, level, self.standard_error, **facts)

    def within(self, bounds: tuple[float, float]) -> Form:
        """The same cut to the values the metric may take."""
        return replace(self, bounds=(*self.bounds, bounds))


def default_interval(
    kind: Kind,
    estimate: float,
    jackknife: Jackknife,
    *,
    errors: Errors | None = None,
    one_error: Callable[[float], float] | None = None,
    noise: tuple[float, float] | None = None,
    level: float = CONFIDENCE_LEVEL,
) -> Interval | NoInterval:
    """The default interval of a metric; see :func:`default_form`."""
    return at_level(default_form(kind, estimate, jackknife, errors, one_error, noise), level)


def at_level(form: Form | NoInterval, level: float) -> Interval | NoInterval:
    """The interval of a confidence level, where there is one at any."""
    return form if isinstance(form, NoInterval) else form.at(level)


def default_form(
    kind: Kind,
    estimate: float,
    jackknife: Jackknife,
    errors: Errors | None = None,
    one_error: Callable[[float], float] | None = None,
    noise: tuple[float, float] | None = None,
) -> Form | NoInterval:
    """The default interval of a metric at any level, by the kind of values it takes.

    ``errors`` and ``one_error`` serve risks, and shares of what is right, when errors are sparse:
    fewer than 3 erring cases. ``noise`` serves distances.
    """
    if jackknife.cases < FEWEST_CASES:
        return too_few_cases(jackknife.cases)
    items = jackknife.items
    if items is not None and items.n < FEWEST_CASES:
        return NoInterval(why=Absence.TOO_FEW_ITEMS, count=FEWEST_CASES, of=items.cases)
    lacking, left_out = len(jackknife.undefined), jackknife.n + len(jackknife.undefined)
    if lacking > MOST_DROPPED * left_out:
        by_case = left_out == jackknife.cases
        why = Absence.UNDEFINED_WITHOUT_CASES if by_case else Absence.UNDEFINED_WITHOUT_GROUPS
        return NoInterval(why=why, count=lacking, of=left_out)
    form: Form | NoInterval
    match kind:
        case Kind.RISK:
            form = _risk(estimate, jackknife, errors, one_error)
        case Kind.READING:
            form = _reading(estimate, jackknife, errors, one_error)
        case Kind.PROPORTION | Kind.CROSSING:
            form = _proportion(estimate, jackknife, errors)
        case Kind.CASES:
            form = exact(estimate, jackknife)
        case Kind.SCORE:
            form = _on_logits(estimate, jackknife)
        case Kind.GAIN:
            form = _gain(estimate, jackknife)
        case Kind.DISTANCE:
            form = _distance(estimate, jackknife, noise)
        case Kind.CORRELATION:
            form = _correlation(estimate, jackknife)
        case Kind.EXCESS if estimate >= 0.0:
            form = _risk(estimate, jackknife, errors, one_error)
        case Kind.REAL | Kind.EXCESS if jackknife.standard_error > 0.0:
            form = plain(estimate, jackknife)
        case Kind.REAL | Kind.EXCESS:
            form = NoInterval(why=Absence.NO_VARIATION)
    return form.within(kind.bounds) if isinstance(form, Form) else form


def exact(share: float, jackknife: Jackknife) -> Form:
    """The exact interval of a share of cases: each end by the binomial (Clopper, Pearson 1934)."""
    n, s = jackknife.cases, jackknife.standard_error
    k = share * n

    def ends(level: float) -> tuple[float, float]:
        tail = (1.0 - level) / 2.0
        low = beta_quantile(k, n - k + 1.0, tail) if k > 0.0 else 0.0
        high = beta_quantile(k + 1.0, n - k, 1.0 - tail) if k < n else 1.0
        return min(low, share), max(high, share)

    return Form(CLOPPER_PEARSON, s, ends)


def plain(estimate: float, jackknife: Jackknife, degrees: float | None = None) -> Form:
    """θ ± t·s, with the kurtosis' degrees of freedom if no others are given."""
    s, of_t = jackknife.standard_error, degrees or jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        reach = t_quantile(level, of_t) * s
        return estimate - reach, estimate + reach

    return Form("jackknife-t", s, ends)


def _risk(
    estimate: float,
    jackknife: Jackknife,
    errors: Errors | None,
    one_error: Callable[[float], float] | None,
) -> Form | NoInterval:
    s = jackknife.standard_error
    if errors is not None and one_error is not None and _is_sparse(estimate, errors, s):
        return _sparse(estimate, jackknife, errors, one_error(errors.cmax) * errors.unit)
    if not s > 0.0:
        return NoInterval(why=Absence.NO_VARIATION)
    if not estimate > 0.0:
        return plain(estimate, jackknife)
    error, degrees = s / estimate, jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        reach = t_quantile(level, degrees) * error
        return estimate * math.exp(-reach), estimate * math.exp(reach) if reach < 700 else math.inf

    return Form("log-jackknife-t", s, ends)


def _reading(
    estimate: float,
    jackknife: Jackknife,
    errors: Errors | None,
    one_error: Callable[[float], float] | None,
) -> Form | NoInterval:
    r"""A risk at a coverage or at a cut: :math:`(\sqrt{R} \pm t\,s / 2\sqrt{R})^2`.

    On the scale of roots a small risk does not vary less for being small, and no end is far off.
    """
    sparse, s = None, jackknife.standard_error
    if errors is not None and one_error is not None and errors.erring_cases < FEW_ERRORS:
        sparse = _sparse(estimate, jackknife, errors, one_error(errors.cmax) * errors.unit)
        if _is_sparse(estimate, errors, s):
            return sparse
    if not (estimate > 0.0 and s > 0.0):
        return NoInterval(why=Absence.NO_VARIATION)
    degrees = jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        low, high = on_roots(estimate, t_quantile(level, degrees) * s)
        return low, high if sparse is None else max(high, sparse.ends_at(level)[1])

    return Form("root-jackknife-t", s, ends)


def on_roots(risk: float, reach: float) -> tuple[float, float]:
    """The ends of a risk so far away, on the scale of its root.

    >>> on_roots(0.25, 0.1)
    (0.16, 0.36)
    """
    root, reach = math.sqrt(risk), reach / (2.0 * math.sqrt(risk))
    return round(max(root - reach, 0.0) ** 2, 16), round((root + reach) ** 2, 16)


def _is_sparse(risk: float, errors: Errors, s: float) -> bool:
    """Fewer than 3 erring cases, and not all cases losing alike: that says nothing of a spread."""
    return errors.erring_cases < SPARSE_ERRORS and (s > 0.0 or risk == 0.0)


def _sparse(estimate: float, jackknife: Jackknife, errors: Errors, one_level: float) -> Form:
    """A risk of fewer than 3 erring cases; ``one_level`` is its value if every row lost a level.

    One or two: gamma quantiles, the upper one as if one more error had come. None: so many cases
    could err and have stayed hidden, and what an erring case loses is then unknown: a level a row,
    or among accepted answers what the wrong ones of all cost.
    """
    s, erring, degrees = jackknife.standard_error, errors.erring_cases, jackknife.n - 1

    def none(level: float) -> tuple[float, float]:
        most = 1 - (1 - (1 + level) / 2) ** (1 / errors.cases)
        return 0.0, most * errors.least_loss * one_level

    if erring == 0:
        return Form(ZERO_ERRORS, s, none, flags=(Flag.NO_ERRORS,))
    extra = max(errors.least_loss, errors.worst_case) / errors.answered * one_level

    def quantile(mean: float, variance: float, p: float) -> float:
        if mean <= 0.0 or variance <= 0.0:  # an excess may be 0 although there are errors
            return max(mean, 0.0)
        return gamma_quantile(mean * mean / variance, p) * variance / mean

    def ends(level: float) -> tuple[float, float]:
        upper = (1 + level) / 2
        variance = (s * t_quantile(level, degrees) / normal_quantile(upper)) ** 2
        low = quantile(estimate, variance, 1 - upper)
        return low, quantile(estimate + extra, variance + extra * extra, upper)

    return Form("gamma", s, ends, flags=(Flag.FEW_ERRORS,), erring_cases=erring)


def _on_logits(p: float, jackknife: Jackknife) -> Form | NoInterval:
    s = jackknife.standard_error
    if not (0.0 < p < 1.0 and s > 0.0):
        return NoInterval(why=Absence.NO_VARIATION)
    center, error, degrees = math.log(p / (1 - p)), s / (p * (1 - p)), jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        reach = t_quantile(level, degrees) * error
        return _expit(center - reach), _expit(center + reach)

    return Form("logit-jackknife-t", s, ends)


def _proportion(p: float, jackknife: Jackknife, errors: Errors | None) -> Form:
    """A share of rows. Its few failures are a risk, so that both say the same of them."""
    n, s = jackknife.cases, jackknife.standard_error
    if errors is not None and _is_sparse(1.0 - p, errors, s):
        failing = _sparse(1.0 - p, jackknife, errors, 1.0)

        def mirrored(level: float) -> tuple[float, float]:
            low, high = failing.ends_at(level)
            return 1.0 - high, 1.0 - low

        return replace(failing, ends_at=mirrored)
    varying = _on_logits(p, jackknife)
    if isinstance(varying, Form):
        return varying

    def ends(level: float) -> tuple[float, float]:
        t = t_quantile(level, n - 1)
        middle = (p + t * t / (2 * n)) / (1 + t * t / n)
        reach = t / (1 + t * t / n) * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
        low = middle - reach if p > 0.0 else 0.0  # exactly, where rounding would miss it
        return low, middle + reach if p < 1.0 else 1.0

    return Form(WILSON, s, ends)


def _distance(
    d: float, jackknife: Jackknife, noise: tuple[float, float] | None
) -> Form | NoInterval:
    """A sum of absolute values without the noise that each of them holds; see ``Metric.noise``."""
    s = jackknife.standard_error
    if s == 0.0:
        return NoInterval(why=Absence.NO_VARIATION)
    degrees = jackknife.degrees
    least, added = (d, 0.0) if noise is None else noise

    def ends(level: float) -> tuple[float, float]:
        reach = t_quantile(level, degrees) * s
        return max(0.0, least - reach), max(least, d - added) + reach

    return Form("jackknife-t less noise", s, ends, flags=(Flag.NOISE_RAISES,))


def _gain(gain: float, jackknife: Jackknife) -> Form | NoInterval:
    """On the log of what is missing from 1: a gain has no other bound."""
    s, missing = jackknife.standard_error, 1.0 - gain
    if not (missing > 0.0 and s > 0.0):
        return NoInterval(why=Absence.NO_VARIATION)
    error, degrees = s / missing, jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        reach = min(700.0, t_quantile(level, degrees) * error)
        return 1.0 - missing * math.exp(reach), 1.0 - missing * math.exp(-reach)

    return Form("log-jackknife-t of 1 − θ", s, ends)


def _correlation(r: float, jackknife: Jackknife) -> Form | NoInterval:
    s = jackknife.standard_error
    if not (abs(r) < 1.0 and s > 0.0):
        return NoInterval(why=Absence.NO_VARIATION)
    center, error, degrees = math.atanh(r), s / (1 - r * r), jackknife.degrees

    def ends(level: float) -> tuple[float, float]:
        reach = t_quantile(level, degrees) * error
        return math.tanh(center - reach), math.tanh(center + reach)

    return Form("atanh-jackknife-t", s, ends)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
