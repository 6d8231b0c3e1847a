r"""Agreement among several raters: alpha, AC1 and AC2, kappas, ICC. Higher is better, 1 is perfect.

All but the intraclass correlations are functions of how often two levels meet on one unit
(:class:`~acumen.raters.panel.Meetings`), and every one is a function of sums over the cases.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.inference.sums import Estimate, Statistic, by_block, quotient
from acumen.metrics import agreement
from acumen.metrics.pairs import icc_of
from acumen.metrics.registry import Kind
from acumen.raters.panel import Panel
from acumen.types import Floats
from acumen.values.measured import Measured

ALPHAS: Final = ("nominal", "ordinal", "interval")
WEIGHTS: Final = {
    "ac1": "nominal",
    "ac2_linear": "linear",
    "ac2_quadratic": "quadratic",
    "ac2_ordinal": "ordinal",
}
ICC: Final = ("icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k")


def alpha_of(distance: str, ranks: NDArray[Any]) -> Statistic:
    """Krippendorff's alpha of pairs ``(weighting, level, level)``."""
    return lambda pairs: agreement.alpha_of(np.moveaxis(pairs, 0, -1), distance, ranks)


def alpha(panel: Panel, distance: str) -> Estimate:
    """Krippendorff's alpha of a panel."""
    return panel.estimate(panel.meetings.pairs, alpha_of(distance, panel.ranks))


def similarity(kind: str, ranks: NDArray[Any], size: int) -> Floats:
    """Weights of agreement between levels of a scale of ``size``: 1 on the diagonal.

    >>> similarity("ordinal", np.arange(3), 3)[0].round(4).tolist()
    [1.0, 0.6667, 0.0]
    """
    off = np.abs(ranks[:, None] - ranks).astype(np.float64)
    longest = size - 1.0
    cost: dict[str, Floats] = {
        "nominal": np.sign(off),
        "linear": off / longest,
        "quadratic": (off / longest) ** 2,
        "ordinal": off * (off + 1) / (size * longest),
    }
    return 1 - cost[kind]


def gwet(panel: Panel, kind: str) -> Estimate:
    r"""Gwet's AC1 (nominal weights) or AC2, which stay high where one level is common.

    .. math:: \frac{p_a - p_e}{1 - p_e}, \quad
              p_e = \frac{\sum_{kl} w_{kl}}{q (q - 1)} \sum_k \pi_k (1 - \pi_k)

    q: levels of the declared scale; :math:`\pi_k` the mean share of k among a unit's ratings.
    Gwet (2014), Handbook of Inter-Rater Reliability.
    """
    q = panel.scale_size
    weights = similarity(kind, panel.ranks, q)
    every = similarity(kind, np.arange(q), q).sum() / (q * (q - 1))
    meetings = panel.meetings
    alike, units = (meetings.shares * w for w in (weights, 1.0))
    sums = np.column_stack([alike.sum(axis=(1, 2)), units.sum(axis=(1, 2)), meetings.usage])

    def ac(sums: Floats) -> Any:
        use = sums[:, 2:] / sums[:, 2:].sum(axis=1, keepdims=True)
        chance = every * (use * (1 - use)).sum(axis=1)
        return (sums[:, 0] / sums[:, 1] - chance) / (1 - chance)

    return panel.estimate(sums, ac)


def kappa(confusion: Floats, ranks: NDArray[Any]) -> Estimate:
    """Cohen's kappa of two raters with squared distances, of how often their levels meet."""
    cost = (ranks[:, None] - ranks).astype(np.float64) ** 2
    return Estimate.of(
        confusion, lambda tables: agreement.kappa_of(np.moveaxis(tables, 0, -1), cost)
    )


def floor(panel: Panel) -> Estimate:
    """How far two people are apart on average, in levels, every unit counting alike."""
    off = np.abs(panel.ranks[:, None] - panel.ranks)
    shares = panel.meetings.shares
    sums = np.stack([(shares * off).sum(axis=(1, 2)), shares.sum(axis=(1, 2))], axis=1)
    return panel.estimate(sums, quotient)


def intraclass(panel: Panel, raters: list[int]) -> tuple[dict[str, Estimate], int]:
    """The six intraclass correlations of Shrout and Fleiss, of units that all of them rated.

    (1) raters differ from unit to unit, (A) they are a sample and must agree, (C) they need only
    order alike; of one rater, and of the mean of k. Shrout and Fleiss (1979), Psychol. Bull. 86(2).
    """
    k = len(raters)
    full = panel.take(np.isin(panel.rater, raters) & (panel.per_unit[panel.unit] == k))
    units, at = np.unique(full.unit, return_inverse=True)
    table = np.zeros((len(units), k))
    table[at, np.searchsorted(np.sort(raters), full.rater)] = panel.ranks[full.level]
    # from a point amid the levels, so that squares of large numbers do not drown the rest
    table -= table.mean() if table.size else 0.0
    block, total = panel.block[units], table.sum(axis=1)
    parts = [np.ones(len(units)), total**2, (table**2).sum(axis=1), *table.T]
    sums = by_block(block, panel.n_blocks, *parts)
    return {name: panel.estimate(sums, icc_of(name, k)) for name in ICC}, len(units)


def coefficients(panel: Panel, raters: list[int], level: float) -> tuple[dict[str, Measured], int]:
    """Every measure of agreement with its interval, and how many units the ICC are of."""
    reason = "everybody gave one and the same level"
    estimates = {f"alpha_{distance}": alpha(panel, distance) for distance in ALPHAS}
    estimates |= {name: gwet(panel, kind) for name, kind in WEIGHTS.items()}
    correlations, units = intraclass(panel, raters)
    none = "fewer than two units were rated by all people, or all of them alike"
    out = {n: e.measured(Kind.CORRELATION, level, reason) for n, e in estimates.items()}
    return out | {n: e.measured(Kind.GAIN, level, none) for n, e in correlations.items()}, units
