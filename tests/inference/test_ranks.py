"""Several differences at once: worked out by hand, against SciPy, and as laws."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from acumen.inference.matched import compare_matched, decide, match
from acumen.inference.options import Options
from acumen.inference.ranks import Family, rank_intervals, reaches
from acumen.values.measured import Interval
from acumen.views.ranking import Ranking
from simulations.laws import LAWS, draw_cases, judge

RNG = np.random.default_rng(7)


def rankings(systems: int, cases: int = 30, seed: int = 1, better: float = 1.0) -> list[Ranking]:
    rng = np.random.default_rng(seed)
    law = LAWS["beta"]
    drawn = draw_cases(law, rng, cases)
    laws = [law.with_errors(better), *[law] * (systems - 1)]
    return [judge(one, drawn, rng).ranking() for one in laws]


def z_of(p_value: float) -> float:
    return float(stats.norm.isf(p_value / 2))


def test_ranks_follow_from_who_beats_whom() -> None:
    intervals = {
        "AB": (0.02, 0.10), "AC": (-0.01, 0.09), "AD": (0.05, 0.2),
        "BC": (-0.05, 0.03), "BD": (0.01, 0.15), "CD": (-0.02, 0.12),
    }  # fmt: skip
    wins = [(pair[0], pair[1]) for pair, (low, _) in intervals.items() if low > 0]
    assert rank_intervals("ABCD", wins) == {"A": (1, 2), "B": (2, 3), "C": (1, 4), "D": (3, 4)}


def family_of(moves: Any) -> Family:
    """Of differences that are the moves themselves: numbers beside one that stays at 0."""
    rows = [np.zeros(len(moves[0])), *moves]
    return Family.of(rows, [0.0] * len(rows), [(0, at) for at in range(1, len(rows))])


def test_one_difference_needs_no_adjustment() -> None:
    one = family_of([RNG.normal(size=1000)])
    assert one.adjusted(0.03, 2.17) == 0.03
    assert one.stretch(0.95) == 1.0


def test_without_shared_resamples_it_is_bonferroni() -> None:
    family = Family(4)
    assert family.adjusted(0.01, z_of(0.01)) == pytest.approx(0.04)
    assert family.adjusted(0.5, z_of(0.5)) == 1.0
    assert family.stretch(0.95) == pytest.approx(z_of(0.05 / 4) / z_of(0.05))


def test_a_copy_of_a_difference_costs_next_to_nothing() -> None:
    draws = RNG.normal(size=100_000)
    twice = family_of([draws, 2 * draws])
    assert twice.adjusted(0.04, z_of(0.04)) == pytest.approx(0.04, abs=0.003)
    assert twice.stretch(0.95) == pytest.approx(1.0, abs=0.01)


def test_all_pairs_of_equal_systems_are_tukeys_range() -> None:
    k, size = 5, 100_000
    means = RNG.normal(size=(k, size))
    pairs = list(combinations(range(k), 2))
    family = Family.of(means, [0.0] * k, pairs)
    exact = float(stats.studentized_range.sf(2.5 * np.sqrt(2), k, 1e6))
    assert family.adjusted(0.0124, 2.5) == pytest.approx(exact, abs=0.005)
    furthest = stats.studentized_range.ppf(0.95, k, 1e6) / np.sqrt(2)
    assert family.stretch(0.95) == pytest.approx(furthest / z_of(0.05), rel=0.01)


def test_all_pairs_of_many_systems_take_the_memory_of_one() -> None:
    values = RNG.normal(size=(60, 2000))
    values[:, :7] = np.nan
    pairs, estimates = list(combinations(range(60), 2)), RNG.normal(size=60)
    tracemalloc.start()
    family = Family.of(values, estimates, pairs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * values.nbytes  # all differences would be 30 times it
    moves = np.array([values[b] - values[a] - (estimates[b] - estimates[a]) for a, b in pairs])
    moves = moves[:, 7:] / np.sqrt((moves[:, 7:] ** 2).mean(axis=1, keepdims=True))
    assert family.furthest == pytest.approx(np.sort(np.abs(moves).max(axis=0)))


def test_interval_and_adjusted_p_decide_alike() -> None:
    family = family_of(RNG.normal(size=(6, 999)))
    for value in np.linspace(1.5, 4.5, 301).tolist():
        interval = Interval(low=value - 1.5, high=value + 1.5, method="x")
        adjusted = family.adjusted(0.0001, reaches(interval, value))
        assert (adjusted <= 0.05) == (not family.widened(interval, value).has_zero), value


def test_a_resample_undefined_for_one_is_dropped_for_all() -> None:
    values = RNG.normal(size=(3, 1000))
    holes = values.copy()
    holes[0, :10] = np.nan
    family = family_of(holes)
    assert len(family.furthest) == 990
    assert (family.furthest == family_of(values[:, 10:]).furthest).all()
    holes[0, :100] = np.nan  # too many: nothing is known of how they move together
    assert len(family_of(holes).furthest) == 0


def test_two_systems_have_the_numbers_of_a_comparison_of_two() -> None:
    two = rankings(2, better=0.4)
    options = Options(resamples=300, threads=1)
    matching = match(two, options)
    family = matching.family([(0, 1)])
    among = decide(matching.pair(0, 1), family, 0.95)
    alone = compare_matched(two[0], two[1], options)
    assert among == alone.decided(alone.p_value, 0.05)
    assert among.favours == "left"


def test_a_third_system_widens_intervals_and_never_lowers_a_p_value() -> None:
    three, options = rankings(3, better=0.4), Options(resamples=500, threads=1)
    matching, pairs = match(three, options), [(0, 1), (0, 2), (1, 2)]
    family = matching.family(pairs)
    assert family.stretch(0.95) > 1.0
    for pair in pairs:
        own, among = matching.pair(*pair), decide(matching.pair(*pair), family, 0.95)
        assert own.difference.interval is not None
        assert among.difference.interval is not None
        assert among.difference.interval.low < own.difference.interval.low
        assert among.difference.interval.confidence_level == 0.95
        assert among.p_adjusted is not None
        assert own.p_value is not None
        assert among.p_adjusted >= own.p_value
        guarded = not (among.difference.interval.has_zero or among.guard.interval.has_zero)
        assert (among.favours is not None) == guarded


def test_all_systems_are_cut_to_the_coverage_that_all_reach() -> None:
    three = rankings(3)
    matching = match(three, Options(resamples=0, threads=1))
    shares = [len(ranking.order) / len(ranking) for ranking in three]
    assert matching.once[0] == pytest.approx(min(shares))
    assert matching.pair(0, 1).coverage == pytest.approx(min(shares))


@pytest.mark.slow
def test_equal_systems_are_told_apart_in_at_most_five_percent() -> None:
    from simulations.ranks import wins

    rng = np.random.default_rng(3)
    false = sum(bool(wins([LAWS["beta"]] * 5, 41, rng, 500)) for _ in range(400))
    assert false <= 0.05 * 400 + 2 * np.sqrt(400 * 0.05 * 0.95)


@pytest.mark.parametrize("degrees", [3.0, 7.0, 39.0])
def test_items_that_are_a_sample_stretch_by_a_t(degrees: float) -> None:
    family = Family(6, np.linspace(0.0, 4.0, 999), degrees)
    normal = replace(family, degrees=np.inf)
    far = normal.stretch(0.95) * stats.norm.ppf(0.975)
    expected = stats.t.ppf(stats.norm.cdf(far), degrees) / stats.t.ppf(0.975, degrees)
    assert family.stretch(0.95) == pytest.approx(expected)
    assert family.stretch(0.95) > normal.stretch(0.95)
    # the adjusted p-value is 5% where the stretched interval ends at 0
    for z, holds in ((0.999, False), (1.001, True)):
        reach = family.of_normal(z * family.stretch(0.95) * stats.norm.ppf(0.975), 0.95)
        assert (family.adjusted(0.0, reach) <= 0.05) is holds
