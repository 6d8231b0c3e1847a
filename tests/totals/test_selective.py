"""Cases as judgments: confidences, risk–coverage in points, thresholds, pairs and groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.questions.result import Result
from acumen.results.totals import TotalsDocument
from acumen.table.totals import Total
from acumen.totals.selective import by_side, by_total, confidence_of, step_of
from acumen.totals.sums import Sums, read_sums
from tests.totals.studies import ANSWERS, CUT, TRUTH, of, table

SURE = {case: [0.9 - 0.1 * at, 0.5, 0.8] for at, case in enumerate(TRUTH)}
"""Confidences of the items of A, B, …: the first falls from .9 to .4."""


def sure_table() -> Any:
    return table(confidence=[value for case in TRUTH for value in SURE[case]])


def test_the_confidence_of_a_case_is_of_its_answered_items() -> None:
    rows = sure_table()
    own = read_sums(rows, CUT).sums
    least = confidence_of(own, rows, "confidence", "min")
    assert least.tolist() == pytest.approx([0.5, 0.5, 0.7, 0.6, 0.5, 0.4])
    mean = confidence_of(own, rows, "confidence", "mean")
    assert mean.tolist() == pytest.approx([2.2 / 3, 2.1 / 3, 0.75, 0.7, 0.65, 1.7 / 3])
    with pytest.raises(UsageError, match="no aggregate 'max'; there are min, mean"):
        confidence_of(own, rows, "confidence", "max")


def test_risk_and_coverage_of_totals_by_hand() -> None:
    """By their mean confidence A is first, off by 1; then B, off by 2; then F, right."""
    rows = sure_table()
    own = read_sums(rows, CUT).sums
    case = by_total(own, confidence_of(own, rows, "confidence", "mean"))
    assert case is not None
    part = case.selective(0.95)
    assert (part.cases, part.answered) == (6, 3)
    points = [(p.coverage, p.risk) for p in part.curve]
    assert points == [(1 / 6, 1.0), (2 / 6, 1.5), (3 / 6, 1.0)]
    assert part.measures["coverage"].value == 0.5
    assert part.measures["mean_loss"].value == 1.0


def test_risk_and_coverage_of_sides_by_hand() -> None:
    """C, A, D and F are right, B is wrong, E is open; B comes third."""
    rows = sure_table()
    own = read_sums(rows, CUT).sums
    part = by_side(own, confidence_of(own, rows, "confidence", "mean")).selective(0.95)
    assert [round(p.risk * p.coverage * 6) for p in part.curve][-1] == 1
    assert (part.cases, part.answered) == (6, 5)
    assert part.measures["mean_loss"].value == pytest.approx(1 / 5)


def test_risks_are_in_points_whatever_a_step_is_worth() -> None:
    rows = sure_table()
    four = read_sums(rows, Total(times=4)).sums
    case = by_total(four, confidence_of(four, rows, "confidence", "mean"))
    assert case is not None
    assert case.step == 4.0
    part = case.selective(0.95)
    assert part.measures["mean_loss"].value == 4.0
    assert part.curve[1].risk == 6.0


@pytest.mark.parametrize(
    ("steps", "expected"), [((1, 1), 1), ((4, 6), 2), ((0.3, 0.2), 0.1), ((0.5, 0.75), 0.25)]
)
def test_the_step_of_totals_is_the_largest_that_all_share(
    steps: tuple[float, float], expected: float
) -> None:
    assert step_of(np.array([[0, step] for step in steps])) == pytest.approx(expected, abs=1e-12)


def test_a_total_of_too_many_levels_has_no_curve_of_its_own() -> None:
    rows = sure_table()
    own = read_sums(rows, Total(weights={"x": 0.001})).sums
    assert by_total(own, confidence_of(own, rows, "confidence", "min")) is None


def many(cases: int = 60, errors: int = 2) -> list[dict[str, Any]]:
    """Two items a case; the surest cases are right, the last ones off by one."""
    return [
        {"case": c, "item": i, "truth": c % 3, "sure": 1 - c / cases, "sex": "fm"[c % 2]}
        | {"prediction": (c % 3 + (c >= cases - errors)) % 4}
        for c in range(cases)
        for i in "xy"
    ]


def asked(rows: Any = None, **keywords: Any) -> Result[TotalsDocument]:
    keywords = {"levels": "0-3", "confidence_column": "sure", "cut": 3, **keywords}
    return acumen.total(many() if rows is None else rows, **keywords)


def test_a_threshold_on_totals_is_that_of_their_table() -> None:
    document = asked(risk=1.0, wrong=0.2).document
    total, side = document.systems[0].thresholds
    assert (total.of, total.certified, total.threshold) == ("total", True, None)
    assert (side.of, side.certified) == ("side", True)
    own = read_sums(acumen.from_columns(**columns(many())), Total(cut=3)).sums
    confidence = np.array([1 - c / 60 for c in range(60)])
    case = by_total(own, confidence)
    assert case is not None
    alone = acumen.threshold(case.table, risk=1.0, loss="abs").document
    assert total.threshold == alone.threshold
    assert total.coverage == alone.coverage


def columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = {"case": "case", "item": "item", "truth": "truth", "prediction": "prediction"}
    return {name: [row[key] for row in rows] for name, key in names.items()} | {
        "scale": [0, 1, 2, 3]
    }


def test_a_threshold_that_cannot_be_certified_says_how_many_cases_could() -> None:
    threshold = asked(wrong=0.02).document.systems[0].thresholds[0]
    assert not threshold.certified
    assert threshold.cases_needed is not None


def test_few_cases_begin_where_they_could_certify_anything() -> None:
    """Of 20 cases without an error no tenth could show 15%, but all of them do."""
    document = asked(many(20, errors=0), wrong=0.15).document
    (threshold,) = document.systems[0].thresholds
    assert (threshold.certified, threshold.threshold) == (True, None)


def test_two_systems_by_hand() -> None:
    """The other system answers all: it decides D and E too, E wrongly."""
    other = dict(ANSWERS) | {"C": (3, 3, 3), "D": (0, 0, 1), "E": (1, 0, 2)}
    right = of(list(TRUTH.values()), list(other.values()), cases=list(TRUTH))
    document = acumen.total({"a": table(), "b": right}, cut=5).document
    (pair,) = document.pairs
    assert (pair.left, pair.right, pair.cases, pair.both_totals) == ("a", "b", 6, 3)
    deltas = {name: (d.left, d.right, d.delta) for name, d in pair.differences.items()}
    assert deltas["has_total"] == (0.5, 1.0, 0.5)
    assert deltas["mae"] == (1.0, 1.0, 0.0)
    assert deltas["decided"] == pytest.approx((5 / 6, 1.0, 1 / 6))
    assert deltas["right_side"] == pytest.approx((4 / 6, 4 / 6, 0.0))
    assert deltas["sensitivity"] == pytest.approx((2 / 3, 2 / 3, 0.0))


def test_two_systems_at_the_coverage_that_both_reach_by_hand() -> None:
    """A, B and F have totals of the one system; the other's surest three are A, C and B.

    A is off by 1 and B by 2; the one is right in F, the other in C: 3/3 points against 3/3.
    """
    other = dict(ANSWERS) | {"C": (3, 3, 3), "D": (0, 0, 1), "E": (1, 0, 2)}
    sure = {"A": 0.9, "C": 0.8, "B": 0.7, "D": 0.6, "E": 0.5, "F": 0.4}
    right = of(
        list(TRUTH.values()),
        list(other.values()),
        cases=list(TRUTH),
        confidence=[sure[case] for case in TRUTH for _ in range(3)],
    )
    (pair,) = acumen.total({"a": sure_table(), "b": right}, cut=5).document.pairs
    total, side = pair.selective["total"], pair.selective["side"]
    assert (total.coverage, total.risk.left, total.risk.right) == (0.5, 1.0, 1.0)
    # five are decided of a, B wrongly; of the surest five of b B and E are wrong
    assert (side.coverage, side.risk.left, side.risk.right) == pytest.approx((5 / 6, 1 / 5, 2 / 5))
    assert side.risk.delta == pytest.approx(1 / 5)
    assert total.risk.favours is None
    alone = acumen.total({"a": sure_table(), "b": table()}, cut=5).document.pairs[0]
    assert alone.selective == {}


def test_every_interval_of_totals_has_the_confidence_level_that_is_asked_for() -> None:
    document = asked(by="sex", confidence_level=0.8).document
    part = document.systems[0].selective["total"]
    levels = {m.interval.confidence_level for m in part.measures.values() if m.interval}
    assert levels == {0.8}
    pair = asked({"a": many(), "b": many(errors=9)}, confidence_level=0.8).document.pairs[0]
    assert pair.selective["total"].risk.interval is not None
    assert pair.selective["total"].risk.interval.confidence_level == 0.8


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"risk": 9.0}, "risk is in points of the total, between 0 and 6, not 9"),
        ({"wrong": 0.0}, "wrong is a share of cases, between 0 and 1, not 0"),
        ({"wrong": 0.1, "delta": 2}, "delta is a chance between 0 and 1, not 2"),
    ],
)
def test_a_threshold_that_cannot_be_meant_is_refused(keywords: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        asked(**keywords)


def test_two_systems_are_held_against_each_other_on_the_cases_of_both() -> None:
    rows = many()
    document = asked({"all": rows, "some": rows[20:]}).document
    assert document.pairs[0].cases == 50
    assert "all and some: 10 cases of one side only left out" in document.warnings
    assert document.pairs[0].differences["mae"].delta == 0.0


def test_other_truths_are_not_the_same_cases() -> None:
    other = [row | {"truth": 3} if row["case"] == 0 else row for row in many()]
    with pytest.raises(DataError, match="the true total of 0 differs between a and b"):
        asked({"a": many(), "b": other})
    with pytest.raises(DataError, match="a and b have no case in common"):
        asked({"a": many(), "b": [row | {"case": row["case"] + 100} for row in many()]})


def test_groups_of_cases_are_measured_as_they_would_be_alone() -> None:
    document = asked(by="sex").document
    groups = {group.group: group for group in document.systems[0].groups}
    assert {name: group.cases for name, group in groups.items()} == {"f": 30, "m": 30}
    alone = asked([row for row in many() if row["sex"] == "f"]).document.systems[0]
    assert alone.error is not None
    assert groups["f"].measures["mae"] == alone.error.mae
    assert alone.cut is not None
    assert groups["f"].measures["sensitivity"] == alone.cut.measures["sensitivity"].decided


def test_a_group_that_cuts_through_a_case_is_refused() -> None:
    rows = [row | {"sex": row["item"]} for row in many()]
    with pytest.raises(UsageError, match="--by sex: case 0 has several values"):
        asked(rows, by="sex")


def test_without_a_confidence_the_rest_is_measured() -> None:
    document = acumen.total(table(), cut=5).document
    assert document.confidence is None
    assert document.systems[0].selective == {}
    assert document.systems[0].cut is not None


def test_sums_of_some_cases_are_sums() -> None:
    own = read_sums(table(), CUT).sums
    part: Sums = own.take(np.array([4, 0]))
    assert part.cases == ("E", "A")
    assert part.low.tolist() == [3, 5]
