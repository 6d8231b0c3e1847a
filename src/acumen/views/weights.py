"""How much each case counts: the currency between the resampling engine and the metrics.

A resample, a left-out case, a subgroup are all weightings of the cases. They come in blocks, one
column a weighting, so that a compiled loop can carry many abreast.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats

T = TypeVar("T")
V = TypeVar("V", bound=Hashable)
P = ParamSpec("P")


@dataclass(frozen=True, eq=False)
class CaseWeights:
    """A block of weightings: ``counts[case, column]``, whole numbers or not.

    It remembers what views have computed from it, so that many metrics share one pass. A block is
    used by one thread and thrown away; it never outlives the numbers made from it.
    """

    counts: NDArray[Any]
    memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    """What :func:`once_a_block` has computed."""

    @classmethod
    def once(cls, n_cases: int) -> CaseWeights:
        """Every case counts once: the study as it is."""
        # the type that resamples have, so that the loops are compiled for it alone
        return cls(np.ones((n_cases, 1), np.uint16))

    @property
    def lanes(self) -> int:
        """How many weightings the block holds."""
        return int(self.counts.shape[1])

    def weigh(self, columns: Floats) -> Floats:
        """Sums over the cases, one row for every row of ``columns`` (statistic, case)."""
        from acumen.views.ranking_kernels import weigh_columns

        return weigh_columns(columns, self.counts)


def once_a_block(
    method: Callable[Concatenate[V, CaseWeights, P], T],
) -> Callable[Concatenate[V, CaseWeights, P], T]:
    """A statistic of a view, computed once for a block however many metrics ask for it."""

    @wraps(method)
    def call(view: V, weights: CaseWeights, /, *args: P.args, **kwargs: P.kwargs) -> T:
        # a view is equal to itself alone, so it is its own key
        key = (view, method.__name__, args, *kwargs.items())
        if key not in weights.memory:
            weights.memory[key] = method(view, weights, *args, **kwargs)
        return weights.memory[key]  # type: ignore[no-any-return]  # stored just above, as T

    return call
