"""What charts draw beside the metrics, computed once, when a chart or a file needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import COVERAGE_TOLERANCE
from acumen.evaluation.plan import System
from acumen.inference.bands import RiskBand, risk_band
from acumen.inference.infer import Inference, infer, one_of
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import Jackknife
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind
from acumen.results import charted as parts
from acumen.table.judgments import Judgments
from acumen.types import Floats
from acumen.values.measured import Measured
from acumen.views.confusion import confuse_judgments
from acumen.views.forecast import BINS, Forecast
from acumen.views.ranking import Ranking
from acumen.views.severity import SeverityRanking
from acumen.views.weights import CaseWeights

MOST_VALUES: Final = 12
"""Up to this many distinct confidences each is a bin of its own."""
MOST_ITEMS: Final = 100
"""Items beyond this many have no risk of their own here."""
MOST_CUTS: Final = 200
"""Cuts of a precision–recall curve that are kept, evenly spaced along the ranking."""
MOST_POINTS: Final = 200_000
LISTED_POINTS: Final = MOST_POINTS // 20
"""Of more working points than the first, about the second many are listed."""
OPTIMUM_POINTS: Final = 50
DIGITS: Final = 6
"""Of counts, where a rating is a part of its judgment."""


def summarize(system: System, agreement: Mapping[str, Inference]) -> parts.Summary:
    """What of one system charts draw and no metric holds: of its levels, the rest to be drawn."""
    nothing = parts.Points(coverage=[], selective_risk=[], generalized_risk=[])
    levels = summarize_levels(system.table, system.severity, agreement)
    return parts.Summary(**dict(levels), by_item=[], by_level=[], optimum=nothing)


def draw(system: System, summary: parts.Summary) -> parts.Summary:
    """The same with all of it: groups, and every confidence function."""
    rows = system.table.included
    rest: dict[str, Any] = {
        "by_item": _groups(system, rows.item, list(rows.items)[:MOST_ITEMS]),
        "by_level": _groups(system, rows.truth, summary.levels),
        "optimum": optimum(system.unranked),
        "functions": {name: _function(system, name) for name in system.confidence},
    }
    return summary.model_copy(update=rest)


def summarize_levels(
    table: Judgments, severity: SeverityRanking, numbers: Mapping[str, Inference]
) -> parts.VerdictSummary:
    """What charts draw of the levels themselves; ``numbers`` hold the AUPRC of each threshold."""
    rows, view = table.included, confuse_judgments(table)
    width = view.levels + 1
    counts = _counts(view.cell, rows.on_levels.share, view.levels * width)
    return parts.VerdictSummary(
        levels=[str(name) for name in rows.scale.levels],
        confusion=[counts[k : k + width] for k in range(0, len(counts), width)],
        ranked_by=severity.ranked_by,
        precision_recall=precision_recall(rows, severity, numbers),
    )


def _groups(system: System, code: NDArray[Any], names: Sequence[str]) -> list[parts.GroupRisk]:
    """The risk within each group of rows, with an interval over cases."""
    table, plan = system.table.included, system.plan
    groups = []
    for group, name in enumerate(names):
        rows = np.flatnonzero(code == group)
        part = table.take(rows)
        ranking = plan.rank(part, np.zeros(len(part)))
        options = plan.options.without_resamples()
        risk = infer((METRICS["mean_loss"],), ranking, options, ())["mean_loss"]
        groups.append(
            parts.GroupRisk(
                name=name,
                n=int(part.once.sum()),
                answered=part.tally["answered"],
                risk=risk.measured,
                noise_floor=system.floors[0].among(rows).of(ranking),
            )
        )
    return groups


def optimum(ranking: Ranking) -> parts.Points:
    """The curve of a confidence that knows the losses: smallest first."""
    ranking = ranking.by_judgment
    totals = ranking.totals(CaseWeights.once(ranking.n_cases))
    mass, rows = totals.by_kind[:, 0], float(totals.rows[0])
    accepted = np.append(0.0, np.cumsum(mass))
    lost = np.append(0.0, np.cumsum(mass * ranking.grades.cost)) * ranking.unit
    if not accepted[-1]:
        return parts.Points(coverage=[], selective_risk=[], generalized_risk=[])
    even = accepted[-1] * np.arange(1, OPTIMUM_POINTS + 1) / OPTIMUM_POINTS
    at = np.unique(np.append(even, accepted[1:][mass > 0]))
    loss = np.interp(at, accepted, lost)
    return _points(at / rows, loss / at, loss / rows)


def _points(coverage: Floats, selective: Floats, generalized: Floats) -> parts.Points:
    return parts.Points(
        coverage=coverage.tolist(),
        selective_risk=selective.tolist(),
        generalized_risk=generalized.tolist(),
    )


def listed_points(ranking: Ranking, risks: Sequence[float]) -> NDArray[np.int64]:
    """The working points that a document lists: all, or of very many some.

    An even choice, and those at which a coverage of the grid is reached or a risk is held.
    """
    size = np.count_nonzero(ranking.is_point)
    if size <= MOST_POINTS:
        return np.arange(size)
    curve = ranking.curve()
    reached = np.searchsorted(curve.coverage, np.asarray(ranking.grid) - COVERAGE_TOLERANCE)
    held = (np.flatnonzero(curve.selective_risk <= risk + COVERAGE_TOLERANCE) for risk in risks)
    even = np.linspace(0, size - 1, LISTED_POINTS).round().astype(np.int64)
    return np.unique(np.concatenate([even, reached[reached < size], *(at[-1:] for at in held)]))


def achievable(ranking: Ranking) -> parts.Points:
    """The lower hull of (coverage, generalized risk) from the origin: what mixing cuts reaches."""
    coverage, risk = ranking.achievable()
    return _points(coverage, risk / coverage, risk)


def _function(system: System, name: str) -> parts.FunctionSummary:
    ranking, forecast = system.rankings[name], system.forecasts[name]
    band, reason = risk_band(ranking, system.plan.options)
    at = listed_points(ranking, system.plan.limits)
    rows, level = system.table.included, system.plan.options.confidence_level
    return parts.FunctionSummary(
        accepted=ranking.accepted[ranking.is_point][at].tolist(),
        achievable=achievable(ranking),
        band=None if band is None else _band(band, level),
        band_reason=reason,
        distribution=distribution(rows, system.confidence[name]),
        reliability=reliability(forecast, rows.share, level)
        if isinstance(forecast, Forecast)
        else None,
        reliability_reason=None if isinstance(forecast, Forecast) else forecast,
        noise_floor=system.floors[0].curve(ranking),
    )


def _band(band: RiskBand, level: float) -> parts.Band:
    return parts.Band(
        confidence_level=level,
        n_resamples=band.n_resamples,
        coverage=band.coverage.tolist(),
        selective_low=band.low.tolist(),
        selective_high=band.high.tolist(),
        # generalized risk is coverage times selective risk, and so are the ends of its band
        generalized_low=(band.low * band.coverage).tolist(),
        generalized_high=(band.high * band.coverage).tolist(),
    )


def distribution(table: Judgments, confidence: Floats) -> parts.Distribution:
    """Right and wrong answers by confidence: value by value, or in ten bins of equal width."""
    answered = table.answered
    values = confidence[answered]
    right = (table.prediction == table.truth)[answered]
    distinct = values[:1000] if len(np.unique(values[:1000])) > MOST_VALUES else values
    distinct, code = np.unique(distinct, return_inverse=True)
    low = high = distinct
    if len(distinct) > MOST_VALUES:
        edges = np.linspace(values.min(), values.max(), BINS + 1)
        low, high = edges[:-1], edges[1:]
        code = np.searchsorted(edges[1:-1], values, side="right")
    share = table.share[answered]
    counts = [_counts(code[rows], share[rows], len(low)) for rows in (right, ~right)]
    return parts.Distribution(
        low=low.tolist(),
        high=high.tolist(),
        right=counts[0],
        wrong=counts[1],
        abstained=table.tally["abstained"],
    )


def _counts(code: NDArray[Any], share: NDArray[Any], size: int) -> list[Any]:
    """How many judgments have each code; of several raters each counts for its part."""
    counts = np.bincount(code, share, size).round(DIGITS)
    return list((counts if (counts % 1).any() else counts.astype(np.int64)).tolist())


def reliability(view: Forecast, part: NDArray[Any], level: float) -> parts.Reliability:
    """The reliability curve of the answered rows, with an interval over cases for every bin.

    Every row is a ``part`` of a judgment.
    """
    curve = view.curve()
    bins = curve.bin

    accuracy = []
    for value, number in zip(curve.accuracy.tolist(), bins.tolist(), strict=True):
        weight, target, n_cases = view.of_bin(number)
        with np.errstate(invalid="ignore"):
            without = (target.sum() - target) / (weight.sum() - weight)
        jackknife = Jackknife.of(without, n_cases)
        interval = default_interval(Kind.PROPORTION, value, jackknife, level=level)
        accuracy.append(Measured(value=value, better="higher", **one_of(interval)))
    n = np.array(_counts(view.row_bin, part[view.order], BINS))[bins].tolist()
    return parts.Reliability(confidence=curve.confidence.tolist(), accuracy=accuracy, n=n)


def precision_recall(
    table: Judgments, ranking: SeverityRanking, numbers: Mapping[str, Inference]
) -> list[parts.ThresholdCurve]:
    """One curve a threshold that has rows on both sides, down the severity ranking."""
    ends, cuts = ranking.ends - 1, np.arange(len(ranking.ends))
    share = table.on_levels.share[ranking.order]
    flagged = np.cumsum(share)[ends].round(DIGITS)
    if len(cuts) > MOST_CUTS:
        cuts = np.unique(np.linspace(0, len(cuts) - 1, MOST_CUTS).round().astype(np.int64))
    areas = {
        i.metric.parameters["level"]: i.measured
        for key, i in numbers.items()
        if key.startswith("auprc_ge@")
    }
    curves = []
    for k in ranking.covered:
        hits = np.cumsum(share * (ranking.level >= k))[ends].round(DIGITS)
        positives = hits[-1].item()
        curves.append(
            parts.ThresholdCurve(
                threshold=k,
                at_least=str(table.scale.levels[k]),
                prevalence=positives / flagged[-1].item(),
                n_positive=positives,
                average_precision=areas[k],
                recall=(hits / positives)[cuts].tolist(),
                precision=(hits / flagged)[cuts].tolist(),
                cut=ranking.score[ends][cuts].tolist(),
                flagged=flagged[cuts].tolist(),
            )
        )
    return curves
