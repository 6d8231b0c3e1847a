"""How good a probability is, on plain arrays: the doors for people who have two lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS, metrics_of, reliability
from acumen.results.measured import Interval, NoInterval
from acumen.types import Floats
from acumen.views.forecast import BINS, Forecast, forecast
from acumen.views.ranking import rank


def compute_ece(probability: ArrayLike, target: ArrayLike, n_bins: int = BINS) -> float | None:
    """Expected calibration error in bins ``[j/n, (j + 1)/n)``, the last closed; None on no rows.

    >>> round(compute_ece([0.5, 0.5, 0.4, 0.6, 1, 1], [1, 1, 0, 0, 1, 0]), 6)
    0.5
    """
    view = forecast(probability, target)
    return float(reliability.ece(view, np.ones(len(view)), bins=n_bins)) if len(view) else None


def compute_binary_nll(probability: ArrayLike, target: ArrayLike) -> float | None:
    """Mean negative log-likelihood in nats, probabilities kept within [1e-6, 1 − 1e-6].

    >>> round(compute_binary_nll([0.9, 0.2], [1, 0]), 6)
    0.164252
    """
    view = forecast(probability, target)
    return float(reliability.nll(view, np.ones(len(view)))) if len(view) else None


def auroc(score: ArrayLike, right: ArrayLike, weight: Floats | None = None) -> float | None:
    """P(a right answer scores higher than a wrong one), ties counting half; None on one class.

    >>> auroc([3, 3, 2, 1], [1, 0, 1, 0])
    0.625
    """
    wrong = 1 - np.asarray(right)
    ranking = rank(wrong, score, weight=weight, most_loss=1)
    return METRICS["failure_auroc"].measure(ranking).value


def summary(
    probability: Floats,
    target: Floats,
    right: Floats,
    case: NDArray[np.int32],
    *,
    n_cases: int,
    weight: Floats | None = None,
) -> dict[str, Any]:
    """Every calibration metric of a probability, AUROC of being right by it, and intervals.

    ``ci95_notes`` tells what to know of an interval; ``reliability`` is the curve: what was said
    and what came true, bin by bin.
    """
    view = forecast(probability, target, case=case, n_cases=n_cases, weight=weight)
    ranking = rank(1 - right, probability, case=case, n_cases=n_cases, weight=weight, most_loss=1)
    options = Options(resamples=0)
    found = infer(metrics_of(Forecast), view, options)
    by_rank = infer((METRICS["failure_auroc"],), ranking, options)["failure_auroc"]
    measured = {**found, "auroc": by_rank}
    curve = view.curve()
    return {
        **{name: one.value for name, one in measured.items()},
        "ci95": {name: _ends(one.interval) for name, one in measured.items()},
        "ci95_notes": {
            name: ", ".join(one.interval.flags)
            for name, one in measured.items()
            if isinstance(one.interval, Interval) and one.interval.flags
        },
        "reliability": {
            "n": curve.weight.tolist(),
            "confidence": curve.confidence.tolist(),
            "accuracy": curve.accuracy.tolist(),
        },
    }


def _ends(interval: Interval | NoInterval) -> list[float] | None:
    return [interval.low, interval.high] if isinstance(interval, Interval) else None
