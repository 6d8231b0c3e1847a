"""What every case adds to the risk–coverage curve, by hand and by nudging weights."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.views.ranking import Ranking, rank
from acumen.views.risk_curve import RiskCurve
from acumen.views.weights import CaseWeights


def four_rows() -> Ranking:
    """Losses 0, 2 in a tie, then 1, and an abstention; the first and the last are of one case."""
    return rank([0, 2, 1, 0], [2, 2, 1, 0], [True, True, True, False], case=[0, 1, 2, 0])


def test_a_tie_enters_in_proportion() -> None:
    curve = RiskCurve.of(four_rows())
    assert (curve.total, curve.answered) == (4.0, 3.0)
    weight, lost = curve.shares(np.array([1.0, 2.5]))
    assert weight.tolist() == [[0.5, 0.5, 0.0], [1.0, 1.0, 0.5]]
    assert lost.tolist() == [[0.0, 1.0, 0.0], [0.0, 2.0, 0.5]]
    assert curve.loss_at(np.array([1.0, 2.5])).tolist() == [1.0, 2.5]
    asked = curve.accepted(np.array([0.25, 0.75, 0.76]))
    assert asked[:2].tolist() == [1.0, 3.0]
    assert np.isnan(asked[2])  # more than was answered


def test_what_a_case_adds_worked_out_by_hand() -> None:
    curve = RiskCurve.of(four_rows())
    # at one row of four: loss 1, shares of the weight 2/4, 1/4, 1/4
    moves = curve.moves(np.array([1.0]), np.array([1.0]))[0]
    of_loss = np.array([0.0 - 0.5, 1.0 - 0.25, 0.0 - 0.25])
    of_weight = np.array([0.5 - 0.5, 0.5 - 0.25, 0.0 - 0.25])
    assert moves == pytest.approx(of_loss - 1.0 * of_weight)
    assert moves.sum() == pytest.approx(0.0)
    # down to a cut it is a mean: of the two in the tie, 1
    assert curve.moves_at_cut(2.0).tolist() == [-0.5, 0.5, 0.0]
    # coverage there is 2 of 4
    assert curve.moves_of_coverage(2.0) == pytest.approx([0.0, 1 / 8, -1 / 8])


def study(seed: int, ties: int, *, weighed: bool = False) -> Ranking:
    rng = np.random.default_rng(seed)
    size = 240
    weight = rng.random(size) + 0.5 if weighed else None
    return rank(
        rng.integers(0, 3, size), rng.integers(0, ties, size), rng.random(size) < 0.8,
        case=rng.integers(0, 30, size), n_cases=30, weight=weight, unit=1 / 3,
    )  # fmt: skip


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("coverage", [0.1, 0.37, 0.7])
def test_inside_a_tie_the_moves_are_the_slopes_of_the_risk(coverage: float, weighed: bool) -> None:
    """Nudging the weight of a case moves the risk by what the tie costs at the cut."""
    view = study(1, 4, weighed=weighed)
    curve, step = RiskCurve.of(view), 1e-6
    at = curve.accepted(np.array([coverage]))
    last = int(np.searchsorted(curve.reach, at[0]))
    inside = np.diff(curve.lost)[last - 1] / np.diff(curve.reach)[last - 1]
    counts = np.ones((30, 60))
    counts[np.arange(30), np.arange(30)] += step
    counts[np.arange(30), np.arange(30) + 30] -= step
    up, down = np.split(view.risk_at(CaseWeights(counts), np.array([coverage]))[0], 2)
    expected = (up - down) / (2 * step)
    assert curve.moves(at, np.array([inside]))[0] == pytest.approx(expected, rel=1e-5, abs=1e-9)
    assert curve.moves_at_cut(float(curve.reach[last])).sum() == pytest.approx(0.0, abs=1e-12)


def test_where_the_curve_bends_the_side_that_varies_more_is_taken() -> None:
    """Half of each case is sure and right, half unsure and wrong: at one half it bends."""
    rng = np.random.default_rng(2)
    sure = rng.random((40, 10)) < rng.beta(2, 2, (40, 1))
    loss = np.where(sure, 0, 1).ravel()
    view = rank(loss, sure.ravel(), case=np.repeat(np.arange(40), 10))
    curve = RiskCurve.of(view)
    at = np.array([float(curve.reach[1])])
    cost = curve.costs(at)[0]
    assert cost in (0.0, 1.0)
    own = (curve.moves(at, np.array([c]))[0] for c in (0.0, 0.5, 1.0))
    spread = [float(moves @ moves) for moves in own]
    assert spread[int(2 * cost)] == max(spread)
    # on the flat part nothing bends, and an answer costs what all of them do
    assert curve.costs(at / 3)[0] == pytest.approx(0.0)


def test_groups_of_cases_add_what_their_cases_do() -> None:
    view = study(3, 200)
    group = np.arange(30) % 7
    by_case, by_group = RiskCurve.of(view), RiskCurve.of(view, group)
    at, cost = by_case.accepted(np.array([0.2, 0.5])), np.array([0.1, 0.3])
    expected = [np.bincount(group, moves) for moves in by_case.moves(at, cost)]
    assert by_group.moves(at, cost) == pytest.approx(np.array(expected))
