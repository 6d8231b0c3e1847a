r"""What precision to expect of a sample before anybody has labelled a case.

Labels are assumed to vary from case to case as the judge's ratings do. With f the influence of a
case on the mean of the judge's ratings, over M rows, and a judge that correlates with people by
:math:`\rho` from case to case, the error of a powered mean has the variance

.. math:: V = \frac{1}{M^2}\left((1 - \rho^2) \sum_c f_c^2 / \pi_c + \rho^2 \sum_c f_c^2\right)

A threshold is promised the Korn–Graubard end at half of δ (two starts) for the cases that count
as :math:`n_e = (\sum_c m_c)^2 / \sum_c (m_c^2 / \pi_c)`, an agreement of a share p has the error
:math:`\sqrt{p(1-p)/n_e}`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from acumen.inference.distributions import beta_quantile, t_quantile
from acumen.labels.design import Purpose, chances
from acumen.results.labels import Assumption, Expected
from acumen.types import Floats

CORRELATIONS: Final = (0.0, 0.5, 0.8, 0.9)
ERRORS: Final = (0.0, 0.02, 0.05)
AGREEMENT: Final = 0.8
STARTS: Final = 2


def expected(
    purpose: Purpose,
    sizes: Floats,
    rows: Floats,
    ratings: Floats,
    budget: int,
    level: float,
    delta: float,
) -> list[Expected]:
    """At half the budget, at all of it and at twice as much, as far as there are cases."""
    n = len(rows)
    budgets = sorted({min(n, max(2, size)) for size in (budget // 2, budget, 2 * budget)})
    out = []
    for size in budgets:
        chance = chances(sizes, size)
        entries = {
            "estimate": lambda c, k: _means(c, k, rows, ratings, level),
            "threshold": lambda c, k: _risks(c, rows, delta),
            "rate": lambda c, k: _shares(c, k, rows, level),
        }[purpose](chance, size)
        out += [
            Expected(cases=size, assumption=of, at=at, reach=reach) for of, at, reach in entries
        ]
    return out


Entry = tuple[Assumption, float, float]


def _means(
    chance: Floats, size: int, rows: Floats, ratings: Floats, level: float
) -> Iterator[Entry]:
    total = rows.sum()
    influence = ratings - ratings.sum() / total * rows
    drawn = float((influence**2 / chance).sum()) / total**2
    judged = float((influence**2).sum()) / total**2
    t = t_quantile(level, size - 1)
    for rho in CORRELATIONS:
        yield "correlation", rho, t * math.sqrt((1 - rho**2) * drawn + rho**2 * judged)


def _worth(chance: Floats, rows: Floats) -> float:
    return float(rows.sum() ** 2 / (rows**2 / chance).sum())


def _risks(chance: Floats, rows: Floats, delta: float) -> Iterator[Entry]:
    worth = _worth(chance, rows)
    for share in ERRORS:
        n = worth * share
        yield "errors", share, beta_quantile(n + 1.0, worth - n, 1.0 - delta / STARTS)


def _shares(chance: Floats, size: int, rows: Floats, level: float) -> Iterator[Entry]:
    error = math.sqrt(AGREEMENT * (1.0 - AGREEMENT) / _worth(chance, rows))
    yield "agreement", AGREEMENT, t_quantile(level, size - 1) * error


def balanced(chance: Floats) -> bool:
    """Whether all chances are the same."""
    return bool(np.ptp(chance) < 1e-9)
