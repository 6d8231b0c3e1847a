"""Betting by case: by hand, and by every stream there is, with its chance."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from acumen.inference.betting import BETS, Alarm, Share, log_capital, p_value

SHORT = 10
STREAMS = np.array([*product([0.0, 1.0], repeat=SHORT)])
"""Every stream of so many cases, each right or wrong."""


def chances(alpha: float) -> np.ndarray:
    errors = STREAMS.sum(axis=1)
    return np.asarray(alpha**errors * (1 - alpha) ** (SHORT - errors))


def share_of(errors: int, cases: int) -> Share:
    return Share(np.array([0.0, 1.0]), np.ones(2), 1.0, np.array([cases - errors, errors]))


def test_capital_is_that_of_every_bet_worked_out_in_fractions() -> None:
    values, least = [Fraction(9, 10), Fraction(-1, 10), Fraction(-1, 10)], Fraction(-1, 10)
    each = [math.prod(1 + Fraction(str(bet)) / -least * value for value in values) for bet in BETS]
    expected = sum(each, Fraction(0)) / len(each)
    capital = np.exp(log_capital(np.array(values, float), float(least)))
    assert capital == pytest.approx(float(expected), rel=1e-12)


def test_the_number_of_the_documentation() -> None:
    values = np.array([0.9, -0.1, -0.1])
    assert np.exp(log_capital(values, -0.1)) == pytest.approx(1.0819886, abs=1e-7)


@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_at_the_bound_the_mean_capital_of_all_streams_is_the_stake(alpha: float) -> None:
    capital = np.exp(log_capital(STREAMS - alpha, -alpha))
    assert chances(alpha) @ capital == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_an_alarm_keeps_its_stake_in_the_mean_and_rarely_goes_off(alpha: float) -> None:
    alarm, highest = Alarm(), np.ones(len(STREAMS))
    for value in STREAMS.T:
        highest = np.maximum(highest, alarm.bet(value - alpha, -alpha))
    assert chances(alpha) @ alarm.capital == pytest.approx(1.0, rel=1e-12)
    for level in (2.0, 5.0, 20.0):
        assert chances(alpha) @ (highest >= level) <= 1.0 / level


def test_an_alarm_that_stood_still_sees_a_break_sooner_than_one_bet_from_the_start() -> None:
    good, bad = np.zeros(1000), np.tile([0.0, 1.0], 30)
    stream = np.concatenate([good, bad])
    alarm = Alarm()
    capital = [float(alarm.bet(value - 0.1, -0.1)) for value in stream]
    assert max(capital[:1000]) < 1.0
    assert capital[-1] > 20.0
    assert log_capital(stream - 0.1, -0.1) < math.log(20.0)


def test_the_order_of_the_cases_changes_nothing_and_like_cases_may_be_counted() -> None:
    values = np.array([0.9, -0.1, -0.1, 0.9, -0.1])
    apart = log_capital(values, -0.1)
    assert log_capital(values[::-1], -0.1) == pytest.approx(apart, rel=1e-12)
    assert log_capital(np.array([0.9, -0.1]), -0.1, np.array([2, 3])) == pytest.approx(apart)


def test_ends_lie_where_betting_against_them_has_earned_just_enough() -> None:
    share = share_of(30, 200)
    low, high = share.ends(0.1)
    assert low < 0.15 < high
    assert share.log_above(low) == pytest.approx(math.log(20.0), rel=1e-6)
    assert share.log_below(high) == pytest.approx(math.log(20.0), rel=1e-6)
    # exactly the complement, seen from the other side
    assert share.rest.ends(0.1) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-9)


def test_no_error_at_all_has_an_end_above_zero_and_none_below() -> None:
    low, high = share_of(0, 50).ends(0.1)
    assert low == 0.0
    assert 0.058 < high < 0.2  # 3/n and a price for looking as often as one likes


def test_ends_hold_at_every_look_at_once_in_all_streams() -> None:
    """The chance of a stream some beginning of which has ends without the share."""
    alpha, error = 0.3, 0.4
    misses = np.zeros(len(STREAMS), bool)
    for cases in range(1, SHORT + 1):
        ends = [share_of(errors, cases).ends(error) for errors in range(cases + 1)]
        outside = np.array([not low <= alpha <= high for low, high in ends])
        misses |= outside[STREAMS[:, :cases].sum(axis=1).astype(int)]
    assert 0.0 < chances(alpha) @ misses <= error


def test_a_p_value_is_at_most_one_and_falls_with_evidence() -> None:
    right = np.zeros(40) - 0.1
    assert p_value(right, -0.1) == 1.0
    p = [float(p_value(0.1 - np.zeros(n), -0.9)) for n in (20, 40, 80)]
    assert p == sorted(p, reverse=True)
    assert p[-1] < 0.01
