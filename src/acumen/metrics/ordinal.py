r"""Ordinal ranking: does the system put the worst first?

Levels 0 … K−1 and a risk score per case, higher meaning worse. Each threshold k = 1 … K−1 asks a
yes-or-no question, "is the truth at least k?", and average precision tells how well the score
answers it. The means over thresholds respect the order of the levels: taking the worst for harmless
costs at every threshold, taking it for second worst at one.

The doctests share four cases at levels 0, 0, 1, 2 with scores 1, 6, 6, 10.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from acumen.metrics.registry import Kind, Unit, mean_of, metric, ratio
from acumen.types import Floats
from acumen.views.severity import SeverityRanking, rank_severity  # noqa: F401 - rank_severity is for doctests
from acumen.views.weights import CaseWeights

_ranked = partial(
    metric,
    view=SeverityRanking,
    better="higher",
    smooth=True,
    undefined="the level or above it, or below it, has no case",
)
_threshold = partial(_ranked, groups=SeverityRanking.groups)
_mean = partial(_ranked, groups=SeverityRanking.all_groups)


@_threshold(title="AUPRC ≥ {level}", unit=Unit.SHARE, kind=Kind.PROPORTION)
def auprc_ge(ranking: SeverityRanking, weights: CaseWeights, *, level: float = 1) -> Floats:
    r"""Average precision of "truth ≥ level" by falling score; higher is better.

    .. math:: \mathrm{AP}_k = \sum_j (R_j - R_{j-1}) P_j

    over ties j with recall :math:`R_j` and precision :math:`P_j`: a tie enters as one block, no
    interpolation. An uninformative score has its prevalence for expectation, nearly: see the
    guide on verdict studies.

    >>> round(auprc_ge(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4), level=1), 6)
    0.833333
    """
    return _at(level, _average_precision(ranking, weights))


@_threshold(title="nAP ≥ {level}", unit=Unit.NUMBER, kind=Kind.GAIN)
def nap_ge(ranking: SeverityRanking, weights: CaseWeights, *, level: float = 1) -> Floats:
    r"""Average precision of "truth ≥ level" above prevalence; higher is better, 0 is constant.

    .. math:: \mathrm{nAP}_k = (\mathrm{AP}_k - \pi_k) / (1 - \pi_k)

    >>> round(nap_ge(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4), level=1), 6)
    0.666667
    """
    return _at(level, _normalized(ranking, weights))


@_threshold(title="AUROC ≥ {level}", unit=Unit.NUMBER, kind=Kind.PROPORTION)
def auroc_ge(ranking: SeverityRanking, weights: CaseWeights, *, level: float = 1) -> Floats:
    r"""Chance that a case at the level or above outscores one below, ties half; higher is better.

    .. math:: P(s_i > s_j \mid y_i \ge k > y_j) + \tfrac12 P(s_i = s_j \mid \ldots)

    Brentnall and Cuzick (2019), PLoS ONE 14(8).

    >>> auroc_ge(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4), level=1)
    0.875
    """
    return _at(level, _auroc(ranking, weights))


@_mean(title="Ordinal AUPRC", unit=Unit.SHARE, kind=Kind.PROPORTION)
def ordinal_auprc(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    r"""Mean of the average precisions over the thresholds; higher is better.

    .. math:: \frac{1}{K-1} \sum_k \mathrm{AP}_k

    After Waegeman, De Baets and Boullart (2008), Pattern Recognit. Lett. 29(1), who do so for ROC.

    >>> round(ordinal_auprc(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4)), 6)
    0.916667
    """
    return mean_of(_average_precision(ranking, weights), np.array(ranking.covered, np.int64) - 1)


@_mean(title="Ordinal nAP", unit=Unit.NUMBER, kind=Kind.GAIN)
def ordinal_nap(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    r"""Mean of the normalised average precisions over the thresholds; higher is better.

    .. math:: \frac{1}{K-1} \sum_k \mathrm{nAP}_k

    >>> round(ordinal_nap(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4)), 6)
    0.833333
    """
    return mean_of(_normalized(ranking, weights), np.array(ranking.covered, np.int64) - 1)


@_mean(title="Ordinal AUROC", unit=Unit.NUMBER, kind=Kind.PROPORTION)
def ordinal_auroc(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    r"""Mean of the cumulative AUROCs over the thresholds; higher is better.

    .. math:: \frac{1}{K-1} \sum_k \mathrm{AUROC}_k

    Rare levels leave it high: with 1% at the top, a hundred harmless cases above the worst one
    cost it a tenth, and average precision nearly all.

    >>> ordinal_auroc(rank_severity([0, 0, 1, 2], [1, 6, 6, 10]), np.ones(4))
    0.9375
    """
    return mean_of(_auroc(ranking, weights), np.array(ranking.covered, np.int64) - 1)


@_ranked(
    title="Worst among risky",
    unit=Unit.SHARE,
    kind=Kind.PROPORTION,
    groups=SeverityRanking.risky_groups,
    undefined="the top level, or the levels between it and the lowest, have no case",
)
def severity_ordering_ap(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    r"""Average precision of the top level among the cases above the lowest; higher is better.

    Among the risky, does the critical come first?

    >>> severity_ordering_ap(rank_severity([0, 1, 1, 2], [9, 8, 1, 6]), np.ones(4))
    0.5
    """
    sums = ranking.sums(weights)
    top, risky = sums.above[-1], sums.above[0]
    return np.where(risky > top, ratio(sums.ordering, top), np.nan)


def _at(level: float, by_threshold: Floats) -> Floats:
    values: Floats = by_threshold[int(level) - 1]
    return values


def _average_precision(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    sums = ranking.sums(weights)
    two_sided = (sums.above > 0) & (sums.above < sums.weight)
    return np.where(two_sided, ratio(sums.precision, sums.above), np.nan)


def _normalized(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    sums = ranking.sums(weights)
    below = sums.weight - sums.above
    precision = _average_precision(ranking, weights)
    return ratio(precision * sums.weight - sums.above, below)


def _auroc(ranking: SeverityRanking, weights: CaseWeights) -> Floats:
    sums = ranking.sums(weights)
    pairs = sums.above * (sums.weight - sums.above)
    return ratio(pairs - sums.outranked, pairs)
