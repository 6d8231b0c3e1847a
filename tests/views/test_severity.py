"""Rows by falling risk score: their places, their thresholds, and the cases behind each."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.views.severity import rank_severity
from acumen.views.weights import CaseWeights, Group

RANKING = rank_severity([0, 0, 1, 2], [1.0, 2.0, 6.0, 6.0])
"""By score: the levels 1 and 2 tied, then 0, then 0."""


def test_a_tie_stands_at_its_middle() -> None:
    assert RANKING.level.tolist() == [1, 2, 0, 0]
    assert RANKING.ends.tolist() == [2, 3, 4]
    assert RANKING.places().tolist() == [0.75, 0.75, 0.375, 0.125]
    assert rank_severity([], []).places().tolist() == []


def test_the_cases_on_either_side_of_a_threshold() -> None:
    assert RANKING.groups(1) == [Group(2, "at_least", 1), Group(2, "below", 1)]
    assert RANKING.groups(2) == [Group(1, "at", 2), Group(3, "below", 2)]
    assert RANKING.all_groups() == [*RANKING.groups(1), *RANKING.groups(2)]
    assert RANKING.risky_groups() == [Group(1, "at", 2), Group(1, "between", 0, 2)]
    assert list(RANKING.thresholds) == [1, 2]


@pytest.mark.parametrize(
    ("truth", "levels", "weight", "covered"),
    [
        ([0, 1, 3], 4, None, (1, 2, 3)),
        ([1, 1, 3], 4, None, (2, 3)),  # nobody is below 1
        ([0, 1, 1], 4, None, (1,)),  # nobody is at 2 or above
        ([0, 1, 3], 4, [1.0, 1.0, 0.0], (1,)),  # a row without weight is not there
        ([0, 2], None, None, (1, 2)),  # the highest truth is the last level
        ([], None, None, ()),
    ],
)
def test_a_threshold_is_covered_where_cases_stand_on_both_sides(
    truth: list[int], levels: int | None, weight: list[float] | None, covered: tuple[int, ...]
) -> None:
    score = np.arange(len(truth))
    assert rank_severity(truth, score, levels=levels, weight=weight).covered == covered


def test_one_pass_by_hand() -> None:
    """By falling score the levels 0, 2, (1, 0), 2; K = 3."""
    ranking = rank_severity([0, 2, 1, 0, 2], [9, 8, 7, 7, 1])
    sums = ranking.sums(_block([1, 1, 1, 1, 1], [2, 0, 1, 1, 3]))
    assert sums.weight.tolist() == [5, 7]
    assert sums.above.tolist() == [[3, 4], [2, 3]]
    # at k = 1: 1/2, 2/4, 3/5; with the weights 1/4 at the tie of one and one, then three at 4/7
    first = [0.5 + 0.5 + 0.6, 1 / 4 + 3 * 4 / 7]
    assert sums.precision[0] == pytest.approx(first, abs=1e-15)
    assert sums.precision[1] == pytest.approx([1 / 2 + 2 / 5, 3 * 3 / 7], abs=1e-15)
    # below and ahead at k = 1: one, one and a half, two; with the weights 2.5, then three times 3
    assert sums.outranked.tolist() == [[1 + 1.5 + 2, 2.5 + 9], [1 + 3, 3 * 4]]
    # of the levels from 1 up: 1/1, then 2/3; with the weights three at 3/4
    assert sums.ordering == pytest.approx([1 + 2 / 3, 3 * 3 / 4], abs=1e-15)


def _block(*lanes: list[int]) -> CaseWeights:
    return CaseWeights(np.array(lanes, np.uint16).T.copy())
