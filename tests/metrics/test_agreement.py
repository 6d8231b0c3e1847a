"""Agreement of levels: by hand, and against scikit-learn, SciPy and krippendorff."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, mean_absolute_error

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics.registry import METRICS, metrics_of
from acumen.values.measured import Interval
from acumen.views.confusion import Confusion, confuse
from acumen.views.weights import CaseWeights

NAMES = sorted(metric.name for metric in metrics_of(Confusion))


def value(name: str, truth: list[int], prediction: list[int], weight: object = None) -> float:
    weights = np.ones(len(truth)) if weight is None else weight
    return float(METRICS[name](confuse(truth, prediction), weights))  # type: ignore[arg-type]


def test_quadratic_kappa_of_the_worked_example() -> None:
    assert value("quadratic_kappa", [0, 1, 2, 3, 3], [0, 1, 1, 3, 2]) == 0.84375


def test_an_abstention_is_wrong_in_accuracy_and_outside_the_rest() -> None:
    truth, prediction = [0, 1, 2, 2], [0, 1, 1, -1]
    assert value("total_accuracy", truth, prediction) == 0.5
    for name in set(NAMES) - {"total_accuracy"}:
        table = confuse(truth, prediction, levels=3)
        short = confuse(truth[:3], prediction[:3], levels=3)
        assert METRICS[name](table, np.ones(4)) == METRICS[name](short, np.ones(3))


def test_right_order_one_level_up_is_never_accurate() -> None:
    assert value("total_accuracy", [0, 0, 1, 1], [1, 1, 2, 2]) == 0.0
    assert value("level_off_by_one", [0, 0, 1, 1], [1, 1, 2, 2]) == 1.0
    assert value("kendall_tau_b", [0, 0, 1, 1], [1, 1, 2, 2]) == 1.0
    assert value("mae", [0, 0, 1, 1], [1, 1, 2, 2]) == 1.0


def test_macro_mae_gives_the_rare_level_its_say() -> None:
    # nine right at level 0, one at level 2 taken for 0
    truth, prediction = [0] * 9 + [2], [0] * 10
    assert value("mae", truth, prediction) == pytest.approx(0.2)
    assert value("macro_mae", truth, prediction) == pytest.approx(1.0)


def test_a_constant_study_has_no_kappa_and_says_why() -> None:
    estimate = METRICS["quadratic_kappa"].measure(confuse([1, 1, 1], [1, 1, 1], levels=3))
    assert estimate.value is None
    assert estimate.reason == "truth and prediction are each one and the same level throughout"


def test_a_constant_prediction_has_no_tau_whatever_its_weights() -> None:
    # 0.1 + 0.2 + … is not the same number in every order: a difference of sums would not be 0
    table = confuse([0, 1, 2, 1, 0, 2], [1] * 6)
    weights = CaseWeights(np.array([[0.1], [0.2], [0.3], [0.7], [1.7], [0.25]]))
    estimate = METRICS["kendall_tau_b"].measure(table, weights)
    assert estimate.value is None
    assert estimate.reason == "truth or prediction is one and the same level throughout"


def test_an_interval_of_an_error_in_levels_ends_at_the_farthest_level() -> None:
    # one of six is wrong, by two levels: the unbounded interval would reach beyond 2
    table = confuse([0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 1, 0], levels=3)
    found = infer([METRICS["mae"]], table, Options(resamples=0))["mae"].interval
    assert isinstance(found, Interval)
    assert found.high == 2.0


def test_a_weighting_that_lacks_a_level_has_no_macro_mean() -> None:
    table = confuse([0, 1, 2], [0, 1, 1])
    for name in ("macro_f1", "macro_mae"):
        assert math.isnan(METRICS[name](table, np.array([1.0, 1.0, 0.0])))


@pytest.mark.parametrize("tables", [300, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_number_agrees_with_its_oracle_on_random_tables(tables: int) -> None:
    rng = np.random.default_rng(2)
    for _ in range(tables):
        n, levels = int(rng.integers(2, 40)), int(rng.integers(2, 6))
        truth = rng.integers(0, levels, n)
        near = np.clip(truth + rng.integers(-1, 2, n), 0, levels - 1)
        prediction = np.where(rng.random(n) < 0.3, rng.integers(0, levels, n), near)
        weight = rng.integers(1, 4, n)
        table = confuse(truth, prediction, levels=levels)
        t, p = np.repeat(truth, weight), np.repeat(prediction, weight)
        present, rungs = np.unique(t), np.arange(levels)
        oracles = {
            "total_accuracy": accuracy_score(t, p),
            "macro_f1": f1_score(t, p, average="macro", zero_division=0),
            "mae": mean_absolute_error(t, p),
            "macro_mae": np.mean([np.abs(p[t == k] - k).mean() for k in present]),
            "level_off_by_one": (np.abs(t - p) <= 1).mean(),
        }
        if len(np.union1d(t, p)) > 1:
            pair = np.vstack([t, p])
            oracles |= {
                "quadratic_kappa": cohen_kappa_score(t, p, labels=rungs, weights="quadratic"),
                "linear_kappa": cohen_kappa_score(t, p, labels=rungs, weights="linear"),
                "kendall_tau_b": kendalltau(t, p).statistic,
                "krippendorff_alpha": krippendorff.alpha(pair, level_of_measurement="ordinal"),
            }
        else:
            oracles |= dict.fromkeys(
                ("quadratic_kappa", "linear_kappa", "kendall_tau_b", "krippendorff_alpha"), math.nan
            )
        for name, expected in oracles.items():
            ours = METRICS[name](table, weight)
            assert isinstance(ours, float)
            assert math.isnan(ours) == math.isnan(expected), name
            assert math.isnan(ours) or abs(ours - expected) < 1e-12, name


@pytest.mark.parametrize("name", NAMES)
def test_a_block_of_weightings_gives_what_each_gives_alone(name: str) -> None:
    rng = np.random.default_rng(3)
    case = np.sort(rng.integers(0, 12, 80)).astype(np.int32)
    truth, prediction = rng.integers(0, 4, 80), rng.integers(-1, 4, 80)
    own = rng.integers(1, 4, 80).astype(float)
    table = confuse(truth, prediction, levels=4, case=case, n_cases=12, weight=own)
    counts = rng.integers(0, 4, (12, 20)).astype(float)
    together = METRICS[name](table, CaseWeights(counts))
    alone = [METRICS[name](table, counts[case, b] * own) for b in range(20)]
    np.testing.assert_allclose(np.array(together), np.array(alone), rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"krippendorff_alpha"}))
def test_scaling_all_weights_changes_nothing(name: str) -> None:
    rng = np.random.default_rng(4)
    table = confuse(rng.integers(0, 4, 60), rng.integers(0, 4, 60))
    weight = rng.random(60) + 0.1
    assert METRICS[name](table, weight) == pytest.approx(METRICS[name](table, 3.7 * weight))


def test_alpha_is_exempt_from_scaling_because_it_counts_ratings() -> None:
    assert METRICS["krippendorff_alpha"].exempt_from_scaling
    truth, prediction = [0, 1, 2, 2], [0, 1, 1, 2]
    once = value("krippendorff_alpha", truth, prediction)
    doubled = value("krippendorff_alpha", truth, prediction, np.full(4, 2.0))
    assert once != doubled
    assert doubled == pytest.approx(value("krippendorff_alpha", truth * 2, prediction * 2))


def test_alpha_of_less_than_one_rating_is_undefined_and_never_beyond_its_range() -> None:
    truth, guess = [0, 1, 2, 3, 3, 1], [0, 1, 1, 3, 2, 1]
    alpha = METRICS["krippendorff_alpha"]
    for weight, defined in ((1.0, True), (0.1, True), (1 / 12, False), (0.01, False)):
        found = alpha.measure(confuse(truth, guess, weight=np.full(6, weight)))
        assert (found.value is not None) == defined, weight
        assert found.value is None or found.value <= 1.0
