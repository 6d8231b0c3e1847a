"""Rows for the tests: right answers are surer, some rows are open, a case has some rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from acumen.results.counts import LargeSystem


def study(n: int = 4000, seed: int = 0, *, digits: int | None = 2, first: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth, wrong = rng.integers(0, 4, n), rng.random(n) < 0.25
    prediction = np.clip(truth + np.where(wrong, rng.choice([-1, 1, 2], n), 0), 0, 3)
    confidence = np.clip(0.9 - 0.5 * wrong + 0.2 * rng.standard_normal(n), 0, 1)
    columns: dict[str, Any] = {
        "case": first + rng.integers(0, max(2, n // 8), n),
        "item": np.arange(n) + first,
        "truth": truth,
        "prediction": prediction,
        "confidence": confidence if digits is None else np.round(confidence, digits),
        "site": rng.choice(["north", "south"], n),
    }
    is_open = pl.Series(rng.random(n) < 0.2)
    said = pl.when(is_open).then(None).otherwise(pl.col("prediction")).alias("prediction")
    return pl.DataFrame(columns).with_columns(said)


def alike(ours: LargeSystem, theirs: LargeSystem) -> None:
    """The same numbers, to the last digits that sums in another order leave."""
    assert (ours.cases, ours.outcomes) == (theirs.cases, theirs.outcomes)
    assert {*ours.metrics} == {*theirs.metrics}
    for name, metric in ours.metrics.items():
        other = theirs.metrics[name]
        pairs = [(metric.value, other.value)]
        for a, b in ((metric.ends, other.ends), (metric.bounds, other.bounds)):
            assert (a is None) == (b is None)
            pairs += zip(a or (), b or (), strict=True)
        for mine, yours in pairs:
            assert (mine is None) == (yours is None)
            assert mine is None or mine == pytest.approx(yours, rel=1e-12, abs=1e-15)
