"""Which cases are drawn: the chances by hand, and the draw as a law over many seeds."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.labels.design import chances, draw, sizes_for
from acumen.results.labels import fingerprint

SIZES = st.lists(st.floats(0.0, 1e6), min_size=2, max_size=40)


def test_half_of_the_chances_is_the_same_for_all_and_half_goes_by_size() -> None:
    # of 2: 2 (1/8 + s/16) for sizes 1, 1, 1, 5
    assert chances(np.array([1.0, 1, 1, 5]), 2).tolist() == [0.375, 0.375, 0.375, 0.875]


def test_chances_above_one_are_cut_and_the_others_raised() -> None:
    assert chances(np.array([0.0, 0, 0, 8]), 3) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 1])
    assert chances(np.array([1.0, 9, 3]), 3).tolist() == [1, 1, 1]


@given(SIZES, st.data())
def test_chances_add_up_to_the_budget_and_none_is_below_half_of_the_even_one(
    sizes: list[float], data: Any
) -> None:
    budget = data.draw(st.integers(2, len(sizes)))
    own = chances(np.array(sizes), budget)
    assert own.sum() == pytest.approx(budget)
    assert (own <= 1.0).all()
    assert (own >= budget / len(sizes) / 2 - 1e-12).all()
    order = np.argsort(sizes, kind="stable")
    assert (np.diff(own[order]) >= -1e-12).all()


@given(SIZES, st.data())
def test_the_draw_has_as_many_different_cases_as_were_asked_for(
    sizes: list[float], data: Any
) -> None:
    budget = data.draw(st.integers(2, len(sizes)))
    chance = chances(np.array(sizes), budget)
    places = draw(range(len(sizes)), chance, data.draw(st.integers(0, 99)))
    assert len({*places.tolist()}) == len(places) == budget
    assert {*np.flatnonzero(chance >= 1.0).tolist()} <= {*places.tolist()}


def test_every_case_is_drawn_with_its_chance() -> None:
    chance = chances(np.array([1.0, 2, 3, 4, 9, 1, 1, 6, 2, 30]), 4)
    assert chance.max() == 1.0
    cases, seeds = [f"c{at}" for at in range(10)], 4_000
    counts = np.zeros(10)
    for seed in range(seeds):
        counts[draw(cases, chance, seed)] += 1
    error = np.sqrt(chance * (1 - chance) / seeds)
    assert (np.abs(counts / seeds - chance) <= 4 * error + 1e-12).all()


def test_of_equal_cases_every_pair_is_drawn_alike() -> None:
    pairs, seeds = dict.fromkeys(combinations(range(6), 2), 0), 6_000
    for seed in range(seeds):
        pairs[tuple(sorted(draw(range(6), np.full(6, 1 / 3), seed).tolist()))] += 1
    expected = seeds / len(pairs)
    statistic = sum((n - expected) ** 2 / expected for n in pairs.values())
    assert statistic < 36.1  # chi-square with 14 degrees, p = .001


def test_the_order_of_rows_changes_neither_the_draw_nor_its_order() -> None:
    cases = [f"c{at}" for at in range(30)]
    chance = chances(np.arange(30.0), 8)
    turned = np.random.default_rng(1).permutation(30)
    again = draw([cases[at] for at in turned], chance[turned], 5)
    assert [cases[turned[at]] for at in again] == [cases[at] for at in draw(cases, chance, 5)]
    assert {*draw(cases, chance, 5).tolist()} != {*draw(cases, chance, 6).tolist()}


def drawn_exactly(cases: list[str], chance: list[Fraction], seed: int) -> list[int]:
    """The draw in whole numbers: what no version of NumPy and no machine rounds otherwise."""

    def number(what: str) -> Fraction:
        digest = hashlib.sha256(f"{seed}|{what}".encode()).digest()
        return Fraction(int.from_bytes(digest[:8], "big") >> 11, 2**53)

    order = sorted(range(len(cases)), key=lambda at: number(f"case|str|{cases[at]}"))
    taken, open_ = ([at for at in order if (chance[at] < 1) is lower] for lower in (False, True))
    ends = list(accumulate(chance[at] for at in open_))
    start = number(f"start|int|{ends[-1]}")
    for point in range(int(ends[-1])):
        taken.append(next(at for at, end in zip(open_, ends, strict=True) if end > start + point))
    return sorted(taken, key=lambda at: number(f"turn|str|{cases[at]}"))


@pytest.mark.parametrize("seed", range(20))
def test_the_draw_is_that_of_whole_numbers(seed: int) -> None:
    cases, sizes = [f"c{at}" for at in range(40)], [(at * 7) % 13 for at in range(40)]
    sizes[3] = 900  # its chance is cut to 1
    parts = [Fraction(1, 80) + Fraction(size, 2 * sum(sizes)) for size in sizes]
    rest = sum(parts) - parts[3]
    chance = [9 * part / rest for part in parts]
    chance[3] = Fraction(1)
    assert chances(np.array(sizes, float), 10) == pytest.approx([float(c) for c in chance])
    expected = drawn_exactly(cases, chance, seed)
    assert draw(cases, chances(np.array(sizes, float), 10), seed).tolist() == expected


def test_to_estimate_doubt_is_worth_a_label() -> None:
    case, sure = np.array([0, 1, 2, 2]), np.array([0.9, 0.1, 0.5, np.nan])
    # ranks .875, .375, .625, .125: without a confidence is the least sure
    doubt = [np.sqrt(0.125), np.sqrt(0.625), np.sqrt(2 * (0.375 + 0.875))]
    assert sizes_for("estimate", case, sure, 3) == pytest.approx(doubt)
    assert sizes_for("estimate", case, None, 3).tolist() == [1, 1, 1]


@pytest.mark.parametrize("purpose", ["threshold", "rate"])
def test_to_certify_and_to_rate_all_cases_are_alike(purpose: Any) -> None:
    case, sure = np.array([0, 1, 2, 2]), np.array([0.9, 0.1, 0.5, np.nan])
    assert sizes_for(purpose, case, sure, 3).tolist() == [1, 1, 1]


def test_equal_confidences_have_equal_ranks() -> None:
    sizes = sizes_for("estimate", np.arange(4), np.array([0.5, 0.5, 0.9, 0.5]), 4)
    assert sizes**2 == pytest.approx([0.625, 0.625, 0.125, 0.625])


def test_a_weighted_sum_of_what_is_drawn_is_right_on_average() -> None:
    values = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
    chance = chances(values[::-1].copy(), 3)
    sums = []
    for seed in range(3_000):
        places = draw(range(8), chance, seed)
        sums.append((values[places] / chance[places]).sum())
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - values.sum()) < 4 * error


def test_a_sample_is_told_by_its_cases_and_chances_in_any_order() -> None:
    one = fingerprint(1, "rate", [("a", 0.5), ("b", 0.25)])
    assert one == fingerprint(1, "rate", [("b", 0.25), ("a", 0.5)])
    others = [
        fingerprint(2, "rate", [("a", 0.5), ("b", 0.25)]),
        fingerprint(1, "estimate", [("a", 0.5), ("b", 0.25)]),
        fingerprint(1, "rate", [("a", 0.5), ("b", 0.26)]),
        fingerprint(1, "rate", [(1, 0.5), ("b", 0.25)]),
        fingerprint(1, "rate", [("1", 0.5), ("b", 0.25)]),
    ]
    assert len({one, *others}) == 6
