"""Loops over cells and bins, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.views.cell_kernels import (
    cell_sums,
    cosine_series,
    cosine_sums,
    equal_mass,
    mean_absolute,
    pool,
    pooled_squares,
)
from acumen.views.forecast import forecast

ONE = np.ones((4, 1), np.uint16)
FIRST = np.arange(4, dtype=np.int32)


@pytest.mark.parametrize(
    ("weight", "summed", "means"),
    [
        ([1, 1, 1], [0, 1, 1], [0, 1, 1]),
        ([1, 1, 1, 1], [0, 3, 2, 1], [0, 2, 2, 2]),  # the last two pull the second along
        ([1, 1, 1, 1], [1, 2, 3, 0], [1, 5 / 3, 5 / 3, 5 / 3]),
        ([1, 3, 1], [1, 0, 1], [0.25, 0.25, 1]),
        ([0, 1, 2], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]),  # no weight goes with whoever comes next
        ([0], [0], [0]),
        ([], [], []),
    ],
)
def test_adjacent_violators_are_pooled(
    weight: list[float], summed: list[float], means: list[float]
) -> None:
    pooled = pool(np.array(weight, float), np.array(summed, float))
    assert pooled.tolist() == pytest.approx(means, abs=1e-15)


def test_the_isotonic_regression_of_a_forecast() -> None:
    view = forecast([0.2, 0.2, 0.5, 0.9], [1, 0, 0, 1], weight=[1, 1, 2, 5])
    assert view.isotonic().tolist() == [0.25, 0.25, 0.25, 1.0]
    assert forecast([0.1, 0.9], [0, 1]).isotonic().tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("target", "ends", "squares", "blocks"),
    [
        ([0, 1, 0, 1], [1, 2, 3, 4], 0.5 + 1, 3),  # means 0, 1/2 of two, 1
        ([1, 0, 0, 1], [2, 4], 1.0, 1),  # means 1/2 and 1/2 are one block
        ([0, 0, 1, 1], [1, 2, 3, 4], 2.0, 2),
        ([1, 1, 0, 0], [1, 2, 3, 4], 1.0, 1),
    ],
)
def test_pooled_squares_by_hand(
    target: list[float], ends: list[int], squares: float, blocks: int
) -> None:
    out = pooled_squares(np.array(target, float), np.array(ends), FIRST, ONE, None)
    assert out[:, 0].tolist() == [squares, blocks]


def test_rows_without_weight_make_no_block() -> None:
    counts = np.array([[0, 1], [1, 1], [1, 1], [2, 0]], np.uint16)
    ends, target = np.arange(1, 5), np.array([1.0, 0.0, 1.0, 1.0])
    own = np.array([1.0, 1.0, 1.0, 0.5])
    assert pooled_squares(target, ends, FIRST, counts, None).tolist() == [[3, 1.5], [2, 2]]
    assert pooled_squares(target, ends, FIRST, counts, own).tolist() == [[2, 1.5], [2, 2]]


@pytest.mark.parametrize(
    ("ends", "weights"),
    [
        ([1, 2, 3, 4], [2, 2]),
        ([1, 4], [1, 3]),  # the middle of the last three is at 5/8
        ([3, 4], [3, 1]),
        ([4], [0, 4]),  # a middle at one half exactly is of the upper half
    ],
)
def test_a_tie_goes_to_the_bin_of_its_middle(ends: list[int], weights: list[float]) -> None:
    p, y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.0, 0.0, 1.0, 1.0])
    out = equal_mass(p, y, np.array(ends), FIRST, ONE, None, np.array([4.0]), 2)[:, :, 0]
    assert out[0].tolist() == weights
    first = int(weights[0])
    assert out[1].tolist() == pytest.approx([p[:first].sum(), p[first:].sum()])
    assert out[2].tolist() == [y[:first].sum(), y[first:].sum()]


def test_weights_of_rows_and_of_cases_move_the_bins() -> None:
    p, y, ends = np.array([0.1, 0.2, 0.9]), np.array([0.0, 1.0, 1.0]), np.arange(1, 4)
    counts = np.array([[1, 3], [1, 0], [1, 1]], np.uint16)
    own = np.array([1.0, 1.0, 2.0])
    total = (counts * own[:, None]).sum(axis=0)
    out = equal_mass(p, y, ends, FIRST[:3], counts, own, total, 2)
    # of 4 in all, the middles stand at 1/8, 3/8, 3/4; of 5, at 3/10 and 4/5
    assert out[0].tolist() == [[2, 3], [2, 2]]
    assert out[1].tolist() == [pytest.approx([0.3, 0.3]), [1.8, 1.8]]
    assert out[2].tolist() == [[1, 0], [2, 2]]


def test_cells_are_summed_with_the_weights_of_rows() -> None:
    index, cell = np.array([0, 1, 1], np.int32), np.array([0, 2, 0])
    counts = np.array([[1, 2], [3, 0]], np.uint16)
    assert cell_sums(index, cell, counts, None, 3).tolist() == [[4, 2], [0, 0], [3, 0]]
    own = np.array([0.5, 2.0, 1.0])
    assert cell_sums(index, cell, counts, own, 3).tolist() == [[3.5, 1], [0, 0], [6, 0]]


def test_cosines_are_those_of_numpy() -> None:
    at, mass, group = np.array([0.1, 0.5, 0.8]), np.array([1.0, -2.0, 0.5]), np.array([0, 1, 0])
    k = np.arange(4)
    each = mass * np.cos(np.pi * k[:, None] * at)
    sums = np.stack([each[:, group == g].sum(axis=1) for g in (0, 1)], axis=1)
    assert cosine_sums(mass, at, group, 2, 4) == pytest.approx(sums, abs=1e-15)
    coefficients = np.array([0.5, -1.0, 2.0, 0.25])
    series = coefficients @ np.cos(np.pi * k[:, None] * at)
    assert cosine_series(coefficients, at) == pytest.approx(series, abs=1e-15)
    assert cosine_series(coefficients[:1], at).tolist() == [0.5, 0.5, 0.5]


def test_what_is_nothing_at_the_end_of_a_series_is_left_out() -> None:
    basis = np.array([[1.0, 1.0], [1.0, -1.0], [3.0, 5.0]])
    columns = np.array([[1.0, 0.0, 0.0, 0.0], [3.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1e-41, 2.0]])
    # values 4 and −2; none; 1 and −1; 6 and 10
    assert mean_absolute(basis, columns).tolist() == [3, 0, 1, 8]
