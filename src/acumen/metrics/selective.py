r"""Selective prediction: does the system know when it doesn't know?

Areas follow the source's convention: trapezoids over the working points on [0, coverage]. With
:math:`N` the weight of all rows, :math:`k_j` the weight accepted down to the j-th distinct
confidence and :math:`L_j` its summed loss, coverage is :math:`k_j/N`, selective risk
:math:`L_j/k_j`, generalized risk :math:`L_j/N`.

The doctests share one small study: losses 0, 2, 0 at confidences 2, 2, 1, and one abstention.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from acumen.defaults import AREA_COVERAGE
from acumen.metrics.registry import Kind, Unit, every_case, metric, ratio
from acumen.types import Floats
from acumen.views.ranking import MOST_RISK, Ranking, rank  # noqa: F401 - rank is for doctests
from acumen.views.weights import CaseWeights


def _as_is(cmax: float) -> float:
    return 1.0


def over_coverage(cmax: float) -> float:
    """One unit of loss in an area under selective risk."""
    return cmax


def over_coverage_twice(cmax: float) -> float:
    """One unit of loss in an area under generalized risk."""
    return cmax * cmax / 2


_share = partial(
    metric, view=Ranking, better="higher", kind=Kind.PROPORTION, unit=Unit.SHARE, smooth=True
)
_risk = partial(
    metric,
    view=Ranking,
    better="lower",
    kind=Kind.RISK,
    unit=Unit.LOSS,
    smooth=True,
    errors=lambda ranking, **_: ranking.errors(),
)


@_share(title="Coverage", behind=every_case)
def coverage(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Share of all rows that were answered: the largest coverage there is; higher is better.

    .. math:: C_{max} = K / N

    El-Yaniv and Wiener (2010), JMLR 11.

    >>> coverage(rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0]), [1, 1, 1, 1])
    0.75
    """
    totals = ranking.totals(weights)
    return ratio(totals.answered, totals.rows)


@_risk(title="Mean loss", one_error=_as_is)
def mean_loss(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Mean loss of the answered rows; lower is better, at equal coverage only.

    .. math:: \bar L = L_K / K

    >>> round(mean_loss(rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0]), [1, 1, 1, 1]), 6)
    0.666667
    """
    totals = ranking.totals(weights)
    return ratio(totals.loss * ranking.unit, totals.answered)


@_share(title="Accuracy of answered rows", errors=lambda ranking: ranking.errors(beyond=0))
def accuracy(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Share of the answered rows that are exactly right; higher is better.

    .. math:: \frac{1}{K} \sum_i w_i [\hat y_i = y_i]

    >>> accuracy(rank([0, 2, 0, 1], [4, 3, 2, 1]), [1, 1, 1, 1])
    0.5
    """
    totals = ranking.totals(weights)
    return ratio(totals.within(0), totals.on_levels)


