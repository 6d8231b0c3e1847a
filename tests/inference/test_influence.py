"""The influence of a row and of a case: derivatives by finite differences, and what they serve."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acumen.defaults import CELLS, PROCESS_WEIGHTS
from acumen.inference import resample
from acumen.inference.infer import infer, leave_out
from acumen.inference.influence import (
    case_influence,
    row_influence,
    statistic_of,
    without_groups,
)
from acumen.inference.jackknife import Jackknife
from acumen.inference.options import Options
from acumen.inference.resample import MOST_GROUPS, LeaveOut, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.values.measured import Interval
from acumen.views import tangents
from acumen.views.abstention import Abstention, abstain_rows
from acumen.views.confusion import Confusion, confuse
from acumen.views.forecast import Forecast, forecast
from acumen.views.groups import deal
from acumen.views.level_forecast import LevelForecast, forecast_levels
from acumen.views.ranking import Ranking, rank
from acumen.views.reasoning import PRIMITIVES, RATIOS, RankingWithReasons, Reasoning
from acumen.views.scores import Scores, score_rows
from acumen.views.severity import SeverityRanking, rank_severity
from acumen.views.weights import CaseRows, CaseWeights


def studies(
    n: int,
    *,
    tied: bool,
    weighed: bool = False,
    unit: float = 1.0,
    order: Any = None,
    rows: int = 6,
) -> dict[type, Any]:
    """The same rows, up to some a case, in every view; ``order`` is another numbering of cases."""
    rng = np.random.default_rng(8)
    case = np.repeat(np.arange(n), rng.integers(1, rows + 1, n))
    confidence, truth = rng.random(len(case)), rng.integers(0, 4, len(case))
    off = rng.integers(0, 4, len(case)) * (rng.random(len(case)) < 0.6)
    prediction = np.abs(truth - off)
    loss = np.abs(truth - prediction)
    answered = rng.random(len(case)) < 0.7
    if rows == 1:  # surer where it is right: else hulls have corners that any case takes away
        confidence *= 1 - 0.25 * loss
    confidence = (np.floor(confidence * 4) + 0.5) / 5 if tied else confidence
    score = rng.normal(size=len(case)) + prediction
    counted = len(RATIOS) - len(CELLS)
    # a generator of their own: what is drawn below stays as it was
    cells = np.random.default_rng(9).integers(0, 4, (2, len(CELLS), n))
    of, right = np.concatenate([rng.integers(0, 4, (2, counted, n)), cells], axis=1)
    of[:, 0] = 1  # so that every component has something to check
    counts = dict(zip(RATIOS, np.minimum(right, of).astype(float), strict=True))
    reasoning = Reasoning(
        right=counts | {PRIMITIVES: rng.integers(0, 5, n) / 4},
        of=dict(zip(RATIOS, of.astype(float), strict=True)) | {PRIMITIVES: np.ones(n)},
        n_cases=n,
        components=tuple(PROCESS_WEIGHTS),
    )
    of_case: dict[str, Any] = {
        "case": case if order is None else order[case],
        "n_cases": n,
        "weight": rng.uniform(0.5, 2.0, len(case)) if weighed else None,
    }
    severity = rank_severity(
        truth, np.round(score) if tied else score, answered, levels=4, **of_case
    )
    if order is not None:
        sides = (
            {k: v[np.argsort(order)] for k, v in side.items()}
            for side in (reasoning.right, reasoning.of)
        )
        right, of = sides
        reasoning = replace(reasoning, right=right, of=of)
    return {
        Ranking: rank(loss, confidence, answered, unit=unit, most_loss=3, **of_case),
        Confusion: confuse(truth, np.where(answered, prediction, -1), levels=4, **of_case),
        Forecast: forecast(confidence, (loss == 0).astype(float), answered, **of_case),
        Abstention: abstain_rows(truth == 3, ~answered, **of_case),
        Scores: score_rows(score, truth, answered, **of_case),
        LevelForecast: forecast_levels(
            np.exp(-np.abs(np.arange(4) - score[:, None])), truth, answered, **of_case
        ),
        SeverityRanking: severity,
        Reasoning: reasoning,
        RankingWithReasons: RankingWithReasons(severity, reasoning),
    }


SMOOTH = [m for m in METRICS.values() if m.smooth]


def finite_differences(metric: Metric, view: Any, step: float) -> np.ndarray:
    n = view.n_cases
    ones = np.ones((n, n))
    up = np.asarray(metric(view, CaseWeights(ones + step * np.eye(n))))
    down = np.asarray(metric(view, CaseWeights(ones - step * np.eye(n))))
    return (up - down) / (2 * step)


def by_case(metric: Metric, view: Any) -> np.ndarray:
    return dict(case_influence([metric], view))[metric.name]


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("metric", SMOOTH, ids=lambda m: m.name)
def test_influence_is_the_derivative_by_a_cases_weight(
    metric: Metric, tied: bool, weighed: bool
) -> None:
    view = studies(30, tied=tied, weighed=weighed, unit=1 / 3)[metric.view]
    expected = finite_differences(metric, view, 1e-4)
    if metric.exempt_from_scaling:  # there, doubling all weights moves the value a little
        expected = expected - expected.sum() * view.case_weight / view.case_weight.sum()
    if isinstance(view, CaseRows):
        by_row = row_influence([metric], view)[metric.name]
        assert np.bincount(view.case, by_row, 30) == pytest.approx(by_case(metric, view), abs=1e-12)
    moving = metric.name != "achievable_gain_pct"  # where ties make the curve its own hull
    assert not moving or np.abs(expected).max() > 1e-5
    # central differences err by step², and by rounding over step
    assert np.abs(by_case(metric, view) - expected).max() < 2e-8 * max(
        1.0, np.abs(expected).max() * 10
    )


LINEAR = {"total_accuracy", "coverage", PRIMITIVES}
"""Means over all cases, one row each: without a case they move by its influence alone."""
BY_RANK = {"auprc_ge", "nap_ge", "ordinal_auprc", "ordinal_nap", "adjusted_auprc", "smooth_ece"}
"""The first ranks weigh as few cases do, however many there are, and a bandwidth moves along."""
GROUPED = {"aurc_random_ties"}
"""What is measured without each group of very many cases, by a pass over the rows a group."""


def test_every_metric_is_smooth_or_known_in_many_cases_but_one() -> None:
    kinds = {m.name: "smooth" if m.smooth else m.in_many or m.curve for m in METRICS.values()}
    assert {name for name, kind in kinds.items() if kind is None} == GROUPED
    assert {name for name, kind in kinds.items() if kind == "steps"} == {"ece_equal_mass"}
    curves = {
        "mean_loss_at_coverage": "coverage",
        "mean_loss_at_cut": "cut",
        "coverage_at_risk": "risk",
    }
    assert {m.name: m.curve for m in METRICS.values() if m.curve} == curves
    assert {m.name for m in METRICS.values() if m.in_many == "smooth"} == {
        *("aurc_at_coverage", "augrc_at_coverage"),
        *("brier_miscalibration", "brier_discrimination", "brier_uncertainty"),
    }


@pytest.mark.parametrize("metric", SMOOTH, ids=lambda m: m.name)
def test_leaving_a_case_out_moves_a_metric_by_its_influence_and_less_with_more_cases(
    metric: Metric,
) -> None:
    """By −U·n/(n−1): of a mean exactly, else up to a share of it that falls as 1/n."""
    of_case, of_error = [], []
    for n in (60, 960):
        view = studies(n, tied=True, rows=1)[metric.view]
        ((_, left_out),) = leave_out([metric], view)
        influence = Jackknife.of_influence(by_case(metric, view))
        largest = np.abs(left_out.deviations).max() or 1.0  # where the curve is its own hull
        of_case.append(np.abs(influence.deviations - left_out.deviations).max() / largest)
        of_error.append(abs(influence.standard_error / (left_out.standard_error or 1.0) - 1))
    if metric.name in LINEAR:
        assert max(of_case) < 1e-9
    elif metric.name in BY_RANK:
        assert of_error[1] < 0.02
        assert of_error[1] < of_error[0] / 2
    elif metric.name != "achievable_gain_pct":
        assert of_case[1] < min(0.02, of_case[0] / 5)  # were it √n: a quarter


@pytest.mark.parametrize("name", ["aurc", "quadratic_kappa", "ordinal_auprc", "smooth_ece"])
def test_the_influences_of_all_rows_sum_to_zero(name: str) -> None:
    metric = METRICS[name]
    influence = row_influence([metric], studies(50, tied=True)[metric.view])[name]
    assert influence.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("groups", [7, 40])
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_sums_less_a_groups_own_are_what_leaving_the_group_out_gives(
    tied: bool, weighed: bool, groups: int
) -> None:
    study = studies(300, tied=tied, weighed=weighed, unit=1 / 3)[Forecast]
    metric = METRICS["ece_equal_mass"]
    plan = LeaveOut(300, groups, group=deal(study, groups))
    (expected,) = replicate(statistic_of([metric], study), plan)
    quick = without_groups([metric], study, groups)
    assert quick[metric.name] == pytest.approx(expected, rel=1e-12)


def test_a_coverage_that_the_view_does_not_keep_is_left_out_group_by_group() -> None:
    study = studies(1200, tied=False)[Ranking]
    odd = METRICS["aurc_at_coverage"].at(coverage=0.47)
    assert dict(case_influence([odd], study)) == {}
    assert dict(leave_out([odd], study))[odd.name].n == MOST_GROUPS


@pytest.mark.parametrize("coverage", [0.02, 0.5, 0.99])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", [m.name for m in METRICS.values() if m.in_many == "smooth"])
def test_what_is_smooth_in_many_cases_has_the_slope_between_its_jumps(
    name: str, tied: bool, coverage: float
) -> None:
    metric = METRICS[name]
    # weights of their own, so that no two steps of a regression are equally high
    view = studies(200, tied=tied, weighed=True, unit=1 / 3)[metric.view]
    if metric.view is Ranking:
        metric, view = metric.at(coverage=coverage), replace(view, cuts=(coverage,))
    expected = finite_differences(metric, view, 1e-5)
    expected = expected - expected.sum() * view.case_weight / view.case_weight.sum()
    largest = np.abs(expected).max()
    # four ties of this study have one mean but for noise: a regression of one step tells nothing
    assert largest > 1e-6 or (name, tied) == ("brier_discrimination", True)
    influence = dict(case_influence([metric], view))[metric.name]
    assert influence == pytest.approx(expected, abs=max(1e-7 * largest, 1e-10))


@pytest.mark.parametrize("view", [Ranking, Forecast, Confusion, SeverityRanking])
@pytest.mark.parametrize("weighed", [False, True])
def test_groups_are_dealt_by_what_cases_hold_and_not_by_their_number(
    view: type, weighed: bool
) -> None:
    order = np.random.default_rng(3).permutation(1200)
    plain = studies(1200, tied=True, weighed=weighed)[view]
    other = studies(1200, tied=True, weighed=weighed, order=order)[view]
    groups = deal(plain, 50)
    assert np.bincount(groups).tolist() == [24] * 50
    if weighed:  # no two cases are alike
        assert (deal(other, 50)[order] == groups).all()
    brought = [replace(m, name="brought", smooth=False, in_many=None) for m in METRICS.values()]
    metric = next(m for m in brought if m.view is view)
    steps = [METRICS["ece_equal_mass"]] if view is Forecast else []
    for (_, one), (_, two) in zip(
        leave_out([metric, *steps], plain), leave_out([metric, *steps], other), strict=True
    ):
        assert one.n + len(one.undefined) == MOST_GROUPS
        assert np.sort(one.deviations) == pytest.approx(np.sort(two.deviations), rel=1e-9)


def test_the_standard_error_of_influence_is_the_known_formula() -> None:
    u = by_case(METRICS["aurc"], studies(40, tied=False)[Ranking])
    expected = math.sqrt(40 / 39 * (u**2).sum())
    assert Jackknife.of_influence(u).standard_error == pytest.approx(expected, rel=1e-12)


def test_influence_of_a_mean_is_exactly_its_jackknife() -> None:
    case = np.arange(25)
    view = rank(np.arange(25) % 4, case, case=case, n_cases=25)
    ((_, left_out),) = leave_out([METRICS["mean_loss"]], view)
    by_influence = Jackknife.of_influence(by_case(METRICS["mean_loss"], view))
    assert by_influence.deviations == pytest.approx(left_out.deviations, rel=1e-8)


def test_a_metric_people_bring_and_an_empty_view_have_no_influence() -> None:
    brought = replace(METRICS["mean_loss"], name="brought", smooth=False)
    assert row_influence([brought], studies(12, tied=True)[Ranking]) == {}
    silent = rank([0, 0], [1, 2], [False, False])
    assert row_influence([METRICS["mean_loss"]], silent) == {}


@pytest.mark.parametrize("view", dict.fromkeys(m.view for m in SMOOTH))
def test_beyond_1000_cases_no_smooth_metrics_interval_depends_on_their_order(
    view: type,
) -> None:
    metrics = [m for m in SMOOTH if m.view is view]
    order = np.random.default_rng(1).permutation(2400)
    found = [
        infer(metrics, studies(2400, tied=True, order=each)[view], Options(resamples=0))
        for each in (None, order)
    ]
    for metric in metrics:
        one, other = (numbers[metric.name].interval for numbers in found)
        assert isinstance(one, Interval)
        assert isinstance(other, Interval)
        assert [one.low, one.high] == pytest.approx([other.low, other.high], rel=1e-7), metric.name


def test_influence_groups_and_every_case_agree_on_the_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    views = studies(2400, tied=True)
    names = ["coverage", "mean_loss", "aurc", "augrc", "eaurc", "augrc_achievable", "failure_auroc"]
    metrics = [METRICS[name] for name in names]
    levels = [m for m in SMOOTH if m.view is Confusion]
    plans = ((metrics, views[Ranking]), (levels, views[Confusion]))

    def errors() -> dict[str, Jackknife]:
        return {name: jackknife for plan in plans for name, jackknife in leave_out(*plan)}

    quick = errors()
    assert quick["mean_loss"].n == 2400
    monkeypatch.setattr(resample, "MOST_LEFT_OUT", 3000)
    full = errors()
    for m in (*metrics, *levels):
        # 500 groups estimate a standard error to about 1/sqrt(2*500) = 3%; four times that
        allowed = 3e-3 if m.smooth else 0.13
        expected = pytest.approx(full[m.name].standard_error, rel=allowed)
        assert quick[m.name].standard_error == expected, m.name


@pytest.mark.parametrize("view", [Ranking, Confusion, Forecast])
def test_sums_may_be_moved_a_few_at_a_time(view: type, monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies(40, tied=True)[view]
    metrics = [m for m in METRICS.values() if m.view is view and m.smooth]
    together = dict(case_influence(metrics, study))
    monkeypatch.setattr(tangents, "_AT_ONCE", 3)
    apart = dict(case_influence(metrics, study))
    assert together.keys() == apart.keys() != set()
    for name, slopes in together.items():
        assert apart[name] == pytest.approx(slopes, rel=1e-10, abs=1e-13)
