"""Intervals for totals and limits of agreement hold what they promise, in simulated studies.

Cases differ in severity; items are open more often where it is low, and answers err more where more
is open: what is open is far from random.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from acumen.metrics.registry import Kind
from acumen.table.totals import Total
from acumen.totals.error import estimates_of
from acumen.totals.formula import Formula
from acumen.totals.intervals import margins_of
from acumen.totals.sums import Sums
from acumen.types import Floats

ITEMS = tuple("abcdefgh")
LEVELS = (0, 1, 2, 3)
FORMULA = Formula(Total(), ITEMS, Total().points(LEVELS, ITEMS))

pytestmark = pytest.mark.slow


def study(rng: np.random.Generator, cases: int) -> Sums:
    """Cases of a population, with their answers."""
    severity = rng.normal(size=(cases, 1))
    latent = severity + rng.normal(size=(cases, len(ITEMS)))
    true = np.digitize(latent, [0.3, 1.1, 1.9]).astype(np.float64)
    silent = rng.normal(size=(cases, 1)) - 0.5 * severity + rng.normal(size=latent.shape)
    is_open = silent > 1.4
    err = rng.random(latent.shape) < 0.2 + 0.06 * is_open.sum(axis=1, keepdims=True)
    answers = np.clip(true + err * rng.choice([-1, 1, 1], latent.shape), 0, 3)
    added = np.where(is_open, np.nan, answers)
    return Sums(FORMULA, tuple(range(cases)), added, np.zeros(latent.shape, bool), true)


def coverage(cases: int, alpha: float, studies: int, seed: int) -> dict[str, float]:
    """How often new cases' true totals lie in intervals made from a study, in all and by group."""
    rng, many = np.random.default_rng(seed), study(np.random.default_rng(seed + 1), 4000)
    holds, of, worst = {"all": 0.0}, {"all": 0}, {0: "none", 1: "one or two", 3: "three or more"}
    for _ in range(studies):
        low, high = margins_of(study(rng, cases), alpha).around(many)
        inside = (low <= many.truth) & (many.truth <= high)
        rows = {"all": np.ones(len(many), bool)}
        rows |= {name: many.n_open >= start for start, name in worst.items()}
        rows["none"] = many.n_open == 0
        rows["one or two"] = (many.n_open > 0) & (many.n_open < 3)
        for name, where in rows.items():
            holds[name] = holds.get(name, 0.0) + inside[where].sum()
            of[name] = of.get(name, 0) + int(where.sum())
    return {name: holds[name] / of[name] for name in of}


@pytest.mark.parametrize(("cases", "alpha"), [(40, 0.1), (100, 0.1), (100, 0.2), (400, 0.1)])
def test_an_interval_holds_the_truth_of_a_new_case_as_often_as_is_promised(
    cases: int, alpha: float
) -> None:
    found = coverage(cases, alpha, 300, cases)
    assert 1 - alpha - 0.01 <= found["all"] <= 1 - alpha + 0.1
    if cases >= 100:  # where the groups are small, each holds what is promised
        assert min(found.values()) >= 1 - alpha - 0.04


def limits(cases: int, studies: int, seed: int) -> tuple[float, float]:
    """How often the interval of the upper limit of agreement holds the true one: ours, theirs."""
    rng = np.random.default_rng(seed)
    probability = np.array([0.05, 0.12, 0.5, 0.2, 0.1, 0.03])
    values = np.arange(-2.0, 4.0)
    mean = float(probability @ values)
    sd = math.sqrt(float(probability @ (values - mean) ** 2))
    true, ours, theirs = mean + 1.96 * sd, 0, 0
    for _ in range(studies):
        off: Floats = rng.choice(values, cases, p=probability)
        truth = rng.integers(0, 20, cases).astype(np.float64)
        own = estimates_of(truth + off, truth)["upper_limit"].measured(Kind.REAL, 0.95)
        if own.interval is not None:
            ours += own.interval.low <= true <= own.interval.high
        s, n = np.std(off, ddof=1), cases
        error = s * math.sqrt(1 / n + 1.96**2 / (2 * (n - 1)))
        reach = stats.t.ppf(0.975, n - 1) * error
        theirs += abs(off.mean() + 1.96 * s - true) <= reach
    return ours / studies, theirs / studies


@pytest.mark.parametrize(("cases", "least"), [(20, 0.92), (40, 0.93), (100, 0.93)])
def test_the_interval_of_a_limit_of_agreement_holds_it(cases: int, least: float) -> None:
    ours, _ = limits(cases, 1000, cases)
    assert ours >= least
