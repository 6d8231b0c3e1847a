"""What abstaining costs: the threshold below which handing a judgment over is cheaper."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from acumen.decisions.sample import mean_by_case, one_confidence, origin, sample_of
from acumen.defaults import CONFIDENCE, COST_FOLDS, COSTS
from acumen.errors import DataError, UsageError
from acumen.evaluation.inputs import calibration_of, table_of
from acumen.readers.reading import Reading
from acumen.report.findings import Decided
from acumen.results.decisions import CostDocument, CostPoint
from acumen.results.measured import finite
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats

MOST_POINTS: Final = 200
"""Thresholds that are looked at; of more values, this many evenly spaced among them."""


def cost(
    data: Any,
    *,
    abstain_cost: float,
    costs: AnyLoss = COSTS,
    confidence: str = CONFIDENCE,
    folds: int = COST_FOLDS,
    mode: str | None = None,
    calibration: str | Path | None = None,
    **reading: Unpack[Reading],
) -> Decided[CostDocument]:
    """The confidence at or below which a judgment is handed over, so that it costs least.

    ``abstain_cost`` is what handing one over costs, in units of ``costs``: a loss by name, per
    level off by default, or a TOML file of costs. What the document prints was measured on cases
    that the threshold was not chosen on (``folds`` of them, by a hash of the case's id).

    >>> import acumen
    >>> table = acumen.from_columns(case=range(10), truth=[0] * 10, prediction=[0] * 6 + [2] * 4,
    ...                             confidence=[0.9] * 6 + [0.2] * 4, scale=[0, 1, 2])
    >>> document = acumen.cost(table, abstain_cost=0.5).artifact
    >>> document.threshold, document.cost.value, document.always_answer.value
    (0.2, 0.2, 0.8)
    """
    table, artifact = table_of(data, mode, reading).scored, calibration_of(calibration)
    name = one_confidence(confidence, table, artifact)
    sample = sample_of(table, name, costs, artifact)
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
    document = CostDocument(
        **origin(table, name, find_loss(costs).name),
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
    return Decided(document)


def _cheapest(by_case: Floats) -> int:
    """The place of the least cost; of equal ones the first, which is the larger threshold."""
    return int(np.argmin(by_case.sum(axis=1).round(9)))
