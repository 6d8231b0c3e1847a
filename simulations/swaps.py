"""How often the swap test of a paired difference alarms where there is none, and where there is.

Two systems of one law are exchangeable: every claim is false. A system that errs half as often is
better by every metric here but coverage: every claim is right, and the share of them is the power.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from acumen.inference.options import Options
from acumen.inference.paired import Contrast, compare
from acumen.metrics import METRICS
from simulations.laws import LAWS, Law, Rows, draw_pair

CASES: Final = (20, 41)
STUDIES: Final = 500
SWAPS: Final = 499
RANKED: Final = [
    *(
        METRICS[m]
        for m in ("coverage", "mean_loss", "aurc", "augrc", "aurc_normalized", "augrc_normalized")
    ),
    *(METRICS[m] for m in ("augrc_charge", "failure_auroc")),
    METRICS["mean_loss_at_coverage"].at(coverage=0.3),
]
CONFUSED: Final = [
    METRICS[m]
    for m in (
        *("quadratic_kappa", "kendall_tau_b", "krippendorff_alpha", "macro_f1", "macro_mae"),
        *("mae", "total_accuracy"),
    )
]
BY_SEVERITY: Final = [METRICS[m] for m in ("ordinal_auprc", "ordinal_nap")]


def contrasts(left: Rows, right: Rows, options: Options) -> Iterator[Contrast]:
    """The differences of two systems: of a ranking, and of the rows that both answered."""
    yield from compare(RANKED, left.ranking(), right.ranking(), options).values()
    both = left.answered & right.answered
    views = left.confusion(both), right.confusion(both)
    yield from compare(CONFUSED, *views, options).values()
    views_by_severity = left.severity(both), right.severity(both)
    yield from compare(BY_SEVERITY, *views_by_severity, options).values()


def alarms(laws: tuple[Law, ...], cases: int, studies: int, seed: int) -> dict[str, dict[str, Any]]:
    """Metric -> of how many pairs, and in how many the p-value is at most .05, and a side favoured.

    ``zero`` counts intervals of no width.
    """
    rng = np.random.default_rng([seed, cases, *map(ord, laws[0].name)])
    counts: dict[str, dict[str, Any]] = {}
    for study in range(studies):
        options = Options(resamples=0, seed=study, swaps=SWAPS, threads=1)  # other swaps each time
        for contrast in contrasts(*draw_pair(laws, rng, cases), options):
            count = counts.setdefault(contrast.name, {"tested": 0, "p": 0, "claimed": 0, "zero": 0})
            count["tested"] += contrast.p_value is not None
            count["p"] += contrast.p_value is not None and contrast.p_value <= 0.05
            count["claimed"] += contrast.favours is not None
            interval = contrast.delta().interval
            count["zero"] += interval is not None and interval.low == interval.high
    return counts


def nulls() -> Iterator[tuple[Law, ...]]:
    """Every law against itself."""
    yield from ((law,) for law in LAWS.values())
