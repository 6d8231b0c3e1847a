"""How often the intervals of every family hold, and whether those that do not are marked.

The studies are those of :mod:`simulations.crowds`. A *mark* is a flag on which no difference is
claimed: few cases, a rare level, few wrong answers, a few cases that hold most of the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.values.measured import Interval
from simulations.crowds import CROWDS, Crowd

CASES: Final = (20, 41)
STUDIES: Final = 1_500
SEED: Final = 7
CROWD_CASES: Final = 100_000
"""Cases whose metric stands for the population's value."""

FAMILIES: Final = {
    "risks": ("aurc", "augrc", "mean_loss", "mae", "aurc_exact_excess", "augrc_achievable"),
    "shares": ("coverage", "accuracy", "total_accuracy", "off_by_one_accuracy"),
    "agreement": ("quadratic_kappa", "linear_kappa", "kendall_tau_b", "krippendorff_alpha"),
    "rare levels": (
        *("macro_f1", "macro_mae", "ordinal_auprc", "ordinal_nap", "auprc_ge@top"),
        "failure_auroc",
    ),
    "calibration": ("ece", "ece_equal_mass", "brier", "nll"),
}
PROMISED: Final = ("risks", "shares", "agreement")
"""Families of which 93 to 97% is promised, where a few cases do not decide."""
NAMES: Final = tuple(name for names in FAMILIES.values() for name in names)


def metrics_of(levels: int) -> dict[str, Metric]:
    """The metrics by the name they go under on the page."""
    found = {name: METRICS[name] for name in NAMES if "@" not in name}
    return found | {"auprc_ge@top": METRICS["auprc_ge"].at(level=levels - 1)}


def by_view(metrics: dict[str, Metric], views: Sequence[Any]) -> list[tuple[dict[str, str], Any]]:
    """Of each view, our names of its metrics by theirs."""
    return [
        ({m.name: name for name, m in metrics.items() if m.view is type(view)}, view)
        for view in views
    ]


@lru_cache(maxsize=32)
def truth(crowd: Crowd) -> tuple[dict[str, Metric], dict[str, float | None]]:
    """The metrics, and their values on very many cases."""
    large = crowd.draw(np.random.default_rng([20_240, 999]), CROWD_CASES)
    metrics = metrics_of(large.levels)
    return metrics, {
        ours: metrics[ours].measure(view).value
        for names, view in by_view(metrics, large.views())
        for ours in names.values()
    }


def cover(crowd: Crowd, cases: int, studies: int, seed: int = SEED) -> dict[str, dict[str, Any]]:
    """Metric -> intervals, misses on either side, and the same of those without a mark."""
    metrics, true = truth(crowd)
    keys = ("given", "low", "high", "plain", "plain_missed")
    tallies = {name: dict.fromkeys(keys, 0) for name, value in true.items() if value is not None}
    place = [c.name for c in CROWDS].index(crowd.name)
    options = Options(resamples=0, threads=1)
    for study in range(studies):
        rows = crowd.draw(np.random.default_rng([seed, place, cases, study]), cases)
        for names, view in by_view(metrics, rows.views()):
            some = [metrics[ours] for ours in names.values() if ours in tallies]
            for theirs, result in infer(some, view, options).items():
                _add(tallies[names[theirs]], result.interval, true[names[theirs]])
    return {name: {**tally, "truth": true[name]} for name, tally in tallies.items()}


def _add(tally: dict[str, int], interval: Any, true: float | None) -> None:
    if not isinstance(interval, Interval) or true is None:
        return
    low, high = interval.high < true - 1e-12, interval.low > true + 1e-12
    plain = interval.is_reliable
    for key, holds in (("given", True), ("low", low), ("high", high), ("plain", plain)):
        tally[key] += holds
    tally["plain_missed"] += plain and (low or high)
