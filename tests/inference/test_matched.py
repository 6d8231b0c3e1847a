"""Risk at the coverage that both sides reach: by hand, by exact fractions, and its limits."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from acumen.errors import UsageError
from acumen.inference.matched import compare_matched, match
from acumen.inference.options import Options
from acumen.values.measured import Absence, Flag
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights

A = rank([0, 1, 0, 2, 0, 1], [5, 5, 4, 3, 3, 1])
B = rank([1, 1, 0, 0, 0, 0], [2, 1, 1, 0, 0, 0], [True, True, True, False, False, False])


@pytest.mark.parametrize(
    ("coverage", "left", "right"),
    [(None, 1 / 3, 2 / 3), (0.5, 1 / 3, 2 / 3), (0.4, 0.4166667, 0.7083333)],
)
def test_six_rows_by_hand(coverage: float | None, left: float, right: float) -> None:
    both = compare_matched(A, B, coverage=coverage)
    assert both.coverage == (coverage or 0.5)
    assert (both.left, both.right) == (pytest.approx(left), pytest.approx(right))
    assert both.difference.delta == pytest.approx(right - left)


def test_the_guard_sets_the_better_side_against_all_that_the_other_answers() -> None:
    """B has the smaller coverage and the higher risk: A's guard is B at all it answers."""
    both = compare_matched(A, B)
    assert both.guard.delta == both.difference.delta
    mirrored = compare_matched(B, A)
    assert mirrored.guard.delta == mirrored.difference.delta == pytest.approx(-1 / 3)
    silent = rank([0] * 6, [2, 1, 1, 0, 0, 0], [True, True, True, False, False, False])
    guarded = compare_matched(A, silent)  # right is lower: against all of A, 4 lost of 6
    assert guarded.difference.delta == pytest.approx(-1 / 3)
    assert guarded.guard.delta == pytest.approx(-4 / 6)
    assert (guarded.guard.left, guarded.guard.right) == (pytest.approx(4 / 6), 0.0)


def test_more_than_both_answer_is_refused() -> None:
    with pytest.raises(UsageError, match=r"0\.6 is more than all systems answer: 0\.5"):
        compare_matched(A, B, coverage=0.6)


def test_a_side_without_answers_has_no_risk() -> None:
    silent = rank([0] * 6, np.arange(6), [False] * 6)
    both = compare_matched(A, silent)
    assert (both.difference.delta, both.p_value, both.favours) == (None, None, None)
    assert both.difference.reason == "a side answers nothing"


def exact_risk(view: Ranking, without: int | None, coverage: Fraction) -> Fraction:
    """The surest rows up to a coverage of those that stay, row by row in fractions."""
    rows = [row for row in zip(view.case, *view.columns(), strict=True) if row[0] != without]
    left = coverage * len(rows)
    lost, whole = Fraction(0), left
    for level in sorted({c for _, _, c, a in rows if a}, reverse=True):
        tie = [int(loss) for _, loss, c, a in rows if a and c == level]
        taken = min(left, Fraction(len(tie)))
        lost += taken * Fraction(sum(tie), len(tie))
        left -= taken
    return lost / whole


def answered_share(view: Ranking, without: int | None) -> Fraction:
    rows = [a for case, _, _, a in zip(view.case, *view.columns(), strict=True) if case != without]
    return Fraction(int(np.sum(rows)), len(rows))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_values_and_intervals_are_those_of_exact_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, items = 12, 3
    case = np.repeat(np.arange(n), items)
    sides = []
    for share in (0.9, 0.6):
        answered = (rng.random(n * items) < share) | (np.arange(n * items) % 7 == 0)
        loss = rng.integers(0, 3, n * items) * (rng.random(n * items) < 0.5)
        confidence = rng.integers(0, 4, n * items)
        sides.append(rank(loss, confidence, answered, case=case, n_cases=n, most_loss=3))
    left, right = sides
    both = compare_matched(left, right)

    def difference(without: int | None) -> float:
        shared = min(answered_share(side, without) for side in sides)
        left, right = (exact_risk(side, without, shared) for side in sides)
        return float(right - left)

    assert both.difference.delta == pytest.approx(difference(None), abs=1e-12)
    d = np.array([difference(c) for c in range(n)])
    d -= d.mean()
    if not d.any():
        return
    error = math.sqrt((n - 1) / n * (d**2).sum())
    kurtosis = n * (d**4).sum() / (d**2).sum() ** 2
    df = min(n - 1, max(2, 2 * n / (kurtosis - 1)))
    interval = both.difference.interval
    assert interval is not None
    reach = stats.t(df).ppf(0.975) * error
    assert interval.high - interval.low == pytest.approx(2 * reach, rel=1e-6)
    p_value = 2 * stats.t(df).sf(abs(difference(None)) / error)
    assert both.difference.p_value == pytest.approx(p_value, abs=1e-9)


def test_swapping_the_sides_mirrors_everything() -> None:
    rng = np.random.default_rng(2)
    case = np.repeat(np.arange(20), 4)
    left, right = (
        rank(rng.integers(0, 3, 80), rng.integers(0, 5, 80), rng.random(80) < share,
             case=case, n_cases=20, most_loss=3)
        for share in (0.9, 0.5)
    )  # fmt: skip
    there, back = compare_matched(left, right), compare_matched(right, left)
    assert there.difference.delta != 0.0
    assert there.p_value == back.p_value
    for one, other in ((there.difference, back.difference), (there.guard, back.guard)):
        assert one.delta == -other.delta
        assert one.interval is not None
        assert other.interval is not None
        assert (one.interval.low, one.interval.high) == pytest.approx(
            (-other.interval.high, -other.interval.low)
        )


