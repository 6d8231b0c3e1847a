r"""AURC under the conventions of other tools, so that users can reconcile numbers.

``mean`` and ``rescaled`` depend on the order inside a tie, so they are point values of the rows as
read and stand outside the registry. Without ties, with :math:`r_k` the risk of the top k of n rows,

.. math:: trapezoid = mean + \frac{r_1 - r_n}{2n} = rescaled\,\big(1 - \tfrac1n\big) + \frac{r_1}{n}
"""

from __future__ import annotations

import numpy as np

from acumen.metrics.exact import aurc_exact, aurc_random_ties
from acumen.metrics.selective import aurc
from acumen.ranking import Ranking
from acumen.weights import CaseWeights

TOOLS = {
    "trapezoid": "acumen's aurc; fd-shifts shows it times 1000",
    "mean": "lm-polygraph, HELM; 1 − it is MAPIE's AUARC",
    "rescaled": "torch-uncertainty",
    "random_ties": "mean, exact over the orders inside ties",
    "exact": "acumen's aurc_exact",
}
"""Who computes what under which name."""


def conventions(ranking: Ranking) -> dict[str, float]:
    """AURC of the answered rows by each convention (coverage counted among them alone).

    >>> from acumen.ranking import rank
    >>> named = conventions(rank([0, 1, 0], [3, 2, 1]))
    >>> [round(named[k], 4) for k in ("trapezoid", "mean", "rescaled", "random_ties", "exact")]
    [0.2222, 0.2778, 0.3333, 0.2778, 0.2374]
    """
    n = len(ranking.order)
    if n == 0:
        return {}
    risk = np.cumsum(ranking.loss, dtype=np.float64) / np.arange(1, n + 1) * ranking.unit
    once = CaseWeights.once(ranking.n_cases)
    answered = n / len(ranking)
    inner = float((risk[1:] + risk[:-1]).sum()) / (2 * n)
    return {
        "trapezoid": float(aurc(ranking, once)[0]) / answered,
        "mean": float(risk.mean()),
        "rescaled": inner / (1 - 1 / n) if n > 1 else float(risk[0]),
        "random_ties": float(aurc_random_ties(ranking, once)[0]) / answered,
        "exact": float(aurc_exact(ranking, once)[0]) / answered,
    }
