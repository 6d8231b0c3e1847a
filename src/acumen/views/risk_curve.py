r"""The risk–coverage curve as a whole: what every case adds to it, at any coverage and at any cut.

Down the ranking :math:`A_c` is the weight accepted of a case and :math:`L_c` its loss; a tie enters
in proportion. With :math:`k = \sum A_c` accepted of N, coverage is :math:`x = k/N` and the risk
:math:`R(x) = \sum L_c / k`. A case moves it by

.. math:: U_c = \frac1k \Big(L_c - \frac{w_c}{N} \sum L - m_x \big(A_c - x w_c\big)\Big)

where :math:`m_x` is what an answer costs at the cut: a case whose answers are accepted drives
others out there. One row tells nothing of it, so it is taken over the answers between which the
cut would lie in other samples of cases, one standard error either way. Leaving cases out instead
reads it off the next few rows, and jumps from row to row. Where it bends at the cut, by more than
its noise, the side on which the risk varies more is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import COVERAGE_TOLERANCE
from acumen.types import Floats
from acumen.views.weights import tie_of_row

if TYPE_CHECKING:
    from acumen.views.ranking import Ranking

HAIR: Final = 1e-12
"""Own weights are summed with rounding."""
LEAST: Final = 1e-300
"""Instead of a divisor that is 0."""


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """The sums of a ranking down its ties, and whose they are."""

    reach: Floats
    """Weight accepted down to each tie, from nothing on."""
    lost: Floats
    """Its loss."""
    weight: Floats
    """Of all rows of each case, or of each group of very many cases."""
    holder: NDArray[Any]
    """The case, or the group, of each ranked row."""
    own: Floats
    """The weight of each ranked row."""
    loss: Floats
    """And its loss."""
    tie: NDArray[np.int64]

    @classmethod
    def of(cls, ranking: Ranking, group: NDArray[np.int64] | None = None) -> RiskCurve:
        """Of a ranking; of very many cases by the ``group`` of each."""
        own = np.asarray(ranking.row_weight[ranking.order], np.float64)
        loss, tie = ranking.loss * ranking.unit, tie_of_row(ranking.ends)
        reach, lost = (
            np.append(0.0, np.bincount(tie, part, len(ranking.ends)).cumsum())
            for part in (own, own * loss)
        )
        weight = ranking.case_weight
        holder: NDArray[Any] = ranking.index
        if group is not None:
            weight, holder = np.bincount(group, weight).astype(np.float64), group[holder]
        return cls(reach, lost, weight, holder, own, loss, tie)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weight.sum())

    @property
    def answered(self) -> float:
        """Weight of the answered rows."""
        return float(self.reach[-1])

    def accepted(self, coverage: Floats) -> Floats:
        """The weight accepted at each coverage: NaN beyond what was answered."""
        asked = np.asarray(coverage, np.float64) * self.total
        there = (asked > 0.0) & (asked <= self.answered + COVERAGE_TOLERANCE * self.total)
        return np.where(there, np.minimum(asked, self.answered), np.nan)

    def loss_at(self, accepted: Floats) -> Floats:
        """Summed loss of so much accepted weight, a tie in proportion."""
        return np.asarray(np.interp(accepted, self.reach, self.lost))

    def shares(self, accepted: Floats) -> tuple[Floats, Floats]:
        """``(point, case)``: weight and loss of each case in so much accepted weight."""
        points = np.maximum(accepted, 0.0)
        last = np.searchsorted(self.reach, points * (1.0 - HAIR))
        last = np.clip(last, 1, len(self.reach) - 1)
        start, stop = self.reach[last - 1], self.reach[last]
        part = np.clip((points - start) / np.maximum(stop - start, LEAST), 0.0, 1.0)[:, None]
        ends, place = np.unique(np.concatenate([last - 1, last]), return_inverse=True)
        piece = np.searchsorted(ends, self.tie, side="right")  # rows beyond the last are dropped
        cell, size = piece * len(self.weight) + self.holder, (len(ends) + 1) * len(self.weight)
        sums = []
        for column in (self.own, self.own * self.loss):
            pieces = np.bincount(cell, column, size).reshape(len(ends) + 1, -1)
            until = pieces[:-1].cumsum(axis=0)
            before, after = until[place[: len(last)]], until[place[len(last) :]]
            sums.append((1.0 - part) * before + part * after)
        return sums[0], sums[1]

    def costs(self, accepted: Floats) -> Floats:
        """What an answer costs at the cut, for each accepted weight."""
        weight, lost = self.shares(accepted)
        share, n = self.weight / self.total, len(self.weight)
        along = weight - accepted[:, None] * share
        error = np.sqrt(n / max(n - 1, 1) * (along**2).sum(axis=1))
        low, high = np.maximum(accepted - error, 0.0), np.minimum(accepted + error, self.answered)
        before, here, after = (self.loss_at(at) for at in (low, accepted, high))
        cost = (after - before) / np.maximum(high - low, LEAST)
        left = (here - before) / np.maximum(accepted - low, LEAST)
        right = (after - here) / np.maximum(high - accepted, LEAST)
        bends = self._bends(accepted, np.minimum(accepted - low, high - accepted), lost)
        sides = np.where(bends, np.stack([cost, left, right]), cost)
        at_rest = lost - lost.sum(axis=1, keepdims=True) * share
        spread = ((at_rest - sides[:, :, None] * along) ** 2).sum(axis=2)
        return np.asarray(sides[np.argmax(spread, axis=0), np.arange(len(accepted))])

    def _bends(self, accepted: Floats, step: Floats, lost: Floats) -> NDArray[np.bool_]:
        """Whether the loss bends at each accepted weight, by more than one standard error."""
        step = np.where(step > HAIR * self.total, step, 0.0)
        ends = self.shares(np.concatenate([accepted - step, accepted + step]))[1]
        bend, n = ends[: len(accepted)] + ends[len(accepted) :] - 2.0 * lost, lost.shape[1]
        spread = bend - bend.mean(axis=1, keepdims=True)
        noise = np.sqrt(n / max(n - 1, 1) * (spread**2).sum(axis=1))
        return np.asarray((step > 0.0) & (np.abs(bend.sum(axis=1)) > noise))

    def moves(self, accepted: Floats, costs: Floats) -> Floats:
        """``(point, case)``: :math:`U_c` of the risk of so much accepted weight."""
        weight, lost = self.shares(accepted)
        k, share = accepted[:, None], self.weight / self.total
        at_rest = lost - lost.sum(axis=1, keepdims=True) * share
        return np.asarray((at_rest - costs[:, None] * (weight - k * share)) / k)

    def moves_at_cut(self, accepted: float) -> Floats:
        """The same where the cut stays: of a mean of the accepted answers."""
        weight, lost = (part[0] for part in self.shares(np.array([accepted])))
        return np.asarray((lost - float(lost.sum()) / accepted * weight) / accepted)

    def moves_of_coverage(self, accepted: float) -> Floats:
        """Those of the coverage at a cut that stays."""
        weight = self.shares(np.array([accepted]))[0][0]
        return np.asarray(weight / self.total - accepted / self.total**2 * self.weight)
