"""Scores of probabilities of levels: by hand, and against scoringrules and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scoringrules  # type: ignore[import-untyped]  # it has no types
from sklearn.metrics import brier_score_loss, log_loss

import acumen
from acumen.evaluation.plan import Plan, System
from acumen.metrics import METRICS
from acumen.types import Floats
from acumen.views.level_forecast import LevelForecast, forecast_levels, forecast_of_levels
from acumen.views.weights import CaseWeights


def measured(view: LevelForecast, name: str, level: float | None = None) -> float:
    metric = METRICS[name] if level is None else METRICS[name].at(level=level)
    value = metric.measure(view).value
    assert value is not None
    return value


def study(seed: int) -> tuple[Floats, Any, Floats]:
    """Probabilities without a zero, what came true, and weights."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 120)), int(rng.integers(2, 8))
    p = rng.dirichlet(np.full(k, 2.0), n)
    p = (p + 1e-3) / (p + 1e-3).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(k, p=row) for row in p])
    y[:k] = np.arange(k)
    return p, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(200))
def test_scores_are_those_of_other_libraries(seed: int) -> None:
    p, y, w = study(seed)
    k, view = p.shape[1], forecast_levels(p, y, weight=w)
    ranks = np.arange(k)
    rps = np.average(scoringrules.rps_score(y + 1, p), weights=w)
    assert measured(view, "rps") == pytest.approx(rps, abs=1e-9)
    losses = log_loss(y, p, sample_weight=w, labels=ranks)
    assert measured(view, "level_log_score") == pytest.approx(losses, abs=1e-9)
    brier = brier_score_loss(
        y, p if k > 2 else p[:, 1], sample_weight=w, scale_by_half=False,
        **({"labels": ranks} if k > 2 else {}),
    )  # fmt: skip
    assert measured(view, "level_brier") == pytest.approx(brier, abs=1e-9)
    base = np.bincount(y, w, k) / w.sum()
    climate = np.average(scoringrules.rps_score(y + 1, np.tile(base, (len(y), 1))), weights=w)
    assert measured(view, "rps_skill") == pytest.approx(1 - rps / climate, abs=1e-9)
    own = np.average([row @ scoringrules.rps_score(ranks + 1, np.tile(row, (k, 1))) for row in p],
                     weights=w)  # fmt: skip
    assert measured(view, "expected_rps") == pytest.approx(own, abs=1e-9)
    for cut in range(1, k):
        reached = p[:, cut:].sum(axis=1)
        bins = np.minimum((reached * 10 + 1e-9).astype(int), 9)
        off = np.bincount(bins, w * ((y >= cut) - reached), 10)
        error = np.abs(off).sum() / w.sum()
        assert measured(view, "cut_ece", level=cut) == pytest.approx(error, abs=1e-9)


def test_of_two_levels_the_rps_is_half_the_brier_score() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1], 50)
    view = forecast_levels(p, rng.integers(0, 2, 50))
    assert measured(view, "rps") == pytest.approx(measured(view, "level_brier") / 2, abs=1e-12)


def test_of_a_certain_forecast_the_rps_is_the_levels_it_is_off() -> None:
    p, y = np.eye(5)[[0, 4, 2, 1]], [0, 1, 2, 4]
    assert measured(forecast_levels(p, y), "rps") == (0 + 3 + 0 + 3) / 4
    assert measured(forecast_levels(p, y), "expected_rps") == 0.0


def test_abstained_rows_and_rows_without_probabilities_are_outside() -> None:
    p = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], None, [0, 0, 1]]
    more: dict[str, Any] = {"case": [1, 2, 3, 4], "truth": [0, 1, 2, 2], "scale": "0-2"}
    table = acumen.from_columns(distribution=p, **more)
    view = forecast_of_levels(table)
    assert view is not None
    assert measured(view, "rps") == pytest.approx((0.1 + 0.3125 + 0) / 3)
    own = acumen.from_columns(distribution=p, prediction=[0, 1, 2, None], **more)
    judged = forecast_of_levels(own)
    assert judged is not None
    assert measured(judged, "rps") == pytest.approx(0.20625)


