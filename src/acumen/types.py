"""Names for the types that every package speaks of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CaseId = int | str
"""What a case is called in its study."""
