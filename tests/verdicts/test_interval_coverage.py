"""On simulated verdict studies, 95% intervals hold the truth about 95% of the time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen.defaults import PROCESS_WEIGHTS
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics.registry import METRICS
from acumen.values.measured import Interval
from acumen.views.confusion import confuse
from acumen.views.reasoning import RATIOS, Reasoning
from acumen.views.severity import rank_severity

STUDIES, CASES, POPULATION = 600, 60, 400_000
CUTS = (0.25, 1.28)  # levels of 60, 30 and 10%
METRIC_NAMES = {
    "ranking": ("auprc_ge", "auroc_ge"),
    "confusion": ("total_accuracy", "mae", "quadratic_kappa", "kendall_tau_b"),
    "reasoning": ("process", "incident_precision", "consistency"),
}


def draw(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """Severities, scores that follow them, and claims a case is more or less good at."""
    severity = rng.standard_normal(n)
    score = 0.8 * severity + 0.6 * rng.standard_normal(n)
    skill = rng.beta(4, 1.5, n)
    of = {name: rng.poisson(1.2, n).astype(float) for name in RATIOS}
    right = {name: rng.binomial(of[name].astype(int), skill).astype(float) for name in RATIOS}
    truth = np.digitize(severity, CUTS)
    return {
        "ranking": rank_severity(truth, score, levels=3),
        "confusion": confuse(truth, np.digitize(score, CUTS), levels=3),
        "reasoning": Reasoning(right, of, n, components=tuple(PROCESS_WEIGHTS)),
    }


@pytest.mark.slow
def test_intervals_of_verdict_metrics_cover() -> None:
    population = draw(np.random.default_rng(0), POPULATION)
    ones = np.ones(POPULATION)
    metrics = {part: [METRICS[n] for n in names] for part, names in METRIC_NAMES.items()}
    truth = {m.name: float(m(population[part], ones)) for part, ms in metrics.items() for m in ms}
    held = dict.fromkeys(truth, 0)
    rng = np.random.default_rng(7)
    for _ in range(STUDIES):
        study = draw(rng, CASES)
        for part, chosen in metrics.items():
            found = infer(chosen, study[part], Options(resamples=0, threads=1))
            for name, inference in found.items():
                assert isinstance(inference.interval, Interval)
                held[name] += inference.interval.low <= truth[name] <= inference.interval.high
    # 600 studies tell a coverage of .95 to within ±.027 (three standard errors)
    coverage = {name: count / STUDIES for name, count in held.items()}
    assert all(0.92 <= share <= 0.985 for share in coverage.values()), coverage
