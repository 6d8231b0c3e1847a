r"""How far decimal scores are off, in units of the scale: x the score, y the truth, d = x − y.

Means run over the answered rows with weights of sum n; s² divides by n − 1, so that doubling all
weights changes the limits and the ICC a little. The doctests share three rows: 1.5, 2, 4.5 where 1,
2, 4 are true.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from acumen.metrics import pairs
from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.types import Floats
from acumen.views.scores import Scores, score_rows  # noqa: F401 - score_rows is for doctests
from acumen.views.weights import CaseWeights

_measure = partial(metric, view=Scores, unit=Unit.NUMBER, smooth=True)
_limit = partial(
    _measure,
    better=None,
    kind=Kind.REAL,
    exempt_from_scaling=True,
    undefined="fewer than two rows have a score",
)
_agreement = partial(
    _measure,
    better="higher",
    exempt_from_scaling=True,
    undefined="fewer than two rows have a score, or nothing varies",
)


@_measure(title="RMSE", better="lower", kind=Kind.RISK)
def score_rmse(view: Scores, weights: CaseWeights) -> Floats:
    r"""Root of the mean squared distance of score and truth; lower is better.

    .. math:: \sqrt{\tfrac1n \sum_i w_i d_i^2}

    >>> round(score_rmse(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    0.408248
    """
    sums = view.sums(weights)
    return np.sqrt(np.maximum(ratio(sums[2], sums[0]), 0.0))


@_measure(title="Bias of the score", better=None, kind=Kind.REAL)
def score_bias(view: Scores, weights: CaseWeights) -> Floats:
    r"""Mean of score minus truth; neither sign is better, 0 leans no way.

    .. math:: \bar d = \tfrac1n \sum_i w_i d_i

    >>> round(score_bias(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    0.333333
    """
    sums = view.sums(weights)
    return ratio(sums[1], sums[0])


@_limit(title="Lower limit of agreement of the score")
def score_lower_limit(view: Scores, weights: CaseWeights) -> Floats:
    r"""About 1 in 40 scores lies further below its truth than this; neither sign is better.

    .. math:: \bar d - 1.96\, s_d

    Bland and Altman (1986), Lancet 327.

    >>> round(score_lower_limit(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    -0.23247
    """
    return _of(pairs.limit(-pairs.Z), view.sums(weights)[:3])


@_limit(title="Upper limit of agreement of the score")
def score_upper_limit(view: Scores, weights: CaseWeights) -> Floats:
    r"""About 1 in 40 scores lies further above its truth than this; neither sign is better.

    .. math:: \bar d + 1.96\, s_d

    Bland and Altman (1986), Lancet 327.

    >>> round(score_upper_limit(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    0.899137
    """
    return _of(pairs.limit(pairs.Z), view.sums(weights)[:3])


@_agreement(title="Concordance of the score (CCC)", kind=Kind.CORRELATION)
def score_ccc(view: Scores, weights: CaseWeights) -> Floats:
    r"""Lin's concordance of score and truth; higher is better, 1 is the same throughout.

    .. math:: \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar x - \bar y)^2}

    Lin (1989), Biometrics 45(1).

    >>> round(score_ccc(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    0.95082
    """
    return _of(pairs.ccc, _pairs(view, weights))


@_agreement(title="ICC(A,1) of the score", kind=Kind.GAIN)
def score_icc(view: Scores, weights: CaseWeights) -> Floats:
    r"""Intraclass correlation of score and truth, absolute agreement; higher is better.

    .. math:: \frac{MS_R - MS_E}{MS_R + MS_E + \frac2n (MS_C - MS_E)}

    McGraw and Wong (1996), Psychological Methods 1(1).

    >>> round(score_icc(score_rows([1.5, 2, 4.5], [1, 2, 4]), np.ones(3)), 6)
    0.966667
    """
    return _of(pairs.icc_of("icc_a_1", 2), _pairs(view, weights))


def _pairs(view: Scores, weights: CaseWeights) -> Floats:
    sums: Floats = view.sums(weights)[[0, 3, 4, 5, 6]]
    return sums


def _of(statistic: pairs.Statistic, sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):  # of one row there is no spread
        values = np.asarray(statistic(sums.T), np.float64)
    return np.where((sums[0] > 1) & np.isfinite(values), values, np.nan)