@_share(title="Off-by-one accuracy", errors=lambda ranking: ranking.errors(beyond=1))
def off_by_one_accuracy(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Share of the answered rows at most one level off; higher is better.

    .. math:: \frac{1}{K} \sum_i w_i [|\hat y_i - y_i| \le 1]

    >>> off_by_one_accuracy(rank([0, 2, 0, 1], [4, 3, 2, 1]), [1, 1, 1, 1])
    0.75
    """
    totals = ranking.totals(weights)
    return ratio(totals.within(1), totals.on_levels)


def _no_loss(ranking: Ranking, weights: CaseWeights) -> Floats:
    """Undefined where nothing is lost: then an area is 0, and there is no percentage of it."""
    loss = ranking.totals(weights).loss
    return ratio(loss, loss)


@_risk(title="AURC", one_error=over_coverage, gaps=mean_loss)
def aurc(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Area under selective risk over coverage, on [0, coverage]; lower is better.

    .. math:: \sum_j \frac{k_j - k_{j-1}}{N} \cdot \frac{r_j + r_{j-1}}{2}, \quad r_0 = r_1

    Geifman, Uziel and El-Yaniv (2019), ICLR, arXiv:1805.08206. Where confidences tie, see
    ``aurc_exact``.

    >>> round(aurc(rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0]), [1, 1, 1, 1]), 6)  # 17/24
    0.708333
    """
    return area_of_risk(ranking, weights, ranking.area(weights, "risk"))


@_risk(title="AUGRC", one_error=over_coverage_twice, gaps=mean_loss)
def augrc(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Area under generalized risk over coverage, on [0, coverage]; lower is better.

    .. math:: \sum_j \frac{k_j - k_{j-1}}{N} \cdot \frac{L_j + L_{j-1}}{2N}

    Traub et al. (2024), NeurIPS, arXiv:2407.01032.

    >>> augrc(rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0]), [1, 1, 1, 1])
    0.25
    """
    return area_of_loss(ranking, weights, ranking.area(weights, "loss"))


@_risk(title="Optimal AURC", one_error=over_coverage, exempt_from_scaling=True, gaps=mean_loss)
def aurc_optimal(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AURC had the answered rows been ranked by loss, one row a point; a reference.

    .. math:: \frac1N \Big(\sum_{k=1}^{K} r_k + \frac{r_1 - r_K}{2}\Big)

    A whole weight stands for that many single rows; between whole numbers the sum of 1/k is
    continued by the digamma function. Where losses tie, see ``aurc_exact_optimal``.

    >>> aurc_optimal(rank([0, 1], [2, 1]), [1, 1])
    0.125
    """
    return area_of_risk(ranking, weights, ranking.optimum(weights)[0] / 2)


