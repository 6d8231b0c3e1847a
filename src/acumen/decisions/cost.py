"""What abstaining costs: the threshold below which handing a judgment over is cheaper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acumen.decisions.sample import Sample, mean_by_case
from acumen.errors import DataError, UsageError
from acumen.results.decisions import CostDocument, CostPoint
from acumen.types import Floats
from acumen.values.measured import finite

MOST_POINTS: Final = 200
"""Thresholds that are looked at; of more values, this many evenly spaced among them."""


def document_of(
    sample: Sample, abstain_cost: float, folds: int, origin: Mapping[str, Any]
) -> CostDocument:
    """The cheapest threshold, what it costs on cases that it was not chosen on, and the others."""
    if not 0.0 <= abstain_cost < np.inf:
        raise UsageError(f"handing over costs 0 or more, not {abstain_cost:g}")
    if not 2 <= folds <= sample.n:
        raise DataError([f"{sample.n} cases cannot be cut into {folds} folds"])
    values = sample.values  # above the surest there is nothing: all is handed over
    at = np.unique(np.linspace(0, len(values) - 1, MOST_POINTS).round().astype(int))
    thresholds: Floats = np.append(values[at], -np.inf)
    rows, loss = sample.accepted(thresholds)
    by_case = loss * sample.most_loss + abstain_cost * (sample.rows - rows)
    fold = np.arange(sample.n) % folds
    best_without = [_cheapest(by_case[:, fold != k]) for k in range(folds)]
    held_out = by_case[np.array(best_without)[fold], np.arange(sample.n)]
    answering, sizes = by_case[-1], sample.rows
    curve = zip(thresholds, rows.sum(1) / sizes.sum(), by_case.sum(1) / sizes.sum(), strict=True)
    return CostDocument(
        **origin,
        threshold=finite(thresholds[_cheapest(by_case)]),
        fold_thresholds=[finite(thresholds[k]) for k in best_without],
        abstain_cost=abstain_cost,
        cost=mean_by_case(held_out, sizes),
        always_answer=mean_by_case(answering, sizes),
        against_answering=mean_by_case(held_out - answering, sizes),
        against_handing_over=mean_by_case(held_out - abstain_cost * sizes, sizes),
        curve=[CostPoint(threshold=finite(t), coverage=c, cost=x) for t, c, x in curve],
        cases=sample.n,
    )


def _cheapest(by_case: Floats) -> int:
    """The place of the least cost; of equal ones the first, which is the larger threshold."""
    return int(np.argmin(by_case.sum(axis=1).round(9)))
