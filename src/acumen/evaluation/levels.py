"""Beside the ranking: is the confidence honest, do the levels agree with the truth?

These metrics take the default interval alone, which needs no resamples, so they cost next to
nothing beside the selective metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.evaluation.system import System
from acumen.inference.infer import Inference, infer
from acumen.inference.paired import Contrast, compare
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.views.confusion import Confusion
from acumen.views.forecast import Forecast
from acumen.views.severity import SeverityRanking

_PER_LEVEL = ("auprc_ge", "nap_ge", "auroc_ge")


def infer_reliability(system: System, function: str) -> dict[str, Inference]:
    """Is the confidence honest? Nothing where it cannot be read as a probability."""
    view = system.forecasts[function]
    if isinstance(view, str):
        return {}
    return infer(metrics_of(Forecast), view, system.plan.options.without_resamples())


def compare_reliability(left: System, right: System, function: str) -> dict[str, Contrast]:
    """Right minus left of the same, where both sides are probabilities."""
    a, b = left.forecasts[function], right.forecasts[function]
    if isinstance(a, str) or isinstance(b, str):
        return {}
    return _compare(list(metrics_of(Forecast)), a, b, left)


def infer_agreement(system: System) -> dict[str, Inference]:
    """Do the predicted levels agree with the truth, and rank the worst first?"""
    numbers: dict[str, Inference] = {}
    for metrics, view in _level_views(system):
        numbers |= infer(metrics, view, system.plan.options.without_resamples())
    return numbers


def compare_agreement(left: System, right: System) -> dict[str, Contrast]:
    """Right minus left of the same, on the rows that both answered.

    Who leaves the hard rows open agrees better on the rest, so neither is judged on rows the other
    left open; accuracy alone is of all rows, because an abstention is wrong in it.
    """
    numbers: dict[str, Contrast] = {}
    shared = both_answered(left.table, right.table)
    a, b = (System(table, left.plan, {}) for table in shared)
    for (metrics, one), (_, other) in zip(_level_views(a), _level_views(b), strict=True):
        numbers |= _compare(metrics, one, other, left)
    if not shared[0].answered.any():
        reason = "no row was answered by both"
        numbers = {name: contrast.undefined(reason) for name, contrast in numbers.items()}
    total = [METRICS["total_accuracy"]]
    return numbers | _compare(total, left.confusion, right.confusion, left)


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


def _level_views(system: System) -> Iterator[tuple[list[Metric], Any]]:
    yield list(metrics_of(Confusion)), system.confusion
    severity = [m for m in metrics_of(SeverityRanking) if m.name not in _PER_LEVEL]
    for name in _PER_LEVEL:
        severity += [METRICS[name].at(level=k) for k in range(1, system.table.scale.range + 1)]
    yield severity, system.severity


def _compare(metrics: list[Metric], a: Any, b: Any, system: System) -> dict[str, Contrast]:
    return compare(metrics, a, b, system.plan.options.without_resamples(), p_values=False)
