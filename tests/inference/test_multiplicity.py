"""Many comparisons at once: Holm by hand, max-T on simulated systems."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.inference.multiplicity import best_of, holm, simultaneous
from acumen.inference.replicates import Replicates, percentile
from acumen.inference.resample import Bootstrap, Enumeration
from acumen.values.measured import Interval, NoInterval


def test_holm_multiplies_by_what_is_left_and_never_goes_down() -> None:
    p = {"d": 0.005, "a": 0.011, "c": 0.02, "b": 0.04, "e": 0.9}
    # sorted: 5·.005, 4·.011, 3·.02, 2·.04, 1·.9
    assert holm(p) == {
        "d": pytest.approx(0.025),
        "a": pytest.approx(0.044),
        "c": pytest.approx(0.06),
        "b": pytest.approx(0.08),
        "e": pytest.approx(0.9),
    }
    assert list(holm(p)) == list(p)


def test_holm_keeps_ties_together_caps_at_one_and_passes_null_through() -> None:
    assert holm({"a": 0.6, "b": 0.7, "c": None}) == {"a": 1.0, "b": 1.0, "c": None}
    assert holm({"a": 0.03, "b": 0.03}) == {"a": 0.06, "b": 0.06}
    # .04·2 = .08 would fall below .03·3 = .09 of the one before
    assert holm({"x": 0.03, "y": 0.04, "z": 0.5})["y"] == pytest.approx(0.09)
    assert holm({}) == {}


def systems(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Losses of k systems on n cases, hard cases hard for all; all equal in the population."""
    return rng.gamma(2.0, size=(n, 1)) + rng.gamma(1.0, size=(n, k))


def resampled(
    losses: np.ndarray, size: int, seed: int
) -> tuple[dict[str, float], dict[str, Replicates]]:
    n, k = losses.shape
    counts = Bootstrap(n, size, seed).block(0, size)
    means = losses.T @ counts / n
    names = [f"s{i}" for i in range(k)]
    return dict(zip(names, losses.mean(axis=0).tolist(), strict=True)), dict(
        zip(names, map(Replicates, means), strict=True)
    )


def test_simultaneous_intervals_hold_together_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(12)
    studies, together, single, wider = 400, 0, 0, []
    for study in range(studies):
        estimates, replicates = resampled(systems(rng, 30, 4), 400, study)
        found = simultaneous(estimates, replicates, 30)
        ends = [(i.low, i.high) for i in found.values() if isinstance(i, Interval)]
        assert len(ends) == 6
        together += all(low <= 0 <= high for low, high in ends)
        pairwise = [percentile(replicates[b].minus(replicates[a])) for a, b in found]
        plain = [(i.low, i.high) for i in pairwise if isinstance(i, Interval)]
        single += all(low <= 0 <= high for low, high in plain)
        wider += [
            (end[1] - end[0]) / (other[1] - other[0])
            for end, other in zip(ends, plain, strict=True)
        ]
    # 95% ± four binomial standard errors of 400 studies (4.4 points)
    assert 0.906 <= together / studies <= 0.994
    # pairwise intervals do not hold together: about 80%
    assert single / studies < 0.88
    assert min(wider) > 1.0


def test_the_widening_is_students_quantile_over_the_normal_one() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=2000), rng.normal(1, 1, size=2000)
    found = simultaneous(
        {"a": a.mean(), "b": b.mean()}, {"a": Replicates(a), "b": Replicates(b)}, 11
    )["a", "b"]
    assert isinstance(found, Interval)
    delta = b - a
    centre = b.mean() - a.mean()
    error = np.sqrt(((delta - centre) ** 2).mean())
    critical = np.quantile(np.abs(delta - centre) / error, 0.95) * 2.2281389 / 1.9599640
    assert found.high - centre == pytest.approx(critical * error, rel=1e-6)
    assert centre - found.low == pytest.approx(critical * error, rel=1e-6)
    assert found.method == "max-T"


def test_enumerated_resamples_count_by_their_probability() -> None:
    losses = systems(np.random.default_rng(3), 5, 2)
    plan = Enumeration(5)
    means = losses.T @ plan.block(0, plan.size) / 5
    estimates = {"a": losses[:, 0].mean(), "b": losses[:, 1].mean()}
    replicates = {n: Replicates(means[k], plan.probability) for k, n in enumerate("ab")}
    found = simultaneous(estimates, replicates, 5)["a", "b"]
    assert isinstance(found, Interval)
    # the bootstrap variance of a mean is known: population variance / n
    difference = losses[:, 1] - losses[:, 0]
    assert found.standard_error == pytest.approx(difference.std() / np.sqrt(5), rel=1e-10)


def test_the_best_is_named_with_those_that_cannot_be_told_from_it() -> None:
    rng = np.random.default_rng(2)
    losses = systems(rng, 60, 4) + np.array([0.0, 0.02, 3.0, 2.0])
    estimates, replicates = resampled(losses, 1000, 7)
    best, rivals = best_of(estimates, replicates, 60)
    assert {best, *rivals} == {"s0", "s1"}
    worst, near = best_of(estimates, replicates, 60, lower_is_better=False)
    assert worst == "s2"
    assert "s0" not in near


def test_undefined_replicates_and_lone_systems_have_no_simultaneous_interval() -> None:
    ones = Replicates(np.ones(20))
    replicates = {"a": Replicates(np.array([1.0, np.nan] * 10)), "b": ones}
    found = simultaneous({"a": 1.0, "b": 1.0}, replicates, 20)["a", "b"]
    assert isinstance(found, NoInterval)
    assert simultaneous({"a": 1.0}, {"a": ones}, 20) == {}
    same = simultaneous({"a": 1.0, "b": 1.0}, {"a": ones, "b": ones}, 20)["a", "b"]
    assert isinstance(same, Interval)
    assert (same.low, same.high) == (0.0, 0.0)