def test_a_level_that_was_ruled_out_costs_much_and_not_all() -> None:
    view = forecast_levels([[1.0, 0.0], [0.5, 0.5]], [1, 0])
    assert measured(view, "level_log_score") == pytest.approx((np.log(1e6) + np.log(2)) / 2)


def test_the_skill_of_one_level_throughout_has_no_value_and_a_reason() -> None:
    estimate = METRICS["rps_skill"].measure(forecast_levels([[0.5, 0.5]] * 3, [1, 1, 1]))
    assert estimate.value is None
    assert estimate.reason == "the truth is one and the same level throughout"


def test_the_gradient_of_the_skill_is_that_of_small_steps() -> None:
    p, y, w = study(7)
    view = forecast_levels(p, y, weight=w)
    n = view.n_cases
    block = CaseWeights(np.ones((n, 1)))
    METRICS["rps_skill"](view, block)
    tangent = view.tangent(block)
    assert tangent is not None
    (slope,) = tangent.slopes(lambda known: METRICS["rps_skill"](view, known)[None, :])  # type: ignore[index]  # an array
    step = 1e-6
    up, down = (
        METRICS["rps_skill"](view, CaseWeights(np.ones((n, n)) + sign * step * np.eye(n)))
        for sign in (1, -1)
    )
    np.testing.assert_allclose(slope, (np.asarray(up) - down) / (2 * step), atol=1e-7)


def test_every_door_has_them_groups_differences_gates_and_leaderboards() -> None:
    p, y, _ = study(3)
    rng = np.random.default_rng(5)
    n, k = p.shape
    other = (p + rng.dirichlet(np.ones(k), n)) / 2
    rows: dict[str, Any] = {"case": range(n), "truth": y, "scale": list(range(k))}
    rows["groups"] = {"site": ["a", "b"] * (n // 2) + ["a"] * (n % 2)}
    a, b = (acumen.from_columns(distribution=d, **rows) for d in (p, other))
    both = acumen.evaluate({"a": a, "b": b}, by="site", resamples=200, rank_by="rps").document
    delta = both.comparison.agreement["rps"]
    expected = measured(_view(b), "rps") - measured(_view(a), "rps")
    assert delta.delta == pytest.approx(expected, abs=1e-12)
    assert delta.interval is not None
    assert both.leaderboard is not None
    assert [s.measured.value for s in both.leaderboard.standings] == sorted(
        [measured(_view(a), "rps"), measured(_view(b), "rps")]
    )
    site = next(part for part in both.slices if part.group == "a" and part.input == "a")
    assert site.metrics["rps"].value == pytest.approx(measured(_view(a.where(site="a")), "rps"))
    level = a.scale.levels[1]
    assert f"cut_ece@{level}" in site.metrics
    assert acumen.gate(a, metric="rps", at_most=float(k)).document.verdict == "pass"
    assert acumen.gate(a, metric=f"cut_ece@{level}", at_most=1.0).document.verdict == "pass"
    assert acumen.gate(a, metric="rps", at_most=1e-3).document.verdict == "fail"


def _view(table: Any) -> LevelForecast:
    view = System(table, Plan(), {}).levels
    assert view is not None
    return view


def test_a_table_without_probabilities_has_none_of_them() -> None:
    table = acumen.from_columns(case=[1, 2, 3], truth=[0, 1, 2], prediction=[0, 1, 1])
    assert System(table, Plan(), {}).levels is None
    document = acumen.evaluate(table, resamples=0).document
    assert "rps" not in document.overall_by_input[0]
    with pytest.raises(acumen.UsageError, match="rps needs a probability for every level"):
        acumen.gate(table, metric="rps", at_most=1.0)
