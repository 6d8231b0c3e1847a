r"""Agreement of predicted and true levels. All are functions of the confusion table.

With :math:`C_{ij}` the weight of rows of truth i and prediction j, :math:`r_i` and :math:`c_j` its
row and column sums, :math:`n` their total. Abstained rows are outside, but for ``total_accuracy``.

The doctests share five rows: truth 0, 1, 2, 3, 3 and prediction 0, 1, 1, 3, 2.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.metrics.registry import Kind, Unit, every_case, mean_of, metric, ratio
from acumen.types import Floats
from acumen.views.confusion import Confusion, confuse  # noqa: F401 - confuse is for doctests
from acumen.views.weights import CaseWeights


def _whole_scale(table: Confusion) -> float:
    """From the lowest level to the highest."""
    return (table.levels - 1) * table.step


_share = partial(
    metric, view=Confusion, better="higher", kind=Kind.PROPORTION, unit=Unit.SHARE, smooth=True
)
_error = partial(
    metric,
    view=Confusion,
    better="lower",
    kind=Kind.RISK,
    unit=Unit.SCALE,
    smooth=True,
    most=_whole_scale,
)
_correlation = partial(
    metric, view=Confusion, better="higher", kind=Kind.CORRELATION, unit=Unit.NUMBER, smooth=True
)


@_share(
    title="Accuracy of all rows",
    behind=every_case,
    errors=lambda table: table.errors(beyond=0, silence=True),
)
def total_accuracy(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Share of all rows that are exactly right, an abstention being wrong; higher is better.

    .. math:: \sum_i C_{ii} \big/ N

    >>> total_accuracy(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, -1]), np.ones(5))
    0.6
    """
    return ratio(np.einsum("iib->b", table.square(weights)), table.total(weights))


@_share(title="Macro F1", groups=Confusion.groups)
def macro_f1(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Mean over levels of the harmonic mean of precision and recall; higher is better.

    .. math:: \frac{1}{|S|} \sum_{i \in S} \frac{2 C_{ii}}{r_i + c_i}

    S: the levels that are the truth or the prediction of some row.

    >>> round(macro_f1(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5)), 6)
    0.583333
    """
    square = table.square(weights)
    both = square.sum(axis=0) + square.sum(axis=1)
    by_level = ratio(2 * np.einsum("iib->ib", square), both)
    return mean_of(by_level, table.seen_levels)


@_error(
    title="Mean error (MAE)",
    one_error=lambda cmax: 1.0,
    errors=lambda table: table.errors(),
)
def mae(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Mean distance of prediction and truth, in units of the scale; lower is better.

    .. math:: \frac{s}{n} \sum_{ij} |i - j| \, C_{ij}

    with s from one level to the next: 1 where levels are words.

    >>> mae(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5))
    0.4
    """
    square = table.square(weights)
    lost = np.einsum("ijb,ij->b", square, _distance(table.levels))
    return table.step * ratio(lost, square.sum(axis=(0, 1)))


@metric(
    title="Signed error",
    view=Confusion,
    better=None,
    kind=Kind.REAL,
    unit=Unit.SCALE,
    smooth=True,
    most=_whole_scale,
)
def signed_error(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Mean of prediction minus truth; neither sign is better, 0 leans no way.

    .. math:: \frac{s}{n} \sum_{ij} (j - i) \, C_{ij}

    in units of the scale, as ``mae`` is.

    >>> signed_error(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5))
    -0.4
    """
    square = table.square(weights)
    steps = np.arange(table.levels, dtype=np.float64)
    lean = np.einsum("ijb,ij->b", square, steps[None, :] - steps[:, None])
    return table.step * ratio(lean, square.sum(axis=(0, 1)))


@_error(title="Macro mean error", groups=Confusion.groups)
def macro_mae(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Mean error averaged over the true levels, rare ones counting alike; lower is better.

    .. math:: \frac{s}{|T|} \sum_{i \in T} \frac{1}{r_i} \sum_j |i - j| \, C_{ij}

    Baccianella, Esuli and Sebastiani (2009), ISDA.

    >>> macro_mae(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5))
    0.375
    """
    square = table.square(weights)
    errors = (square * _distance(table.levels)[:, :, None]).sum(axis=1)
    return table.step * mean_of(ratio(errors, square.sum(axis=1)), table.true_levels)


