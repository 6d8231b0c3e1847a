"""A confidence read as a probability, beside what came true: what calibration looks at.

Only answered rows count. They are kept by rising probability, ties together; under a weighting of
the cases everything needed is a sum over rows, so a block of weightings is one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.errors import DataError, UsageError, printable
from acumen.table.judgments import Judgments
from acumen.table.losses import rungs_off
from acumen.types import Floats
from acumen.views.weights import CaseWeights, Weights

CLIP: Final = 1e-6
"""Probabilities are kept this far from 0 and 1 where a logarithm is taken."""
BINS: Final = 10
FREQUENCIES: Final = 100
"""Cosines that the smoothed calibration error is made of; see ``smooth_ece``."""

TARGETS: Final[dict[str, Callable[[NDArray[np.int16], int], Floats]]] = {
    "correctness": lambda off, most: (off == 0).astype(np.float64),
    "near_correct": lambda off, most: (off <= 1).astype(np.float64),
    "loss": lambda off, most: 1.0 - off / most,
}
"""What a confidence may be a forecast of, from the rungs off and the most there can be."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the answered rows, one value a weighting."""

    weight: Floats
    target: Floats
    target_squared: Floats
    brier: Floats
    log_loss: Floats


@dataclass(frozen=True, slots=True)
class ReliabilityCurve:
    """One point a bin that holds any weight: what was said, and what came true."""

    bin: NDArray[np.int64]
    weight: Floats
    confidence: Floats
    accuracy: Floats

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, slots=True)
class Lanes:
    """What a compiled loop walks over: values by rising probability, and where weights lie."""

    probability: Floats
    target: Floats
    ends: NDArray[np.int64]
    index: NDArray[Any]
    counts: NDArray[Any]
    own: Floats | None


