"""Where no labelled case shows an error, the interval says how large those unseen may be."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.raters.ppi import Room, Sample, power, reaches


@pytest.mark.parametrize("levels", [2, 5, 9])
def test_an_error_that_was_not_seen_may_be_half_of_the_scale(levels: int) -> None:
    """20 cases of one row without an error: the exact end of their share, times half the way."""
    room = Room(0.0, levels - 1.0, 1.0)
    ones, none = np.ones((20, 1)), np.zeros((20, 1, 1))
    labelled = Sample(ones, none, none, np.ones(1))
    powered = power(labelled, labelled, (0.0, 0.0))
    below, above = reaches(powered, labelled, room, 0.95)
    share = 1 - 0.025 ** (1 / 20)
    assert above[0] == pytest.approx(max(1.0, room.most / 2) * share)
    assert below[0] == 0.0
