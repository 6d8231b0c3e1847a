"""The noise floor beside a risk, on the same rows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.charts.curves import risk_coverage
from acumen.questions.evaluation import Evaluation
from acumen.report.selective.facts import cases
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


def section(study: Evaluation, key: str) -> str:
    """All that the screen says under a key."""
    return "".join(str(part) for part in screen(study.document) if part.key == key)


@pytest.fixture(scope="module")
def study() -> Evaluation:
    return acumen.evaluate(ROWS, truth=["a", "b", "c"], **READING)


def test_the_floor_is_of_the_accepted_rows_that_two_rated(study: Evaluation) -> None:
    function = study.document.summaries[0].functions["confidence"]
    metrics = study.document.sides["confidence"][0].metrics
    floors = {name: m.value for name, m in metrics.items() if name.startswith("noise_floor")}
    assert floors["noise_floor"] == pytest.approx((2 / 3 + 2) / 2)
    assert floors["noise_floor_at_coverage@0.1"] == pytest.approx(2 / 3)
    # of the second row one rated
    assert floors["noise_floor_at_coverage@0.5"] == pytest.approx(2 / 3)
    assert "noise_floor_at_coverage@0.9" not in floors
    assert study["noise_floor_mae"].value == pytest.approx(4 / 3)
    assert function.noise_floor is not None
    assert function.noise_floor.coverage == pytest.approx([1 / 4, 2 / 4, 3 / 4])
    assert function.noise_floor.selective_risk == pytest.approx([2 / 3, 2 / 3, 4 / 3])
    assert function.accepted == [1, 2, 3]


def test_judgments_are_counted_once_and_the_risk_is_the_mean_over_raters(
    study: Evaluation,
) -> None:
    population = study.document.population
    assert (population.items_total, population.items_answered) == (4, 3)
    assert population.outcomes["no_truth"] == 1
    metrics = study.document.sides["confidence"][0].metrics
    assert metrics["mean_loss"].value == pytest.approx((1 / 3 + 1 + 1) / 3)


def test_the_floor_has_an_interval_by_case_and_stands_on_screen_and_chart() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"]} for k in range(8) for row in ROWS]
    study = acumen.evaluate(rows, truth=["a", "b", "c"], **READING)
    floor = study["noise_floor_mae"]
    assert floor.interval is not None
    assert floor.interval.low < 4 / 3 < floor.interval.high
    text = str(screen(study.document))
    row = "Cell(text='Noise floor: two raters apart', value=None"
    assert row in text  # its levels are numbers, so no unit has to be named
    assert "'noise floor'" in text
    figure = risk_coverage(study.document)
    assert figure is not None
    assert "[10, 3, 2, 3]" in str(figure.to_dict())


def test_two_systems_have_a_floor_each_and_a_paired_delta() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"]} for k in range(8) for row in ROWS]
    other = [{**row, "ai": row["ai"] and 2} for row in rows]
    study = acumen.evaluate(rows, other, truth=["a", "b", "c"], **READING)
    delta = study.document.comparison.both
    assert delta is not None
    # |2 − rating|: 5/3, 0 (was 1), 1; the answer 0 of the first stays
    assert delta.delta == pytest.approx((0 + (0 - 1) + (1 - 1)) / 3)
    assert "noise floor, surest" in str(screen(study.document))


def test_one_rater_has_no_floor() -> None:
    study = acumen.evaluate(ROWS, truth="a", **READING)
    (summary,) = study.document.summaries
    assert summary.functions["confidence"].noise_floor is None
    assert not any("noise_floor" in key for key in study.document.overall_by_input[0])
    assert "oise floor" not in str(screen(study.document))


def test_slices_items_and_levels_have_the_floor_of_their_own_rows() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"], "half": k % 2} for k in range(8) for row in ROWS]
    rows = [row for row in rows if row["half"] or row["doc"] % 10 != 3]
    study = acumen.evaluate(rows, truth=["a", "b", "c"], by=["half", "level"], **READING)
    slices = {(part.by[0], part.group): part for part in study.document.slices}
    floors = {key: part.metrics["noise_floor_mae"].value for key, part in slices.items()}
    assert floors["half", "0"] == pytest.approx(2 / 3)
    assert floors["half", "1"] == pytest.approx(4 / 3)
    # where a rater said 1: a third of each first panel, half of each third one of a half
    assert floors["level", "1"] == pytest.approx((8 * 2 / 3 / 3 + 4 * 2 / 2) / (8 / 3 + 4 / 2))
    assert slices["level", "1"].rows == 12
    assert slices["half", "0"].metrics["noise_floor"].value == pytest.approx(2 / 3)
    (item,) = study.document.summaries[0].by_item
    assert item.noise_floor is not None
    assert item.noise_floor.value == study["noise_floor_mae"].value
    assert "'noise floor'" in section(study, "slices")


def test_the_leaderboard_has_the_floor_of_the_rows_that_are_compared() -> None:
    rows = [{**row, "doc": 10 * k + row["doc"]} for k in range(8) for row in ROWS]
    inputs = dict.fromkeys(("x", "y", "z"), rows)
    study = acumen.evaluate(inputs, truth=["a", "b", "c"], matched_coverage=0.5, **READING)
    board = study.document.leaderboard
    assert board is not None
    floors = [s.noise_floor.value for s in board.standings if s.noise_floor is not None]
    assert floors == pytest.approx([2 / 3] * 3)
    assert "'noise floor'" in section(study, "compared")


def test_charts_count_a_judgment_once(study: Evaluation) -> None:
    (summary,) = study.document.summaries
    # truth 0 0 1 of an answer 0; truth 2 of an answer 1; truth 3 1 of an answer 3; 3 0 3 left open
    third = pytest.approx(1 / 3, abs=1e-5)
    assert summary.confusion[1] == [third, 0, 0, 0.5, 0]
    assert summary.confusion[3] == [0, 0, 0, 0.5, pytest.approx(2 / 3, abs=1e-5)]
    assert sum(map(sum, summary.confusion)) == pytest.approx(4, abs=1e-4)
    function = summary.functions["confidence"]
    counts = function.distribution
    assert sum(counts.right) == pytest.approx(2 / 3 + 1 / 2, abs=1e-5)
    assert sum((*counts.right, *counts.wrong)) == pytest.approx(3, abs=1e-4)
    assert counts.abstained == 1
    assert function.reliability is not None
    assert sum(function.reliability.n) == pytest.approx(3)
    (curve,) = (c for c in summary.precision_recall if c.threshold == 3)
    assert curve.n_positive == 0.5
    assert curve.flagged == pytest.approx([1, 2, 3], abs=1e-5)
    assert curve.precision == pytest.approx([1 / 2, 1 / 4, 1 / 6], abs=1e-5)


def test_the_table_of_cases_has_a_row_a_judgment(study: Evaluation) -> None:
    (rows,) = study.document.rows
    assert rows.case == [1, 2, 3, 4]
    assert rows.truth == [[0, 0, 1], [2], [3, 1], [3, 0, 3]]
    assert rows.confidence["confidence"] == [0.9, 0.7, 0.5, None]
    table = cases(study.document, rows, "it", "key")
    texts = {c.title: [c.names[code] for code in c.codes] for c in table.columns if c.codes}
    assert texts["truth"] == ["0, 0, 1", "2", "3, 1", "3, 0, 3"]
    assert texts["outcome"] == ["right for 2 of 3", "wrong", "right for 1 of 2", "abstained"]


def test_a_level_that_nobody_gave_has_no_floor() -> None:
    reading = READING | {"levels": [0, 1, 2, 3, 4]}
    study = acumen.evaluate(ROWS, truth=["a", "b", "c"], **reading)
    *_, last = study.document.summaries[0].by_level
    assert (last.n, last.noise_floor) == (0, None)


@pytest.mark.parametrize(("loss", "most"), [("abs_norm", 1.0), ("abs", 3.0)])
def test_a_floor_reaches_no_further_than_raters_can_be_apart(loss: str, most: float) -> None:
    pairs = [(0, 3), (1, 1), (2, 2), (3, 3), (0, 0), (1, 1), (2, 2), (0, 1)]
    rows = [
        {"doc": doc, "a": a, "b": b, "ai": a, "sure": 1 - doc / 10}
        for doc, (a, b) in enumerate(pairs)
    ]
    evaluation = acumen.evaluate(rows, truth=["a", "b"], **READING | {"loss": loss})
    metrics = evaluation.document.sides["confidence"][0].metrics
    ends = [
        one.interval.high
        for name, one in metrics.items()
        if name.startswith("noise_floor") and one.interval is not None
    ]
    assert max(ends) == most  # at a coverage of .25 one of two judgments carries all of it
