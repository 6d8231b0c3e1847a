"""The door of prediction-powered estimates: few labelled cases and many judged ones in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from acumen._version import __version__
from acumen.defaults import CONFIDENCE_LEVEL, FOLDS, RELIABLE_CASES
from acumen.errors import DataError, UsageError
from acumen.inference.distributions import t_cdf
from acumen.metrics.registry import ratio
from acumen.raters.ppi import Powered, Sample, power
from acumen.raters.reading import read_as
from acumen.readers.reading import Reading
from acumen.report.findings import Findings
from acumen.results.measured import Flag, Interval, Measured
from acumen.results.raters import EstimateDocument, Labels, PoweredEstimate
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.types import Floats

NO_WEIGHT = (0.0, 0.0)
"""Bounds of the weight where nothing stands in for the labels: the classical estimate."""


def estimate(
    data: Any,
    *,
    labelled: str,
    confidence_level: float = CONFIDENCE_LEVEL,
    **reading: Unpack[Reading],
) -> Findings[EstimateDocument]:
    """What people would say of all cases, from few that they labelled and many that a judge rated.

    Parameters
    ----------
    data
        A path, a dataframe or a list of rows, each with the judge's rating.
    labelled
        The column of people's ratings, empty where there is none. A case is labelled wholly or
        not at all, and at random.
    reading
        How rows are read: ``case``, ``prediction`` (the judge), ``confidence_column`` (helps with
        the judge's errors), ``system`` (two are compared), ``group`` (slices), ``levels`` and
        others of :class:`~acumen.readers.reading.Reading`.

    Examples
    --------
    >>> import acumen
    >>> rows = [{"case": i, "ai": i % 5, "human": (i % 5 if i % 4 else None)} for i in range(60)]
    >>> found = acumen.estimate(rows, labelled="human", prediction="ai", levels="0-4").results
    >>> found.cases_labelled, round(found.estimates["mean"].estimate.value, 2)
    (45, 2.0)
    """
    if not 0.0 < confidence_level < 1.0:
        raise UsageError(f"the confidence level must lie between 0 and 1, not {confidence_level}")
    said = {**reading, "truth": reading.get("prediction"), "prediction": labelled}
    if said["truth"] is None:
        raise UsageError("which column is the judge's? say it with --prediction COLUMN")
    # the judge's ratings as the truth of a table, labels as its predictions: so a row that was not
    # judged is left out and counted, and one without a label stays
    table = read_as(data, said, truth="judge", prediction="label")
    odd = np.flatnonzero(~np.isin(table.outcome, (Outcome.ANSWERED, Outcome.ABSTAINED)))
    if len(odd):
        message = f"is no level of {table.scale.allowed}"
        problems = [table.problem(row, message, "label") for row in odd.tolist()]
        raise DataError(problems, table.source.name)
    return Findings(_Study.of(table).document(confidence_level))


@dataclass(frozen=True, eq=False)
class _Study:
    """A table, which of its cases are labelled, and which rows count."""

    table: Judgments
    labelled: NDArray[np.bool_]
    """Of each case."""
    partly: int
    """Labelled cases that have rows without a label, which are left out."""

    @classmethod
    def of(cls, table: Judgments) -> _Study:
        has_label = table.prediction != NO_PREDICTION
        n = len(table.cases)
        labels, rows = (np.bincount(table.case[r], minlength=n) for r in (has_label, slice(None)))
        labelled = labels > 0
        if labelled.sum() < 2:
            counts = f"{int(labelled.sum())} of {n}"
            message = f"labels of at least 2 cases are needed; there are {counts}"
            raise DataError([message], table.source.name)
        left = has_label | ~labelled[table.case]
        partly = int((labelled & (labels < rows)).sum())
        study = table.take(np.flatnonzero(left))
        return cls(study, labelled, partly)

    def samples(
        self, y: Floats, f: Floats, among: NDArray[Any], parts: NDArray[Any]
    ) -> tuple[Sample, Sample]:
        """Sums over labelled cases and over the others, of numbers ``(row, cut)``."""
        sign = np.array([1.0]) if not parts.any() else np.array([-1.0, 1.0])
        p, cuts = len(sign), y.shape[1]
        cell = self.table.case[among] * p + parts[among]
        size = len(self.table.cases) * p

        def sums(values: Floats) -> Floats:
            return np.bincount(cell, values[among], size).reshape(-1, p).astype(np.float64)

        rows = sums(np.ones(len(y)))
        ys, fs = (np.stack([sums(v[:, k]) for k in range(cuts)], axis=2) for v in (y, f))
        there = rows.any(axis=1)
        whole = Sample(rows, ys, fs, sign)
        return whole.take(there & self.labelled), whole.take(there & ~self.labelled)

    def expected(self, loss: Floats) -> Floats | None:
        """What the judge's confidence says of the loss of each row; None where it has none.

        A line through the labelled cases, of the other folds for a labelled one, so that no case
        foretells itself.
        """
        signal, case = self.table.signals.get("confidence"), self.table.case
        if signal is None or not np.isfinite(signal.values).all():
            return None
        own, x = self.labelled[case], signal.values
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

    def document(self, level: float) -> EstimateDocument:
        """Everything that is estimated."""
        table = self.table
        has_label = table.prediction != NO_PREDICTION
        f = _numbers(table, table.truth)[:, None]
        y = np.where(has_label[:, None], _numbers(table, table.prediction)[:, None], 0.0)
        off = np.where(has_label[:, None], f - y, 0.0)
        every, whole = np.arange(len(table)), np.zeros(len(table), np.int64)

        def of(y: Floats, f: Floats, among: Any = every, parts: Any = whole, **bounds: Any) -> Any:
            return _measured(*self.samples(y, f, among, parts), level, **bounds)[0]

        estimates = {
            "mean": of(y, f),
            "bias": of(off, f, bounds=(-1.0, 1.0)),
        }
        for name, loss in (("mae", np.abs(off)), ("errors", (off != 0).astype(np.float64))):
            expected = self.expected(loss[:, 0])
            bounds = NO_WEIGHT if expected is None else (0.0, 1.0)
            estimates[name] = of(loss, loss if expected is None else expected, bounds=bounds)
        systems = () if table.system is None else table.system.values
        difference = None
        if len(systems) == 2 and table.system is not None:
            difference = of(y, f, parts=table.system.codes.astype(np.int64))
        ranks = np.arange(1, len(table.scale.levels))
        said, judged = (
            (r[:, None] >= ranks).astype(np.float64) for r in (table.prediction, table.truth)
        )
        at_least = _measured(*self.samples(said, judged, every, whole), level, share=True)
        slices = {
            name: {
                str(value): of(y, f, np.flatnonzero(group.codes == code))
                for code, value in enumerate(group.values)
            }
            for name, group in table.groups.items()
        }
        own, others = self.samples(y, f, every, whole)
        return EstimateDocument(
            acumen_version=__version__,
            judged_in=table.source.name,
            levels=list(table.scale.levels),
            cases_labelled=len(own),
            cases_unlabelled=len(others),
            rows_labelled=int(has_label.sum()),
            rows=len(table),
            not_judged=table.no_truth,
            confidence_level=level,
            estimates=estimates,
            at_least={str(table.scale.levels[k + 1]): e for k, e in enumerate(at_least)},
            systems=[str(name) for name in systems],
            difference=difference,
            slices=slices,
            labels=Labels(
                partly_labelled=self.partly,
                enough=len(own) >= RELIABLE_CASES,
                random_p_value=_at_random(own, others),
            ),
            warnings=list(table.warnings),
        )


def _numbers(table: Judgments, ranks: NDArray[Any]) -> Floats:
    """Levels in their own unit; of labels, their ranks."""
    scale = table.scale
    values = scale.levels if scale.is_numeric else range(len(scale.levels))
    numbers: Floats = np.asarray(values, np.float64)[ranks]
    return numbers


def _measured(
    own: Sample, others: Sample, level: float, *, bounds: Any = (0.0, 1.0), share: bool = False
) -> list[PoweredEstimate]:
    """Each cut with its interval, and the classical one beside it; shares fall with the cut."""
    if not ((own.rows > 0).sum(axis=0) > 1).all():
        return [PoweredEstimate(estimate=Measured(value=None, reason=_FEW))] * own.y.shape[2]
    usable = others if (others.rows.sum(axis=0) > 0).all() else others.take(np.zeros(0, np.int64))
    powered, classical = (power(own, usable, within) for within in (bounds, NO_WEIGHT))
    gain = len(own) * np.nan_to_num(ratio(classical.variance, powered.variance), nan=1.0)
    sides = (_curve(side, level, len(own), share=share) for side in (powered, classical))
    return [
        PoweredEstimate(
            estimate=estimate,
            classical=alone,
            weight=powered.weight,
            effective_cases=effective,
            labels_saved=effective - len(own),
        )
        for estimate, alone, effective in zip(*sides, gain.tolist(), strict=True)
    ]


_FEW = "fewer than two labelled cases"


def _curve(powered: Powered, level: float, cases: int, *, share: bool) -> list[Measured]:
    """Values with their intervals; of shares at a level or above, falling and from 0 to 1."""
    curves = [powered.value, *powered.ends(level)]
    if share:
        from scipy.optimize import isotonic_regression

        falling = (isotonic_regression(curve, increasing=False).x for curve in curves)
        curves = [np.clip(curve, 0.0, 1.0) for curve in falling]
    facts: dict[str, Any] = {
        "method": "PPI++ jackknife-t" if powered.weight else "jackknife-t",
        "confidence_level": level,
        "flags": () if cases >= RELIABLE_CASES else (Flag.FEW_CASES,),
    }
    parts = np.stack([*curves, np.sqrt(powered.variance)], axis=1).tolist()
    return [
        Measured(value=value, interval=Interval(low=low, high=high, standard_error=error, **facts))
        for value, low, high, error in parts
    ]


def _at_random(own: Sample, others: Sample) -> float | None:
    """The chance of so different ratings of the judge, were labelled cases drawn at random."""
    if len(others) < 2:
        return None
    means, variances = [], []
    for sample in (own, others):
        mean, influence = sample.mean(sample.f)
        means.append(float(mean[0]))
        variances.append(len(sample) / (len(sample) - 1) * float((influence**2).sum()))
    spread = sum(variances)
    t = abs(means[0] - means[1]) / np.sqrt(spread) if spread > 0 else 0.0
    return 2 * t_cdf(min(len(own), len(others)) - 1, -t)
