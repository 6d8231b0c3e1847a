"""How good a probability is: on two plain lists, or on the rows that a calibrator is fitted on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS, metrics_of, reliability
from acumen.results.calibration import Measures, ReliabilityPart
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
    ranking = rank(1 - np.asarray(right), score, weight=weight, most_loss=1)
    return METRICS["failure_auroc"].measure(ranking).value


@dataclass(frozen=True)
class Sample:
    """The answered rows a calibrator is fitted on."""

    inputs: Floats
    target: Floats
    right: Floats
    case: NDArray[np.int32]
    n_cases: int
    weight: Floats | None

    def rows(self, which: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats | None]:
        """Inputs, target and weight of some of the rows."""
        weight = None if self.weight is None else self.weight[which]
        return self.inputs[which], self.target[which], weight

    def measure(self, confidence: Floats) -> Measures:
        """AUROC of being right by a confidence; where it is a probability, calibration as well."""
        case, n_cases, weight = self.case, self.n_cases, self.weight
        options = Options(resamples=0)
        ranking = rank(
            1 - self.right, confidence, case=case, n_cases=n_cases, weight=weight, most_loss=1
        )
        by_rank = infer((METRICS["failure_auroc"],), ranking, options)
        auroc = {"auroc": by_rank["failure_auroc"].measured}
        if confidence.min() < 0 or confidence.max() > 1:
            return Measures(metrics=auroc, reason="what goes in is not a probability")
        view = forecast(confidence, self.target, case=case, n_cases=n_cases, weight=weight)
        inferences = infer(metrics_of(Forecast), view, options)
        curve = view.curve()
        return Measures(
            metrics={name: one.measured for name, one in inferences.items()} | auroc,
            reliability=ReliabilityPart(
                n=curve.weight.tolist(),
                confidence=curve.confidence.tolist(),
                accuracy=curve.accuracy.tolist(),
            ),
        )
