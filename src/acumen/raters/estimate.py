"""The door of prediction-powered estimates: few labelled cases and many judged ones in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen._version import __version__
from acumen.defaults import FOLDS, RELIABLE_CASES
from acumen.errors import DataError
from acumen.inference.distributions import t_cdf, t_quantile
from acumen.metrics.registry import ratio
from acumen.raters.inclusion import facts_of
from acumen.raters.labelled import Labelled
from acumen.raters.ppi import Powered, Room, Sample, power, reaches
from acumen.readers.reading import Reading
from acumen.results.labels import Drawn
from acumen.results.raters import EstimateDocument, Labels, PoweredEstimate
from acumen.table.scale import Scale
from acumen.types import Floats
from acumen.values.measured import Flag, Interval, Measured

SHARE = Room(0.0, 1.0, 1.0)
"""Of a row that is counted or not."""
NO_WEIGHT = (0.0, 0.0)
"""Bounds of the weight where nothing stands in for the labels: the classical estimate."""


def document_of(
    data: Any,
    labelled: str,
    confidence_level: float,
    reading: Reading,
    inclusion: str | None = None,
) -> EstimateDocument:
    """What people would say of all cases, from those that have a label."""
    rows = Labelled.read(data, labelled, reading, inclusion)
    return _Study.of(rows).document(confidence_level)


@dataclass(frozen=True, eq=False)
class _Study:
    """The rows that count, and which of their cases are labelled."""

    rows: Labelled
    labelled: NDArray[np.bool_]
    """Of each case."""
    partly: int
    """Labelled cases that have rows without a label, which are left out."""

    @classmethod
    def of(cls, rows: Labelled) -> _Study:
        labels, sizes = (
            np.bincount(rows.case[among], minlength=rows.cases)
            for among in (rows.has_label, slice(None))
        )
        labelled = labels > 0
        if labelled.sum() < 2:
            counts = f"{int(labelled.sum())} of {rows.cases}"
            message = f"labels of at least 2 cases are needed; there are {counts}"
            raise DataError([message], rows.source)
        left = rows.has_label | ~labelled[rows.case]
        partly = int((labelled & (labels < sizes)).sum())
        return cls(rows.take(np.flatnonzero(left)), labelled, partly)

    def samples(
        self, y: Floats, f: Floats, among: NDArray[Any], parts: NDArray[Any]
    ) -> tuple[Sample, Sample]:
        """Sums over labelled cases and over the others, of numbers ``(row, cut)``."""
        sign = np.array([1.0]) if not parts.any() else np.array([-1.0, 1.0])
        p, cuts = len(sign), y.shape[1]
        cell = self.rows.case[among] * p + parts[among]
        size = self.rows.cases * p

        def sums(values: Floats) -> Floats:
            return np.bincount(cell, values[among], size).reshape(-1, p).astype(np.float64)

        rows = sums(np.ones(len(y)))
        ys, fs = (np.stack([sums(v[:, k]) for k in range(cuts)], axis=2) for v in (y, f))
        there = rows.any(axis=1)
        whole = Sample(rows, ys, fs, sign)
        own, weights = there & self.labelled, self.rows.weights
        labelled = whole.take(own)
        if weights is not None:
            labelled = replace(labelled, weight=weights[own])
        return labelled, whole.take(there & ~self.labelled)

    def expected(self, loss: Floats) -> Floats | None:
        """What the judge's confidence says of the loss of each row; None where it has none.

        A line through the labelled cases, of the other folds for a labelled one, so that no case
        foretells itself.
        """
        x, case = self.rows.confidence, self.rows.case
        if x is None or not np.isfinite(x).all():
            return None
        own = self.labelled[case]
        folds = min(FOLDS, int(self.labelled.sum()))
        fold = (np.cumsum(self.labelled) % folds)[case]
        out = np.zeros(len(x))
        for k in range(folds):
            rows = own & (fold != k)
            if np.ptp(x[rows]) == 0.0:
                return None
            line = np.polyval(np.polyfit(x[rows], loss[rows], 1), x)
            out += np.where(own, np.where(fold == k, line, 0.0), line / folds)
        return out[:, None]

    def _drawn(self) -> Drawn | None:
        chances, labelled = self.rows.chances, self.labelled
        if chances is None:
            return None
        return facts_of(chances[labelled], len(labelled))

    def document(self, level: float) -> EstimateDocument:
        """Everything that is estimated."""
        rows, scale = self.rows, self.rows.scale
        has_label = rows.has_label[:, None]
        f = _numbers(scale, rows.rating)[:, None]
        y = np.where(has_label, _numbers(scale, rows.label)[:, None], 0.0)
        off = np.where(has_label, f - y, 0.0)
        every, whole = np.arange(len(rows)), np.zeros(len(rows), np.int64)

        low, high, step = room = _room(scale)
        both_ways = Room(low - high, high - low, step)

        def of(
            y: Floats, f: Floats, room: Room, among: Any = every, parts: Any = whole, **bounds: Any
        ) -> Any:
            return _measured(*self.samples(y, f, among, parts), level, room, **bounds)[0]

        estimates = {
            "mean": of(y, f, room),
            "bias": of(off, f, both_ways, bounds=(-1.0, 1.0)),
        }
        rooms = {"mae": Room(0.0, high - low, step), "errors": SHARE}
        for name, loss in (("mae", np.abs(off)), ("errors", (off != 0).astype(np.float64))):
            expected = self.expected(loss[:, 0])
            bounds = NO_WEIGHT if expected is None else (0.0, 1.0)
            estimates[name] = of(
                loss, loss if expected is None else expected, rooms[name], bounds=bounds
            )
        systems = () if rows.system is None else rows.system.values
        difference = None
        if len(systems) == 2 and rows.system is not None:
            difference = of(y, f, both_ways, parts=rows.system.codes.astype(np.int64))
        ranks = np.arange(1, len(scale.levels))
        labels, ratings = (
            (r[:, None] >= ranks).astype(np.float64) for r in (rows.label, rows.rating)
        )
        at_least = _measured(*self.samples(labels, ratings, every, whole), level, SHARE)
        slices = {
            name: {
                str(value): of(y, f, room, np.flatnonzero(group.codes == code))
                for code, value in enumerate(group.values)
            }
            for name, group in rows.groups.items()
        }
        own, others = self.samples(y, f, every, whole)
        return EstimateDocument(
            acumen_version=__version__,
            judged_in=rows.source,
            levels=list(scale.levels),
            cases_labelled=len(own),
            cases_unlabelled=len(others),
            rows_labelled=int(has_label.sum()),
            rows=len(rows),
            not_judged=rows.not_judged,
            confidence_level=level,
            estimates=estimates,
            at_least={str(scale.levels[k + 1]): e for k, e in enumerate(at_least)},
            systems=[str(name) for name in systems],
            difference=difference,
            slices=slices,
            labels=Labels(
                drawn=self._drawn(),
                partly_labelled=self.partly,
                enough=len(own) >= RELIABLE_CASES,
                random_p_value=_at_random(own, others),
            ),
            warnings=list(rows.warnings),
        )


def _numbers(scale: Scale, ranks: NDArray[Any]) -> Floats:
    """Levels in their own unit; of levels that are words, their ranks."""
    values = scale.levels if scale.is_numeric else range(len(scale.levels))
    numbers: Floats = np.asarray(values, np.float64)[ranks]
    return numbers


def _room(scale: Scale) -> Room:
    """Between the lowest level and the highest; of levels that are words, in ranks."""
    if not scale.is_numeric:
        return Room(0.0, len(scale.levels) - 1.0, 1.0)
    low, *_, high = (float(level) for level in scale.levels)
    return Room(low, high, (high - low) / (len(scale.levels) - 1))


def _measured(
    own: Sample, others: Sample, level: float, room: Room, *, bounds: Any = (0.0, 1.0)
) -> list[PoweredEstimate]:
    """Each cut with its interval, and the classical one beside it; several cuts are shares."""
    if not ((own.rows > 0).sum(axis=0) > 1).all():
        return [PoweredEstimate(estimate=Measured(value=None, reason=_FEW))] * own.y.shape[2]
    usable = others if (others.rows.sum(axis=0) > 0).all() else others.take(np.zeros(0, np.int64))
    powered, classical = (power(own, usable, within) for within in (bounds, NO_WEIGHT))
    with_judge, alone = (_Side.of(side, own, room, level) for side in (powered, classical))
    gain = np.nan_to_num(ratio(alone.error**2, with_judge.error**2), nan=1.0)
    effective = np.minimum(len(own) * gain, len(own) + len(usable))
    return [
        PoweredEstimate(
            estimate=estimate,
            classical=labels_alone,
            weight=powered.weight,
            effective_cases=cases,
            labels_saved=cases - len(own),
        )
        for estimate, labels_alone, cases in zip(
            with_judge.measured(level, len(own)),
            alone.measured(level, len(own)),
            effective.tolist(),
            strict=True,
        )
    ]


_FEW = "fewer than two labelled cases"


@dataclass(frozen=True, eq=False)
class _Side:
    """Estimates of each cut, their ends, and the error that intervals so long speak of."""

    powered: Powered
    low: Floats
    high: Floats
    error: Floats
    room: Room

    @classmethod
    def of(cls, powered: Powered, own: Sample, room: Room, level: float) -> _Side:
        below, above = reaches(powered, own, room, level)
        t = np.array([t_quantile(level, df) for df in powered.degrees])
        value = powered.value
        return cls(powered, value - below, value + above, (below + above) / (2 * t), room)

    def measured(self, level: float, cases: int) -> list[Measured]:
        """Values with their intervals, within bounds; shares at a level or above fall."""
        curves = [self.powered.value, self.low, self.high]
        if len(curves[0]) > 1:
            curves = [_falling(curve) for curve in curves]
        if self.room is SHARE:
            curves = [np.clip(curve, 0.0, 1.0) for curve in curves]
        curves[1:] = [np.clip(end, self.room.least, self.room.most) for end in curves[1:]]
        facts: dict[str, Any] = {
            "method": "PPI++ jackknife-t" if self.powered.weight else "jackknife-t",
            "confidence_level": level,
            "flags": () if cases >= RELIABLE_CASES else (Flag.FEW_CASES,),
        }
        parts = np.stack([*curves, np.sqrt(self.powered.variance)], axis=1).tolist()
        return [
            Measured(
                value=value,
                interval=Interval(low=low, high=high, standard_error=error, **facts),
            )
            for value, low, high, error in parts
        ]


def _falling(curve: Floats) -> Floats:
    """The closest curve that nowhere rises: the least of the largest means from each place on.

    >>> _falling(np.array([3.0, 1.0, 2.0, 0.0]))
    array([3. , 1.5, 1.5, 0. ])
    """
    first, last = np.indices((len(curve),) * 2)
    sums = np.append(0.0, np.cumsum(curve))
    means = (sums[1:] - sums[:-1, None]) / np.where(last < first, -1, last - first + 1)
    means[last < first] = -np.inf
    # the largest mean from each first place to this one or a later
    reach = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    reach[last < first] = np.inf
    return np.asarray(reach.min(axis=0))


def _at_random(own: Sample, others: Sample) -> float | None:
    """The chance of so different ratings of the judge, were labelled cases drawn at random."""
    if len(others) < 2:
        return None
    means, variances = [], []
    for sample, (mean, influence) in (
        (own, own.foretold(others)[:2]),
        (others, others.mean(others.f)),
    ):
        means.append(float(mean[0]))
        variances.append(len(sample) / (len(sample) - 1) * float((influence**2).sum()))
    spread = sum(variances)
    t = abs(means[0] - means[1]) / np.sqrt(spread) if spread > 0 else 0.0
    return 2 * t_cdf(min(len(own), len(others)) - 1, -t)
