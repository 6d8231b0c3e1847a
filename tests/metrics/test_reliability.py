"""Calibration metrics by hand, against scikit-learn, and against their definitions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from acumen.errors import DataError, UsageError
from acumen.metrics import METRICS, reliability
from acumen.views.bins import equal_width_bin
from acumen.views.forecast import (
    MANY_CASES,
    forecast,
    forecast_judgments,
    target_of,
)
from acumen.views.groups import deal
from acumen.views.weights import CaseWeights

P = np.array([0.5, 0.5, 0.4, 0.6, 1.0, 1.0])
Y = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
ONES = np.ones(6)


def study(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(2, 1.5, n), 2)
    return p, (rng.random(n) < p**2).astype(float)


def test_ece_has_bins_closed_below_with_edges_that_are_quotients() -> None:
    view = forecast(P, Y)
    assert reliability.ece(view, ONES) == pytest.approx(0.5, abs=1e-15)
    assert reliability.ece(view, ONES, bins=2) == pytest.approx(1 / 6, abs=1e-15)


def test_a_view_with_other_weights_has_bins_of_its_own() -> None:
    view = forecast(P, Y)
    assert view.curve().accuracy.tolist() == [0.0, 1.0, 0.0, 0.5]
    heavy = replace(view, weight=np.array([0.0, 0.0, 0.0, 0.0, 1.0, 3.0]))
    assert heavy.curve().accuracy.tolist() == [0.25]


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 10, 15, 49])
def test_every_edge_opens_its_own_bin(bins: int) -> None:
    edges = np.array([j / bins for j in range(bins)])
    assert equal_width_bin(edges, bins).tolist() == list(range(bins))
    assert equal_width_bin(np.nextafter(edges[1:], 0), bins).tolist() == list(range(bins - 1))
    assert equal_width_bin(np.array([1.0]), bins).tolist() == [bins - 1]


def test_equal_mass_bins_hold_equal_weight_when_nothing_ties() -> None:
    p, y = np.linspace(0.01, 0.99, 40), np.tile([0.0, 0.0, 1.0, 1.0], 10)
    view = forecast(p[::-1], y[::-1])
    sums = view.equal_mass_bins(CaseWeights.once(40), 8)[:, :, 0]
    assert sums[0].tolist() == [5.0] * 8
    expected = np.abs(p.reshape(8, 5).mean(1) - y.reshape(8, 5).mean(1)).mean()
    assert reliability.ece_equal_mass(view, np.ones(40), bins=8) == pytest.approx(expected)


def test_a_tie_goes_whole_to_one_bin_of_equal_mass() -> None:
    # five rows of one value, one above: the tie's middle (2.5/6) lies in the first half
    view = forecast([0.2] * 5 + [0.9], [1, 0, 0, 0, 0, 1])
    assert view.equal_mass_bins(CaseWeights.once(6), 2)[0, :, 0].tolist() == [5.0, 1.0]
    assert reliability.ece_equal_mass(view, np.ones(6), bins=2) == pytest.approx(0.1 / 6)


def reflected_gaussian(t: np.ndarray, at: float, width: float) -> np.ndarray:
    """The kernel by its definition: its images on both sides, summed."""
    total = np.zeros_like(t)
    for image in range(-4, 5):
        for centre in (2 * image + at, 2 * image - at):
            z = (t - centre) / width
            total += np.exp(-z * z / 2) / (width * math.sqrt(2 * math.pi))
    return total


def reflected_gaussian_error(p: np.ndarray, y: np.ndarray, width: float) -> float:
    """The smoothed residual by its definition."""
    t = (np.arange(4000) + 0.5) / 4000
    total = np.zeros_like(t)
    for residual, at in zip(y - p, p, strict=True):
        total += residual * reflected_gaussian(t, at, width)
    return float(np.abs(total / len(p)).mean())


@pytest.mark.parametrize("seed", [1, 2])
def test_smooth_ece_is_the_width_at_which_the_smoothed_residual_equals_it(seed: int) -> None:
    p, y = study(seed, 60)
    found = reliability.smooth_ece(forecast(p, y), np.ones(60))
    assert found > reliability.NARROWEST
    assert reflected_gaussian_error(p, y, found) == pytest.approx(found, abs=2e-4)


def test_smooth_ece_of_an_almost_calibrated_confidence_is_below_the_narrowest_width() -> None:
    p = np.repeat([0.25, 0.75], 400)
    y = np.concatenate([np.repeat([1.0, 0.0], [101, 299]), np.repeat([1.0, 0.0], [299, 101])])
    found = reliability.smooth_ece(forecast(p, y), np.ones(800))
    assert found == pytest.approx(reflected_gaussian_error(p, y, 0.02), abs=1e-5)


def smoothed_without_noise(p: np.ndarray, y: np.ndarray, case: np.ndarray, width: float) -> float:
    """The root of r² − σ² on the grid, r the smoothed residual, σ its error over cases."""
    t = (np.arange(reliability.GRID) + 0.5) / reliability.GRID
    n, cases = len(p), int(case.max()) + 1
    by_case = np.zeros((len(t), cases))
    for residual, at, own in zip(y - p, p, case, strict=True):
        by_case[:, own] += residual * reflected_gaussian(t, at, width)
    r = by_case.sum(axis=1) / n
    off = (by_case - r[:, None] * np.bincount(case)) / n
    variance = cases / (cases - 1) * (off**2).sum(axis=1)
    return float(np.sqrt(np.maximum(0.0, r**2 - variance)).mean())


@pytest.mark.parametrize(
    ("n", "cases", "error", "width"),
    [(60, 20, 0.2, 0.2), (60, 20, 0.03, 0.03), (60, 20, 0.001, 0.02), (1000, 1000, 0.1, 0.1)],
)
def test_what_noise_leaves_of_smooth_ece_is_taken_at_its_width(
    n: int, cases: int, error: float, width: float
) -> None:
    p, y = study(1, n)
    case = np.arange(n) % cases
    noise = METRICS["smooth_ece"].noise
    assert noise is not None
    left = noise(forecast(p, y, case=case), error)
    expected = smoothed_without_noise(p, y, case, width)
    assert expected > 0.01
    assert left == (pytest.approx(expected, abs=1e-7), 0.0)


def test_many_cases_are_taken_in_groups() -> None:
    p, y = study(1, MANY_CASES + 1)
    view = forecast(p, y)
    noise = METRICS["smooth_ece"].noise
    assert noise is not None
    left = noise(view, 0.1)
    expected = smoothed_without_noise(p, y, deal(view, MANY_CASES), 0.1)
    assert left == (pytest.approx(expected, abs=1e-9), 0.0)


def test_smooth_ece_hardly_moves_when_a_value_crosses_an_edge_while_ece_jumps() -> None:
    # right at .5 + tiny, wrong at .5 − tiny: bins see two cells, the smoothed error one
    near = [forecast([0.5 + h, 0.5 - h] * 20, [1, 0] * 20) for h in (1e-6, -1e-6)]
    ece = [reliability.ece(view, np.ones(40), bins=2) for view in near]
    smooth = [reliability.smooth_ece(view, np.ones(40)) for view in near]
    assert ece == [pytest.approx(0.5, abs=1e-5), pytest.approx(0.5, abs=1e-5)]
    merged = forecast([0.5] * 40, [1, 0] * 20)
    assert reliability.ece(merged, np.ones(40), bins=2) == 0
    assert max(smooth) < 1e-4


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_brier_and_its_parts_agree_with_scikit_learn(seed: int) -> None:
    p, y = study(seed)
    w = np.random.default_rng(seed).integers(0, 4, len(p)).astype(float)
    view = forecast(p, y)
    kept = w > 0
    fit = IsotonicRegression().fit(p[kept], y[kept], sample_weight=w[kept]).predict(p[kept])
    steps, total = len(np.unique(np.round(fit, 12))), w.sum()
    left = float(np.sum(w[kept] * (fit - y[kept]) ** 2))
    noise = left / (total - steps)
    base = np.average(y, weights=w)
    score = brier_score_loss(y, p, sample_weight=w)
    spread = total * base * (1 - base)
    parts = {
        "brier_miscalibration": score - (left + steps * noise) / total,
        "brier_discrimination": (spread - left - (steps - 1) * noise) / total,
        "brier_uncertainty": (spread + noise) / total,
    }
    assert reliability.brier(view, w) == pytest.approx(score, abs=1e-12)
    for name, expected in parts.items():
        assert METRICS[name](view, w) == pytest.approx(expected, abs=1e-10)
    a, b, c = (METRICS[name](view, w) for name in parts)
    assert a - b + c == pytest.approx(score, abs=1e-13)


@pytest.mark.parametrize(("levels", "share_left"), [(5, 0.05), (150, 0.5)])
def test_what_a_recalibration_gains_by_having_seen_the_rows_is_taken_off(
    levels: int, share_left: float
) -> None:
    """A calibrated confidence: all of the gain with few distinct values, over half with many."""
    plain, corrected = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        p = (rng.integers(0, levels, 150) + 0.5) / levels
        y = (rng.random(150) < p).astype(float)
        fit = IsotonicRegression().fit(p, y).predict(p)
        plain.append(np.mean((p - y) ** 2 - (fit - y) ** 2))
        corrected.append(reliability.brier_miscalibration(forecast(p, y), np.ones(150)))
    assert abs(np.mean(corrected)) < share_left * np.mean(plain)


def test_no_more_rows_than_steps_leave_the_parts_undefined() -> None:
    view = forecast([0.2, 0.9], [0, 1])
    estimate = METRICS["brier_miscalibration"].measure(view)
    assert estimate.value is None
    assert "no more rows than steps" in str(estimate.reason)


def test_nll_agrees_with_scikit_learn_and_is_finite_for_a_wrong_certainty() -> None:
    p, y = study(6)
    inside = np.clip(p, 0.01, 0.99)
    expected = log_loss(y, np.column_stack([1 - inside, inside]))
    assert reliability.nll(forecast(inside, y), np.ones(200)) == pytest.approx(expected, abs=1e-12)
    assert reliability.nll(forecast([1.0], [0]), np.ones(1)) == pytest.approx(-math.log(1e-6))


def test_rows_with_weights_of_their_own_count_as_if_written_so_often() -> None:
    p, y = study(7, 40)
    own = np.random.default_rng(7).integers(1, 4, 40).astype(float)
    case = np.arange(40) // 4
    weighted = forecast(p, y, case=case, weight=own)
    often = own.astype(int)
    written = forecast(np.repeat(p, often), np.repeat(y, often), case=np.repeat(case, often))
    counts = np.random.default_rng(8).integers(0, 3, (10, 5))
    for metric in METRICS.values():
        if metric.view is type(weighted):
            a = metric(weighted, CaseWeights(counts))
            b = metric(written, CaseWeights(counts))
            np.testing.assert_allclose(a, b, atol=1e-12, err_msg=metric.name)


def test_the_reliability_curve_has_a_point_for_each_bin_that_holds_rows() -> None:
    curve = forecast(P, Y).curve()
    assert curve.bin.tolist() == [4, 5, 6, 9]
    assert curve.weight.tolist() == [1, 2, 1, 2]
    assert curve.confidence.tolist() == [0.4, 0.5, 0.6, 1.0]
    assert curve.accuracy.tolist() == [0, 1, 0, 0.5]


def test_nobody_answered_is_undefined_with_the_reason() -> None:
    view = forecast([0.5, 0.5], [1, 0], [False, False])
    for metric in METRICS.values():
        if metric.view is type(view):
            assert metric.measure(view).reason == "no row was answered"


def test_a_confidence_that_is_no_probability_makes_no_forecast() -> None:
    with pytest.raises(DataError, match=r"probability 3 is outside 0\.\.1 \(2 rows\)"):
        forecast([3, 0.5, 2], [1, 0, 1])
    with pytest.raises(UsageError, match="one target a probability"):
        forecast([0.5], [1, 0])


def test_targets_are_right_or_nearly_right_or_the_share_of_the_scale_not_lost() -> None:
    from acumen.readers.columns import from_columns

    table = from_columns(case=[1, 2, 3, 4], truth=[0, 0, 0, 0], prediction=[0, 1, 3, None])
    answered = table.answered
    assert target_of(table, "correctness")[answered].tolist() == [1, 0, 0]
    assert target_of(table, "near_correct")[answered].tolist() == [1, 1, 0]
    assert target_of(table, "loss")[answered].tolist() == [1, pytest.approx(2 / 3), 0]
    view = forecast_judgments(table, np.array([0.9, 0.5, 0.2, np.nan]), "near_correct")
    assert view.probability.tolist() == [0.2, 0.5, 0.9]
    assert view.target.tolist() == [0, 1, 1]
    with pytest.raises(UsageError, match="no target 'truth'"):
        target_of(table, "truth")
