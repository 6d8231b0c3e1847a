"""How much each case counts: the currency between the resampling engine and the metrics.

A resample, a left-out case, a subgroup are all weightings of the cases. They come in blocks, one
column a weighting, so that a compiled loop can carry many abreast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class CaseWeights:
    """A block of weightings: ``counts[case, column]``, whole numbers or not.

    It remembers what views have computed from it, so that many metrics share one pass. A block is
    used by one thread and thrown away; it never outlives the numbers made from it.
    """

    counts: NDArray[Any]
    _memo: dict[tuple[int, object], Any] = field(default_factory=dict, repr=False)

    @classmethod
    def once(cls, n_cases: int) -> CaseWeights:
        """Every case counts once: the study as it is."""
        # the type that resamples have, so that the loops are compiled for it alone
        return cls(np.ones((n_cases, 1), np.uint16))

    @property
    def lanes(self) -> int:
        """How many weightings the block holds."""
        return int(self.counts.shape[1])

    def remember(self, view: object, what: object, compute: Callable[[], T]) -> T:
        """``compute()``, once for this block, view and kind of statistic."""
        key = (id(view), what)
        if key not in self._memo:
            self._memo[key] = (view, compute())  # the view is kept so that its id stays its own
        return self._memo[key][1]  # type: ignore[no-any-return]  # stored just above, as T


Weights = CaseWeights | Floats
"""What a metric is a function of: a block over cases, or one weight a row of the table."""
