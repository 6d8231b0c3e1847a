r"""Influence functions: the derivative of a metric by the weight of a case, in closed form.

For very many cases a leave-one-out pass per case is too slow; these cost one pass in all. With
blocks :math:`k` by falling confidence, :math:`A_k, L_k` their answered rows and loss, :math:`B_k`
the answered rows below, :math:`CA_k, r_k` cumulative count and risk, :math:`m_c` the rows of a
case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError
from acumen.types import Floats
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights


def influence(name: str, ranking: Ranking) -> Floats:
    """∂T/∂w of every case, for a metric of :data:`INFLUENCE`.

    >>> from acumen.views.ranking import rank
    >>> study = rank([0, 1, 0], [2, 1, 0], answered=[True, True, False])
    >>> influence("cmax", study).round(4).tolist()
    [0.1111, 0.1111, -0.2222]
    """
    if name not in INFLUENCE:
        raise UsageError(f"no influence function for {name}")
    return INFLUENCE[name](ranking)


def _of_coverage(ranking: Ranking) -> Floats:
    """:math:`(a_c - C_{max} m_c)/N`."""
    rows, answered = _rows(ranking), _by_case(ranking, np.ones(len(ranking.order)))
    total = rows.sum()
    derivative: Floats = (answered - answered.sum() / total * rows) / total
    return derivative


def _of_mae(ranking: Ranking) -> Floats:
    r""":math:`(\ell_c - \mathrm{MAE}\, a_c)/A`."""
    answered = _by_case(ranking, np.ones(len(ranking.order)))
    lost = _by_case(ranking, ranking.loss)
    mean = lost.sum() / answered.sum()
    derivative: Floats = (lost - mean * answered) / answered.sum() * ranking.unit
    return derivative


def _of_augrc(ranking: Ranking) -> Floats:
    """Each row adds its own loss to what is below it, and carries the loss above it."""
    count, lost, block = _blocks(ranking)
    below = count.sum() - np.cumsum(count)
    above = np.cumsum(lost) - lost
    per_row = ranking.loss * (below + count / 2)[block] + (above + lost / 2)[block]
    rows = _rows(ranking)
    total = rows.sum()
    area = float((lost * (below + count / 2)).sum()) / total**2
    derivative: Floats = _by_case(ranking, per_row) / total**2 - 2 * area * rows / total
    return derivative * ranking.unit


def _of_aurc(ranking: Ranking) -> Floats:
    r""":math:`\{\sum [h_k + \sum_{j \ge k} g_j (\ell - r_j)/CA_j] - \mathrm{AURC}\, m_c\}/N`."""
    count, lost, block = _blocks(ranking)
    reach = np.cumsum(count)
    risk = np.cumsum(lost) / reach
    height = (risk + np.concatenate([risk[:1], risk[:-1]])) / 2
    width = (count + np.append(count[1:], 0.0)) / 2
    width[0] += count[0] / 2
    slope = _from_here_on(width / reach)
    level = _from_here_on(width * risk / reach)
    per_row = height[block] + ranking.loss * slope[block] - level[block]
    rows = _rows(ranking)
    total = rows.sum()
    area = float((count * height).sum()) / total
    derivative: Floats = (_by_case(ranking, per_row) - area * rows) / total
    return derivative * ranking.unit


INFLUENCE: Final[dict[str, Callable[[Ranking], Floats]]] = {
    "cmax": _of_coverage,
    "mae": _of_mae,
    "augrc": _of_augrc,
    "aurc": _of_aurc,
}
"""Metrics whose influence function is known."""


def _own(ranking: Ranking) -> Floats:
    """The weights the ranked rows have of their own."""
    return ranking.row_weights(CaseWeights.once(ranking.n_cases))[:, 0]


def _blocks(ranking: Ranking) -> tuple[Floats, Floats, NDArray[Any]]:
    """Weight and loss of each tie, and the tie of each ranked row."""
    starts = np.concatenate([[0], ranking.ends[:-1]])
    block = np.repeat(np.arange(len(ranking.ends)), ranking.ends - starts)
    own = _own(ranking)
    size = len(ranking.ends)
    return _sums(block, own, size), _sums(block, own * ranking.loss, size), block


def _by_case(ranking: Ranking, per_row: NDArray[Any]) -> Floats:
    case = ranking.case[ranking.order]
    return _sums(case, _own(ranking) * per_row, ranking.n_cases)


def _rows(ranking: Ranking) -> Floats:
    return _sums(ranking.case, ranking.weight, ranking.n_cases)


def _sums(index: NDArray[Any], values: NDArray[Any] | None, size: int) -> Floats:
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)


def _from_here_on(values: Floats) -> Floats:
    total: Floats = np.cumsum(values[::-1])[::-1]
    return total
