"""Counts of cells: all that most metrics need of the rows, however many there are.

A cell is a bin of confidence, a truth and a prediction. Counts of parts add up. A cell is a row
with a weight, so views are made of cells as they are of rows, and no metric is written twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.large.passes import TENTHS, bins_of
from acumen.metrics import Metric, metrics_of
from acumen.table.judgments import NO_PREDICTION
from acumen.table.losses import LOSSES, Loss, rungs_off
from acumen.table.scale import Scale
from acumen.types import Floats
from acumen.views.confusion import Confusion, confuse
from acumen.views.forecast import Forecast, forecast
from acumen.views.ranking import Ranking, rank

CELL: Final = np.dtype(
    [(name, np.int64) for name in ("truth", "prediction", "rows")]
    + [(name, np.float64) for name in ("bin", "weight", "total", "squares", "low", "high")]
)
"""Of a cell: ranks of its levels (no prediction is −1), its rows and their weight, the sums of
weight × confidence and × its square, the least and the largest confidence."""
COLUMNS: Final = (*(CELL.names or ()),)
MAIN: Final = {
    *("coverage", "mean_loss", "accuracy", "augrc", "aurc_exact", "failure_auroc"),
    *("quadratic_kappa", "brier"),
}
"""What is measured where nobody asks for more."""
UNORDERED: Final = {
    *("coverage", "mean_loss", "accuracy", "off_by_one_accuracy", "aurc_optimal", "augrc_optimal"),
    *("aurc_exact_optimal", "brier", "ece"),
}
"""Metrics of a confidence that do not depend on the order inside a bin."""
BOUNDED: Final = {
    *("augrc", "augrc_pairs", "augrc_normalized", "augrc_extend", "augrc_charge", "eaugrc"),
    *("augrc_gap_pct", "aurc_exact", "aurc_exact_excess", "failure_auroc"),
}
"""Metrics that are best and worst, over all orders inside bins, where bins are sorted by loss."""
Placed = tuple[Any, NDArray[np.int64]]
"""What cells were gathered into, and the place of it that each cell went to."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Cells of one system; ``bin`` is 0 where no level was given."""

    scale: Scale
    cells: NDArray[Any]
    bits: int | None = None
    """How many bits of the mantissa make a bin; None where a bin is one confidence."""
    ranked: bool = True
    """Whether there is a confidence to rank by."""
    outcomes: Mapping[str, int] = field(default_factory=dict)
    hidden_rows: int = 0
    """Rows of cells that were too small to be passed on, and their weight."""
    hidden_weight: float = 0.0

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which cells hold answers."""
        answered: NDArray[np.bool_] = self.cells["prediction"] != NO_PREDICTION
        return answered

    def gathered(self) -> Placed:
        """The same with one entry a cell, in the order of bin, truth and prediction."""
        levels, at = (
            len(self.scale.levels) + 1,
            np.unique(self.cells["bin"], return_inverse=True)[1],
        )
        code = (at * levels + self.cells["truth"]) * levels + self.cells["prediction"] + 1
        first, place = _places(code)
        cells = self.cells[first].copy()
        for name in ("rows", "weight", "total", "squares"):
            cells[name] = np.bincount(place, self.cells[name])
        np.minimum.at(cells["low"], place, self.cells["low"])
        np.maximum.at(cells["high"], place, self.cells["high"])
        return replace(self, cells=cells), place

    def find(self, other: Counts) -> NDArray[np.int64]:
        """The place of each cell among those of another; −1 where it has none."""
        keys = [c.cells[["bin", "truth", "prediction"]].tolist() for c in (other, self)]
        places = {cell: place for place, cell in enumerate(keys[0])}
        return np.array([places.get(cell, -1) for cell in keys[1]], np.int64)

    def coarser(self, bits: int | None) -> Counts:
        """The same in bins of fewer bits, or of leading bits where they were values."""
        if bits == self.bits or bits is None:
            return self
        cells = self.cells.copy()
        if self.bits is None:
            cells["bin"] = np.where(self.answered, bins_of(cells["bin"], bits), 0.0)
        else:
            code, tenth = np.divmod(cells["bin"], TENTHS)
            cells["bin"] = np.floor(code / 2.0 ** (self.bits - bits)) * TENTHS + tenth
        coarse: Counts = replace(self, cells=cells, bits=bits).gathered()[0]
        return coarse

    def merge(self, other: Counts) -> Counts:
        """The counts of both; in the coarser of their bins, which the finer ones make up."""
        coarsest = min((c.bits for c in (self, other) if c.bits is not None), default=None)
        both = replace(
            self,
            cells=np.concatenate([side.coarser(coarsest).cells for side in (self, other)]),
            bits=coarsest,
            ranked=self.ranked and other.ranked,
            outcomes={k: n + other.outcomes.get(k, 0) for k, n in self.outcomes.items()},
            hidden_rows=self.hidden_rows + other.hidden_rows,
            hidden_weight=self.hidden_weight + other.hidden_weight,
        )
        merged: Counts = both.gathered()[0]
        return merged

    def suppress(self, fewest: int) -> Counts:
        """Without the cells of fewer rows; what they held is known as one number."""
        small = self.cells["rows"] < fewest
        rows, weight = (self.cells[name][small].sum() for name in ("rows", "weight"))
        hidden: dict[str, Any] = {"hidden_rows": int(rows), "hidden_weight": float(weight)}
        return replace(self, cells=self.cells[~small], **hidden) if fewest else self

    def ranking(self, loss: Loss, order: int = 0) -> Placed:
        """Cells ranked by confidence; inside a bin as a tie, or by rising (1) or falling (−1) loss.

        A bin of a single confidence is a tie in any case. Coverages at which the risk is read are
        left out: they cost memory for every cell.
        """
        grades, cells, some = loss.grades(self.scale), self.cells, self.answered
        kinds = grades.kinds(np.where(some, cells["prediction"], 0), cells["truth"])
        kinds = np.where(some, kinds, 0).astype(np.int64)
        bins, at = np.unique(cells["bin"], return_inverse=True)
        low, high = np.full(len(bins), np.inf), np.full(len(bins), -np.inf)
        np.minimum.at(low, at, cells["low"])
        np.maximum.at(high, at, cells["high"])
        size = len(grades.cost)
        confidence = (at * size - order * kinds * (low < high)[at]).astype(np.float64)
        first, place = _places((at * size + kinds) * 2 + some)
        weight = np.bincount(place, cells["weight"])
        ranked = kinds[first], confidence[first], some[first]
        return replace(rank(*ranked, weight=weight, grades=grades), grid=(), cuts=()), place

    def confusion(self) -> Placed:
        """Cells by truth and prediction alone."""
        truth, prediction = self.cells["truth"], self.cells["prediction"]
        first, place = _places(truth * (len(self.scale.levels) + 1) + prediction)
        facts = {"levels": len(self.scale.levels), "names": self.scale.levels}
        facts["step"] = self.scale.step or 1.0
        weight = np.bincount(place, self.cells["weight"])
        return confuse(truth[first], prediction[first], weight=weight, **facts), place  # type: ignore[arg-type]  # two kinds of facts

    def forecast(self) -> Placed:
        """The mean confidence of each cell as a probability of being right."""
        right = rungs_off(self.cells["prediction"], self.cells["truth"]) == 0
        view = forecast(self.mean(), right, self.answered, weight=self.cells["weight"])
        return view, np.arange(len(self))

    def mean(self) -> Floats:
        """Of the confidences of each cell: the confidence itself where a bin is one."""
        total, weight = self.cells["total"], self.cells["weight"]
        means: Floats = np.divide(total, weight, out=np.zeros(len(self)), where=weight > 0)
        return self.cells["low"] if self.bits is None else means

    def views(self, loss: Loss) -> dict[type, Placed]:
        """Every view there is, by its kind."""
        placed = {Ranking: self.ranking(loss), Confusion: self.confusion()}
        low, high = self.cells["low"].min(initial=0.0), self.cells["high"].max(initial=0.0)
        is_probability = low >= 0.0 and high <= 1.0 and self.answered.any()
        return placed | ({Forecast: self.forecast()} if self.ranked and is_probability else {})

    def bounds(self, metrics: Sequence[Metric], loss: Loss) -> dict[str, tuple[float, float]]:
        """Between which values metrics lie whatever the order inside bins, where that is known."""
        if self.bits is None or not self.answered.any():
            return {}
        views = [self.ranking(loss, order)[0] for order in (1, -1)]
        by_right = views
        if views[0].by_right is not views[0]:  # by loss, bins are not sorted by right and wrong
            by_right = [self.ranking(LOSSES["zero_one"], order)[0] for order in (1, -1)]
        ends: dict[str, tuple[float, float]] = {}
        for metric in (m for m in metrics if m.name in BOUNDED):
            sides = by_right if metric.name == "failure_auroc" else views
            values = [v for view in sides if (v := metric.measure(view).value) is not None]
            ends |= {metric.name: (min(values), max(values))} if values else {}
        return ends

    def metrics(self, kinds: Sequence[type], *, full: bool) -> tuple[Metric, ...]:
        """The metrics of these kinds of views that the counts can tell."""
        hidden = {m.name for m in metrics_of(Ranking) if m.name.endswith(("_at_coverage", "_cut"))}
        every = [m for kind in kinds for m in metrics_of(kind) if full or m.name in MAIN]
        if self.bits is not None or not self.ranked:
            alone = {"coverage", "mean_loss", "accuracy"}
            open_to_counts = UNORDERED | BOUNDED if self.ranked else alone
            hidden |= {m.name for m in every if m.view is not Confusion} - open_to_counts
        return tuple(m for m in every if m.name not in hidden)


def _places(code: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each distinct code stands first, and which of them every place has."""
    return np.unique(code, return_index=True, return_inverse=True)[1:]
