r"""What the cases at hand cannot show: cases that happen not to be among them.

n cases of one size show none of a kind that makes up a share q with chance :math:`(1-q)^n`; so
with 95% certainty they exclude only shares above :math:`1 - .05^{1/n} \approx 3/n`. Of cases of
unequal size count as many as they are worth, :math:`(\sum m_c)^2 / \sum m_c^2`. No test of a mean
knows of this: the variance that it goes by is that of the cases it saw.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.inference.distributions import beta_quantile, binomial_cdf
from acumen.inference.jackknife import ROUNDING
from acumen.types import Floats
from acumen.views.weights import balance

FEW: Final = 3
"""With fewer cases that carry the evidence, their variance says nothing."""


def chance_unseen(sizes: Floats, share: float) -> float:
    """The chance that none of the cases is of a kind that makes up this share.

    >>> round(chance_unseen(np.full(20, 8.0), 0.1), 4)  # 0.9 to the 20th
    0.1216
    """
    return float((1.0 - share) ** balance(sizes)[0])


def largest_unseen(sizes: Floats, chance: float) -> float:
    """The largest share of a kind of cases that stays unseen with this chance.

    >>> round(largest_unseen(np.ones(59), 0.05), 4)  # about 3 of 59
    0.0495
    """
    return float(1.0 - chance ** (1.0 / balance(sizes)[0]))


def carrying(amounts: Floats) -> Floats:
    r"""How many cases carry a sum of amounts, :math:`(\sum a_c)^2 / \sum a_c^2`; last axis cases.

    >>> carrying(np.array([[0.0, 2, 2, 0], [9, 1, 0, 0]])).round(2)
    array([2.  , 1.22])
    """
    squares = (amounts**2).sum(axis=-1)
    total = amounts.sum(axis=-1) ** 2
    return np.asarray(np.divide(total, squares, out=np.zeros_like(total), where=squares > 0))


def share_p(erring: Floats, cases: NDArray[np.int64], share: Floats) -> Floats:
    """p of "more than this share of cases err", exact for independent cases."""
    return binomial_cdf(erring, cases, share)


def mean_bound(parts: Floats, most: float, chance: float) -> float:
    r"""An upper end of the mean of what cases add, where few of them lie above 0; else −∞.

    Where fewer than three cases carry what lies above 0, it is their share that has an end, exact
    for independent cases, and each of them adds the ``most`` that one can.

    >>> one = np.array([1.0] + [0.0] * 40)
    >>> round(mean_bound(0.0 * one, 1.0, 0.05), 4)  # 1 − .05 ** (1 / 41)
    0.0705
    >>> round(mean_bound(one, 1.0, 0.05), 4)  # of a binomial share, 1 of 41
    0.1106
    """
    above, n = np.maximum(parts, 0.0), len(parts)
    cases = float(carrying(above))
    if cases >= FEW:
        return -math.inf
    erring = min(math.ceil(cases - ROUNDING), n - 1)
    share = beta_quantile(erring + 1, n - erring, 1.0 - chance)
    return float(np.minimum(parts, 0.0).mean()) + share * most
