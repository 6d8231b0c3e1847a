"""Points of probabilities, and what they say of an answer: by hand and by other definitions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import entropy

import acumen
from acumen.confidence import compute, select
from acumen.errors import UsageError
from acumen.table.distribution import OF_LEVELS, best_level, point_of, signals_of, under_loss
from acumen.table.judgments import Judgments, SignalState
from acumen.table.losses import find_loss
from acumen.table.scale import Scale

SCALE = Scale.numbered(0, 3)
ROW = [0.4, 0.15, 0.1, 0.35]
"""Mode 0; median 1, where 0.55 is reached first; mean 1.4, which is nearest to 1."""


def study(point: str | None = None, rows: int = 200, seed: int = 0) -> Judgments:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4), rows)
    truth = [int(rng.choice(4, p=row)) for row in p]
    case = range(rows)
    return acumen.from_columns(case=case, truth=truth, distribution=p, point=point, scale="0-3")


def test_the_three_points_of_one_row_differ() -> None:
    table = acumen.from_columns(case=[1], truth=[1], distribution=[ROW], scale="0-3")
    assert [int(point_of(table, point, "abs")[0]) for point in ("mode", "median", "mean")] == [
        0, 1, 1,
    ]  # fmt: skip
    costs = [[0, 9, 9, 9], [1, 0, 9, 9], [1, 1, 0, 9], [1, 1, 1, 0]]  # too high is worst
    assert int(point_of(table, "loss", costs)[0]) == 0
    upside_down = [row[::-1] for row in costs[::-1]]
    assert int(point_of(table, "loss", upside_down)[0]) == 3


def test_of_two_levels_that_are_equally_good_the_lower_is_taken() -> None:
    even = np.array([[0.5, 0.0, 0.0, 0.5], [0.1, 0.2, 0.2, 0.5], [0.25] * 4])
    rank = np.arange(4.0)
    off = np.abs(rank[:, None] - rank)
    assert best_level(even, np.sign(off)).tolist() == [0, 3, 0]
    assert best_level(even, off).tolist() == [0, 2, 1]
    assert best_level(even, off**2).tolist() == [1, 2, 1]  # means 1.5, 2.1, 1.5


@pytest.mark.parametrize("seed", range(5))
def test_points_are_what_other_definitions_say(seed: int) -> None:
    table = study(seed=seed)
    p = table.distribution
    assert p is not None
    assert (point_of(table, "mode", "abs") == p.argmax(axis=1)).all()
    assert (point_of(table, "median", "abs") == (p.cumsum(axis=1) < 0.5).sum(axis=1)).all()
    assert (point_of(table, "mean", "abs") == np.rint(p @ np.arange(4))).all()
    for loss in ("abs", "abs_norm", "zero_one", "squared"):
        costs = np.array(find_loss(loss).costs(SCALE))
        expected = np.array([[sum(row * costs[:, k]) for k in range(4)] for row in p])
        assert (point_of(table, "loss", loss) == expected.argmin(axis=1)).all()


def test_rows_that_are_as_sure_tie_whichever_way_their_probabilities_add_up() -> None:
    rows = [[0.1, 0.6, 0.3], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.6, 0.2], [0.15, 0.6, 0.25]]
    p = np.array([*rows, [0.33, 0.34, 0.33]])
    p /= p.sum(axis=1, keepdims=True)
    costs = np.array(find_loss("abs").costs(Scale.numbered(0, 2)))
    numbers = signals_of(p, np.ones(len(p), np.int64), costs)
    assert set(numbers["level_near"].tolist()) == {1.0}
    assert numbers["expected_loss"].tolist() == [0.4, 0.4, 0.9, 0.4, 0.4, 0.66]
    for name in ("level_entropy", "level_margin"):
        assert len({*numbers[name][:3].tolist()}) == 1
    spread = numbers["level_spread"]
    assert spread[0] == spread[1] == pytest.approx(0.6)
    certain = signals_of(np.array([[0, 0, 1 - 2**-53]]), np.array([2]), costs)
    assert (certain["level_spread"][0], certain["expected_loss"][0]) == (0.0, 0.0)


def test_the_signals_of_a_row_by_hand() -> None:
    costs = np.array(find_loss("squared").costs(SCALE))
    numbers = signals_of(np.array([ROW]), np.array([1]), costs)
    mean = 0.15 + 2 * 0.1 + 3 * 0.35
    expected = {
        "level_probability": 0.15,
        "level_near": 0.65,
        "level_margin": 0.05,
        "level_entropy": float(entropy(ROW)),
        "level_spread": math.sqrt(0.15 + 4 * 0.1 + 9 * 0.35 - mean**2),
        "expected_loss": 0.4 + 0.1 + 4 * 0.35,
    }
    assert {name: float(v[0]) for name, v in numbers.items()} == pytest.approx(expected, abs=1e-12)
    assert set(expected) == set(OF_LEVELS)


def test_a_certain_level_has_no_entropy_and_no_spread() -> None:
    numbers = signals_of(np.array([[0.0, 1.0, 0.0, 0.0]]), np.array([1]), np.zeros((4, 4)))
    assert [float(numbers[n][0]) for n in ("level_entropy", "level_spread")] == [0.0, 0.0]
    assert float(numbers["level_probability"][0]) == 1.0


def test_a_row_without_an_answer_has_no_signal_and_is_no_number() -> None:
    p = [ROW, None]
    table = acumen.from_columns(case=[1, 2], truth=[1, 1], distribution=p, scale="0-3")
    assert table.prediction.tolist() == [0, -1]
    for name in OF_LEVELS:
        states = table.signals[name].state.tolist()
        assert states == [SignalState.NUMBER, SignalState.NULL]
    assert np.isnan(compute("expected_loss", table)).tolist() == [False, True]


def test_the_best_level_and_the_expected_loss_follow_the_loss_in_use() -> None:
    table = study("loss")
    steep = under_loss(table, "squared")
    assert (steep.prediction != table.prediction).any()
    assert (steep.prediction == point_of(table, "mean", "abs")).all()
    p = steep.distribution
    assert p is not None
    off = np.abs(np.arange(4) - steep.prediction[:, None])
    np.testing.assert_allclose(compute("expected_loss", steep), -(p * off**2).sum(axis=1))
    fixed = under_loss(study("mode"), "squared")
    assert (fixed.prediction == point_of(fixed, "mode", "abs")).all()


def test_answers_with_probabilities_are_ranked_by_their_expected_loss() -> None:
    table = study()
    assert select("default", table).names == ("expected_loss", "level_probability")
    own = replace(table, signals={**table.signals, "confidence": table.signals["level_near"]})
    assert select("default", own).names == ("confidence", "expected_loss", "level_probability")
    assert {*OF_LEVELS} <= {*select("all", table).names}
    bare = acumen.from_columns(case=[1, 2], truth=[1, 2], prediction=[1, 2], confidence=[0.5, 1])
    assert not {*OF_LEVELS} & {*select("all", bare).left_out}  # nobody has to hear of them


def test_the_expected_loss_reaches_the_evaluation_the_threshold_and_the_cost() -> None:
    table = study(rows=400)
    document = acumen.evaluate(table, loss="squared", resamples=200).document
    assert document.best is not None
    assert document.best.name in ("expected_loss", "level_probability")
    certified = acumen.threshold(table, risk=0.3, loss="zero_one", confidence="expected_loss")
    # under this loss what is expected to go wrong is what the answer's level leaves over
    rest = acumen.threshold(table, risk=0.3, loss="zero_one", confidence="level_probability")
    assert certified.document.coverage.value == rest.document.coverage.value
    assert certified.document.threshold == pytest.approx(rest.document.threshold - 1)


def test_a_threshold_by_expected_loss_is_applied_under_its_own_loss() -> None:
    table = study(rows=400)
    made = acumen.threshold(table, risk=0.3, loss="zero_one", confidence="expected_loss")
    applied = acumen.evaluate(table, loss="squared", threshold=made, resamples=0).document
    assert applied.overall_by_input[0]["coverage"].value == pytest.approx(
        made.document.coverage.value
    )


def test_a_wider_scale_keeps_the_probabilities_with_their_levels() -> None:
    table = acumen.from_columns(case=[1, 2], truth=[1, 3], distribution={"p_1": [0.5, 0.1],
                                "p_2": [0.5, 0.1], "p_3": [0, 0.8]})  # fmt: skip
    wide = table.on_scale(Scale.numbered(0, 4))
    assert wide.distribution is not None
    assert wide.distribution.tolist() == [[0, 0.5, 0.5, 0, 0], [0, 0.1, 0.1, 0.8, 0]]


def test_a_point_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no point 'best'; there are mode, median, mean, loss"):
        study("best")
    with pytest.raises(UsageError, match="a point is taken of probabilities"):
        acumen.from_columns(case=[1], truth=[1], prediction=[1], point="mode", scale="0-3")
    with pytest.raises(UsageError, match="needs predictions, or a distribution"):
        acumen.from_columns(case=[1], truth=[1], scale="0-3")
