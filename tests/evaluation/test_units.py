"""Errors are told in the numbers of the scale; in levels where its levels are words."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.report.selective.leaderboard import leaderboard
from acumen.results.metrics import MetricsArtifact

STEPS = {"0-4": 1.0, "0-100:25": 25.0, "a,b,c,d,e": 1.0}
TRUTH = [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
ANSWERS = [0, 1, 3, 1, 4, 0, 0, 2, 3, 4]  # off by +1, -2 and -1


def evaluated(levels: str, **asked: Any) -> acumen.Evaluation:
    """Ten rows with two raters each on a scale."""
    names: list[Any] = levels.split(",")
    if len(names) == 1:
        names = [k * STEPS[levels] for k in range(5)]
    rows = [
        {
            "id": at,
            "first": names[truth],
            "second": names[min(truth + 1, 4)],
            "answer": names[answer],
            "other": names[truth],
            "third": names[max(truth - 1, 0)],
            "sure": at / 10,
        }
        for at, (truth, answer) in enumerate(zip(TRUTH, ANSWERS, strict=True))
    ]
    asked = {"prediction": "answer", "confidence_column": "sure", **asked}
    return acumen.evaluate(rows, case="id", levels=levels, resamples=0, **asked)


@pytest.mark.parametrize("levels", STEPS)
def test_errors_are_counted_as_the_scale_counts(levels: str) -> None:
    step, evaluation = STEPS[levels], evaluated(levels, truth="first")
    assert evaluation["mae"].value == pytest.approx(0.4 * step)
    assert evaluation["MAE"] == evaluation["level_mae"] == evaluation["mae"]
    assert evaluation["signed_error"].value == pytest.approx(-0.2 * step)
    assert evaluation["macro_mae"].value == pytest.approx(0.4 * step)
    assert evaluation["mean_loss"].value == pytest.approx(0.1)  # as a share of the scale
    unit = evaluated("0-4", truth="first")["mae"].interval
    assert evaluation["mae"].interval.low == pytest.approx(step * unit.low)
    assert evaluation["mae"].interval.high == pytest.approx(step * unit.high)
    units = {r["metric"]: r["unit"] for r in evaluation.records()}
    assert (units["mae"], units["mean_loss"], units["coverage"]) == ("scale", "loss", "share")


def test_the_bound_where_nobody_erred_is_in_units_of_the_scale_too() -> None:
    right = evaluated("0-100:25", truth="first", prediction="other")["mae"].interval
    assert right.method == "zero-error bound"
    assert right.high == pytest.approx(25 * (1 - 0.025 ** (1 / 10)))


@pytest.mark.parametrize("levels", STEPS)
def test_a_noise_floor_lies_within_its_interval_whatever_the_loss(levels: str) -> None:
    floor = evaluated(levels, truth="first,second")["noise_floor_mae"]
    assert floor.value == pytest.approx(0.8 * STEPS[levels])
    assert floor.interval.low < floor.value < floor.interval.high


def test_the_screen_tells_errors_in_the_numbers_of_the_scale_or_in_levels() -> None:
    by_hand = {"0-100:25": "10.000", "a,b,c,d,e": "0.400"}
    for levels, value in by_hand.items():
        lines = repr(evaluated(levels, truth="first")).splitlines()
        words = ", levels" if "a" in levels else ""
        (mean,) = [line for line in lines if line.startswith(f"Mean error (MAE){words}  ")]
        assert mean.split()[3 + bool(words)] == value
        assert any(line.startswith(f"Signed error{words}  ") for line in lines)
        (head,) = [line for line in lines if line.startswith("confidence  ")]
        assert head.endswith(f"mean error{words}")
        (kept,) = [line for line in lines if line.startswith("all answers")]
        assert kept.split()[3] == value


def test_a_leaderboard_tells_errors_in_the_numbers_of_the_scale() -> None:
    board = evaluated("0-100:25", truth="first", prediction="answer,other,third").document
    assert board.leaderboard is not None
    table = leaderboard(MetricsArtifact.model_validate(board.model_dump(mode="json")))
    assert table is not None
    assert table.columns[2] == "mean error"
    assert [row[2].text for row in table.rows] == ["0.000", "10.000", "20.000"]
