"""Probabilities of levels in the document: every cut, and what the system's own answer costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.evaluation.charted import reliability
from acumen.evaluation.plan import System, level_metrics
from acumen.inference.infer import infer
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.metrics.reliability import noise_of
from acumen.results.metrics import LevelCut, LevelPart, OwnAnswer
from acumen.table.distribution import EXPECTED_LOSS, IN_USE, point_of
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.values.measured import Delta

OWN: Final = "confidence"
"""The signal that a system's own confidence is."""


def level_part(system: System) -> LevelPart | None:
    """What is known of a system's probabilities; None where it gives none."""
    view, table = system.levels, system.table.included
    if view is None:
        return None
    options, scale = system.plan.options.without_resamples(), table.scale
    share = table.on_levels.share
    cuts = []
    errors = infer([m for m in level_metrics(scale.levels) if "@" in m.name], view, options)
    for k, (forecast, error) in enumerate(zip(view.cuts, errors.values(), strict=True), 1):
        left, _ = noise_of(*view.residuals_of(k))
        cuts.append(
            LevelCut(
                level=str(scale.levels[k]),
                error=error.measured,
                without_noise=left,
                reliability=reliability(forecast, share, options.confidence_level),
            )
        )
    return LevelPart(
        input=system.name,
        rows=len(view),
        point=table.point,
        cuts=cuts,
        own=_own_answer(system),
        own_confidence=_own_confidence(system),
    )


def _own_answer(system: System) -> OwnAnswer | None:
    """The system's own answers against the best levels of the same probabilities, paired."""
    table = system.table.included
    p, own = table.distribution, table.prediction if table.point is None else table.own
    if p is None or own is None:
        return None
    there = table.answered & (own != NO_PREDICTION) & ~np.isnan(p[:, 0])
    if not there.any():
        return None
    best = point_of(table, IN_USE, system.plan.loss)
    sides = [
        System(_answering(table, ranks, there), system.plan, {}).unranked for ranks in (best, own)
    ]
    options = system.plan.options.without_resamples()
    difference = compare([METRICS["mean_loss"]], sides[0], sides[1], options)["mean_loss"]
    return OwnAnswer(
        rows=int((there & table.once).sum()),
        differs=int((there & table.once & (own != best)).sum()),
        difference=difference.delta(),
    )


def _answering(table: Judgments, ranks: NDArray[Any], rows: NDArray[np.bool_]) -> Judgments:
    """The table with other answers, in some rows alone."""
    prediction = np.where(rows, ranks, NO_PREDICTION).astype(np.int16)
    outcome = np.where(rows, Outcome.ANSWERED, Outcome.ABSTAINED).astype(np.uint8)
    return replace(table, prediction=prediction, outcome=outcome)


def _own_confidence(system: System) -> Delta | None:
    """AUGRC by the system's own confidence less that by the expected loss, of the same answers."""
    if not {OWN, EXPECTED_LOSS} <= system.confidence.keys():
        return None
    best, own = (system.rankings[name] for name in (EXPECTED_LOSS, OWN))
    options = system.plan.options.without_resamples()
    return compare([METRICS["augrc"]], best, own, options)["augrc"].delta()
