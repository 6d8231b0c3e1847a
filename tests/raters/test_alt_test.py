"""The alternative annotator test, on a table whose numbers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import PermutationMethod, rankdata, wilcoxon

from acumen.raters.alt_test import _benjamini_yekutieli, _signed_rank
from tests.raters.tables import PEOPLE, five_and_a_judge, rated


@pytest.mark.parametrize(("epsilon", "winning_rate"), [(0.10, 0.2), (0.15, 0.6), (0.20, 0.8)])
def test_winning_rate_and_advantage(epsilon: float, winning_rate: float) -> None:
    test = rated(epsilon=epsilon).judges["judge"].alt_test
    assert test.winning_rate == pytest.approx(winning_rate)
    assert test.advantage.value == pytest.approx(0.875010532, abs=1e-9)
    assert test.passes is (winning_rate >= 0.5)


ORDINAL = {
    "r1": (73, -0.013699, 0.90411, 0.00152854),
    "r2": (73, -0.027397, 0.876712, 0.00261906),
    "r3": (73, -0.068493, 0.90411, 0.00023315),
    "r4": (58, 0.017241, 0.87931, 0.01925146),
    "r5": (37, 0.189189, 0.810811, 0.72398538),
}
NOMINAL = ORDINAL | {
    "r2": (73, -0.013699, 0.876712, 0.00404811),
    "r4": (58, 0.034483, 0.87931, 0.02974619),
}


@pytest.mark.parametrize(("score", "numbers"), [("ordinal", ORDINAL), ("nominal", NOMINAL)])
def test_every_person_alone(score: str, numbers: dict[str, tuple[float, ...]]) -> None:
    raters = rated(score=score).judges["judge"].alt_test.raters
    assert list(raters) == PEOPLE
    for name, (instances, difference, advantage, p_value) in numbers.items():
        test = raters[name]
        assert test.instances == instances
        assert test.difference == pytest.approx(difference, abs=1e-6)
        assert test.advantage == pytest.approx(advantage, abs=1e-6)
        assert test.p_value == pytest.approx(p_value, abs=1e-8)
        assert test.method == "t"


def test_people_with_few_instances_are_named_and_left_out() -> None:
    test = rated(fewest_instances=50).judges["judge"].alt_test
    assert test.too_few == {"r5": 37}
    assert test.winning_rate == 1.0  # .01925 is below the bar of four, and above that of five
    assert "r5" not in test.raters


def test_a_lower_bar_takes_wilcoxons_test() -> None:
    rows = five_and_a_judge()[:40]
    test = rated(rows, raters=PEOPLE, judge="judge", fewest_instances=10).judges["judge"].alt_test
    assert test.raters["r1"].method == "t"
    assert test.raters["r5"].method == "wilcoxon"
    d = _differences(rows, "r5")
    assert test.raters["r5"].p_value == _signed_rank(np.array(d) - 0.15)


def test_the_signed_rank_test_goes_over_all_ways_of_signs() -> None:
    rng = np.random.default_rng(3)
    for n in (5, 9, 12):
        d = rng.integers(-1, 2, n).astype(np.float64) - 0.15
        every = wilcoxon(d, alternative="less", method=PermutationMethod(n_resamples=np.inf))
        assert _signed_rank(d) == pytest.approx(every.pvalue, rel=1e-12)
    d = (
        rng.integers(-1, 2, 28).astype(np.float64) - 0.15
    )  # too many ways to go over: 200,000 are drawn
    ranks = rankdata(np.abs(d))
    drawn = (rng.random((200_000, 28)) < 0.5) @ ranks
    share = float((drawn <= ranks[d > 0].sum()).mean())
    assert _signed_rank(d) == pytest.approx(share, abs=5e-3)


def _differences(rows: list[dict[str, int | None]], person: str) -> list[int]:
    """D of each instance, from its definition."""
    out = []
    for row in rows:
        others: list[Any] = [row[p] for p in PEOPLE if p != person and row[p] is not None]
        if row[person] is None or row["judge"] is None or not others:
            continue
        far = {w: sum((row[w] - o) ** 2 for o in others) for w in (person, "judge")}
        out.append((far[person] <= far["judge"]) - (far["judge"] <= far[person]))
    return out


def test_an_abstention_is_a_loss_in_the_second_test() -> None:
    judge = rated().judges["judge"]
    charged = judge.alt_test_charged
    assert charged is not None
    rows = five_and_a_judge()
    d = _differences(rows, "r1") + [1] * sum(row["judge"] is None for row in rows)
    assert charged.raters["r1"].instances == len(d) == 80
    assert charged.raters["r1"].difference == pytest.approx(sum(d) / len(d))
    assert judge.answered == 73
    assert judge.coverage.value == pytest.approx(73 / 80)


def test_a_judge_that_always_answers_is_tested_once() -> None:
    rows = [row | {"judge": row["r1"]} for row in five_and_a_judge()]
    assert rated(rows, raters=PEOPLE, judge="judge").judges["judge"].alt_test_charged is None


def test_instances_without_spread_are_decided_by_their_mean() -> None:
    rows = [{"case": i, "a": 1, "b": 1, "ai": 1} for i in range(40)]
    for epsilon, passes in ((0.15, True), (0.0, False)):
        found = rated(rows, raters=["a", "b"], judge="ai", epsilon=epsilon)
        test = found.judges["ai"].alt_test.raters["a"]
        assert (test.method, test.difference, test.passes) == ("sign", 0.0, passes)


def paired_rows() -> list[dict[str, Any]]:
    """The table of the five with two units in each case."""
    rows = five_and_a_judge()
    return [row | {"case": row["case"] // 2, "item": row["case"] % 2} for row in rows]


def test_where_cases_have_several_units_the_variance_is_that_of_case_sums() -> None:
    rows = paired_rows()
    found = rated(rows, raters=PEOPLE, judge="judge", item="item")
    test = found.judges["judge"].alt_test.raters["r1"]
    sums: dict[int, list[int]] = {}
    for row in rows:
        for d in _differences([row], "r1"):
            sums.setdefault(row["case"], []).append(d)
    m = sum(map(len, sums.values()))
    mean = sum(map(sum, sums.values())) / m
    n = len(sums)
    variance = n / (n - 1) * sum((sum(d) - mean * len(d)) ** 2 for d in sums.values()) / m**2
    from scipy.stats import t

    assert test.method == "by_case"
    assert test.p_value == pytest.approx(t.cdf((mean - 0.15) / variance**0.5, n - 1))


def test_rows_are_independent_only_where_that_is_said() -> None:
    found = rated(paired_rows(), raters=PEOPLE, judge="judge", item="item", by_row=True)
    test = found.judges["judge"].alt_test.raters["r1"]
    assert (test.method, test.p_value) == ("t", pytest.approx(ORDINAL["r1"][3], abs=1e-8))


def test_cases_without_spread_say_no_more_than_their_number() -> None:
    """D is 0 in each: a share of .15 that the judge loses stays unseen with .85 to the n-th."""
    for cases, passes in ((10, False), (40, True)):
        rows = [
            {"case": c, "item": i, "a": 1, "b": 1, "c": 1, "ai": 1}
            for c in range(cases)
            for i in range(4)
        ]
        found = rated(rows, raters=["a", "b", "c"], judge="ai", item="item")
        test = found.judges["ai"].alt_test
        assert test.raters["a"].p_value == pytest.approx(0.85**cases)
        assert test.passes is passes


def test_of_one_case_nothing_can_be_said_by_case() -> None:
    rows = [row | {"case": "only", "item": row["case"]} for row in five_and_a_judge()]
    found = rated(rows, raters=PEOPLE, judge="judge", item="item")
    tests = found.judges["judge"].alt_test.raters.values()
    assert {(test.method, test.p_value, test.passes) for test in tests} == {("by_case", 1.0, False)}


@pytest.mark.parametrize(
    ("p_values", "rejected"),
    [
        ([], []),
        ([0.05], [True]),
        ([0.051], [False]),
        # bars 1/2 and 1 of 0.05/1.5
        ([0.033, 0.033], [True, True]),
        ([0.034, 0.017], [False, False]),
        ([0.034, 0.0166], [False, True]),
        ([0.033, 0.02], [True, True]),  # the last that is under its bar takes the others along
    ],
)
def test_rejections_of_which_few_are_false(p_values: list[float], rejected: list[bool]) -> None:
    assert _benjamini_yekutieli(p_values, 0.05) == rejected
