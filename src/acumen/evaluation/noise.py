"""The noise floor: how far raters of one judgment are apart, on the rows of the risk beside it.

A judge whose answers have no noise lies below it in any case.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.inference.resample import LeaveOut
from acumen.inference.sums import Estimate, by_block, quotient
from acumen.metrics.registry import Kind, floor_of
from acumen.results.charted import Points
from acumen.table.judgments import Judgments
from acumen.table.losses import AnyLoss, find_loss
from acumen.table.panel import apart
from acumen.types import Floats
from acumen.values.measured import Measured
from acumen.views.ranking import Ranking


@dataclass(frozen=True, eq=False)
class NoiseFloor:
    """What two raters of a judgment differ by, over the judgments that several rated."""

    apart: Floats | None
    """Of every row, the mean loss over pairs of its raters; NaN where there is one rater."""
    confidence_level: float
    most: float = math.inf
    """How far raters can be apart."""

    @classmethod
    def by(cls, table: Judgments, loss: AnyLoss, level: float, unit: float = 1.0) -> NoiseFloor:
        """By a loss, counted in ``unit``."""
        distance = apart(table, loss)
        if distance is None:
            return cls(None, level)
        return cls(unit * distance, level, unit * float(np.max(find_loss(loss).costs(table.scale))))

    @classmethod
    def of_scale(cls, table: Judgments, level: float) -> NoiseFloor:
        """In units of the scale."""
        return cls.by(table, "abs", level, table.scale.step or 1.0)

    def of(self, ranking: Ranking, coverage: float | None = None) -> Measured | None:
        """On the answered rows, or those accepted at a coverage; None where nobody rated twice."""
        stop = len(ranking.order) if coverage is None else ranking.place_of(coverage)
        if self.apart is None or stop is None or not ranking.n_cases:
            return None
        rows = ranking.order[:stop]
        rows = rows[~np.isnan(self.apart[rows])]
        own, blocks = ranking.row_weight[rows], LeaveOut.of(ranking.n_cases).size
        block = ranking.case[rows].astype(np.int64) % blocks
        sums = by_block(block, blocks, own * self.apart[rows], own)
        reason = "no accepted row has two raters"
        floor = Estimate.of(sums, quotient).measured(Kind.RISK, self.confidence_level, reason)
        if floor.interval is None:
            return floor
        # on a scale of logarithms a few cases reach beyond what raters can be apart
        high = min(floor.interval.high, self.most)
        interval = floor.interval.model_copy(update={"high": high})
        return floor.model_copy(update={"interval": interval})

    def beside(self, ranking: Ranking, risks: Mapping[str, float | None]) -> dict[str, Measured]:
        """Of the rows of each risk: its metric, and the coverage it is at."""
        floors = {floor_of(risk): self.of(ranking, at) for risk, at in risks.items()}
        return {key: floor for key, floor in floors.items() if floor is not None}

    def among(self, rows: NDArray[Any]) -> NoiseFloor:
        """The same of some rows; a rater who is not among them still counts."""
        return replace(self, apart=None if self.apart is None else self.apart[rows])

    def curve(self, ranking: Ranking) -> Points | None:
        """At every working point from the first with two raters on."""
        if self.apart is None:
            return None
        apart, own = self.apart[ranking.order], ranking.row_weight[ranking.order]
        weight, lost = (
            np.cumsum(np.where(np.isnan(apart), 0.0, own * part))[ranking.ends - 1]
            for part in (1.0, apart)
        )
        points = ranking.is_point & (weight > 0)
        coverage = (np.cumsum(own)[ranking.ends - 1] / ranking.row_weight.sum())[points]
        risk = lost[points] / weight[points]
        columns = (part.tolist() for part in (coverage, risk, risk * coverage))
        return Points(**dict(zip(Points.columns, columns, strict=True)))
