r"""Scores of probabilities of levels: how good they are, how honest, how sharp.

A row gives level :math:`k` the probability :math:`p_{ik}`, and reaches the cut :math:`k` with
:math:`P_{ik} = \sum_{j \ge k} p_{ij}`, for k = 1 … K−1; :math:`y_i` is the level that came true.
Sums run over the answered rows that have probabilities, with weights :math:`w_i` of sum W.

The doctests share two rows: (0.7, 0.2, 0.1) where 0 came true, (0.25, 0.25, 0.5) where 1 did.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.metrics.reliability import noise_of
from acumen.types import Floats
from acumen.views.level_forecast import LevelForecast, forecast_levels  # noqa: F401 - forecast_levels is for doctests
from acumen.views.weights import CaseWeights

_score = partial(
    metric, view=LevelForecast, better="lower", kind=Kind.RISK, unit=Unit.NUMBER, smooth=True
)


@_score(title="RPS", most=lambda view: view.levels - 1.0)
def rps(view: LevelForecast, weights: CaseWeights) -> Floats:
    r"""Ranked probability score: squared distance from the truth at every cut; lower is better.

    .. math:: \frac1W \sum_i w_i \sum_{k=1}^{K-1} \big(P_{ik} - [y_i \ge k]\big)^2

    Of a certain forecast it is the number of levels it is off. Epstein (1969), Journal of Applied
    Meteorology 8; it is proper, Murphy (1971), Journal of Applied Meteorology 10.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(rps(forecast_levels(p, [0, 1]), np.ones(2)), 6)
    0.20625
    """
    sums = view.sums(weights)
    return ratio(sums.rps, sums.weight)


@metric(
    title="RPS skill",
    view=LevelForecast,
    better="higher",
    kind=Kind.GAIN,
    unit=Unit.SHARE,
    smooth=True,
    undefined="the truth is one and the same level throughout",
)
def rps_skill(view: LevelForecast, weights: CaseWeights) -> Floats:
    r"""Share of the RPS of always saying the base rates that is saved; higher is better.

    .. math:: 1 - \mathrm{RPS} \Big/ \sum_{k=1}^{K-1} G_k (1 - G_k), \quad
              G_k = \frac1W \sum_i w_i [y_i \ge k]

    0 is no better than the base rates of these very rows. Murphy (1973), Journal of Applied
    Meteorology 12.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(rps_skill(forecast_levels(p, [0, 1]), np.ones(2)), 6)
    0.175
    """
    sums = view.sums(weights)
    reached = ratio(np.cumsum(sums.truth[::-1], axis=0)[::-1][1:], sums.weight)
    base = (reached * (1.0 - reached)).sum(axis=0)
    return 1.0 - ratio(ratio(sums.rps, sums.weight), np.where(base > 1e-15, base, np.nan))


@_score(title="Log score of the level")
def level_log_score(view: LevelForecast, weights: CaseWeights) -> Floats:
    r"""Negative log of the probability of the true level, in nats a row; lower is better.

    .. math:: -\frac1W \sum_i w_i \ln p_{i y_i}

    :math:`p` is at least 1e-6 here: a level that was ruled out and came true would cost infinitely
    much. Good (1952), Journal of the Royal Statistical Society B 14.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(level_log_score(forecast_levels(p, [0, 1]), np.ones(2)), 6)
    0.871485
    """
    sums = view.sums(weights)
    return ratio(sums.log_score, sums.weight)


@_score(title="Brier score of the levels", most=lambda view: 2.0)
def level_brier(view: LevelForecast, weights: CaseWeights) -> Floats:
    r"""Squared distance of the probabilities from what came true, summed; lower is better.

    .. math:: \frac1W \sum_i w_i \sum_k \big(p_{ik} - [y_i = k]\big)^2

    From 0 to 2. It knows no order of the levels. Brier (1950), Monthly Weather Review 78.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(level_brier(forecast_levels(p, [0, 1]), np.ones(2)), 6)
    0.5075
    """
    sums = view.sums(weights)
    return ratio(sums.brier, sums.weight)


@_score(title="Expected RPS", most=lambda view: (view.levels - 1.0) / 4)
def expected_rps(view: LevelForecast, weights: CaseWeights) -> Floats:
    r"""The RPS that the forecasts expect of themselves: how sharp they are; lower is sharper.

    .. math:: \frac1W \sum_i w_i \sum_{k=1}^{K-1} P_{ik} (1 - P_{ik})

    Honest forecasts have it for their RPS; where the RPS is above, they are surer than they may be.
    Sharpness after Gneiting, Balabdaoui and Raftery (2007), JRSS B 69.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(expected_rps(forecast_levels(p, [0, 1]), np.ones(2)), 6)
    0.36875
    """
    sums = view.sums(weights)
    return ratio(sums.expected, sums.weight)


@metric(
    title="ECE of {level} or above",
    view=LevelForecast,
    better="lower",
    kind=Kind.DISTANCE,
    unit=Unit.NUMBER,
    smooth=True,
    groups=LevelForecast.sides,
    noise=lambda view, _, level: noise_of(*view.residuals_of(level)),
)
def cut_ece(view: LevelForecast, weights: CaseWeights, *, level: float = 1) -> Floats:
    r"""Calibration error of the probability to reach a level, in ten bins; lower is better.

    .. math:: \sum_b \frac{W_b}{W} \, \big|\bar y_b - \bar P_b\big|, \quad y_i = [y_i \ge k],
              \; p_i = P_{ik}

    The bins are those of ``ece``, and so is what noise adds to it.

    >>> p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5]]
    >>> round(cut_ece(forecast_levels(p, [0, 1]), np.ones(2), level=1), 6)
    0.275
    """
    off = np.abs(view.residuals(weights)[int(level) - 1]).sum(axis=0)
    return ratio(off, view.sums(weights).weight)
