r"""Tangents: how the sums of a view move with the weight of a row.

A smooth metric is a function of a few sums of its view. The view says how each of them moves with
its rows; a metric called on these sums alone, each in turn moved a little, gives its slope along
each; and the chain rule does the rest. So every metric that is a function of such sums has the
influence of every row, :math:`\partial T/\partial w_i`, in one pass. One that is made of anything
else has none: :class:`~acumen.views.weights.KnownSums` has nothing else to give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from acumen.types import Floats
from acumen.views.weights import CaseRows, CaseWeights, KnownSums, Sum

STEP: Final = 2e-5
"""As a share of a sum: half the digits of a central difference are rounding, half its curvature."""
_AT_ONCE: Final = 256
"""Sums that are moved together: a scale of 101 levels has ten thousand, one a cell."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some sums of a view, and how they move with its rows."""

    sums: Floats
    along: Callable[[Floats], Floats]
    """Slopes along these sums -> slope along each case."""
    scale: float | None = None
    """The size of what is summed, where the sums themselves may cancel."""

    @classmethod
    def dense(cls, total: Any, by_case: Floats) -> Part:
        """One sum, with what every case adds to it."""
        return cls(np.atleast_1d(np.float64(total)), lambda slope: slope[0] * by_case)

    @property
    def steps(self) -> Floats:
        """How far each sum is moved; one that no row adds to stays."""
        size: Floats = np.abs(self.sums) if self.scale is None else self.sums * 0.0 + self.scale
        return STEP * size


@dataclass(frozen=True, eq=False)
class Tangent:
    """The sums of a view, and how every case moves them."""

    parts: Sequence[Part]
    name: Callable[[list[Floats]], Mapping[Sum, Any]]
    """The sums of each part, ``(sum, lane)`` -> the same as its view hands them out."""

    @property
    def at_rest(self) -> KnownSums:
        """The sums as they are, twice: what is moved later has more than one lane, too."""
        return KnownSums(2, self.name([np.stack([part.sums] * 2, axis=1) for part in self.parts]))

    def slopes(self, function: Callable[[CaseWeights], Floats]) -> Iterator[Floats]:
        """∂T/∂w of every case, one statistic after another."""
        steps = np.concatenate([part.steps for part in self.parts])
        ends = np.cumsum([len(part.sums) for part in self.parts])[:-1]
        some = np.flatnonzero(steps > 0)
        columns = [self._moved(function, steps, ends, at) for at in _chunks(some)]
        gradient = np.zeros((len(columns[0]), len(steps)))
        gradient[:, some] = np.hstack(columns)
        for slope in gradient:
            pieces = zip(self.parts, np.split(slope, ends), strict=True)
            along = [part.along(piece) for part, piece in pieces if piece.any()]
            yield np.asarray(sum(along, np.zeros(1)))

    def _moved(
        self,
        function: Callable[[CaseWeights], Floats],
        steps: Floats,
        ends: NDArray[np.int64],
        at: NDArray[np.int64],
    ) -> Floats:
        """Slopes of every statistic along some of the sums."""
        moves, place = np.zeros((len(steps), 2 * len(at))), np.arange(len(at))
        moves[at, place], moves[at, place + len(at)] = steps[at], -steps[at]
        moved = [
            part.sums[:, None] + move
            for part, move in zip(self.parts, np.split(moves, ends), strict=True)
        ]
        up, down = np.split(function(KnownSums(2 * len(at), self.name(moved))), 2, axis=1)
        return np.asarray((up - down) / (2 * steps[at]))


@runtime_checkable
class Smooth(Protocol):
    """A view that knows how its sums move with its rows."""

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """The tangent of the sums that a block of one weighting remembers; None where unknown."""


def joined(views: Sequence[Smooth], block: CaseWeights) -> Tangent | None:
    """The tangent of a view that is made of others of the same cases: theirs, case by case.

    Of one that has none, no metric can ask here.
    """
    known = [along for view in views if (along := view.tangent(block)) is not None]
    if not known:
        return None
    ends = np.cumsum([len(along.parts) for along in known]).tolist()

    def name(moved: list[Floats]) -> Mapping[Sum, Any]:
        spans = zip(known, [0, *ends], ends, strict=False)
        own = (along.name(moved[start:end]) for along, start, end in spans)
        return {key: value for sums in own for key, value in sums.items()}

    return Tangent([part for along in known for part in along.parts], name)


def _chunks(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return np.split(places, range(_AT_ONCE, len(places), _AT_ONCE))


def by_case(view: CaseRows, lane: NDArray[Any] | None = None) -> Callable[[Floats], Floats]:
    """What moves with each lane of the rows in order -> with each case, by the weights of its rows.

    By default each row has a lane; after all comes that of abstained rows, which move no area.
    Of very many rows these columns are added up as they are made, not held.
    """
    silent = view.case_weight - np.bincount(view.index, view.own, view.n_cases)

    def add_up(by_lane: Floats) -> Floats:
        rows = by_lane[:-1] if lane is None else by_lane[lane]
        rows = rows if view.own is None else rows * view.own
        return np.asarray(np.bincount(view.index, rows, view.n_cases) + by_lane[-1] * silent)

    return add_up


def of_precision(
    tie: NDArray[np.int64], weight: Floats, hits: Floats, is_hit: NDArray[np.bool_]
) -> Floats:
    """Slope of Σ over hits of the precision at their tie, along each row."""
    here, hits_here = summed(tie, weight), summed(tie, hits)
    reach, hits_until = here.cumsum(), hits_here.cumsum()
    reach = np.where(reach > 0, reach, np.inf)
    gained, lost = (
        part[::-1].cumsum()[::-1] for part in (hits_here / reach, hits_here * hits_until / reach**2)
    )
    return np.asarray(np.where(is_hit, (hits_until / reach + gained)[tie], 0.0) - lost[tie])


def of_pairs(tie: NDArray[np.int64], own: Floats, lower: NDArray[np.bool_]) -> Floats:
    """Slope of the weight of pairs in which one of the others lies above, ties counting half."""
    of_lower, of_others = (summed(tie, own * part) for part in (lower, ~lower))
    above = of_others.cumsum() - of_others / 2
    below = of_lower.sum() - of_lower.cumsum() + of_lower / 2
    return np.where(lower, above[tie], below[tie])


def summed(index: NDArray[np.int64], values: Floats) -> Floats:
    """Sums of values by index."""
    return np.bincount(index, weights=values).astype(np.float64)
