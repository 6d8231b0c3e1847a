"""Tests of a bounded mean: the published numbers, and laws."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from acumen.decisions.bounds import (
    Accepted,
    betting,
    binomial,
    fallback,
    fewest_cases,
    fewest_share,
    hoeffding_bentkus,
    shared,
    two_starts,
)


@pytest.mark.parametrize(
    ("k", "m", "delta", "upper"),
    [
        (0, 59, 0.05, 0.0495076),
        (3, 100, 0.1, 0.0655858),
        (12, 200, 0.05, 0.0954014),
        (5, 41, 0.1, 0.2145148),
        (2, 100, 0.1 / 8, 0.0787755),
    ],
)
def test_the_known_clopper_pearson_end_is_where_the_binomial_is_delta(
    k: int, m: int, delta: float, upper: float
) -> None:
    assert stats.beta.ppf(1 - delta, k + 1, m - k) == pytest.approx(upper, abs=5e-8)
    assert binomial(k, m, upper) == pytest.approx(delta, abs=2e-6)
    assert binomial(k, m, upper) == pytest.approx(stats.binom.cdf(k, m, upper), rel=1e-9)


@pytest.mark.parametrize(
    ("mean", "n", "alpha", "p"),
    [
        (0, 100, 0.05, 0.0059205),
        (0.02, 100, 0.05, 0.2969190),
        (0.05, 200, 0.1, 0.0219399),
        (0.08, 500, 0.1, 0.2041139),
        (0.3, 50, 0.5, 0.0089709),
    ],
)
def test_hoeffding_bentkus_is_the_known_one(mean: float, n: int, alpha: float, p: float) -> None:
    assert hoeffding_bentkus(mean, n, alpha) == pytest.approx(p, abs=5e-8)


def test_the_betting_test_is_the_known_one() -> None:
    values = np.tile([0, 0.25, 0, 0, 0.5, 0, 0, 0.125, 0, 0], 10)
    assert betting(values, 0.2, 0.1) == pytest.approx(0.000101185, abs=5e-10)
    assert hoeffding_bentkus(values.mean(), 100, 0.2) == pytest.approx(0.0063433, abs=5e-8)
    assert betting(np.zeros(50), 0.1, 0.1) == pytest.approx(0.0091066, abs=5e-8)
    assert hoeffding_bentkus(0.0, 50, 0.1) == pytest.approx(0.0051538, abs=5e-8)


def wealth_by_hand(values: list[float], alpha: float, delta: float) -> float:
    """The same one bet after the other, as the definition has it."""
    total, squares, variance, wealth, most = 0.5, 0.25, 0.25, 1.0, 1.0
    for i, value in enumerate(values, start=1):
        bet = min(1.0, math.sqrt(2 * math.log(1 / delta) / (len(values) * variance)))
        wealth *= 1 - bet * (value - alpha)
        most = max(most, wealth)
        total += value
        squares += (value - total / (i + 1)) ** 2
        variance = squares / (i + 1)
    return 1 / most


def test_many_bets_at_once_are_the_bets_one_by_one() -> None:
    values = np.random.default_rng(3).random((4, 30)) ** 3
    together = betting(values, 0.3, 0.05)
    assert together == pytest.approx([wealth_by_hand(list(row), 0.3, 0.05) for row in values])


ROWS = np.array([8, 8, 6, 0, 4, 8, 2, 8, 5, 7, 8, 3, 8, 0, 6, 8, 4, 8, 7, 8], float)


def losses(by_case: dict[int, float]) -> np.ndarray:
    loss = np.zeros(20)
    for case, lost in by_case.items():
        loss[case - 1] = lost
    return loss


@pytest.mark.parametrize(
    ("by_case", "effective", "upper"),
    [
        ({2: 1, 6: 2, 10: 1, 15: 1}, 91.442426, 0.0847148),
        ({6: 2}, 18, 0.1463209),
        ({}, 18, 0.1200775),
    ],
)
def test_korn_graubard_is_the_known_one(
    by_case: dict[int, float], effective: float, upper: float
) -> None:
    accepted = Accepted.of(ROWS, losses(by_case))
    assert accepted.effective(0.1) == pytest.approx(effective, abs=5e-7)
    n, risk = effective, float(accepted.risk)
    assert stats.beta.ppf(0.9, n * risk + 1, n * (1 - risk)) == pytest.approx(upper, abs=5e-8)
    # the p is the level at which that end is the bound itself, where enough cases carry the loss
    if len(by_case) > 2:
        assert float(accepted.p_value(upper)) == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize(
    ("by_case", "unseen", "errs", "largest"),
    [
        ({}, 1.0, 0, 8),
        ({6: 2}, 1.0, 1, 8),
        ({6: 8, 2: 1, 10: 1}, 1.0, 3, 8),  # carried by (8 + 1 + 1)² / 66 = 1.5 cases
        ({}, 2.0, 0, 16),  # cases of 16 rows may be drawn
    ],
)
def test_few_cases_that_carry_the_loss_speak_of_rows_by_the_largest_case(
    by_case: dict[int, float], unseen: float, errs: int, largest: int
) -> None:
    """18 cases with 116 rows among them, and the bound is .2."""
    accepted = Accepted.of(ROWS, losses(by_case))
    share = 0.2 * (116 / 18) / largest
    assert float(accepted.p_value(0.2, unseen)) == pytest.approx(stats.binom.cdf(errs, 18, share))


def test_the_risk_is_loss_over_rows() -> None:
    assert Accepted.of(ROWS, losses({2: 1, 6: 2, 10: 1, 15: 1})).risk == pytest.approx(
        0.0431034, abs=5e-8
    )


def test_nothing_is_certified_on_one_case_or_on_none_or_where_all_is_wrong() -> None:
    rows = np.array([[5.0, 0, 0], [0, 0, 0], [2, 2, 2]])
    loss = np.array([[0.0, 0, 0], [0, 0, 0], [2, 2, 2]])
    accepted = Accepted.of(rows, loss)
    assert accepted.p_value(0.2).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("alpha", "delta", "cases"),
    [(0.05, 0.05, 59), (0.05, 0.1, 45), (0.1, 0.05, 29), (0.1, 0.1, 22), (0.2, 0.1, 11)],
)
def test_the_fewest_cases_are_those_whose_end_reaches_the_bound(
    alpha: float, delta: float, cases: int
) -> None:
    assert fewest_cases(alpha, delta) == cases
    assert binomial(0, cases, alpha) <= delta < binomial(0, cases - 1, alpha)


P = np.array([0.5, 0.02, 0.03, 0.03, 0.02, 0.06, 0.05, 0.08, 0.2, 0.03, 0.04, 0.01])


def test_a_certified_threshold_hands_its_level_on() -> None:
    starts = np.zeros(12)
    starts[[1, 5, 9]] = 0.1 / 3
    level, certified = fallback(P, starts)
    assert np.flatnonzero(certified).tolist() == [1, 2, 3, 4, 5, 6, 9]
    assert level[[0, 1, 4, 5, 6, 9]] == pytest.approx(
        [0, 0.1 / 3, 0.1 / 3, 0.2 / 3, 0.2 / 3, 0.1 / 3]
    )
    alone = set()
    for start in (1, 5, 9):  # separate sequences certify less
        one = np.zeros(12)
        one[start] = 0.1 / 3
        alone |= set(np.flatnonzero(fallback(P, one)[1]).tolist())
    assert sorted(alone) == [1, 2, 3, 4, 9]


def test_the_risk_of_accepted_rows_and_its_variance_by_hand() -> None:
    """Two cases with 2 and 1 rows and a loss of 1 and 0; then one case alone."""
    accepted = Accepted.of(np.array([2.0, 1.0]), np.array([1.0, 0.0]))
    assert (accepted.rows, accepted.risk) == (3.0, pytest.approx(1 / 3))
    # residuals 1 − 2/3 and 0 − 1/3
    assert accepted.variance == pytest.approx(2 / 1 * (2 / 9) / 9)
    assert (accepted.answering, accepted.erring) == (2, 1)
    alone = Accepted.of(np.array([2.0]), np.array([1.0]))
    assert (alone.risk, alone.variance) == (0.5, 0.0)
    none = Accepted.of(np.array([0.0, 0.0]), np.array([0.0, 0.0]))
    assert (none.rows, none.risk, none.answering) == (1.0, 0.0, 0)


@pytest.mark.parametrize(
    ("p", "first", "second", "largest"),
    [
        ([0.5, 0.08, 0.09, 0.1, 0.02, 0.2], 1, 3, 4),  # all between holds at δ: the second has it
        ([0.5, 0.08, 0.11, 0.1, 0.02, 0.2], 1, 3, -1),  # it does not: a half is left
        ([0.5, 0.06, 0.11, 0.05, 0.03, 0.2], 1, 3, 4),
        ([0.5, 0.05, 0.04, 0.06, 0.03, 0.2], 1, 3, 4),
        ([0.5, 0.05, 0.11, 0.06, 0.03, 0.2], 1, 3, 1),
        ([0.5, 0.05, 0.06, 0.06, 0.11, 0.2], 1, 3, 3),
        ([0.5, 0.09, 0.11, 0.1, 0.1, 0.1], 1, 3, 1),  # all of the second holds: the first has it
        ([0.09, 0.1, 0.11], 0, 0, 1),  # one start holds all of δ
    ],
)
def test_two_starts_share_the_error_as_they_succeed(
    p: list[float], first: int, second: int, largest: int
) -> None:
    level, certified = shared(np.array(p), first, second, 0.1, together=True)
    assert max(np.flatnonzero(certified), default=-1) == largest
    assert np.all(np.array(p)[certified] <= level[certified])


@pytest.mark.parametrize(
    ("p", "largest"),
    [
        ([0.04, 0.05, 0.1, 0.1], 3),  # the first holds at half of δ: the second has all of it
        ([0.04, 0.06, 0.1, 0.1], 0),
        ([0.09, 0.1, 0.05, 0.05], 3),
        ([0.11, 0.1, 0.05, 0.06], 2),
    ],
)
def test_where_tests_need_not_go_together_half_of_delta_is_what_must_hold(
    p: list[float], largest: int
) -> None:
    certified = shared(np.array(p), 0, 2, 0.1, together=False)[1]
    assert max(np.flatnonzero(certified), default=-1) == largest


def rejects(p: np.ndarray, members: tuple[int, ...], starts: tuple[int, int], *, by: str) -> bool:
    """A test of some hypotheses together: the first member in each sequence counts for a half."""
    first, second = starts
    early = [p[m] for m in members if first <= m < second][:1]
    late = [p[m] for m in members if m >= second][:1]
    each = sorted([*early, *late])
    if len(each) < 2:
        return bool(each) and each[0] <= 0.1
    return each[0] <= 0.05 or (by == "simes" and each[1] <= 0.1)


@pytest.mark.parametrize("by", ["simes", "bonferroni"])
def test_that_is_closed_testing_over_every_set_of_hypotheses(by: str) -> None:
    rng, n = np.random.default_rng(3), 6
    sets = [s for k in range(1, n + 1) for s in combinations(range(n), k)]
    for _ in range(150):
        p = rng.random(n) * 0.16
        first, second = sorted(rng.choice(n, 2, replace=False))
        closed = [
            g
            for g in range(first, n)
            if all(rejects(p, s, (first, second), by=by) for s in sets if g in s)
        ]
        certified = shared(p, first, second, 0.1, together=by == "simes")[1]
        assert np.flatnonzero(certified).tolist() == closed


def false_chance(rows: list[int], risks: list[float], alpha: float, delta: float) -> float:
    """The chance of a false certificate, over every number of errors between two thresholds."""
    counts = np.array([*product(*(range(m + 1) for m in rows))])
    chance = np.prod(
        [stats.binom.pmf(counts[:, k], rows[k], r) for k, r in enumerate(risks)], axis=0
    )
    above = np.cumsum(rows)
    too_large = np.cumsum(np.multiply(rows, risks)) / above > alpha
    p_values = binomial(np.cumsum(counts, axis=1), above, alpha)
    false = [
        bool((shared(p, 0, 2, delta, together=True)[1] & too_large).any())
        for p in p_values.tolist()
        for p in [np.array(p)]
    ]
    return float(chance[false].sum())


def test_no_certificate_of_nested_rows_is_false_more_often_than_delta_counted_exactly() -> None:
    rng, alpha, delta = np.random.default_rng(8), 0.3, 0.3
    chances = []
    for _ in range(40):
        rows = rng.integers(3, 7, 4).tolist()
        # risks that rise, fall and turn, close above what is allowed and far from it
        risks = (alpha + rng.choice([0.001, 0.1, -0.1, 0.4, -0.25], 4)).tolist()
        chances.append(false_chance(rows, risks, alpha, delta))
    chances += [false_chance([m] * 4, [alpha + 1e-9] * 4, alpha, delta) for m in (3, 5, 6)]
    assert 0.15 < max(chances) <= delta


def test_p_that_do_not_go_together_break_the_first_rule_and_not_the_second() -> None:
    """Small never at once, but both between half of δ and δ at once: 1.5 δ by Simes."""
    u, delta = (np.arange(2000) + 0.5) / 2000, 0.1
    low, middle, high = u < delta / 2, (u >= delta / 2) & (u < delta), u >= delta
    other = np.empty_like(u)
    # the least of the one go with large of the other, and the other way round
    other[middle] = u[middle]
    other[low] = u[high][: low.sum()]
    other[high] = np.concatenate([u[low], u[high][low.sum() :]])
    for together, chance in ((True, 0.15), (False, 0.1)):
        false = [
            shared(np.array(p), 0, 1, delta, together=together)[1].any()
            for p in zip(u, other, strict=True)
        ]
        assert np.mean(false) == pytest.approx(chance)


def test_the_two_starts_go_by_the_number_of_cases_alone() -> None:
    def starts(cases: int, rows: int) -> tuple[float, float]:
        return two_starts(fewest_share(cases, rows, 0.1, 0.1))

    assert starts(1000, 1000) == pytest.approx((8 * 22 / 1000, 0.5))
    assert starts(176, 176) == starts(100, 900) == (0.3, 0.5)
    assert starts(175, 175) == starts(44, 44) == (0.5, 0.5)
    assert starts(40, 40) == pytest.approx((1.4 * 22 / 40,) * 2)
    assert starts(10, 10) == (1.0, 1.0)
