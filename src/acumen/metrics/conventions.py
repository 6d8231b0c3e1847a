r"""AURC under the conventions of other tools, so that users can reconcile numbers.

``mean`` and ``rescaled`` depend on the order inside a tie, so they are point values of the rows as
read and stand outside the registry. Without ties, with :math:`r_k` the risk of the top k of n rows,

.. math:: trapezoid = mean + \frac{r_1 - r_n}{2n} = rescaled\,\big(1 - \tfrac1n\big) + \frac{r_1}{n}
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from acumen.metrics.exact import aurc_exact, aurc_random_ties
from acumen.metrics.selective import aurc
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights


def conventions(ranking: Ranking) -> dict[str, float]:
    """AURC of the answered rows by each convention (coverage counted among them alone).

    Rows count once each, whatever they weigh: the other tools know no weights, and no panels.

    >>> from acumen.views.ranking import rank
    >>> [round(area, 4) for area in conventions(rank([0, 1, 0], [3, 2, 1])).values()]
    [0.2222, 0.2778, 0.3333, 0.2778, 0.2374]
    """
    n = len(ranking.order)
    if n == 0 or ranking.judgment is not None:
        return {}
    ranking = replace(ranking, weight=None)
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


@dataclass(frozen=True, slots=True)
class ToolValue:
    """What one tool shows for the same data: under which name, and why it differs."""

    tool: str
    name: str
    value: float | None
    why: str


def readings(ranking: Ranking) -> list[ToolValue]:
    """The area under risk as each tool shows it, for losses within 0..1.

    ``mean`` and ``rescaled`` take ties in row order as read, and so do the tools built on them.

    >>> from acumen.views.ranking import rank
    >>> rows = readings(rank([0, 1, 0], [3, 2, 1]))
    >>> [(r.tool, round(r.value, 4)) for r in rows if r.tool != "acumen"]
    [('fd-shifts', 222.2222), ('torch-uncertainty', 0.3333), ('lm-polygraph', 0.2778),
     ('HELM', 0.7222), ('MAPIE', 0.7222)]
    """
    n = len(ranking.order)
    if n == 0 or ranking.judgment is not None:
        return []
    cmax = n / len(ranking)
    trapezoid, mean, rescaled, random_ties, exact = conventions(ranking).values()
    from_zero = f"trapezoids from 0 to {cmax:.4g}: abstained rows count in the coverage"
    alone = "the same divided by the coverage: the answered rows alone, as in every line below"
    first = "starts at the first row instead of at 0 and divides by 1 − 1/n; ties in row order"
    from_first = (rescaled, first) if n > 1 else (None, "needs two rows")
    upside_down = "accuracy instead of risk: 1 − the mean of the n risks; ties in row order"
    all_orders = "the mean of the n risks, expected over all orders inside ties"
    in_proportion = "a tie enters in proportion: no trapezoid across it, and no order inside it"
    return [
        ToolValue("acumen", "aurc", trapezoid * cmax, from_zero),
        ToolValue("acumen", "aurc_normalized", trapezoid, alone),
        ToolValue("fd-shifts", "aurc", 1000 * trapezoid, "the line above, shown times 1000"),
        ToolValue("torch-uncertainty", "AURC", *from_first),
        ToolValue("lm-polygraph", "rcc-auc", *_stretched(ranking, mean)),
        ToolValue("HELM", "selective_cov_acc_area", 1 - mean, upside_down),
        ToolValue("MAPIE", "AUARC", 1 - mean, "accuracy instead of risk, as HELM"),
        ToolValue("acumen", "aurc_random_ties ÷ coverage", random_ties, all_orders),
        ToolValue("acumen", "aurc_exact ÷ coverage", exact, in_proportion),
    ]


def _stretched(ranking: Ranking, mean: float) -> tuple[float, str]:
    """lm-polygraph stretches the losses to 0..1 first; where all are the same, each becomes 0.5."""
    low, high = (float(end) * ranking.unit for end in (ranking.loss.min(), ranking.loss.max()))
    why = "mean of the n risks, no trapezoids; ties in row order"
    if high == low:
        return 0.5, f"{why}; losses all alike become 0.5 each"
    if (low, high) != (0.0, 1.0):
        why += f"; losses first stretched from {low:.4g}..{high:.4g} to 0..1"
    return (mean - low) / (high - low), why
