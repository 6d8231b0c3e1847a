r"""Areas that stay true under ties and abstention.

A tie is accepted as a whole, so inside it only the average is known: generalized risk is linear
there, and selective risk is that line divided by coverage. Integrating this exactly gives areas for
which no ranking beats the optimum, ties or not.

Areas up to the coverage reached also reward abstaining. The modes here say what an abstention is
worth: ``normalized`` looks at the answered rows alone, ``charge`` lets the abstained rows enter
last with a loss of their own, ``extend`` is a charge of nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.metrics.selective import (
    area_of_loss,
    area_of_risk,
    augrc,
    aurc,
    coverage,
    mean_loss,
    over_coverage,
    over_coverage_twice,
)
from acumen.types import Floats
from acumen.views.ranking import Ranking, rank  # noqa: F401 - rank is for doctests
from acumen.views.weights import CaseWeights

_risk = partial(
    metric,
    view=Ranking,
    better="lower",
    kind=Kind.RISK,
    unit=Unit.LOSS,
    smooth=True,
    errors=lambda ranking, **_: ranking.errors(),
    gaps=mean_loss,
)


# every case counts, whether it answers or not: who errs among the answered says too little
_over_all = partial(_risk, undefined="no row has weight", errors=None, gaps=coverage)


def _most(share: float) -> Callable[..., float]:
    """The largest area: the dearest row's loss, or an abstention's, throughout."""
    return lambda ranking, loss=0.0: share * max(ranking.most_loss * ranking.unit, loss)


@_risk(title="Exact AURC", one_error=over_coverage)
def aurc_exact(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Area under selective risk with ties integrated exactly, on [0, coverage]; lower is better.

    .. math:: \int_0^{C_{max}} \frac{G(x)}{x}\,dx

    with generalized risk :math:`G` linear between working points: a segment of slope :math:`s`
    adds :math:`s (x_1 - x_0) + (G_0 - s x_0) \ln(x_1/x_0)`, the first one :math:`G_1`.

    >>> round(aurc_exact(rank([0, 1, 0, 1, 0, 0], [3, 3, 2, 2, 1, 1]), np.ones(6)), 7)
    0.4684884
    """
    return area_of_risk(ranking, weights, ranking.exact(weights)[0])