def test_few_cases_and_no_variation_favour_nobody() -> None:
    perfect = rank([0] * 12, np.arange(12))
    both = compare_matched(perfect, perfect)
    assert both.difference.no_interval is not None
    assert both.difference.no_interval.why is Absence.NO_VARIATION
    assert both.p_value is None
    interval = compare_matched(A, B).difference.interval
    assert interval is not None
    # the first of the six cases carries two thirds of the variance
    assert interval.flags == (Flag.FEW_CASES, Flag.ONE_CASE)


RANDOM = Options(resamples=0, items="random")


def crossed(
    n: int, k: int, shares: tuple[float, ...], *, seed: int = 3, weight: np.ndarray | None = None
) -> list[Ranking]:
    """Systems on the same cases and items, each with items that are hard for it alone."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {"case": np.repeat(np.arange(n), k), "item": np.tile(np.arange(k), n)}
    views = []
    for share in shares:
        hard = rng.normal(size=k)[columns["item"]] + rng.normal(size=n * k) > 0.3
        answered = (rng.random(n * k) < share) | (np.arange(n * k) == 0)
        loss, sure = rng.integers(1, 4, n * k) * hard, rng.integers(0, 5, n * k)
        views.append(rank(loss, sure, answered, most_loss=3, weight=weight, **columns))
    return views


@pytest.mark.parametrize("most", [None, 0.37])
@pytest.mark.parametrize("has_weight", [False, True])
def test_what_a_row_does_is_the_slope_along_its_weight(
    most: float | None, *, has_weight: bool
) -> None:
    """Against the risks themselves, with each row a hair heavier and lighter."""
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 60) if has_weight else None
    views = crossed(12, 5, (0.9, 0.6, 0.7), weight=weight)
    whole, once = match(views, RANDOM, most), CaseWeights.once(12)
    hair, own = 1e-6, np.ones(60) if weight is None else weight

    def risks(row: int, by: float) -> np.ndarray:
        moved = own + by * (np.arange(60) == row)
        heavier = replace(whole, rankings=[replace(view, weight=moved) for view in views])
        return np.asarray(heavier.risks(once)[1:, 0])

    steps = [(risks(row, hair) - risks(row, -hair)) / (2 * hair) for row in range(60)]
    assert whole.by_row[1:] == pytest.approx(np.array(steps).T * own, abs=1e-7)
    assert whole.by_row.sum(axis=1) == pytest.approx(0.0, abs=1e-12)


def test_items_that_are_a_sample_widen_the_verdict_as_they_widen_a_mean_by_hand() -> None:
    left, right = crossed(30, 8, (1.0, 1.0))
    d = (right.columns()[0] - left.columns()[0]).reshape(30, 8) / 240.0
    by_case, by_item = (d - d.mean()).sum(axis=1), (d - d.mean()).sum(axis=0)
    rest = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
    parts = (
        30 / 29 * (by_case**2).sum(),
        8 / 7 * (by_item**2).sum(),
        240 / (29 * 7) * (rest**2).sum(),
    )
    error = math.sqrt(parts[0] + parts[1] - parts[2])
    fixed, random = (compare_matched(left, right, options) for options in (Options(), RANDOM))
    narrow, wide = fixed.difference.interval, random.difference.interval
    assert narrow is not None
    assert wide is not None
    assert narrow.standard_error == pytest.approx(math.sqrt(parts[0]))
    assert wide.standard_error == pytest.approx(error)
    assert wide.method == "jackknife-t, cases × items"
    kurtosis = 30 * (by_case**4).sum() / (by_case**2).sum() ** 2
    of_case = min(29.0, max(2.0, 60 / (kurtosis - 1)))
    degrees = error**4 / (parts[0] ** 2 / of_case + parts[1] ** 2 / 7 + parts[2] ** 2 / (29 * 7))
    p_value = 2 * stats.t(min(29.0, max(7.0, degrees))).sf(abs(240 * d.mean()) / error)
    assert random.p_value == pytest.approx(p_value)
    assert random.p_value > fixed.p_value


def test_few_items_and_none_mark_the_verdict() -> None:
    left, right = crossed(30, 4, (1.0, 0.8))
    few = compare_matched(left, right, RANDOM)
    assert few.difference.interval is not None
    assert few.difference.interval.flags == (Flag.FEW_ITEMS,)
    assert few.decided(0.0, 0.05).favours is None
    left, right = (replace(view, item=None) for view in (left, right))
    assert compare_matched(left, right, RANDOM).difference.no_interval is not None


def test_one_heavy_case_marks_the_verdict_and_no_risk_is_beyond_the_scale() -> None:
    """Of 21 cases the first holds four fifths of the rows."""
    case = np.r_[np.zeros(80, int), 1 + np.arange(20)]
    left, right = (rank(loss, np.arange(100), case=case, most_loss=3)
                   for loss in (np.zeros(100, int), 3 * (case == 0)))  # fmt: skip
    interval = compare_matched(left, right).difference.interval
    assert interval is not None
    assert interval.flags == (Flag.DOMINATED, Flag.ONE_CASE)
    assert (interval.low, interval.high) == (-3.0, 3.0)
