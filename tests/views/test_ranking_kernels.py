"""The compiled loops, each against a plain computation. Also run as plain Python (JIT off)."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from acumen.views import ranking_kernels as kernels
from acumen.views.ranking import rank
from acumen.views.weights import CaseWeights
from tests.oracles.selective import lower_hull

mpmath.mp.dps = 40


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 1.0), (1.0, 7.5), (10.0, 10.5), (1e6, 1e6 + 1), (3.0, 3e5)]
)
def test_log_ratio_is_precise_near_and_far(a: float, b: float) -> None:
    expected = mpmath.log(mpmath.mpf(b) / mpmath.mpf(a))
    assert abs(kernels.log_ratio(a, b) - float(expected)) <= 4e-16 * max(1e-300, float(expected))


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.0, 1.0), (0.0, 5.0), (3.0, 3.0), (2.5, 4.0), (0.0, 0.25), (19.0, 20.5), (25.0, 4000.0),
     (1e6, 1e6 + 3)],
)  # fmt: skip
def test_harmonic_steps_are_differences_of_the_digamma_function(a: float, b: float) -> None:
    expected = float(mpmath.digamma(mpmath.mpf(b) + 1) - mpmath.digamma(mpmath.mpf(a) + 1))
    assert kernels.harmonic_step(a, b) == pytest.approx(expected, rel=1e-14, abs=1e-16)


def test_whole_harmonic_steps_are_sums_of_reciprocals() -> None:
    assert kernels.harmonic_step(0.0, 3.0) == 1 + 1 / 2 + 1 / 3


def small_study() -> tuple[np.ndarray, ...]:
    """Seven ranked rows of four cases, blocks of 2, 1, 3, 1; three weightings."""
    index = np.array([0, 1, 2, 0, 3, 1, 2], np.int32)
    loss = np.array([0, 2, 1, 0, 3, 0, 1], np.int16)
    ends = np.array([2, 3, 6, 7])
    counts = np.array([[1, 2, 0], [1, 0, 3], [1, 1, 0], [1, 1, 1]], np.uint16)
    return index, loss, ends, counts


def plain_points(b: int) -> list[tuple[float, float, float]]:
    index, loss, ends, counts = small_study()
    out, start, k, total, wrong = [], 0, 0.0, 0.0, 0.0
    for end in ends:
        before = k
        for row in range(start, end):
            w = float(counts[index[row], b])
            k, total, wrong = k + w, total + w * loss[row], wrong + w * (loss[row] > 0)
        if k > before:
            out.append((k, total, wrong))
        start = end
    return out


@pytest.mark.parametrize("b", [0, 1, 2])
def test_areas_cuts_and_reached_points_follow_the_definition(b: int) -> None:
    index, loss, ends, counts = small_study()
    n = counts[index].sum(axis=0) + 2.0  # two rows abstained, always there
    grid = np.array([[0.3], [0.6]]) * n
    risks = np.array([0.4, 1.0])
    total, reached, cut, within = kernels.areas(
        index, loss, ends, counts, None, grid, grid, risks, 0.0
    )
    points = plain_points(b)
    for risk, most in zip(risks, within[:, b], strict=True):
        inside = [i for i, (k, summed, _) in enumerate(points) if summed / k <= risk]
        expected = 0.0
        if inside:
            k, summed, _ = points[inside[-1]]
            expected = k
            if inside[-1] + 1 < len(points):  # so far into the next tie that it uses up the room
                end, lost, _ = points[inside[-1] + 1]
                rise = (lost - summed) / (end - k)
                expected += (risk * k - summed) / (rise - risk)
        assert most == pytest.approx(expected)
    risk_area = loss_area = 0.0
    k0, l0, r0 = 0.0, 0.0, points[0][1] / points[0][0]
    at: list[tuple[float, float]] = []
    cut_areas: list[tuple[float, float, float]] = []
    for k, summed, _ in points:
        r = summed / k
        for limit in grid[:, b][len(cut_areas) :]:
            if k >= limit:
                share = (limit - k0) / (k - k0)
                cut_areas.append(
                    (
                        risk_area + (limit - k0) * (r0 + r0 + (r - r0) * share),
                        loss_area + (limit - k0) * (l0 + l0 + (summed - l0) * share),
                        l0 + (summed - l0) * share,
                    )
                )
                at.append((k, summed))
        risk_area += (k - k0) * (r + r0)
        loss_area += (k - k0) * (summed + l0)
        k0, l0, r0 = k, summed, r
    assert total[:, b] == pytest.approx([risk_area, loss_area])
    for t, (point, areas) in enumerate(zip(at, cut_areas, strict=True)):
        assert reached[:2, t, b] == pytest.approx(point)
        assert cut[:, t, b] == pytest.approx(areas)
    assert np.isnan(reached[0, len(at) :, b]).all()


@pytest.mark.parametrize("b", [0, 1, 2])
def test_exact_areas_and_concordance_follow_the_definition(b: int) -> None:
    index, loss, ends, counts = small_study()
    out = kernels.exact(index, loss, ends, counts, None)
    points = plain_points(b)
    (k0, l0, _), area = points[0], points[0][1]
    for k, summed, _ in points[1:]:
        slope = (summed - l0) / (k - k0)
        area += slope * (k - k0) + (l0 - slope * k0) * math.log(k / k0)
        k0, l0 = k, summed
    assert out[0, b] == pytest.approx(area, abs=1e-13)
    pairs, right_above, k0, w0 = 0.0, 0.0, 0.0, 0.0
    for k, _, wrong in points:
        right = (k - k0) - (wrong - w0)
        pairs += (wrong - w0) * (right_above + right / 2)
        right_above, k0, w0 = right_above + right, k, wrong
    assert out[1, b] == pytest.approx(pairs, abs=1e-13)
    lost, k0, l0 = 0.0, 0.0, 0.0
    for k, summed, _ in points:
        lost += (summed - l0) * (points[-1][0] - k + (k - k0) / 2)
        k0, l0 = k, summed
    assert out[2, b] == pytest.approx(lost, abs=1e-13)


def test_row_weights_multiply_case_counts() -> None:
    index, loss, ends, counts = small_study()
    own = np.array([1.0, 2.0, 0.5, 1.0, 0.0, 3.0, 1.0])
    by_row = counts[index] * own[:, None]
    rows = np.arange(7, dtype=np.int32)
    grid = np.array([[2.0], [4.0]]) * np.ones((1, 3))
    risks = np.array([1.0])
    a = kernels.areas(index, loss, ends, counts, own, grid, grid, risks, 0.0)
    b = kernels.areas(rows, loss, ends, by_row, None, grid, grid, risks, 0.0)
    for x, y in zip(a, b, strict=True):
        assert np.array_equal(x, y, equal_nan=True)
    grid = np.array([[1.0, 2.5, 4.0]] * 3)
    ours, theirs = (index, loss, ends, counts, own), (rows, loss, ends, by_row, None)
    assert kernels.exact(*ours) == pytest.approx(kernels.exact(*theirs), abs=1e-14)
    for loop, rest in (
        (kernels.tie_orders, ()),
        (kernels.hulls, (False,)),
        (kernels.hulls, (True,)),
        (kernels.risks_at, (grid, 0.5)),
    ):
        assert loop(ours, *rest) == pytest.approx(loop(theirs, *rest), abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("ties", [2, 9, 30])
def test_risks_between_working_points_are_those_of_a_linear_loss_to_the_last_bit(ties: int) -> None:
    rng = np.random.default_rng(ties)
    view = rank(
        rng.integers(0, 4, 30), rng.integers(0, ties, 30), rng.random(30) < 0.8,
        case=rng.integers(0, 8, 30), n_cases=8, weight=rng.random(30), unit=1 / 3,
    )  # fmt: skip
    counts, coverage = rng.integers(0, 3, (8, 50)).astype(np.uint16), np.arange(1, 21) / 20
    counts[:, 0] = 0
    found = view.risk_at(CaseWeights(counts), coverage)
    weight = counts[view.index] * view.weight[view.order][:, None]  # type: ignore[index]
    k, lost = (
        np.vstack([0.0 * part[:1], np.cumsum(part, axis=0)[view.ends - 1]])
        for part in (weight, weight * view.loss[:, None])
    )
    for b in range(50):
        at = view.totals(CaseWeights(counts)).rows[b] * coverage
        there = (at > 0) & (at <= k[-1, b] + 1e-9)
        expected = np.interp(at, k[:, b], lost[:, b] * view.unit)[there] / at[there]
        assert np.isnan(found[:, b]).tolist() == (~there).tolist()
        assert found[there, b].tolist() == expected.tolist()


def test_a_hull_drops_every_point_above_a_chord() -> None:
    k = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    y = np.array([0.0, 2.0, 1.0, 2.5, 2.5, 4.0])
    hull_k, hull_y = np.empty(7), np.empty(7)
    size = kernels.lower_hull(k, y, 6, hull_k, hull_y)
    assert hull_k[:size].tolist() == [1, 3, 5, 6]
    assert hull_y[:size].tolist() == [0, 1, 2.5, 4]


def test_the_achievable_curve_has_the_corners_of_the_exact_hull() -> None:
    rng = np.random.default_rng(4)
    corners = 0
    for _ in range(200):
        # sixteen rows: every coverage and risk is exact, so collinear points are just that
        ranking = rank(rng.integers(0, 4, 16), rng.integers(0, 16, 16), rng.random(16) < 0.8)
        curve = ranking.curve()
        points = zip([0, *curve.coverage], [0, *curve.generalized_risk], strict=True)
        expected = lower_hull([(Fraction(x), Fraction(y)) for x, y in points])
        assert list(zip(*ranking.achievable(), strict=True)) == expected[1:]
        corners += len(expected)
    assert corners > 700


def test_columns_are_weighed_like_a_matrix_product() -> None:
    columns = np.array([[1.0, 2.0, 0.0], [0.0, 0.5, 3.0]])
    counts = np.array([[1, 0], [2, 1], [0, 4]], np.uint16)
    assert kernels.weigh_columns(columns, counts).tolist() == (columns @ counts).tolist()