@_risk(title="Optimal exact AURC", one_error=over_coverage)
def aurc_exact_optimal(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""The exact area had the answered rows been ranked by loss, equal losses tied; a reference.

    >>> round(aurc_exact_optimal(rank([0, 1], [1, 2]), [1, 1]), 7)  # (1 - ln 2) / 2
    0.1534264
    """
    return area_of_risk(ranking, weights, ranking.optimum(weights)[2])


@_risk(title="Excess exact AURC", one_error=over_coverage)
def aurc_exact_excess(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""The exact area above its optimum, never negative; lower is better.

    >>> round(aurc_exact_excess(rank([3, 3, 2, 0], [0, 0, 0, 3]), np.ones(4)), 7)
    0.1155245
    """
    excess: Floats = aurc_exact(ranking, weights) - aurc_exact_optimal(ranking, weights)
    return excess


@_risk(title="Achievable exact AURC", one_error=over_coverage, caution="hull")
def aurc_exact_achievable(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Exact area under risk of the hull of (coverage, generalized risk); a reference.

    .. math:: \int_0^{C_{max}} \frac{\mathrm{hull}(x)}{x}\,dx

    The hull is reached by choosing thresholds, and at random between two of them.

    >>> round(aurc_exact_achievable(rank([1, 0, 0, 0, 1], [5, 4, 3, 2, 1]), np.ones(5)), 7)
    0.2661139
    """
    return area_of_risk(ranking, weights, ranking.hull(weights, "loss")[1])


@_risk(title="Achievable AUGRC", one_error=over_coverage_twice, caution="hull")
def augrc_achievable(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Area under the lower hull of (coverage, generalized risk) and the origin; a reference.

    >>> round(augrc_achievable(rank([0, 2, 0, 3, 1, 0], [6, 5, 4, 3, 2, 1]), np.ones(6)), 7)
    0.3888889
    """
    return area_of_loss(ranking, weights, ranking.hull(weights, "loss")[0] / 2)


@_risk(title="Normalized AURC")
def aurc_normalized(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AURC ÷ coverage: the area of the answered rows alone; lower is better.

    >>> aurc_normalized(rank([1, 0], [1, 0], answered=[True, False]), [1, 1])
    1.0
    """
    return ratio(aurc(ranking, weights), coverage(ranking, weights))


@_risk(title="Normalized AUGRC")
def augrc_normalized(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AUGRC ÷ coverage²: the area of the answered rows alone; lower is better.

    >>> augrc_normalized(rank([1, 0], [1, 0], answered=[True, False]), [1, 1])
    0.5
    """
    return ratio(augrc(ranking, weights), coverage(ranking, weights) ** 2)


@_over_all(title="AURC, abstention costs {loss}", most=_most(1.0))
def aurc_charge(ranking: Ranking, weights: CaseWeights, *, loss: float = 1.0) -> Floats:
    r"""AURC to full coverage, the abstained rows entering last as one tie with this loss each.

    Lower is better. The loss is in the units of the loss in use.

    >>> aurc_charge(rank([0, 0], [1, 0], answered=[True, False]), [1, 1], loss=1)
    0.125
    """
    totals = ranking.totals(weights)
    silent = totals.rows - totals.answered
    loss_sum = totals.loss * ranking.unit
    risk_all = ratio(loss_sum + loss * silent, totals.rows)
    risk_answered = np.where(totals.answered > 0, ratio(loss_sum, totals.answered), risk_all)
    tail = ratio(silent, totals.rows) * (risk_all + risk_answered) / 2
    return tail + ratio(ranking.area(weights, "risk") * ranking.unit, totals.rows)


@_over_all(title="AUGRC, abstention costs {loss}", most=_most(0.5))
def augrc_charge(ranking: Ranking, weights: CaseWeights, *, loss: float = 1.0) -> Floats:
    r"""AUGRC to full coverage, the abstained rows entering last as one tie with this loss each.

    Lower is better. The loss is in the units of the loss in use.

    >>> augrc_charge(rank([0, 0], [1, 0], answered=[True, False]), [1, 1], loss=1)
    0.125
    """
    totals = ranking.totals(weights)
    silent = totals.rows - totals.answered
    tail = silent * (totals.loss * ranking.unit + loss * silent / 2)
    return ratio(ranking.area(weights, "loss") * ranking.unit + tail, totals.rows**2)


@_over_all(title="AURC, abstention free", most=_most(1.0))
def aurc_extend(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AURC to full coverage, abstained rows costing nothing: ``aurc_charge`` of 0.

    >>> aurc_extend(rank([1, 0], [1, 0], answered=[True, False]), [1, 1])
    0.875
    """
    return aurc_charge(ranking, weights, loss=0.0)  # type: ignore[no-any-return]


@_over_all(title="AUGRC, abstention free", most=_most(0.5))
def augrc_extend(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AUGRC to full coverage, abstained rows costing nothing: ``augrc_charge`` of 0.

    >>> augrc_extend(rank([1, 0], [1, 0], answered=[True, False]), [1, 1])
    0.375
    """
    return augrc_charge(ranking, weights, loss=0.0)  # type: ignore[no-any-return]


@_risk(
    title="AURC, ties in random order",
    one_error=over_coverage,
    exempt_from_scaling=True,
    smooth=False,
)
def aurc_random_ties(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""Mean over rows of the risk so far, averaged over all orders inside ties; lower is better.

    .. math:: \frac1N \sum_j \Big( \Delta L_j + \big(L_{j-1} - \tfrac{\Delta L_j}{\Delta k_j}
              k_{j-1}\big) \big(H_{k_j} - H_{k_{j-1}}\big) \Big)

    with :math:`H` the harmonic numbers: the `mean` convention of other tools, made exact in ties.
    A whole weight stands for that many single rows.

    >>> round(aurc_random_ties(rank([0, 1, 0, 1, 0, 0], [3, 3, 2, 2, 1, 1]), np.ones(6)), 7)
    0.4555556
    """
    return area_of_risk(ranking, weights, ranking.tie_orders(weights))


@_risk(title="AUGRC by pairs", one_error=over_coverage_twice)
def augrc_pairs(ranking: Ranking, weights: CaseWeights) -> Floats:
    r"""AUGRC as a sum over pairs; the same number by another road, lower is better.

    .. math:: \frac{1}{N^2} \sum_i \ell_i \Big(b_i + \frac{m_i}{2}\Big)

    with :math:`b_i` the answered rows of lower confidence and :math:`m_i` the size of i's tie.

    >>> augrc_pairs(rank([0, 2, 0, 0], [2, 2, 1, 0], [1, 1, 1, 0]), [1, 1, 1, 1])
    0.25
    """
    return area_of_loss(ranking, weights, ranking.exact(weights)[2])
