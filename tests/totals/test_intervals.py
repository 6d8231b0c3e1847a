"""Conformal intervals for a total: groups, margins and places by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import acumen
from acumen.table.totals import Total
from acumen.totals.intervals import (
    fewest_of,
    groups_of,
    held_out,
    intervals_of,
    margins_of,
    quantile,
)
from acumen.totals.sums import read_sums
from tests.totals.studies import of, random_study, sums


def test_the_quantile_is_one_of_n_plus_one_places() -> None:
    scores = np.arange(1.0, 20.0)  # 19 of them: ⌈20·0.9⌉ = 18, ⌈20·0.95⌉ = 19
    assert (quantile(scores, 0.1), quantile(scores, 0.05)) == (18, 19)
    assert quantile(scores[:-1], 0.05) == math.inf
    assert quantile(np.array([]), 0.5) == math.inf


@pytest.mark.parametrize(
    ("n_open", "expected"),
    [
        ([0] * 3, [[0]]),
        ([0, 0, 0, 1, 1, 1], [[0], [1]]),
        ([0, 1, 1, 2, 4, 4, 4], [[0, 1], [2, 3, 4]]),
        ([0, 0, 0, 1, 1], [[0, 1]]),
        ([5, 5, 5], [[0, 1, 2, 3, 4, 5]]),
    ],
)
def test_few_cases_share_a_group_with_the_numbers_next_to_them(
    n_open: list[int], expected: list[list[int]]
) -> None:
    assert [group.tolist() for group in groups_of(np.array(n_open), 3)] == expected


def test_a_group_is_large_enough_for_both_margins() -> None:
    assert (fewest_of(0.1), fewest_of(0.2), fewest_of(0.05)) == (20, 20, 39)
    assert quantile(np.zeros(fewest_of(0.05)), 0.025) == 0.0
    assert quantile(np.zeros(fewest_of(0.05) - 1), 0.025) == math.inf


def test_margins_by_hand() -> None:
    """Of 20 complete cases 19 are right and one is 2 too high: that one makes the lower margin."""
    truth = [[2, 2, 1]] * 20
    answers = [[2, 2, 1]] * 19 + [[3, 3, 1]]
    own = read_sums(of(truth, answers), Total()).sums
    margins = margins_of(own, 0.1)
    assert (margins.below.tolist(), margins.above.tolist()) == ([2.0], [0.0])
    low, high = margins.around(own)
    assert (low[0], high[0], low[-1], high[-1]) == (3.0, 5.0, 5.0, 7.0)
    assert margins_of(own, 0.2).below.tolist() == [0.0]


def test_with_too_few_cases_an_interval_is_every_total_there_can_be() -> None:
    own = sums()
    low, high = margins_of(own, 0.1).around(own)
    assert {*low, *high} == {0.0, 9.0}
    part, ends, _ = intervals_of(own, own, 0.1, 0.95)
    assert part is not None
    assert ends is not None
    assert (part.groups[0].below, part.coverage.value, part.width) == (None, 1.0, 9.0)


def test_a_case_with_more_open_items_than_any_has_the_margins_of_the_last_group() -> None:
    own = read_sums(random_study(1, cases=60, silence=0.2), Total()).sums
    margins = margins_of(own, 0.1)
    assert len(margins.groups) > 1
    more = read_sums(of([[1] * 4], [[None] * 4]), Total()).sums
    low, high = margins.around(more)
    reach = math.sqrt(5) * np.array([-margins.below[-1], margins.above[-1]])
    assert (low[0], high[0]) == pytest.approx(tuple(np.clip(6 + reach, 0, 12)))


def test_within_a_group_more_open_items_make_a_wider_interval() -> None:
    """Of 19 complete cases one is 2 too high; one case of 20 has an open item: one group."""
    answers: list[list[int | None]] = [[2, 2, 2]] * 18
    answers += [[3, 3, 2], [2, None, 2]]
    own = read_sums(of([[2, 2, 2]] * 20, answers), Total()).sums
    margins = margins_of(own, 0.1)
    assert [group.tolist() for group in margins.groups] == [[0, 1]]
    assert (margins.below.tolist(), margins.above.tolist()) == ([2.0], [0.0])
    low, high = margins.around(own)
    assert (low[0], high[0]) == (4.0, 6.0)
    assert (low[-1], high[-1]) == pytest.approx((6 - 2 * math.sqrt(2), 6.0))


def test_new_cases_have_intervals_that_all_cases_with_truth_make() -> None:
    rows = [
        {"case": c, "item": i, "prediction": 3 if c == 21 else 1 + (c == 0)}
        | {"truth": None if c in (20, 21) and i == "y" else 1}
        for c in range(22)
        for i in "xy"
    ]
    result = acumen.total(rows, levels="0-3", cut=3)
    (system,) = result.document.systems
    assert (system.cases, system.without_truth) == (20, 2)
    new = {row.case: row for row in system.new}
    assert [row.case for row in system.rows] == list(range(20))
    assert (new[20].total, new[20].truth, new[20].decision) == (2, None, "below")
    assert (new[20].interval, new[21].interval) == ((0.0, 2.0), (4.0, 6.0))  # 0 was 2 too high
    warning = "2 cases without the truth of every item, not scored: 20, 21 (20 lacks that of y)"
    assert warning in result.warnings
    text = result.to_markdown().replace("\\", "")
    assert "2 cases without truth: 1 above, 1 below, intervals of 2.0 points" in text


def test_new_cases_of_each_system_of_a_table_are_its_own() -> None:
    rows = [
        {"case": c, "item": i, "who": who, "prediction": 1 + (who == "b")}
        | {"truth": None if c == 9 else 1}
        for c in range(10)
        for i in "xy"
        for who in "ab"
    ]
    systems = acumen.total(rows, levels="0-3", system="who").document.systems
    assert [[(row.case, row.total) for row in s.new] for s in systems] == [[(9, 2)], [(9, 4)]]


def test_no_case_makes_the_interval_that_is_held_against_its_own_truth() -> None:
    """One case is made absurd: the others' intervals may move, its own does not."""
    truth, answers = [[2, 2, 1]] * 40, [[2, 2, 1]] * 40
    own = read_sums(of(truth, answers), Total()).sums
    before = held_out(own, 0.2)
    answers[7] = [0, 0, 0]
    absurd = read_sums(of(truth, answers), Total()).sums
    after = held_out(absurd, 0.2)
    assert (before[0][7], before[1][7]) == (5, 5)
    assert (after[0][7], after[1][7]) == (0, 0)


def test_the_order_of_cases_does_not_matter() -> None:
    own = read_sums(random_study(2, cases=50), Total()).sums
    order = np.random.default_rng(0).permutation(50)
    ends = held_out(own, 0.1)
    again = held_out(own.take(order), 0.1)
    assert np.array_equal(np.stack(ends)[:, order], np.stack(again))


def test_without_truth_or_with_very_few_cases_there_are_none() -> None:
    own = read_sums(of([[1, 1]] * 4, [[1, 1]] * 4), Total()).sums
    assert intervals_of(own, own, 0.1, 0.95) == (None, None, None)


@pytest.mark.parametrize(("cases", "words"), [(1, "1 case is"), (4, "4 cases are"), (12, "12 cas")])
def test_of_too_few_cases_no_interval_is_told_as_one(cases: int, words: str) -> None:
    rows = [
        {"case": c, "item": i, "truth": c % 3, "prediction": 1} for c in range(cases) for i in "ab"
    ]
    (section,) = [s for s in acumen.total(rows, levels="0-2").sections() if s.key == "open"]
    assert section.finding.startswith(words)
    assert "too few for intervals: they would reach from 0 to 4." in section.finding