@_risk(title="Optimal AUGRC", one_error=over_coverage_twice, gaps=mean_loss)
def augrc_optimal(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AUGRC had the answered rows been ranked by loss; a reference.

    .. math:: \frac{1}{N^2} \sum_\ell h_\ell \Big(L_{<\ell} + \frac{\ell h_\ell}{2}\Big)

    with :math:`h_\ell` the weight at loss :math:`\ell`.

    >>> augrc_optimal(rank([0, 1], [1, 2]), [1, 1])
    0.125
    """
    return area_of_loss(ranking, weights, ranking.optimum(weights)[1] / 2)


@_risk(
    title="Excess AURC",
    kind=Kind.EXCESS,
    one_error=over_coverage,
    exempt_from_scaling=True,
    gaps=mean_loss,
)
def eaurc(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AURC above its optimum; lower is better. Ties can make it negative: see aurc_exact_excess.

    .. math:: \mathrm{AURC} - \mathrm{AURC}_{opt}

    >>> eaurc(rank([0, 1], [1, 2]), [1, 1])
    0.75
    """
    excess: Floats = aurc(ranking, weights) - aurc_optimal(ranking, weights)
    return excess


@_risk(title="Excess AUGRC", one_error=over_coverage_twice, gaps=mean_loss)
def eaugrc(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AUGRC above its optimum, never negative; lower is better.

    .. math:: \mathrm{AUGRC} - \mathrm{AUGRC}_{opt}

    >>> eaugrc(rank([0, 1], [1, 2]), [1, 1])
    0.25
    """
    excess: Floats = augrc(ranking, weights) - augrc_optimal(ranking, weights)
    return excess


@_risk(
    title="AURC above its optimum",
    unit=Unit.PERCENT,
    kind=Kind.EXCESS,
    undefined="aurc_optimal is 0, so there is no percentage of it",
    exempt_from_scaling=True,
    gaps=_no_loss,
)
def aurc_gap_pct(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Excess of AURC in percent of its optimum; lower is better.

    .. math:: 100 \cdot \mathrm{eAURC} / \mathrm{AURC}_{opt}

    >>> aurc_gap_pct(rank([0, 1], [1, 2]), [1, 1])
    600.0
    """
    return _percent(eaurc(ranking, weights), aurc_optimal(ranking, weights))


@_risk(
    title="AUGRC above its optimum",
    unit=Unit.PERCENT,
    undefined="augrc_optimal is 0, so there is no percentage of it",
    gaps=_no_loss,
)
def augrc_gap_pct(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Excess of AUGRC in percent of its optimum; lower is better.

    .. math:: 100 \cdot \mathrm{eAUGRC} / \mathrm{AUGRC}_{opt}

    >>> augrc_gap_pct(rank([0, 1], [1, 2]), [1, 1])
    200.0
    """
    return _percent(eaugrc(ranking, weights), augrc_optimal(ranking, weights))


@_risk(title="Achievable AURC", one_error=over_coverage, caution="one_row", gaps=mean_loss)
def aurc_achievable(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Area under the lower convex hull of (coverage, selective risk); a reference.

    What remains when the bad thresholds are left out. The hull starts at the first working point
    and is flat to its left.

    >>> aurc_achievable(rank([0, 2, 0, 0], [4, 3, 2, 1]), [1, 1, 1, 1])
    0.1875
    """
    return area_of_risk(ranking, weights, ranking.hull(weights, "risk")[0] / 2)


@_risk(
    title="Achievable gain of AURC",
    caution="one_row",
    unit=Unit.PERCENT,
    kind=Kind.REAL,
    undefined="aurc is 0, so there is no percentage of it",
    gaps=_no_loss,
)
def achievable_gain_pct(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""How much of AURC a better choice of thresholds would save, in percent; lower is better.

    .. math:: 100 \cdot (\mathrm{AURC} - \mathrm{AURC}_{achievable}) / \mathrm{AURC}

    >>> achievable_gain_pct(rank([1, 1], [2, 1]), [1, 1])
    0.0
    """
    area = aurc(ranking, weights)
    return _percent(area - aurc_achievable(ranking, weights), area)


@_risk(
    title="AURC up to coverage {coverage}",
    one_error=over_coverage,
    smooth=False,
    in_many="smooth",
    gaps=mean_loss,
)
def aurc_at_coverage(
    ranking: Ranking, weights: CaseWeights, *, coverage: float = AREA_COVERAGE
) -> Floats:
    r"""AURC up to a coverage, or to the largest there is; lower is better.

    The area lands on the coverage by linear interpolation.

    >>> study = rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0])
    >>> round(aurc_at_coverage(study, [1, 1, 1, 1], coverage=0.6), 6)  # 89/150
    0.593333
    """
    return area_of_risk(ranking, weights, ranking.area(weights, "risk", coverage))


@_risk(
    title="AUGRC up to coverage {coverage}",
    one_error=over_coverage_twice,
    smooth=False,
    in_many="smooth",
    gaps=mean_loss,
)
def augrc_at_coverage(
    ranking: Ranking, weights: CaseWeights, *, coverage: float = AREA_COVERAGE
) -> Floats:
    r"""AUGRC up to a coverage, or to the largest there is; lower is better.

    The area lands on the coverage by linear interpolation.

    >>> study = rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0])
    >>> round(augrc_at_coverage(study, [1, 1, 1, 1], coverage=0.6), 6)  # 7/40
    0.175
    """
    return area_of_loss(ranking, weights, ranking.area(weights, "loss", coverage))


_reading = partial(
    _risk,
    undefined="the coverage asked for is not reached",
    kind=Kind.READING,
    one_error=_as_is,
    errors=Ranking.errors,
    smooth=False,
)


@_reading(title="Mean loss at coverage {coverage}", curve="coverage")
def mean_loss_at_coverage(
    ranking: Ranking, weights: CaseWeights, *, coverage: float = 0.5
) -> Floats:
    r"""Mean loss of the surest rows up to a coverage, a tie in proportion; lower is better.

    .. math:: R(c) = \frac{1}{k} \Big(L_{j-1} + \frac{k - k_{j-1}}{k_j - k_{j-1}}
              (L_j - L_{j-1})\Big), \quad k = cN

    >>> study = rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0])
    >>> round(mean_loss_at_coverage(study, [1, 1, 1, 1], coverage=0.6), 6)  # 2 of 2.4 rows
    0.833333
    """
    k, lost, before, lost_before = ranking.reached(weights, coverage)
    accepted = np.minimum(coverage * ranking.totals(weights).rows, k)
    part = ratio(accepted - before, k - before)
    return ratio((lost_before + (lost - lost_before) * part) * ranking.unit, accepted)


@_reading(title="Mean loss at the cut for coverage {coverage}", curve="cut")
def mean_loss_at_cut(ranking: Ranking, weights: CaseWeights, *, coverage: float = 0.5) -> Floats:
    r"""Mean loss down to the first working point that reaches a coverage; lower is better.

    Its interval is of the cut that it was found at, as if that had been chosen beforehand.

    >>> study = rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0])
    >>> round(mean_loss_at_cut(study, [1, 1, 1, 1], coverage=0.6), 6)
    0.666667
    """
    accepted, loss = ranking.reached(weights, coverage)[:2]
    return ratio(loss * ranking.unit, accepted)


@_share(
    title="Coverage at risk ≤ {risk}",
    undefined="no working point has so low a risk",
    kind=Kind.CROSSING,
    behind=every_case,
    smooth=False,
    curve="risk",
)
def coverage_at_risk(ranking: Ranking, weights: CaseWeights, *, risk: float = MOST_RISK) -> Floats:
    r"""The largest coverage whose risk is at most ``risk``, a tie in proportion; higher is better.

    .. math:: \max \{c : R(c) \le r\}

    >>> round(coverage_at_risk(rank([0, 1, 0, 1], [4, 3, 2, 1]), [1, 1, 1, 1], risk=0.4), 6)
    0.833333
    """
    accepted = ranking.within(weights, risk)
    accepted = np.where(accepted > 0, accepted, np.nan)
    rows = ranking.totals(weights).rows
    return ratio(np.minimum(accepted, rows), rows)  # parts of rows may sum to a hair more


@_share(
    title="AUROC of being right",
    unit=Unit.NUMBER,
    gaps=lambda ranking, weights: ratio(np.ones(()), ranking.totals(weights).mixed_pairs),
    groups=lambda ranking: ranking.groups(),
    undefined="needs right and wrong answers, and there is only one of them",
)
def failure_auroc(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Chance that a right answer is surer than a wrong one, ties counting half.

    Higher is better; 0.5 is a confidence that says nothing.

    .. math:: P(c_{right} > c_{wrong}) + \tfrac12 P(c_{right} = c_{wrong})

    Hendrycks and Gimpel (2017), ICLR, arXiv:1610.02136.

    >>> failure_auroc(rank([0, 1, 0, 2], [3, 3, 2, 1]), [1, 1, 1, 1])
    0.625
    """
    pairs = ranking.by_right.exact(weights)[1]
    return ratio(pairs, ranking.totals(weights).mixed_pairs)


def area_of_risk(ranking: Ranking, weights: CaseWeights, area: Floats) -> Floats:
    """Area over accepted weight -> area over coverage, in units of the loss."""
    totals = ranking.totals(weights)
    return np.where(totals.answered > 0, ratio(area * ranking.unit, totals.rows), np.nan)


def area_of_loss(ranking: Ranking, weights: CaseWeights, area: Floats) -> Floats:
    """The same of an area under summed loss."""
    totals = ranking.totals(weights)
    return np.where(totals.answered > 0, ratio(area * ranking.unit, totals.rows**2), np.nan)


def _percent(part: Floats, whole: Floats) -> Floats:
    return ratio(100.0 * np.asarray(part), np.asarray(whole))
