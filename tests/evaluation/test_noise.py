"""The noise floor beside a risk, on the same rows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.charts.curves import risk_coverage
from acumen.evaluation.evaluation import Evaluation
from acumen.report.selective.screen import screen

ROWS: list[dict[str, Any]] = [
    # raters 0 0 1: 2/3 apart; one rater alone; 3 1: 2 apart; left open; nobody
    {"doc": 1, "a": 0, "b": 0, "c": 1, "ai": 0, "sure": 0.9},
    {"doc": 2, "a": 2, "b": None, "c": None, "ai": 1, "sure": 0.7},
    {"doc": 3, "a": 3, "b": 1, "c": None, "ai": 3, "sure": 0.5},
    {"doc": 4, "a": 3, "b": 0, "c": 3, "ai": None, "sure": 0.1},
    {"doc": 5, "a": None, "b": None, "c": None, "ai": 1, "sure": 0.8},
]
READING: dict[str, Any] = {
    "case": "doc",
    "prediction": "ai",
    "confidence_column": "sure",
    "levels": [0, 1, 2, 3],
    "loss": "abs",
    "resamples": 0,
}


@pytest.fixture(scope="module")
def study() -> Evaluation:
    return acumen.evaluate(ROWS, truth=["a", "b", "c"], **READING)


def test_the_floor_is_of_the_accepted_rows_that_two_rated(study: Evaluation) -> None:
    (summary,) = study.artifact.summaries
    function = summary.functions["confidence"]
    floors = {name: m.value for name, m in function.noise_floor.items()}
    assert floors["mae"] == pytest.approx((2 / 3 + 2) / 2)
    assert floors["mae_at_coverage@0.1"] == pytest.approx(2 / 3)
    assert floors["mae_at_coverage@0.5"] == pytest.approx(2 / 3)  # of the second row one rated
    assert "mae_at_coverage@0.9" not in floors
    assert summary.noise_floor is not None
    assert summary.noise_floor.value == pytest.approx(4 / 3)
    assert function.floor is not None
    assert function.floor.coverage == pytest.approx([1 / 4, 2 / 4, 3 / 4])
    assert function.floor.selective_risk == pytest.approx([2 / 3, 2 / 3, 4 / 3])
    assert function.accepted == [1, 2, 3]


def test_judgments_are_counted_once_and_the_risk_is_the_mean_over_raters(
    study: Evaluation,
) -> None:
    population = study.artifact.population
    assert (population.items_total, population.items_answered) == (4, 3)
    assert population.outcomes["no_truth"] == 1
    metrics = study.artifact.sides["confidence"][0].metrics
    assert metrics["mae"].value == pytest.approx((1 / 3 + 1 + 1) / 3)


def test_the_floor_has_an_interval_by_case_and_stands_on_screen_and_chart() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"]} for k in range(8) for row in ROWS]
    study = acumen.evaluate(rows, truth=["a", "b", "c"], **READING)
    floor = study.artifact.summaries[0].noise_floor
    assert floor is not None
    assert floor.interval is not None
    assert floor.interval.low < 4 / 3 < floor.interval.high
    text = str(screen(study.artifact))
    assert "Noise floor: two raters apart, levels" in text
    assert "'noise floor'" in text
    figure = risk_coverage(study.artifact)
    assert figure is not None
    assert "[10, 3, 2, 3]" in str(figure.to_dict())


def test_two_systems_have_a_floor_each_and_a_paired_delta() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"]} for k in range(8) for row in ROWS]
    other = [{**row, "ai": row["ai"] and 2} for row in rows]
    study = acumen.evaluate(rows, other, truth=["a", "b", "c"], **READING)
    delta = study.artifact.comparison.both
    assert delta is not None
    # |2 − rating|: 5/3, 0 (was 1), 1; the answer 0 of the first stays
    assert delta.delta == pytest.approx((0 + (0 - 1) + (1 - 1)) / 3)
    assert "noise floor of these rows" in str(screen(study.artifact))


def test_one_rater_has_no_floor() -> None:
    study = acumen.evaluate(ROWS, truth="a", **READING)
    (summary,) = study.artifact.summaries
    assert summary.noise_floor is None
    assert summary.functions["confidence"].noise_floor == {}
    assert "oise floor" not in str(screen(study.artifact))
