"""No ranking beats the exact optimum, ties or not."""

from __future__ import annotations

import numpy as np

from acumen.metrics import METRICS
from acumen.views.ranking import rank
from acumen.views.weights import CaseWeights

TABLES, BLOCK = 100_000, 500


def test_the_exact_excess_of_a_hundred_thousand_random_tables_is_never_negative() -> None:
    """A table is a random weighting of random rows: many leave most of their rows out."""
    rng = np.random.default_rng(2024)
    lowest, seen = np.inf, 0
    for _ in range(TABLES // BLOCK):
        n, levels = int(rng.integers(2, 30)), int(rng.integers(2, 12))
        ranking = rank(
            rng.integers(0, levels, n),
            rng.integers(0, int(rng.integers(1, 12)), n),
            rng.random(n) < rng.uniform(0.3, 1.0),
        )
        counts = rng.integers(0, int(rng.integers(2, 5)), (n, BLOCK)).astype(np.float64)
        if rng.random() < 0.3:
            counts *= rng.random((n, BLOCK))
        excess = np.asarray(METRICS["aurc_exact_excess"](ranking, CaseWeights(counts)))
        seen += int(np.isfinite(excess).sum())
        lowest = min(lowest, float(np.nanmin(excess, initial=np.inf)))
    assert seen > 0.9 * TABLES
    assert lowest >= -1e-12


def test_the_trapezoid_excess_does_go_below_zero_on_such_tables() -> None:
    """So the bound above says something about the exact form, not about the tables."""
    value = METRICS["eaurc"].measure(rank([3, 3, 2, 0], [0, 0, 0, 3])).value
    assert value is not None
    assert value < -0.1
