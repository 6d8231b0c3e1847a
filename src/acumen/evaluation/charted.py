"""What charts draw beside the metrics, computed once when a study is evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from acumen.inference.bands import RiskBand, risk_bands
from acumen.inference.infer import JACKKNIFE_CASES, Inference, Options, infer
from acumen.inference.intervals import Interval, Jackknife, default_interval
from acumen.inference.resample import MOST_GROUPS, LeaveOut, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind
from acumen.results.charted import (
    Band,
    Distribution,
    FunctionSummary,
    GroupRisk,
    Measured,
    Points,
    Reliability,
    Summary,
    ThresholdCurve,
    VerdictSummary,
)
from acumen.results.metrics import finite
from acumen.table.judgments import Judgments, Outcome
from acumen.types import Floats
from acumen.views.confusion import confuse_judgments
from acumen.views.forecast import BINS, Forecast, forecast_judgments, why_no_forecast
from acumen.views.ranking import Ranking
from acumen.views.severity import SeverityRanking, rank_judgments_by_severity
from acumen.views.weights import CaseWeights

MOST_VALUES: Final = 12
"""Up to this many distinct confidences each is a bin of its own."""
MOST_GROUPS_SHOWN: Final = 100
"""Items beyond this many are not told one by one."""
MOST_CUTS: Final = 200
"""Cuts of a precision–recall curve that are kept, evenly spaced along the ranking."""
OPTIMUM_POINTS: Final = 50


class PlanLike(Protocol):
    """What summaries need to know of the plan."""

    @property
    def options(self) -> Options:
        """How intervals are made."""

    def rank(self, table: Judgments, confidence: Floats) -> Ranking:
        """A table ranked by a confidence."""


def summarize(table: Judgments, confidence: Mapping[str, Floats], plan: PlanLike) -> Summary:
    """Everything about one input that charts draw and no metric holds."""
    kept = table.included
    rankings = {name: plan.rank(table, values) for name, values in confidence.items()}
    flat = plan.rank(table, np.zeros(len(kept)))
    return Summary(
        **dict(summarize_verdicts(table, plan.options.level)),
        by_item=_groups(kept, kept.item, list(kept.items)[:MOST_GROUPS_SHOWN], plan),
        by_level=_groups(kept, kept.truth, [str(level) for level in kept.scale.levels], plan),
        optimum=optimum(flat),
        functions={
            name: _function(kept, confidence[name], ranking, plan)
            for name, ranking in rankings.items()
        },
    )


def summarize_verdicts(
    table: Judgments, level: float, ranking: SeverityRanking | None = None
) -> VerdictSummary:
    """What charts draw of the levels themselves, whatever the confidence."""
    kept = table.included
    severity = rank_judgments_by_severity(table) if ranking is None else ranking
    return VerdictSummary(
        levels=[str(name) for name in kept.scale.levels],
        confusion=confusion(kept),
        ranked_by=severity.ranked_by,
        precision_recall=precision_recall(kept, severity, level),
    )


def confusion(table: Judgments) -> list[list[int]]:
    """Counts by truth and prediction; abstentions in a last column of their own."""
    counts: list[list[int]] = confuse_judgments(table).counts.tolist()
    return counts


def _groups(
    table: Judgments, code: NDArray[Any], names: Sequence[str], plan: PlanLike
) -> list[GroupRisk]:
    """The risk within each group of rows, with an interval over cases."""
    found = []
    quick = Options(resamples=0, level=plan.options.level)
    for group, name in enumerate(names):
        rows = np.flatnonzero(code == group)
        part = table.take(rows)
        part = part.of_cases([table.cases[c] for c in np.unique(part.case).tolist()])
        ranking = plan.rank(part, np.zeros(len(part)))
        risk = infer((METRICS["mae"],), ranking, quick)["mae"]
        answered = int(part.answered.sum())
        found.append(GroupRisk(name=name, n=len(part), answered=answered, risk=measured(risk)))
    return found


def measured(found: Inference) -> Measured:
    """An inference as the artifact keeps it."""
    match found.interval:
        case Interval() as interval if found.value is not None:
            return Measured(value=found.value, low=finite(interval.low), high=finite(interval.high))
        case interval:
            reason = found.reason or getattr(interval, "reason", None)
            return Measured(value=finite(found.value), reason=reason)


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


def _function(
    table: Judgments, confidence: Floats, ranking: Ranking, plan: PlanLike
) -> FunctionSummary:
    bands, reason = risk_bands(ranking, plan.options)
    why_not = why_no_forecast(table, confidence)
    if not table.answered.any():
        why_not = "no row was answered"
    return FunctionSummary(
        accepted=accepted(ranking),
        achievable=achievable(ranking),
        bands=[_band(band, plan.options.level) for band in bands],
        bands_reason=reason,
        distribution=distribution(table, confidence),
        reliability=None if why_not else reliability(table, confidence, plan.options.level),
        reliability_reason=why_not,
    )


def _band(band: RiskBand, level: float) -> Band:
    return Band(
        kind=band.kind,
        level=level,
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


def reliability(table: Judgments, confidence: Floats, level: float) -> Reliability:
    """The reliability curve with an interval over cases for every bin."""
    view = forecast_judgments(table, confidence)
    curve = view.curve()
    counts = np.bincount(
        np.searchsorted(np.arange(1, BINS) / BINS, confidence[table.answered], side="right"),
        minlength=BINS,
    )
    found = infer((METRICS["ece"], METRICS["brier"]), view, Options(resamples=0, level=level))
    return Reliability(
        confidence=curve.confidence.tolist(),
        accuracy=_bin_accuracies(view, curve.bin, curve.accuracy, level),
        n=[int(counts[b]) for b in curve.bin],
        ece=measured(found["ece"]),
        brier=measured(found["brier"]),
    )


def _bin_accuracies(
    view: Forecast, bins: NDArray[np.int64], accuracy: Floats, level: float
) -> list[Measured]:
    def share(weights: CaseWeights) -> Floats:
        sums = view.bins(weights)[:, bins]
        with np.errstate(invalid="ignore"):
            came: Floats = sums[2] / sums[0]
        return came

    groups = min(MOST_GROUPS, view.n_cases) if view.n_cases > JACKKNIFE_CASES else 0
    without = replicate(share, LeaveOut(view.n_cases, groups), threads=1)
    found = []
    here = view.cases_in_bins()
    for value, values, in_bin in zip(accuracy.tolist(), without, bins.tolist(), strict=True):
        jackknife = Jackknife.of(values, here[in_bin])
        interval = default_interval(Kind.PROPORTION, value, jackknife, level=level)
        if isinstance(interval, Interval):
            found.append(Measured(value=value, low=interval.low, high=interval.high))
        else:
            found.append(Measured(value=value, reason=interval.reason))
    return found


def precision_recall(
    table: Judgments, ranking: SeverityRanking, level: float
) -> list[ThresholdCurve]:
    """One curve a threshold that has rows on both sides, down the severity ranking."""
    score = table.prediction if ranking.ranked_by != "risk_score" else table.risk_score
    assert score is not None
    flagged = ranking.ends
    metrics = [METRICS["auprc_ge"].at(level=k) for k in ranking.covered]
    found = infer(metrics, ranking, Options(resamples=0, level=level)) if metrics else {}
    kept = np.arange(len(flagged))
    if len(kept) > MOST_CUTS:
        kept = np.unique(np.linspace(0, len(kept) - 1, MOST_CUTS).round().astype(np.int64))
    curves = []
    for metric, k in zip(metrics, ranking.covered, strict=True):
        hits = np.cumsum(ranking.level >= k)[flagged - 1]
        positives = int(hits[-1])
        curves.append(
            ThresholdCurve(
                threshold=k,
                at_least=str(table.scale.levels[k]),
                prevalence=positives / len(ranking),
                n_positive=positives,
                average_precision=measured(found[metric.name]),
                recall=(hits / positives)[kept].tolist(),
                precision=(hits / flagged)[kept].tolist(),
                cut=[float(v) for v in score[ranking.order[flagged - 1]][kept]],
                flagged=[int(n) for n in flagged[kept]],
            )
        )
    return curves