@_share(title="At most one level off", errors=lambda table: table.errors(beyond=1))
def level_off_by_one(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Share of the answered rows at most one level off; higher is better.

    .. math:: \frac1n \sum_{|i - j| \le 1} C_{ij}

    >>> level_off_by_one(confuse([0, 1, 2, 3, 3], [0, 1, 0, 3, 2]), np.ones(5))
    0.8
    """
    square = table.square(weights)
    near = (_distance(table.levels) <= 1).astype(np.float64)
    return ratio(np.einsum("ijb,ij->b", square, near), square.sum(axis=(0, 1)))


@_correlation(title="Quadratic kappa")
def quadratic_kappa(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Cohen's kappa with squared distances; higher is better, 0 is chance.

    .. math:: 1 - \frac{n \sum_{ij} (i-j)^2 C_{ij}}{\sum_{ij} (i-j)^2 r_i c_j}

    Cohen (1968), Psychol. Bull. 70(4).

    >>> quadratic_kappa(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5))
    0.84375
    """
    return kappa_of(table.square(weights), _distance(table.levels) ** 2)


@_correlation(title="Linear kappa")
def linear_kappa(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Cohen's kappa with absolute distances; higher is better, 0 is chance.

    .. math:: 1 - \frac{n \sum_{ij} |i-j| \, C_{ij}}{\sum_{ij} |i-j| \, r_i c_j}

    >>> round(linear_kappa(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5)), 6)
    0.6875
    """
    return kappa_of(table.square(weights), _distance(table.levels))


@_correlation(
    title="Kendall's tau-b", undefined="truth or prediction is one and the same level throughout"
)
def kendall_tau_b(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Rank correlation of truth and prediction, corrected for ties; higher is better.

    .. math:: \frac{P - Q}{\sqrt{(n^2 - \sum_i r_i^2)(n^2 - \sum_j c_j^2)} / 2}

    P and Q: weight of the concordant and of the discordant pairs. Kendall (1945), Biometrika 33(3).

    >>> round(kendall_tau_b(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5)), 6)
    0.888889
    """
    square = table.square(weights)
    concordant = (square * _beyond(square)).sum(axis=(0, 1))
    discordant = (square * _beyond(square[:, ::-1])[:, ::-1]).sum(axis=(0, 1))
    untied = np.sqrt(_untied(square.sum(axis=1)) * _untied(square.sum(axis=0)))
    return ratio(concordant - discordant, untied)


@_correlation(
    title="Krippendorff's alpha",
    undefined="there is one level only, or the weights add up to half a row or less",
    exempt_from_scaling=True,
)
def krippendorff_alpha(table: Confusion, weights: CaseWeights) -> Floats:
    r"""Krippendorff's alpha of truth and prediction, ordinal distances; higher is better.

    .. math:: 1 - (m - 1) \frac{\sum_{ij} o_{ij} \delta_{ij}^2}{\sum_{ij} m_i m_j \delta_{ij}^2},
              \quad \delta_{ij} = \sum_{g=i}^{j} m_g - \frac{m_i + m_j}{2}

    with :math:`o = C + C^T`, its margins :math:`m_i` and their total :math:`m`. The :math:`m - 1`
    corrects for few ratings, so doubling all weights changes the value a little, and weights that
    add up to few rows are few ratings.

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.

    >>> round(krippendorff_alpha(confuse([0, 1, 2, 3, 3], [0, 1, 1, 3, 2]), np.ones(5)), 6)
    0.854839
    """
    square = table.square(weights)
    return alpha_of(square + square.transpose(1, 0, 2), "ordinal", np.arange(table.levels))


def alpha_of(pairs: Floats, distance: str, ranks: NDArray[Any]) -> Floats:
    r"""Krippendorff's alpha of ordered pairs of ratings of a unit: ``(level, level, weighting)``.

    .. math:: 1 - (n - 1) \frac{\sum_{kl} o_{kl} \delta_{kl}^2}{\sum_{kl} n_k n_l \delta_{kl}^2}

    The ordinal :math:`\delta_{kl}` counts the ratings between k and l, half of their own among
    them; that of intervals is the difference of the ``ranks``; the nominal is 1 of any two levels.
    """
    margin = pairs.sum(axis=0)
    if distance == "nominal":
        apart = np.broadcast_to((1.0 - np.eye(len(pairs)))[:, :, None], pairs.shape)
    else:
        middle = ranks.astype(np.float64)[:, None]
        if distance == "ordinal":
            middle = np.cumsum(margin, axis=0) - margin / 2
        apart = np.broadcast_to((middle[:, None] - middle[None, :]) ** 2, pairs.shape)
    observed = (pairs * apart).sum(axis=(0, 1))
    expected = np.einsum("ib,jb,ijb->b", margin, margin, apart)
    others = margin.sum(axis=0) - 1
    return 1 - ratio(np.where(others > 0, others, np.nan) * observed, expected)


def kappa_of(square: Floats, cost: Floats) -> Floats:
    """Cohen's kappa of ``(level, level, weighting)``, by what two levels apart cost."""
    rows, columns = square.sum(axis=1), square.sum(axis=0)
    by_chance = np.einsum("ib,jb,ij->b", rows, columns, cost)
    observed = np.einsum("ijb,ij->b", square, cost)
    return 1 - ratio(square.sum(axis=(0, 1)) * observed, by_chance)


def _distance(levels: int) -> Floats:
    rungs = np.arange(levels, dtype=np.float64)
    return np.abs(rungs[:, None] - rungs)


def _untied(margin: Floats) -> Floats:
    """Weight of the pairs of rows at different levels; exactly 0 where one level has it all."""
    pairs: Floats = (margin[1:] * np.cumsum(margin, axis=0)[:-1]).sum(axis=0)
    return pairs


def _beyond(square: Floats) -> Floats:
    """Of each cell, the weight of the cells beyond it in both directions."""
    sums = square[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    out = np.zeros_like(square)
    out[:-1, :-1] = sums[1:, 1:]
    return out
