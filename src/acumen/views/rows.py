"""What the views of judgments share: rows, the case each belongs to, and its own weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.types import Floats
from acumen.views.weights import CaseWeights

NO_WEIGHT: Final = "no row has weight"
NO_ANSWER: Final = "no row was answered"


@dataclass(frozen=True, eq=False, kw_only=True)
class CaseRows:
    """The rows of a table, and those of them that a view looks at, in the view's order."""

    order: NDArray[np.int32]
    """Positions of the rows that are looked at: the answered ones."""
    case: NDArray[np.int32]
    """Case of every row of the table."""
    n_cases: int
    weight: Floats | None = None
    """A weight of its own for every row of the table, if any."""

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def index(self) -> NDArray[np.int32]:
        """Case of the rows in order: where a compiled loop finds their weights."""
        return self.case[self.order]

    @cached_property
    def own(self) -> Floats | None:
        """Own weights of the rows in order, if any."""
        return None if self.weight is None else self.weight[self.order]

    def cases_behind(self, metric: str) -> int:
        """Cases with an answered row that has weight."""
        return len(np.unique(self.index if self.own is None else self.index[self.own > 0]))

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Why a metric may have no value under the first weighting of a block, if it is plain."""
        counts = weights.counts[:, 0]
        if not _total(counts[self.case], self.weight):
            return NO_WEIGHT
        return None if _total(counts[self.index], self.own) else NO_ANSWER

    def by_row(self, weights: Floats) -> tuple[Self, CaseWeights]:
        """Every row a case of its own, and the block in which it has this weight."""
        rows = np.arange(len(self.case), dtype=np.int32)
        view = replace(self, case=rows, n_cases=len(rows), weight=None)
        return view, CaseWeights(weights.reshape(-1, 1))


def _total(counts: NDArray[Any], own: Floats | None) -> float:
    return float(counts.sum() if own is None else counts @ own)


def cases_of(
    case: ArrayLike | None, n_cases: int | None, size: int
) -> tuple[NDArray[np.int32], int]:
    """Case of each of ``size`` rows, and how many cases; by default each row is its own."""
    codes = np.arange(size, dtype=np.int32) if case is None else np.asarray(case)
    n_cases = int(codes.max(initial=-1)) + 1 if n_cases is None else n_cases
    return codes.astype(np.int32, copy=False), n_cases


def tie_ends(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal values ends (exclusive).

    >>> tie_ends(np.array([3, 3, 1])).tolist()
    [2, 3]
    """
    if not len(values):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.append(values[1:] != values[:-1], True)) + 1
