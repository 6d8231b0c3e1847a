"""What can be ranked: losses on the rungs there are, with a confidence for every answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen.errors import UsageError
from acumen.table.losses import Grades
from acumen.table.scale import MOST_LEVELS
from acumen.views.ranking import Ranking, rank

TWO = Grades.by_rungs(np.arange(2.0), 1.0)
"""The losses 0 and 1."""


@pytest.mark.parametrize(
    ("loss", "options"),
    [
        ([0, MOST_LEVELS - 1], {}),
        ([0.0, 3.0], {}),  # whole numbers, whatever their type
        ([0, 1], {"grades": TWO}),
        ([0, 0], {"grades": Grades.by_rungs(np.arange(1.0), 1.0)}),
        ([0, -1], {"answered": [True, False]}),
        ([0, 0.5], {"answered": [True, False]}),
        ([0, 2], {"answered": [True, False], "grades": TWO}),
        ([], {}),
    ],
)
def test_losses_up_to_the_highest_rung_are_ranked(loss: Any, options: dict[str, Any]) -> None:
    ranking = rank(loss, np.arange(len(loss))[::-1], **options)
    assert isinstance(ranking, Ranking)
    answered = loss if "answered" not in options else loss[:1]
    assert ranking.kind.tolist() == answered


@pytest.mark.parametrize(
    ("loss", "options", "message"),
    [
        (
            [0, MOST_LEVELS],
            {},
            f"a loss of {MOST_LEVELS} levels; a scale has at most",
        ),
        ([0, 2], {"grades": TWO}, "a loss of 2 levels; a scale has at most 2"),
        ([-1, MOST_LEVELS], {}, f"a loss of -1 levels; a scale has at most {MOST_LEVELS}"),
        ([0, 0.5], {}, "a loss is a whole number of rungs; unit= says what a rung costs"),
    ],
)
def test_a_loss_beside_the_rungs_is_refused(
    loss: list[float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as error:
        rank(loss, [2, 1], **options)
    assert message in str(error.value)


def test_only_an_answer_needs_a_confidence() -> None:
    assert rank([0, 1], [1.0, np.nan], [True, False]).threshold.tolist() == [1.0]
    with pytest.raises(UsageError, match="an answered row has NaN for a confidence"):
        rank([0, 1], [1.0, np.nan])
