"""Whether a row can be judged against whether it was answered: abstention from both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.table.judgments import Judgments
from acumen.types import Floats
from acumen.views.confusion import Confusion
from acumen.views.weights import CaseWeights, Group, cases_of

ANSWERED, ABSTAINED = range(2)
"""What a system did; what was right is ABSTAINED where nothing can be judged."""
NOTHING_OPEN: Final = "no row is one that cannot be judged"
NOTHING_SILENT: Final = "no row was left open"


@dataclass(frozen=True, eq=False, kw_only=True)
class Abstention(Confusion):
    """Every row as a cell (should abstain, abstained). Make one with :func:`abstain_rows`."""

    def beside(self, other: Confusion) -> Abstention:
        """The rows of two tables of the same cases in one, the other's numbered after ours."""
        return abstain_rows(
            np.concatenate([self.truth, other.truth]) == ABSTAINED,
            np.concatenate([self.prediction, other.prediction]) == ABSTAINED,
            **self.cases_beside(other),
        )

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Rows without weight are the only plain reason; the rest is the metric's."""
        return None if self.total(weights)[0] > 0 else "no row has weight"

    @property
    def answerable(self) -> Group:
        """The cases with a row that can be judged."""
        return Group(self.cases_among(self.truth != ABSTAINED), "answerable")

    @property
    def unanswerable(self) -> Group:
        """Those with one that cannot be."""
        return Group(self.cases_among(self.truth == ABSTAINED), "unanswerable")

    @property
    def silent(self) -> Group:
        """Those with one that was left open."""
        return Group(self.cases_among(self.prediction == ABSTAINED), "open")

    @property
    def either(self) -> Group:
        """Those with one that was left open, or should have been."""
        rows = (self.prediction == ABSTAINED) | (self.truth == ABSTAINED)
        return Group(self.cases_among(rows), "open")

    def cells(self, weights: CaseWeights) -> tuple[Floats, Floats, Floats, Floats]:
        """Weights: rightly answered, falsely abstained, falsely answered, rightly abstained."""
        square = self.square(weights)
        return square[0, 0], square[0, 1], square[1, 0], square[1, 1]


def abstain_rows(
    unanswerable: ArrayLike,
    abstained: ArrayLike,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
    item: ArrayLike | None = None,
) -> Abstention:
    """The table of plain arrays: which rows cannot be judged, and which were left open.

    >>> view = abstain_rows([1, 1, 0, 0], [1, 0, 0, 0])
    >>> [float(cell[0]) for cell in view.cells(CaseWeights.once(4))]
    [2.0, 0.0, 1.0, 1.0]
    """
    truth = np.asarray(unanswerable, bool).astype(np.int64)
    did = np.asarray(abstained, bool).astype(np.int64)
    codes, n = cases_of(case, n_cases, len(truth))
    both: NDArray[Any] = np.arange(2)
    return Abstention(
        order=np.arange(len(truth), dtype=np.int32),
        truth=truth,
        prediction=did,
        levels=2,
        true_levels=both,
        seen_levels=both,
        case=codes,
        n_cases=n,
        weight=None if weight is None else np.asarray(weight, np.float64),
        item=None if item is None else np.asarray(item, np.int32),
    )


def abstention_of(table: Judgments) -> Abstention | None:
    """The table of a study's judged rows; None where no words say what cannot be judged."""
    table = table.included
    if table.unanswerable is None or not table.has_truth:
        return None
    return abstain_rows(
        table.unanswerable,
        ~table.answered,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
        item=table.item,
    )
