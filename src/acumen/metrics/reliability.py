r"""Calibration: does a confidence of 0.8 come true 8 times in 10?

The confidence is read as a probability :math:`p_i` of the target :math:`y_i` (right or not; or, for
the target ``loss``, a share between 0 and 1). Sums run over the answered rows with weights
:math:`w_i`, :math:`W = \sum_i w_i`.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Final

import numpy as np

from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.types import Floats
from acumen.views.forecast import BINS, FREQUENCIES, MANY_CASES, Forecast, forecast  # noqa: F401 - forecast is for doctests
from acumen.views.groups import deal
from acumen.views.weights import CaseWeights

NARROWEST: Final = 0.02
"""The least bandwidth of the smoothed error; the cosines left out are below 1e-8 there."""
GRID: Final = 200
MOST_STEPS, PRECISE = 60, 1e-14
AT_ONCE: Final = 1_000_000
"""Cells whose squares are held at once."""


def noise_of(residual: Floats, weight: Floats) -> tuple[float, float]:
    r"""What is left of :math:`\sum_b |r_b|` without noise, and what noise added to it.

    ``residual``: summed target − probability by (bin, case); ``weight`` by case. With
    :math:`r_b` the residual of a bin and :math:`\sigma_b` its standard error over cases:

    .. math:: \sum_b \sqrt{\max(0, r_b^2 - \sigma_b^2)}, \qquad
              \sum_b \big( E|N(r_b, \sigma_b)| - |r_b| \big)

    After Kumar, Liang and Ma (2019), NeurIPS, arXiv:1909.10155.
    """
    n, total = len(weight), float(weight.sum())
    r = residual.sum(axis=1) / total
    step = max(1, AT_ONCE // max(1, n))
    bins = (slice(start, start + step) for start in range(0, len(r), step))
    off = ((residual[some] - r[some, None] * weight) / total for some in bins)
    squares = np.concatenate([(part * part).sum(axis=1) for part in off])
    sigma = np.sqrt(n / max(1, n - 1) * squares)
    z = np.abs(ratio(r, sigma))
    beyond = np.array([math.erfc(value) / 2 for value in z / math.sqrt(2)])
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    added = np.nansum(2 * sigma * (density - z * beyond))
    return float(np.sqrt(np.maximum(0.0, r * r - sigma * sigma)).sum()), float(added)


_error = partial(
    metric, view=Forecast, better="lower", kind=Kind.DISTANCE, unit=Unit.NUMBER, smooth=True
)


@_error(title="ECE", noise=lambda view, _, bins: noise_of(*view.residuals(int(bins))))
def ece(view: Forecast, weights: CaseWeights, *, bins: float = BINS) -> Floats:
    r"""Expected calibration error in bins of equal width; lower is better.

    .. math:: \sum_b \frac{W_b}{W} \, |\bar y_b - \bar p_b|, \quad
       b = [\tfrac{j}{B}, \tfrac{j+1}{B})

    The last bin is closed. It is biased upwards when bins hold few rows, and jumps when a value
    crosses an edge; ``smooth_ece`` does not jump. Naeini, Cooper and Hauskrecht (2015), AAAI.

    >>> view = forecast([0.5, 0.5, 0.4, 0.6, 1, 1], [1, 1, 0, 0, 1, 0])
    >>> round(ece(view, np.ones(6)), 6), round(ece(view, np.ones(6), bins=2), 6)
    (0.5, 0.166667)
    """
    return _gap(view, view.bins(weights, int(bins)), weights)


@metric(
    title="Overconfidence, points",
    view=Forecast,
    better=None,
    kind=Kind.REAL,
    unit=Unit.SHARE,
    smooth=True,
    most=lambda view: 1.0,
)
def overconfidence(view: Forecast, weights: CaseWeights) -> Floats:
    r"""Mean confidence less the share that came true; above 0 it is too sure, below 0 not enough.

    .. math:: \frac1W \sum_i w_i (p_i - y_i)

    The calibration error with its sign, of all answers together; ``ece`` is the same by bins,
    without the sign. Also called calibration-in-the-large. Cox (1958), Biometrika 45.

    >>> view = forecast([0.9, 0.9, 0.8, 0.6], [1, 0, 1, 0])
    >>> round(overconfidence(view, np.ones(4)), 6)
    0.3
    """
    bins = view.bins(weights, BINS)
    return ratio((bins[1] - bins[2]).sum(axis=0), view.moments(weights).weight)


@_error(
    title="ECE, bins of equal mass",
    noise=lambda view, _, bins: noise_of(*view.residuals(int(bins), by_mass=True)),
    smooth=False,
    in_many="steps",
)
def ece_equal_mass(view: Forecast, weights: CaseWeights, *, bins: float = BINS) -> Floats:
    r"""Expected calibration error in bins of equal weight; lower is better.

    The same sum over bins that each hold :math:`W/B`; a tie goes whole to the bin in which the
    middle of its weight lies. Nguyen and O'Connor (2015), EMNLP.

    >>> ece_equal_mass(forecast([0.1, 0.2, 0.3, 0.8], [0, 1, 0, 1]), np.ones(4), bins=2)
    0.2
    """
    return _gap(view, view.equal_mass_bins(weights, int(bins)), weights)


def _smooth_noise(view: Forecast, error: float) -> tuple[float, float]:
    """That of the smoothed residual, at the bandwidth of the whole study."""
    basis, decay = _cosine_basis()
    width = max(NARROWEST, error)
    weight = view.residuals(1)[1]
    if view.n_cases <= MANY_CASES:
        cosines = view.cosine_columns
    else:  # groups of cases vary as the cases do, and are few
        group = deal(view, MANY_CASES)
        cosines = view.cosines_by(group, MANY_CASES)
        weight = np.bincount(group, weight).astype(np.float64)
    by_case = cosines * np.exp(decay * width**2)
    by_case[1:] *= 2.0
    left, _ = noise_of(basis.T @ by_case / GRID, weight)
    return left, 0.0  # smoothing has taken most of it off: more would leave the high end too low


@_error(title="Smooth ECE", noise=_smooth_noise)
def smooth_ece(view: Forecast, weights: CaseWeights) -> Floats:
    r"""Calibration error without bins: the residual smoothed, at the width that equals it.

    Lower is better.

    .. math:: \mathrm{smECE}_\sigma = \int_0^1 \Big| \frac1W \sum_i w_i (y_i - p_i)
       K_\sigma(t, p_i) \Big| dt, \qquad \sigma^* = \mathrm{smECE}_{\sigma^*}

    :math:`K_\sigma` is the Gaussian reflected at 0 and 1. In the cosine basis it is a product with
    :math:`e^{-(\pi k \sigma)^2/2}`, so no binning is needed. The bandwidth is never below 0.02.
    Błasiok and Nakkiran (2024), ICLR, arXiv:2309.12236.

    >>> round(smooth_ece(forecast([0.7] * 4, [1, 1, 0, 0]), np.ones(4)), 6)
    0.2
    """
    from acumen.views.cell_kernels import mean_absolute

    total = view.moments(weights).weight
    coefficients = ratio(view.cosines(weights), total)
    coefficients[1:] *= 2.0
    basis, decay = _cosine_basis()

    def excess(width: Floats) -> Floats:
        return mean_absolute(basis, coefficients * np.exp(decay * width**2)) - width

    low, high = np.full(len(total), NARROWEST), np.ones(len(total))
    over, under = excess(low), excess(high)
    narrowest, width, is_open = over + low, high, over > 0.0
    above = ~is_open
    for _ in range(MOST_STEPS):  # to where the line between the ends meets 0
        if not is_open.any():
            break
        width = np.where(is_open, low + (high - low) * ratio(over, over - under), width)
        here = excess(width)
        is_open &= np.abs(here) > PRECISE
        before, above = above, here > 0.0
        low, high = np.where(above, width, low), np.where(above, high, width)
        # an end that stays twice is taken for half as far off, so that it moves
        share = np.where(above == before, 0.5, 1.0)
        over, under = np.where(above, here, over * share), np.where(above, under * share, here)
    return np.where(narrowest > NARROWEST, width, narrowest)


@cache
def _cosine_basis() -> tuple[Floats, Floats]:
    """The cosines at the middles of a grid, and how fast each decays with the squared width."""
    k = np.arange(FREQUENCIES)[:, None]
    middle = (np.arange(GRID) + 0.5) / GRID
    return np.cos(np.pi * middle * k), np.asarray(-0.5 * (np.pi * k) ** 2, np.float64)


_score = partial(metric, view=Forecast, better="lower", unit=Unit.NUMBER, smooth=True)


@_score(title="Brier score", kind=Kind.SCORE)
def brier(view: Forecast, weights: CaseWeights) -> Floats:
    r"""Mean squared distance between confidence and target; lower is better.

    .. math:: \frac1W \sum_i w_i (p_i - y_i)^2

    Brier (1950), Monthly Weather Review 78. It is miscalibration − discrimination + uncertainty.

    >>> brier(forecast([1.0, 0.5, 0.5], [1, 1, 0]), np.array([2, 1, 1]))
    0.125
    """
    moments = view.moments(weights)
    return ratio(moments.brier, moments.weight)


_part = partial(
    metric,
    view=Forecast,
    kind=Kind.REAL,
    unit=Unit.NUMBER,
    undefined="there are no more rows than steps in the recalibration",
    exempt_from_scaling=True,
    in_many="smooth",
)


@_part(title="Brier miscalibration", better="lower")
def brier_miscalibration(view: Forecast, weights: CaseWeights) -> Floats:
    r"""What the best monotone recalibration would take off the Brier score; lower is better.

    .. math:: \frac1W \Big[ \sum_i w_i (p_i - y_i)^2 - R - D s^2 \Big], \quad
       R = \sum_i w_i (\hat y_i - y_i)^2, \quad s^2 = \frac{R}{W - D}

    :math:`\hat y` is the isotonic regression of the target on the confidence, of D steps: the CORP
    decomposition (Dimitriadis, Gneiting and Jordan 2021, PNAS 118(8)), where the classical name is
    reliability. A recalibration fitted on the very rows it is judged on looks too good by about
    :math:`s^2` a step (Meyer and Woodroofe 2000, Annals of Statistics 28), which is taken off: all
    of it where confidences take few values, more than half where all differ. It may fall below 0.

    >>> brier_miscalibration(forecast([0.5, 0.5, 1, 1], [0, 0, 1, 1]), np.ones(4))
    0.125
    """
    return _parts(view, weights)[0]


@_part(title="Brier discrimination", better="higher")
def brier_discrimination(view: Forecast, weights: CaseWeights) -> Floats:
    r"""What the recalibrated confidence gains over always saying the base rate; higher is better.

    .. math:: \frac1W \Big[ \sum_i w_i (\bar y - y_i)^2 - R - (D - 1) s^2 \Big]

    With R, D and s² as in ``brier_miscalibration``. Its classical name is resolution.

    >>> brier_discrimination(forecast([0.5, 0.5, 1, 1], [0, 0, 1, 1]), np.ones(4))
    0.25
    """
    return _parts(view, weights)[1]


@_part(title="Brier uncertainty", better="lower")
def brier_uncertainty(view: Forecast, weights: CaseWeights) -> Floats:
    r"""The Brier score of always saying the base rate: a property of the data, a reference.

    .. math:: \frac1W \Big[ \sum_i w_i (\bar y - y_i)^2 + s^2 \Big]

    With s² as in ``brier_miscalibration``: the base rate, too, is known from these rows only.
    Murphy (1973), Journal of Applied Meteorology 12.

    >>> brier_uncertainty(forecast([0.5, 0.5, 1, 1], [0, 0, 1, 1]), np.ones(4))
    0.25
    """
    return _parts(view, weights)[2]


def _parts(view: Forecast, weights: CaseWeights) -> tuple[Floats, Floats, Floats]:
    """Miscalibration, discrimination and uncertainty: the first minus the second plus the third."""
    moments = view.moments(weights)
    total = moments.weight
    pooled, steps = view.pooled(weights)
    left = np.maximum(moments.target_squared - pooled, 0.0)  # rounding may leave it below 0
    noise = ratio(left, np.where(total > steps, total - steps, 0.0))
    spread = moments.target_squared - ratio(moments.target**2, total)
    return (
        ratio(moments.brier - left - steps * noise, total),
        ratio(spread - left - (steps - 1) * noise, total),
        ratio(spread + noise, total),
    )


@_score(title="Negative log-likelihood", kind=Kind.RISK, groups=Forecast.groups)
def nll(view: Forecast, weights: CaseWeights) -> Floats:
    r"""Negative log-likelihood of the target, in nats a row; lower is better.

    .. math:: -\frac1W \sum_i w_i \big[y_i \ln p_i + (1 - y_i) \ln (1 - p_i)\big]

    :math:`p` is kept within [1e-6, 1 − 1e-6]: a wrong certainty would cost infinitely much.
    Good (1952), Journal of the Royal Statistical Society B 14.

    >>> round(nll(forecast([0.5, 0.5], [1, 0]), np.ones(2)), 6)  # ln 2
    0.693147
    """
    moments = view.moments(weights)
    return ratio(moments.log_loss, moments.weight)


def _gap(view: Forecast, bins: Floats, weights: CaseWeights) -> Floats:
    """Sum over bins of |summed target − summed probability|, per weight."""
    return ratio(np.abs(bins[2] - bins[1]).sum(axis=0), view.moments(weights).weight)