@dataclass(frozen=True, eq=False)
class Forecast:
    """Answered rows by rising probability. Make one with :func:`forecast` or from judgments.

    Rows that say the same and came out the same are one *atom*: sums over atoms do not depend on
    the order of the rows.
    """

    row: NDArray[np.int32]
    """Positions of the answered rows in the table."""
    atom: NDArray[np.int64]
    """Atom of each of them."""
    case: NDArray[np.int32]
    n_cases: int
    probability: Floats
    """Of each atom, rising."""
    target: Floats
    """Of each atom."""
    weight: Floats | None = None
    """A weight of its own for each answered row, if any."""
    _columns: dict[object, Floats] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.row)

    def cases_behind(self, metric: str) -> int:
        """Cases with an answered row that has weight."""
        return len(np.unique(self.case if self.weight is None else self.case[self.weight > 0]))

    def why_undefined(self, weights: Weights) -> str | None:
        """Why a metric of the forecast may have no value under this weighting."""
        given = weights.counts[:, 0] if isinstance(weights, CaseWeights) else weights
        if not np.any(given):
            return "no row has weight"
        return "no row was answered" if self.moments(weights).weight[0] == 0 else None

    def moments(self, weights: Weights) -> Moments:
        """Sums over all answered rows."""

        def values() -> Sequence[Floats]:
            p, y = self.probability, self.target
            return np.ones(len(p)), y, y * y, (p - y) ** 2, log_loss(p, y)

        return Moments(*self._sums("moments", weights, values)[:, 0])

    def bins(self, weights: Weights, bins: int = BINS) -> Floats:
        """``(3, bin, weighting)``: weight, summed probability and target in bins of equal width."""

        def values() -> Sequence[Floats]:
            return np.ones(len(self.probability)), self.probability, self.target

        cell = equal_width_bin(self.probability, bins)
        return self._sums(("bins", bins), weights, values, cell, bins)

    def cases_in_bins(self, bins: int = BINS) -> list[int]:
        """How many cases have a row in each bin of equal width."""
        cell = equal_width_bin(self.probability, bins)[self.atom]
        pairs = np.unique(cell.astype(np.int64) * self.n_cases + self.case)
        return [int(n) for n in np.bincount(pairs // self.n_cases, minlength=bins)]

    def equal_mass_bins(self, weights: Weights, bins: int = BINS) -> Floats:
        """The same in bins of equal weight; a tie goes whole to the bin its middle lies in."""

        def compute() -> Floats:
            from acumen.views.reliability_kernels import equal_mass

            at, total = self._lanes(weights), self.moments(weights).weight
            columns = (at.probability, at.target, at.ends, at.index, at.counts, at.own)
            return equal_mass(*columns, total, bins)

        return self._remembered(("equal_mass", bins), weights, compute)

    def pooled(self, weights: Weights) -> Floats:
        """Of the isotonic regression: sum over blocks of (summed target)²/weight; the blocks."""

        def compute() -> Floats:
            from acumen.views.reliability_kernels import pooled_squares

            at = self._lanes(weights)
            return pooled_squares(at.target, at.ends, at.index, at.counts, at.own)

        return self._remembered("pooled", weights, compute)

    def cosines(self, weights: Weights) -> Floats:
        """``(frequency, weighting)``: sums of (y − p)·cos(πkp), the residual in a cosine basis."""

        def values() -> Sequence[Floats]:
            p, residual = self.probability, self.target - self.probability
            return [residual * np.cos(np.pi * k * p) for k in range(FREQUENCIES)]

        return self._sums("cosines", weights, values)[:, 0]

    def curve(
        self, bins: int = BINS, *, equal_mass: bool = False, weights: Weights | None = None
    ) -> ReliabilityCurve:
        """The reliability curve; by default every case counts once.

        >>> forecast([0.9, 0.9, 0.2], [1, 0, 0]).curve().accuracy
        array([0. , 0.5])
        """
        weights = CaseWeights.once(self.n_cases) if weights is None else weights
        sums = (self.equal_mass_bins if equal_mass else self.bins)(weights, bins)[:, :, 0]
        held = np.flatnonzero(sums[0] > 0)
        weight, said, came = sums[:, held]
        return ReliabilityCurve(held, weight, said / weight, came / weight)

    def _mass(self, weights: Floats) -> Floats:
        """Weight of each atom under row weights."""
        row_weights = np.asarray(weights, np.float64)[self.row]
        mass = np.bincount(self.atom, weights=row_weights, minlength=len(self.probability))
        return mass.astype(np.float64)

    def _lanes(self, weights: Weights) -> Lanes:
        if isinstance(weights, CaseWeights):
            p, y = self.probability[self.atom], self.target[self.atom]
            return Lanes(p, y, _ends(p), self.case, weights.counts, self.weight)
        p, y = self.probability, self.target
        return Lanes(p, y, _ends(p), np.arange(len(p)), self._mass(weights)[:, None], None)

    def _sums(
        self,
        what: object,
        weights: Weights,
        values: Callable[[], Sequence[Floats]],
        cell: NDArray[np.int64] | None = None,
        cells: int = 1,
    ) -> Floats:
        """``(value, cell, weighting)``: sums of the atoms' values within cells."""
        cell = np.zeros(len(self.probability), np.int64) if cell is None else cell
        if not isinstance(weights, CaseWeights):
            mass = self._mass(weights)
            sums = [np.bincount(cell, weights=mass * v, minlength=cells) for v in values()]
            return np.array(sums, np.float64)[:, :, None]

        def compute() -> Floats:
            from acumen.views.ranking_kernels import weigh_columns

            if what not in self._columns:
                self._columns[what] = self._per_case(values(), cell, cells)
            sums = weigh_columns(self._columns[what], weights.counts)
            return sums.reshape(-1, cells, weights.lanes)

        return weights.remember(self, what, compute)

    def _per_case(self, values: Sequence[Floats], cell: NDArray[np.int64], cells: int) -> Floats:
        """Sums within each (cell, case): one row for every value and cell, one column a case."""
        at = cell[self.atom] * self.n_cases + self.case
        size = cells * self.n_cases
        own = 1.0 if self.weight is None else self.weight
        sums = [np.bincount(at, weights=v[self.atom] * own, minlength=size) for v in values]
        return np.array(sums, np.float64).reshape(len(values) * cells, self.n_cases)

    def _remembered(self, what: object, weights: Weights, compute: Callable[[], Floats]) -> Floats:
        if isinstance(weights, CaseWeights):
            return weights.remember(self, what, compute)
        return compute()


def forecast(
    probability: ArrayLike,
    target: ArrayLike,
    answered: ArrayLike | None = None,
    *,
    case: ArrayLike | None = None,
    n_cases: int | None = None,
    weight: ArrayLike | None = None,
) -> Forecast:
    """A forecast from plain arrays, one value a row; each row its own case by default.

    >>> forecast([0.9, 0.2], [1, 0]).probability
    array([0.2, 0.9])
    """
    p, y = np.asarray(probability, np.float64), np.asarray(target, np.float64)
    size = len(p)
    rows = np.arange(size) if answered is None else np.flatnonzero(np.asarray(answered, bool))
    if p.shape != y.shape or p.ndim != 1:
        raise UsageError(f"one target a probability: shapes {p.shape} and {y.shape}")
    for name, column in (("probability", p[rows]), ("target", y[rows])):
        outside = ~((column >= 0) & (column <= 1))
        if outside.any():
            shown = f"{column[np.argmax(outside)]:g}"
            raise DataError([f"{name} {shown} is outside 0..1 ({int(outside.sum())} rows)"])
    own = None if weight is None else np.asarray(weight, np.float64)
    keys = (y[rows], p[rows]) if own is None else (own[rows], y[rows], p[rows])
    rows = rows[np.lexsort(keys)]
    p, y = p[rows] + 0.0, y[rows]
    first = np.append(True, (p[1:] != p[:-1]) | (y[1:] != y[:-1])) if len(p) else np.empty(0, bool)
    codes = np.arange(size) if case is None else np.asarray(case)
    return Forecast(
        row=rows.astype(np.int32),
        atom=np.cumsum(first) - 1,
        case=codes[rows].astype(np.int32),
        n_cases=int(codes.max(initial=-1)) + 1 if n_cases is None else n_cases,
        probability=p[first],
        target=y[first],
        weight=None if own is None else own[rows],
    )


def forecast_judgments(
    table: Judgments, confidence: ArrayLike, target: str = "correctness"
) -> Forecast:
    """The forecast a confidence makes; it has one value for each row of ``table.included``."""
    table = table.included
    return forecast(
        confidence,
        target_of(table, target),
        table.answered,
        case=table.case,
        n_cases=len(table.cases),
        weight=table.weight,
    )


def why_no_forecast(table: Judgments, confidence: Floats) -> str | None:
    """Why a confidence cannot be read as a probability; None when it can."""
    said = confidence[table.included.answered]
    if len(said) and (said.min() < 0 or said.max() > 1):
        return f"not a probability: it runs from {said.min():g} to {said.max():g}"
    return None


def target_of(table: Judgments, target: str) -> Floats:
    """The target of every row of a table; abstained rows hold a number without meaning."""
    if target not in TARGETS:
        raise UsageError(f"no target '{printable(target)}'; there are {', '.join(TARGETS)}")
    return TARGETS[target](rungs_off(table.prediction, table.truth), table.scale.range)


def equal_width_bin(probability: Floats, bins: int = BINS) -> NDArray[np.int64]:
    """Bin of each probability: ``[j/bins, (j + 1)/bins)``, the last one closed.

    The edges are quotients, so that .6 lies in the bin that begins at 6/10.

    >>> equal_width_bin(np.array([0.0, 0.3, 0.6, 0.7, 1.0])).tolist()
    [0, 3, 6, 7, 9]
    """
    inner = np.arange(1, bins) / bins
    return np.searchsorted(inner, probability, side="right").astype(np.int64)


def log_loss(probability: Floats, target: Floats) -> Floats:
    """−y·ln p − (1 − y)·ln(1 − p), p kept a little away from 0 and 1."""
    p = np.clip(probability, CLIP, 1 - CLIP)
    return -target * np.log(p) - (1 - target) * np.log1p(-p)


def _ends(probability: Floats) -> NDArray[np.int64]:
    """Where each tie ends (exclusive)."""
    if not len(probability):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.append(probability[1:] != probability[:-1], True)) + 1
