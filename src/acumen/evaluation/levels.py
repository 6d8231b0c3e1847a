"""What else a table is looked at for, beside its ranking: honest confidence, levels that agree.

These metrics take the default interval alone, which needs no resamples, so they cost next to
nothing beside the selective metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.inference.infer import Inference, Options, infer
from acumen.inference.paired import Delta, compare
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.types import Floats
from acumen.views.confusion import Confusion, confuse_judgments
from acumen.views.forecast import Forecast, forecast_judgments, why_no_forecast
from acumen.views.severity import SeverityRanking, rank_judgments_by_severity

_PER_LEVEL = ("auprc_ge", "nap_ge", "auroc_ge")


def reliability(table: Judgments, confidence: Floats, options: Options) -> dict[str, Inference]:
    """Is the confidence honest? Nothing where it cannot be read as a probability."""
    if not table.included.answered.any() or why_no_forecast(table, confidence):
        return {}
    view = forecast_judgments(table, confidence)
    return infer(metrics_of(Forecast), view, _without_resamples(options))


def reliability_deltas(
    left: Judgments, right: Judgments, a: Floats, b: Floats, options: Options
) -> dict[str, Delta]:
    """Right minus left of the same, where both sides are probabilities."""
    sides = ((left, a), (right, b))
    if any(not t.answered.any() or why_no_forecast(t, c) for t, c in sides):
        return {}
    views = [forecast_judgments(table, confidence) for table, confidence in sides]
    return _compared(metrics_of(Forecast), views[0], views[1], options)


def agreement(table: Judgments, options: Options) -> dict[str, Inference]:
    """Do the predicted levels agree with the truth, and rank the worst first?"""
    found: dict[str, Inference] = {}
    for metrics, view in _level_views(table):
        found |= infer(metrics, view, _without_resamples(options))
    return found


def agreement_deltas(left: Judgments, right: Judgments, options: Options) -> dict[str, Delta]:
    """Right minus left of the same, on the rows that both answered.

    Who leaves the hard rows open agrees better on the rest, so neither is judged on rows the other
    left open; accuracy alone is of all rows, because an abstention is wrong in it.
    """
    found: dict[str, Delta] = {}
    a, b = both_answered(left, right)
    for (metrics, one), (_, other) in zip(_level_views(a), _level_views(b), strict=True):
        found |= _compared(metrics, one, other, options)
    if not a.answered.any():
        found = {
            name: delta.undefined("no row was answered by both") for name, delta in found.items()
        }
    of_all = confuse_judgments(left), confuse_judgments(right)
    return found | _compared([METRICS["total_accuracy"]], *of_all, options)


def both_answered(left: Judgments, right: Judgments) -> tuple[Judgments, Judgments]:
    """Two tables of the same rows, in each of which a row is open that is open in the other."""
    both = left.answered & right.answered

    def shared(table: Judgments) -> Judgments:
        return replace(
            table,
            prediction=np.where(both, table.prediction, NO_PREDICTION),
            outcome=np.where(table.answered & ~both, Outcome.ABSTAINED, table.outcome),
        )

    return shared(left), shared(right)


def _level_views(table: Judgments) -> Iterator[tuple[list[Metric], Any]]:
    yield list(metrics_of(Confusion)), confuse_judgments(table)
    severity = [m for m in metrics_of(SeverityRanking) if m.name not in _PER_LEVEL]
    for name in _PER_LEVEL:
        severity += [METRICS[name].at(level=k) for k in range(1, table.scale.range + 1)]
    yield severity, rank_judgments_by_severity(table)


def _compared(metrics: Any, a: Any, b: Any, options: Options) -> dict[str, Delta]:
    return compare(list(metrics), a, b, _without_resamples(options), p_values=False)


def _without_resamples(options: Options) -> Options:
    return replace(options, resamples=0, method="default", advance=None)
