"""A gate that is asked again as cases come: its ends hold at every number of cases at once.

They are those of betting by case (:mod:`acumen.inference.betting`), and there are such ends for
means over rows alone. Of two systems it is the difference on the rows that count: all of them for
coverage, those that both answered for the others, each with a value from −1 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from acumen.errors import UsageError
from acumen.inference.betting import Share
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.values.measured import Interval, Measured
from acumen.views.ranking import Ranking

MEANS: Final = ("coverage", "accuracy", "mean_loss")
"""Metrics that are means over rows, with a largest value."""
METHOD: Final = "betting"


def refuse_others(metric: Metric) -> None:
    """Refuse what is no mean over rows."""
    if metric.name not in MEANS:
        listed = ", ".join(MEANS)
        raise UsageError(f"{metric.name} cannot be asked repeatedly: only means can ({listed})")


def measure_repeatedly(
    metric: Metric, views: Sequence[Ranking], error: float, most_items: int | None
) -> tuple[list[float | None], Measured]:
    """A mean, or how much worse it became, with ends of which each errs with a chance at most."""
    parts = [_parts(metric, view) for view in views]
    unit = views[0].most_loss * views[0].unit if metric.name == "mean_loss" else 1.0
    values: list[float | None] = [
        unit * float(part.sum() / rows.sum()) if rows.any() else None for part, rows in parts
    ]
    (part, rows), (own, of) = parts[0], parts[-1]
    if not rows.any() or not of.any():
        return values, Measured(value=None, reason="no row was answered")
    most = most_items or float(max(view.case_weight.max() for view in views))
    once = np.ones(len(rows), np.int64)
    if len(views) == 1:
        low, high = Share(part, rows, most, once).ends(2.0 * error)
    else:  # a loss from −1 to 1 in place of one from 0 to 1
        worse = (own - part) * (1.0 if metric.better == "lower" else -1.0)
        ends = Share((worse + rows) / 2.0, rows, most, once).ends(2.0 * error)
        low, high = (2.0 * end - 1.0 for end in ends)
        part = worse
    interval = Interval(
        low=unit * low,
        high=unit * high,
        method=METHOD,
        confidence_level=round(1.0 - 2.0 * error, 12),
    )
    return values, Measured(value=unit * float(part.sum() / rows.sum()), interval=interval)


def _parts(metric: Metric, view: Any) -> tuple[Floats, Floats]:
    """What each case adds to the mean, at most as much as it adds to the rows, and its rows."""
    by_kind = view.by_cell(view.kind, len(view.grades.cost))
    answered = by_kind.sum(axis=0)
    if metric.name == "coverage":
        return answered, view.case_weight
    if metric.name == "accuracy":
        return by_kind[view.grades.off == 0].sum(axis=0), answered
    return view.grades.cost @ by_kind / view.most_loss, answered
