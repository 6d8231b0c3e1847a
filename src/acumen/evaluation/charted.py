"""What charts draw beside the metrics, computed once when a study is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.evaluation.system import System
from acumen.inference.bands import RiskBand, risk_band
from acumen.inference.infer import Inference, infer, one_of
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import Jackknife
from acumen.inference.resample import LeaveOut, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind
from acumen.results.charted import (
    Band,
    Distribution,
    FunctionSummary,
    GroupRisk,
    Points,
    Reliability,
    Summary,
    ThresholdCurve,
    VerdictSummary,
)
from acumen.results.measured import Measured
from acumen.table.judgments import Judgments, Outcome
from acumen.types import Floats
from acumen.views.confusion import confuse_judgments
from acumen.views.forecast import BINS, Forecast
from acumen.views.ranking import Ranking
from acumen.views.severity import SeverityRanking
from acumen.views.weights import CaseWeights

MOST_VALUES: Final = 12
"""Up to this many distinct confidences each is a bin of its own."""
MOST_GROUPS_SHOWN: Final = 100
"""Items beyond this many are not told one by one."""
MOST_CUTS: Final = 200
"""Cuts of a precision–recall curve that are kept, evenly spaced along the ranking."""
OPTIMUM_POINTS: Final = 50


def summarize(system: System, agreement: Mapping[str, Inference]) -> Summary:
    """Everything about one system that charts draw and no metric holds."""
    rows = system.table.included
    levels = [str(level) for level in rows.scale.levels]
    return Summary(
        **dict(summarize_levels(system.table, system.severity, agreement)),
        by_item=_groups(system, rows.item, list(rows.items)[:MOST_GROUPS_SHOWN]),
        by_level=_groups(system, rows.truth, levels),
        optimum=optimum(system.unranked),
        functions={name: _function(system, name) for name in system.confidence},
    )


def summarize_levels(
    table: Judgments, severity: SeverityRanking, numbers: Mapping[str, Inference]
) -> VerdictSummary:
    """What charts draw of the levels themselves; ``numbers`` hold the AUPRC of each threshold."""
    rows = table.included
    return VerdictSummary(
        levels=[str(name) for name in rows.scale.levels],
        confusion=confusion(rows),
        ranked_by=severity.ranked_by,
        precision_recall=precision_recall(rows, severity, numbers),
    )


def confusion(table: Judgments) -> list[list[int]]:
    """Counts by truth and prediction; abstentions in a last column of their own."""
    counts: list[list[int]] = confuse_judgments(table).counts.tolist()
    return counts


def _groups(system: System, code: NDArray[Any], names: Sequence[str]) -> list[GroupRisk]:
    """The risk within each group of rows, with an interval over cases."""
    table, plan = system.table.included, system.plan
    groups = []
    for group, name in enumerate(names):
        part = table.take(np.flatnonzero(code == group))
        part = part.of_cases([table.cases[c] for c in np.unique(part.case).tolist()])
        ranking = plan.rank(part, np.zeros(len(part)))
        risk = infer((METRICS["mae"],), ranking, plan.options.without_resamples())["mae"]
        answered = int(part.answered.sum())
        groups.append(GroupRisk(name=name, n=len(part), answered=answered, risk=risk.measured))
    return groups


def optimum(ranking: Ranking) -> Points:
    """The curve of a confidence that knows the losses: smallest first."""
    totals = ranking.totals(CaseWeights.once(ranking.n_cases))
    mass, rows = totals.by_loss[:, 0], float(totals.rows[0])
    accepted = np.append(0.0, np.cumsum(mass))
    lost = np.append(0.0, np.cumsum(mass * np.arange(len(mass)))) * ranking.unit
    if not accepted[-1]:
        return Points(coverage=[], selective_risk=[], generalized_risk=[])
    even = accepted[-1] * np.arange(1, OPTIMUM_POINTS + 1) / OPTIMUM_POINTS
    at = np.unique(np.append(even, accepted[1:][mass > 0]))
    loss = np.interp(at, accepted, lost)
    return _points(at / rows, loss / at, loss / rows)


def _points(coverage: Floats, selective: Floats, generalized: Floats) -> Points:
    return Points(
        coverage=coverage.tolist(),
        selective_risk=selective.tolist(),
        generalized_risk=generalized.tolist(),
    )


def accepted(ranking: Ranking) -> list[int]:
    """How many rows are accepted at each working point, whatever they weigh."""
    if ranking.weight is None:
        return [int(end) for end in ranking.ends]
    weighing = np.add.reduceat(ranking.weight[ranking.order], np.append(0, ranking.ends[:-1])) > 0
    return [int(end) for end in ranking.ends[weighing]]


def achievable(ranking: Ranking) -> Points:
    """The lower hull of (coverage, generalized risk) from the origin: what mixing cuts reaches."""
    coverage, risk = ranking.achievable()
    return _points(coverage, risk / coverage, risk)


def _function(system: System, name: str) -> FunctionSummary:
    ranking, forecast = system.rankings[name], system.forecasts[name]
    band, reason = risk_band(ranking, system.plan.options)
    level = system.plan.options.confidence_level
    rows, confidence = system.table.included, system.confidence[name]
    curve, why_none = None, forecast if isinstance(forecast, str) else None
    if not isinstance(forecast, str):
        curve = reliability(forecast, confidence[rows.answered], level)
    return FunctionSummary(
        accepted=accepted(ranking),
        achievable=achievable(ranking),
        band=None if band is None else _band(band, level),
        band_reason=reason,
        distribution=distribution(rows, confidence),
        reliability=curve,
        reliability_reason=why_none,
    )


def _band(band: RiskBand, level: float) -> Band:
    return Band(
        confidence_level=level,
        n_resamples=band.n_resamples,
        coverage=band.coverage.tolist(),
        selective_low=band.low.tolist(),
        selective_high=band.high.tolist(),
        # generalized risk is coverage times selective risk, and so are the ends of its band
        generalized_low=(band.low * band.coverage).tolist(),
        generalized_high=(band.high * band.coverage).tolist(),
    )


def distribution(table: Judgments, confidence: Floats) -> Distribution:
    """Right and wrong answers by confidence: value by value, or in ten bins of equal width."""
    answered = table.answered
    values = confidence[answered]
    right = (table.prediction == table.truth)[answered]
    abstained = int((table.outcome == Outcome.ABSTAINED).sum())
    distinct, code = np.unique(values, return_inverse=True)
    low = high = distinct
    if len(distinct) > MOST_VALUES:
        edges = np.linspace(distinct[0], distinct[-1], BINS + 1)
        low, high = edges[:-1], edges[1:]
        code = np.searchsorted(edges[1:-1], values, side="right")
    counts = [np.bincount(code[which], minlength=len(low)) for which in (right, ~right)]
    return Distribution(
        low=low.tolist(),
        high=high.tolist(),
        right=[int(n) for n in counts[0]],
        wrong=[int(n) for n in counts[1]],
        abstained=abstained,
    )


def reliability(view: Forecast, confidence: Floats, level: float) -> Reliability:
    """The reliability curve of the answered rows, with an interval over cases for every bin."""
    curve = view.curve()
    bins = np.searchsorted(np.arange(1, BINS) / BINS, confidence, side="right")
    counts = np.bincount(bins, minlength=BINS)
    return Reliability(
        confidence=curve.confidence.tolist(),
        accuracy=_bin_accuracies(view, curve.bin, curve.accuracy, level),
        n=[int(counts[b]) for b in curve.bin],
    )


def _bin_accuracies(
    view: Forecast, bins: NDArray[np.int64], accuracy: Floats, level: float
) -> list[Measured]:
    def share(weights: CaseWeights) -> Floats:
        sums = view.bins(weights)[:, bins]
        with np.errstate(invalid="ignore"):
            true: Floats = sums[2] / sums[0]
        return true

    without = replicate(share, LeaveOut.of(view.n_cases), threads=1)
    accuracies = []
    here = view.cases_in_bins()
    for value, values, in_bin in zip(accuracy.tolist(), without, bins.tolist(), strict=True):
        jackknife = Jackknife.of(values, here[in_bin])
        interval = default_interval(Kind.PROPORTION, value, jackknife, level=level)
        accuracies.append(Measured(value=value, better="higher", **one_of(interval)))
    return accuracies


def precision_recall(
    table: Judgments, ranking: SeverityRanking, numbers: Mapping[str, Inference]
) -> list[ThresholdCurve]:
    """One curve a threshold that has rows on both sides, down the severity ranking."""
    score = table.prediction if ranking.ranked_by != "risk_score" else table.risk_score
    assert score is not None
    flagged = ranking.ends
    cuts = np.arange(len(flagged))
    if len(cuts) > MOST_CUTS:
        cuts = np.unique(np.linspace(0, len(cuts) - 1, MOST_CUTS).round().astype(np.int64))
    curves = []
    for k in ranking.covered:
        hits = np.cumsum(ranking.level >= k)[flagged - 1]
        positives = int(hits[-1])
        curves.append(
            ThresholdCurve(
                threshold=k,
                at_least=str(table.scale.levels[k]),
                prevalence=positives / len(ranking),
                n_positive=positives,
                average_precision=numbers[METRICS["auprc_ge"].at(level=k).name].measured,
                recall=(hits / positives)[cuts].tolist(),
                precision=(hits / flagged)[cuts].tolist(),
                cut=[float(v) for v in score[ranking.order[flagged - 1]][cuts]],
                flagged=[int(n) for n in flagged[cuts]],
            )
        )
    return curves
