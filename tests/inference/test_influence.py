"""Influence functions: derivatives by finite differences, and their use for very many cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acumen.inference import resample
from acumen.inference.infer import infer, leave_out
from acumen.inference.jackknife import INFLUENCE, Jackknife
from acumen.inference.options import Options
from acumen.inference.resample import MOST_GROUPS
from acumen.metrics import METRICS
from acumen.results.measured import Interval
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights


def study(n: int, *, tied: bool, weighed: bool = False, unit: float = 1.0) -> Ranking:
    rng = np.random.default_rng(8)
    case = np.repeat(np.arange(n), rng.integers(1, 7, n))
    rows = len(case)
    confidence = rng.random(rows)
    return rank(
        rng.integers(0, 4, rows) * (rng.random(rows) < 0.6),
        np.floor(confidence * 4) if tied else confidence,
        rng.random(rows) < 0.7,
        case=case,
        n_cases=n,
        weight=rng.uniform(0.5, 2.0, rows) if weighed else None,
        unit=unit,
        most_loss=3,
    )


def finite_differences(name: str, view: Ranking, step: float) -> np.ndarray:
    n = view.n_cases
    ones = np.ones((n, n))
    up = np.asarray(METRICS[name](view, CaseWeights(ones + step * np.eye(n))))
    down = np.asarray(METRICS[name](view, CaseWeights(ones - step * np.eye(n))))
    return (up - down) / (2 * step)


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", sorted(INFLUENCE))
def test_influence_is_the_derivative_by_a_cases_weight(
    name: str, tied: bool, weighed: bool
) -> None:
    view = study(30, tied=tied, weighed=weighed, unit=1 / 3)
    expected = finite_differences(name, view, 1e-4)
    assert np.abs(expected).max() > 1e-4
    # central differences err by step², and by rounding over step
    assert np.abs(INFLUENCE[name](view) - expected).max() < 1e-9


@pytest.mark.parametrize("name", sorted(INFLUENCE))
def test_influences_sum_to_zero_because_scaling_all_weights_changes_nothing(name: str) -> None:
    assert INFLUENCE[name](study(50, tied=True)).sum() == pytest.approx(0.0, abs=1e-12)


def test_the_standard_error_of_influence_is_the_known_formula() -> None:
    u = INFLUENCE["aurc"](study(40, tied=False))
    expected = math.sqrt(40 / 39 * (u**2).sum())
    assert Jackknife.of_influence(u).standard_error == pytest.approx(expected, rel=1e-12)


def test_influence_of_a_mean_is_exactly_its_jackknife() -> None:
    case = np.arange(25)
    view = rank(np.arange(25) % 4, case, case=case, n_cases=25)
    (left_out,) = leave_out([METRICS["mae"]], view)
    by_influence = Jackknife.of_influence(INFLUENCE["mae"](view))
    assert by_influence.deviations == pytest.approx(left_out.deviations, rel=1e-12)


def test_beyond_2000_cases_influence_or_groups_stand_in_for_leaving_out_each_case() -> None:
    view = study(2400, tied=True)
    metrics = [METRICS[name] for name in ("cmax", "mae", "aurc", "augrc", "eaurc", "accuracy")]
    found = infer(metrics, view, Options(resamples=0))
    for name in INFLUENCE:
        assert np.array_equal(
            found[name].jackknife.deviations,
            Jackknife.of_influence(INFLUENCE[name](view)).deviations,
        )
    assert found["eaurc"].jackknife.n == MOST_GROUPS
    assert found["eaurc"].jackknife.cases == 2400
    for metric in metrics:
        assert isinstance(found[metric.name].interval, Interval)


def test_all_three_ways_agree_on_the_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    view = study(2400, tied=True)
    names = ["cmax", "mae", "aurc", "augrc", "eaurc"]
    metrics = [METRICS[name] for name in names]
    quick = {n: j.standard_error for n, j in zip(names, leave_out(metrics, view), strict=True)}
    monkeypatch.setattr(resample, "MOST_LEFT_OUT", 3000)
    full = {n: j.standard_error for n, j in zip(names, leave_out(metrics, view), strict=True)}
    for name in INFLUENCE:
        assert quick[name] == pytest.approx(full[name], rel=2e-3)
    # 500 groups estimate a standard error to about 1/sqrt(2*500) = 3%; four times that
    assert quick["eaurc"] == pytest.approx(full["eaurc"], rel=0.13)
