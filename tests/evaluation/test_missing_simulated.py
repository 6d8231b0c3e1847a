"""Intervals over missing rows hold the number of all rows, also where failing depends on the truth.

Cases differ in how well they are answered. Rows fail by chance; more often where the true level is
high and where the answer would be wrong; or only where it would be wrong, so that the number of all
rows is a bound itself. Two systems fail by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import acumen
from acumen.evaluation.bounds import bounded
from acumen.evaluation.completions import Missing
from acumen.evaluation.missing import keep
from acumen.evaluation.plan import Plan, System
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.table.judgments import Judgments, Outcome

pytestmark = pytest.mark.slow
ROWS: Final = 8
ONE: Final = ("total_accuracy", "mean_loss", "augrc", "failure_auroc")
BOTH: Final = ("total_accuracy", "mean_loss_at_coverage")
PLAN: Final = Plan(loss="abs")


def draw(
    rng: np.random.Generator, cases: int, mechanism: str
) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[np.bool_]]]:
    """Of two systems: truth, prediction, confidence, and which rows fail."""
    hard, truth = rng.normal(size=(cases, 1)), rng.integers(0, 4, (cases, ROWS))
    sides = []
    for skill in (0.6, 1.0):
        chance = 1 / (1 + np.exp(-(skill - hard + 0.5 * rng.normal(size=(cases, 1)))))
        right = rng.random((cases, ROWS)) < chance
        moved = np.clip(truth + rng.choice([-2, -1, 1, 2], truth.shape), 0, 3)
        prediction = np.where(right, truth, np.where(moved == truth, (truth + 1) % 4, moved))
        sure = np.round(1 / (1 + np.exp(-(right + rng.normal(size=right.shape)))), 2)
        rate = np.full(truth.shape, 0.06)
        if mechanism == "truth":
            rate = 0.02 + 0.08 * (truth >= 2) + 0.15 * ~right
        if mechanism == "wrong":
            rate = 0.25 * ~right
        sides.append((truth, prediction, sure, rng.random(truth.shape) < rate))
    return sides


def table_of(side: tuple[NDArray[Any], ...], *, failing: bool = True) -> Judgments:
    truth, prediction, sure, failed = (part.ravel() for part in side)
    cases = len(truth) // ROWS
    table = acumen.from_columns(
        case=np.repeat(np.arange(cases), ROWS),
        item=np.tile(np.arange(ROWS), cases),
        truth=truth,
        prediction=prediction,
        confidence=sure,
        scale=[0, 1, 2, 3],
    )
    if not failing:
        return table
    outcome = np.where(failed, Outcome.FAILED, table.outcome).astype(table.outcome.dtype)
    return replace(table, outcome=outcome, prediction=np.where(failed, -1, table.prediction))


def system_of(table: Judgments) -> System:
    return System.of(table, PLAN, {"confidence": "confidence"})


def metric_of(name: str) -> Any:
    return METRICS[name].at(coverage=0.5) if name == "mean_loss_at_coverage" else METRICS[name]


def coverage(cases: int, studies: int, seed: int, mechanism: str) -> dict[str, tuple[float, float]]:
    """How often the interval holds the number of all rows: bounded, and of the rows there are."""
    whole = [
        system_of(table_of(s, failing=False))
        for s in draw(np.random.default_rng(1), 20_000, mechanism)
    ]
    true: dict[str, float] = {}
    for name in (*ONE, *BOTH):
        values = [
            metric_of(name).measure(s.view_of(metric_of(name), "confidence")).value for s in whole
        ]
        true.setdefault(name, values[0])
        true[f"Δ {name}"] = values[1] - values[0]
    rng, options = np.random.default_rng(seed), Options(resamples=0)
    asked = [*ONE, *(f"Δ {name}" for name in BOTH)]
    holds = {name: np.zeros(2) for name in asked}
    for _ in range(studies):
        tables = [table_of(side) for side in draw(rng, cases, mechanism)]
        sides = [Missing(system_of(keep(table)), "confidence") for table in tables]
        for name in asked:
            metric, of = metric_of(name.removeprefix("Δ ")), sides if "Δ" in name else sides[:1]
            there = [s.system.table.take(~_any(of)) for s in of]
            views = [system_of(t).view_of(metric, "confidence") for t in there]
            found = bounded(metric, of, views, options, None)
            for at, interval in enumerate((found.interval, found.without)):
                inside = interval is not None and interval.low <= true[name] <= interval.high
                holds[name][at] += inside
    return {
        name: (float(a), float(b)) for name, (a, b) in ((n, h / studies) for n, h in holds.items())
    }


def _any(sides: list[Missing]) -> NDArray[np.bool_]:
    missing = [side.system.table.missing for side in sides]
    return np.logical_or.reduce([rows for rows in missing if rows is not None])


@pytest.mark.parametrize("mechanism", ["chance", "truth", "wrong"])
@pytest.mark.parametrize("cases", [20, 60])
def test_the_intervals_hold_the_number_of_all_rows(cases: int, mechanism: str) -> None:
    shares = coverage(cases, 500, cases, mechanism)
    assert min(bounded for bounded, _ in shares.values()) >= 0.93, shares
