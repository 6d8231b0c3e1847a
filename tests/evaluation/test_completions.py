"""Bounds over what missing rows might have been are those of all completions, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.evaluation.completions import ALIKE, BOUNDED, TOO_MANY, Missing, best_ratio
from acumen.evaluation.missing import keep
from acumen.evaluation.plan import Plan, System
from acumen.metrics import METRICS, Metric
from acumen.table.judgments import Judgments

LEVELS = 3
ORDERED = (
    "augrc",
    "mean_loss_at_coverage@0.3",
    "mean_loss_at_coverage@0.55",
    "failure_auroc",
    "brier",
)
"""Metrics in which it matters how sure a missing row would have been."""
OTHERS = tuple(name for name in BOUNDED if name not in ("augrc", "failure_auroc", "brier"))
UNORDERED = tuple(name for name in OTHERS if name != "mean_loss_at_coverage")
COSTS = [[0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [5.0, 2.0, 0.0]]
Row = tuple[Any, int | None, float]
"""Truth ("?" is none), prediction (None is open), confidence."""


def metric_of(name: str) -> Metric:
    base, _, at = name.partition("@")
    return METRICS[base].at(coverage=float(at)) if at else METRICS[base]


def table_of(rows: Sequence[Row], missing: Sequence[int] = (), **facts: Any) -> Judgments:
    truth, prediction, sure = zip(*rows, strict=True)
    return acumen.from_columns(
        **{"case": list(range(len(rows))), **facts},
        truth=list(truth),
        prediction=list(prediction),
        outcome=["failed" if at in missing else None for at in range(len(rows))],
        confidence=list(sure),
        scale=[0, 1, 2],
        unanswerable=["?"],
    )


def missing_of(
    rows: Sequence[Row], missing: Sequence[int], loss: Any = "abs", **facts: Any
) -> Missing:
    """The rows, of which those at these places failed."""
    gone = [(t, None, 0.0) if at in missing else (t, p, c) for at, (t, p, c) in enumerate(rows)]
    kept = keep(table_of(gone, missing, **facts))
    sure = np.where(kept.answered, [c for *_, c in gone], np.nan)
    return Missing(System(kept, Plan(loss=loss), {"c": sure}), "c")


def values(
    names: Sequence[str], rows: Sequence[Row], loss: Any = "abs", **facts: Any
) -> dict[str, float | None]:
    """The metrics of a study of which nothing is missing."""
    table = table_of(rows, **facts)
    sure = np.where(table.answered, [c for *_, c in rows], np.nan)
    system = System(table, Plan(loss=loss), {"c": sure})
    metrics = {name: metric_of(name) for name in names}
    return {name: m.measure(system.view_of(m, "c")).value for name, m in metrics.items()}


def completions(
    rows: Sequence[Row], missing: Sequence[int], places: Sequence[float]
) -> Iterator[list[Row]]:
    """Every way in which the missing rows might have come."""
    answers = [(None, 0.0), *product(range(LEVELS), places)]
    for chosen in product(answers, repeat=len(missing)):
        whole = list(rows)
        for at, (level, place) in zip(missing, chosen, strict=True):
            whole[at] = (rows[at][0], level, place)
        yield whole


def study(rng: np.random.Generator, n: int, missing: int) -> tuple[list[Row], list[int]]:
    truth = [int(t) if t < LEVELS else "?" for t in rng.integers(0, LEVELS + 1, n)]
    answers = [None if p == LEVELS else int(p) for p in rng.integers(0, LEVELS + 1, n)]
    sure = rng.integers(0, 3, n) / 4 + 0.25
    gone = sorted(rng.choice(n, missing, replace=False).tolist())
    return list(zip(truth, answers, sure.tolist(), strict=True)), gone


def check(name: str, found: Missing, every: Sequence[float | None]) -> None:
    """The completions that were named hold the least and the largest value of all."""
    known = [value for value in every if value is not None]
    for way, extreme in (("lower", min), ("higher", max)):
        completion = found.extreme(metric_of(name), way)  # type: ignore[arg-type]  # one of both
        if not known:
            assert isinstance(completion, str) or _value(name, found, completion) is None
            continue
        assert not isinstance(completion, str), completion
        assert _value(name, found, completion) == pytest.approx(extreme(known), abs=1e-12), way


def _value(name: str, found: Missing, completion: Any) -> float | None:
    metric = metric_of(name)
    return metric.measure(found.view(metric, completion)).value


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_those_of_all_completions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, gone = study(rng, 9 - seed % 3, 3)
    loss: Any = ("abs", "squared", COSTS)[seed % 3]
    found = missing_of(rows, gone, loss)
    every = [values(UNORDERED, whole, loss) for whole in completions(rows, gone, [0.5])]
    for name in UNORDERED:
        check(name, found, [numbers[name] for numbers in every])


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_those_of_all_completions_in_every_order(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    rows, gone = study(rng, 7, 2)
    places = [0.0, 0.1, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0]  # on ties and between
    loss: Any = ("abs", "zero_one", COSTS)[seed % 3]
    found = missing_of(rows, gone, loss)
    every = [values(ORDERED, whole, loss) for whole in completions(rows, gone, places)]
    for name in ORDERED:
        check(name, found, [numbers[name] for numbers in every])


def test_rows_that_weigh_unequally_and_raters_are_bounded_as_all_completions_are() -> None:
    rows, gone = study(np.random.default_rng(7), 6, 2)
    facts: dict[str, Any] = {"weight": [1.0, 2.0, 0.5, 1.0, 3.0, 1.5]}
    names = [n for n in UNORDERED if n != "quadratic_kappa"]
    ordered = ("augrc", "mean_loss_at_coverage@0.3", "mean_loss_at_coverage@0.55")
    found = missing_of(rows, gone, **facts)
    places = [0.0, 0.1, 0.25, 0.3, 0.4, 0.5, 0.6, 0.65, 0.75, 0.9, 1.0]
    every = [values([*names, *ordered], r, **facts) for r in completions(rows, gone, places)]
    for name in (*names, *ordered):
        check(name, found, [numbers[name] for numbers in every])
    for name in ("quadratic_kappa", "failure_auroc", "brier"):
        assert found.extreme(metric_of(name), "lower") == ALIKE


def test_a_kappa_that_is_0_whatever_the_missing_rows_are_has_the_bounds_0() -> None:
    rows: list[Row] = [(0, 0, 0.5), (0, 0, 0.5), (0, 2, 0.5), (0, None, 0.5), ("?", 1, 0.5)]
    gone = [2, 3]
    every = [values(["quadratic_kappa"], whole) for whole in completions(rows, gone, [0.5])]
    assert {number["quadratic_kappa"] for number in every} == {0.0, None}
    check("quadratic_kappa", missing_of(rows, gone), [0.0])


def test_kappa_of_very_many_missing_rows_has_no_bounds() -> None:
    rows: list[Row] = [(at % 3, at % 2, 0.5) for at in range(300)]
    assert missing_of(rows, range(250)).extreme(METRICS["quadratic_kappa"], "lower") == TOO_MANY
    known = missing_of(rows, range(250)).extreme(METRICS["total_accuracy"], "lower")
    assert not isinstance(known, str)


def ratio(base: tuple[float, float], above: Any, below: Any, choice: Any) -> float:
    rows = np.arange(len(above))
    return float((base[0] + above[rows, choice].sum()) / (base[1] + below[rows, choice].sum()))


def test_the_best_ratio_is_that_of_all_choices() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        above, below = rng.normal(size=(4, 3)), rng.random((4, 3))
        base = (float(rng.normal()), float(rng.random()))
        best = max(ratio(base, above, below, list(c)) for c in product(range(3), repeat=4))
        found = best_ratio(base, above, below)
        assert ratio(base, above, below, found) == pytest.approx(best)
