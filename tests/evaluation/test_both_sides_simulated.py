"""Intervals of abstention from both sides hold what they promise, in simulated studies.

Cases differ: in some more rows cannot be judged, and on some a system is more silent, on those that
can be judged and those that cannot alike.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from acumen.inference.infer import infer
from acumen.metrics import metrics_of
from acumen.types import Floats
from acumen.views.abstention import Abstention, abstain_rows

pytestmark = pytest.mark.slow
ROWS = 8


def draw(rng: np.random.Generator, cases: int) -> tuple[Floats, Floats]:
    """Which rows cannot be judged, and which are left open: ``(case, row)``."""
    hard, shy = rng.normal(size=(2, cases, 1))
    unanswerable = rng.random((cases, ROWS)) < expit(-1.4 + hard)
    silent = rng.random((cases, ROWS)) < expit(-2.2 + 0.8 * shy + 3 * unanswerable)
    return unanswerable, silent


def study(rng: np.random.Generator, cases: int) -> Abstention:
    unanswerable, silent = draw(rng, cases)
    case = np.repeat(np.arange(cases), ROWS)
    return abstain_rows(unanswerable.ravel(), silent.ravel(), case=case, n_cases=cases)


def coverage(cases: int, studies: int, seed: int) -> dict[str, float]:
    """How often the interval of each metric holds its value in the population."""
    unanswerable, silent = draw(np.random.default_rng(1), 400_000)
    every = abstain_rows(unanswerable.ravel(), silent.ravel())
    metrics = metrics_of(Abstention)
    true = {metric.name: metric.measure(every).value for metric in metrics}
    rng, holds = np.random.default_rng(seed), dict.fromkeys(true, 0)
    for _ in range(studies):
        for name, inference in infer(metrics, study(rng, cases)).items():
            interval = inference.measured.interval
            assert interval is not None
            holds[name] += interval.low <= true[name] <= interval.high
    return {name: count / studies for name, count in holds.items()}


@pytest.mark.parametrize("cases", [20, 40, 100])
def test_the_intervals_of_abstention_hold_its_measures(cases: int) -> None:
    shares = coverage(cases, 1000, cases)
    assert min(shares.values()) >= 0.92, shares
    assert max(shares.values()) <= 0.98, shares
