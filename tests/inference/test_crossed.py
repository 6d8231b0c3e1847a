"""Items that are a sample: the variance over cases and items, by hand and by law."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from acumen.errors import UsageError
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind
from acumen.values.measured import Absence, Flag, Interval, NoInterval
from acumen.views.ranking import Ranking, rank

RANDOM = Options(resamples=0, items="random")
FIXED = Options(resamples=0)
LOSS = np.array([[1, 2, 0], [2, 3, 1], [0, 2, 0], [3, 3, 2]])


def crossed(loss: np.ndarray, seed: int = 0, **columns: Any) -> Ranking:
    n, k = loss.shape
    confidence = np.random.default_rng(seed).normal(size=n * k) - loss.ravel()
    case, item = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    return rank(loss.ravel(), confidence, case=case, item=item, most_loss=3, **columns)


def drawn(n: int, k: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(
        np.round(rng.normal(size=(n, 1)) + rng.normal(size=k) + rng.normal(size=(n, k)) + 0.5), 0, 3
    ).astype(int)


def test_the_variance_of_a_mean_over_cases_and_items_by_hand() -> None:
    jackknife = infer([METRICS["mean_loss"]], crossed(LOSS), RANDOM)["mean_loss"].jackknife
    assert jackknife.items is not None
    assert jackknife.variance == pytest.approx(0.2106481, abs=5e-8)
    assert jackknife.items.variance == pytest.approx(0.2569444, abs=5e-8)
    # the residual variance is what is missing from the sum
    assert jackknife.standard_error**2 == pytest.approx(0.2106481 + 0.2569444 - 0.0162037, abs=1e-7)
    assert jackknife.standard_error == pytest.approx(0.6718548, abs=5e-8)
    parts = 0.2106481**2 / 3 + 0.2569444**2 / 2 + 0.0162037**2 / 6
    assert 0.4513889**2 / parts == pytest.approx(4.2586, abs=1e-4)
    assert jackknife.degrees == 3.0  # at most one fewer than the cases


def test_a_ragged_table_takes_nothing_off() -> None:
    view = crossed(LOSS)
    gone = np.arange(12) != 5
    ragged = rank(
        LOSS.ravel()[gone], view.columns()[1][gone],
        case=view.case[gone], item=np.tile(np.arange(3), 4)[gone], most_loss=3,
    )  # fmt: skip
    jackknife = infer([METRICS["mean_loss"]], ragged, RANDOM)["mean_loss"].jackknife
    assert jackknife.items is not None
    total = jackknife.variance + jackknife.items.variance
    assert jackknife.standard_error == pytest.approx(math.sqrt(total), rel=1e-12)


def test_leaving_items_out_serves_metrics_without_influence_and_agrees_with_it() -> None:
    view = crossed(drawn(30, 12))
    rough = replace(METRICS["mean_loss"], name="rough", smooth=False)
    found = infer([METRICS["mean_loss"], rough], view, RANDOM)
    smooth_items, rough_items = (found[name].jackknife.items for name in ("mean_loss", "rough"))
    assert smooth_items is not None
    assert rough_items is not None
    assert rough_items.variance == pytest.approx(smooth_items.variance, rel=1e-6)
    assert found["rough"].jackknife.cells is None
    assert found["rough"].jackknife.standard_error >= found["mean_loss"].jackknife.standard_error


def test_intervals_for_new_items_are_never_shorter_and_say_what_they_are() -> None:
    view = crossed(drawn(30, 12))
    metrics = [
        METRICS[name] for name in ("mean_loss", "aurc", "augrc", "accuracy", "failure_auroc")
    ]
    fixed, random = (infer(metrics, view, options) for options in (FIXED, RANDOM))
    for metric in metrics:
        narrow, wide = (numbers[metric.name].interval for numbers in (fixed, random))
        assert isinstance(narrow, Interval)
        assert isinstance(wide, Interval)
        assert wide.low <= narrow.low < narrow.high <= wide.high
        assert wide.method == f"{narrow.method}, cases × items"


def test_one_item_has_no_interval_and_four_are_marked() -> None:
    one = infer([METRICS["mean_loss"]], crossed(drawn(30, 1)), RANDOM)["mean_loss"].interval
    assert one == NoInterval(why=Absence.TOO_FEW_ITEMS, count=2, of=1)
    unknown = replace(crossed(drawn(30, 4)), item=None)
    assert isinstance(
        infer([METRICS["mean_loss"]], unknown, RANDOM)["mean_loss"].interval, NoInterval
    )
    for k, few in ((4, True), (5, False)):
        interval = infer([METRICS["mean_loss"]], crossed(drawn(30, k)), RANDOM)[
            "mean_loss"
        ].interval
        assert isinstance(interval, Interval)
        assert (Flag.FEW_ITEMS in interval.flags) == few == (not interval.is_reliable)


def test_a_difference_takes_items_into_account_as_its_sides_do() -> None:
    loss = drawn(30, 12)
    left, right = crossed(loss, 1), crossed(drawn(30, 12, 3), 2)
    delta = compare([METRICS["mean_loss"]], left, right, RANDOM)["mean_loss"]
    difference = delta.right.jackknife.minus(delta.left.jackknife)
    # of a mean, the difference is the mean of the differences
    d = (right.columns()[0] - left.columns()[0]).reshape(30, 12).astype(float)
    n, k = d.shape
    centred = d - d.mean()
    psi = centred / d.size
    v_case = n / (n - 1) * (psi.sum(axis=1) ** 2).sum()
    v_item = k / (k - 1) * (psi.sum(axis=0) ** 2).sum()
    left_over = psi - psi.mean(axis=1, keepdims=True) - psi.mean(axis=0)
    v_rest = n * k / ((n - 1) * (k - 1)) * (left_over**2).sum()
    assert difference.standard_error == pytest.approx(
        math.sqrt(max(v_case, v_case + v_item - v_rest)), rel=1e-6
    )
    same = compare([METRICS["mean_loss"]], left, left, RANDOM)["mean_loss"].interval
    assert isinstance(same, Interval)
    assert same.low <= 0.0 <= same.high


def test_items_that_only_one_side_cannot_do_without_leave_no_interval_of_the_difference() -> None:
    some_right = np.ones((30, 4), int)
    some_right[:, 0] = 0  # without this item no answer is right, and no coverage has no risk
    left, right = crossed(some_right), crossed(drawn(30, 4))
    metric = replace(METRICS["coverage_at_risk"].at(risk=0.0), curve=None, kind=Kind.PROPORTION)
    delta = compare([metric], left, right, RANDOM)[metric.name]
    assert delta.value is not None
    assert delta.jackknife is None
    assert delta.interval == NoInterval(why=Absence.SIDES_DIFFER)


def test_a_test_of_few_new_items_reaches_as_far_as_their_t() -> None:
    rng = np.random.default_rng(8)
    worse = rng.normal(0.35, 0.45, size=5)  # by item: what one study's items happen to be
    loss = np.clip(np.round(rng.normal(1.2, 0.4, size=(200, 5))), 0, 3).astype(int)
    more = np.clip(np.round(loss + worse + rng.normal(0, 0.3, size=(200, 5))), 0, 3).astype(int)
    delta = compare([METRICS["mean_loss"]], crossed(loss), crossed(more), RANDOM)["mean_loss"]
    assert delta.jackknife is not None
    t = abs(delta.value or 0.0) / delta.jackknife.standard_error
    near, far = stdtrit(199, 0.975), stdtrit(delta.jackknife.degrees, 0.975)
    assert near < t < far  # enough if the items were all there are, not if they are drawn
    assert delta.p_value is not None
    assert delta.p_value > 0.05
    assert delta.favours is None
    fixed = compare([METRICS["mean_loss"]], crossed(loss), crossed(more), FIXED)["mean_loss"]
    assert fixed.favours is not None


def test_random_items_are_refused_where_only_cases_are_drawn() -> None:
    with pytest.raises(UsageError, match="default interval"):
        Options(items="random", method="bca")
    with pytest.raises(UsageError, match="fixed or random"):
        Options(items="some")  # type: ignore[arg-type]
    assert RANDOM.without_resamples().items == "random"
