"""Which of some bins a probability lies in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import BINS
from acumen.types import Floats


def equal_width_bin(probability: Floats, bins: int = BINS) -> NDArray[np.int64]:
    """Bin of each probability: ``[j/bins, (j + 1)/bins)``, the last one closed.

    The edges are quotients, so that .6 lies in the bin that begins at 6/10.

    >>> equal_width_bin(np.array([0.0, 0.3, 0.6, 0.7, 1.0])).tolist()
    [0, 3, 6, 7, 9]
    """
    inner = np.arange(1, bins) / bins
    return np.searchsorted(inner, probability, side="right").astype(np.int64)
