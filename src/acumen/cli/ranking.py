"""A run ranked by confidence functions: what ``curve`` and ``reconcile`` begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from acumen.cli.output import warn
from acumen.cli.progress import waiting
from acumen.defaults import LOSS

if TYPE_CHECKING:
    from acumen.readers.reading import Reading
    from acumen.table.judgments import Judgments
    from acumen.views.ranking import Ranking


def rank_run(
    run: str,
    reading: Reading,
    *,
    mode: str | None,
    confidence: str,
    loss: str = LOSS,
    calibration: Path | None = None,
) -> tuple[Judgments, dict[str, Ranking]]:
    """The table of a run, and its answered rows ranked by each function asked for."""
    from acumen import confidence as confidences
    from acumen.evaluation.inputs import calibration_of, one_table
    from acumen.table.distribution import under_loss
    from acumen.table.levels import inferred_note
    from acumen.table.losses import find_loss
    from acumen.views.ranking import rank_judgments

    cost = find_loss(loss)
    with waiting():
        table = under_loss(one_table(run, mode, reading), cost)
    artifact = calibration_of(calibration)
    selection = confidences.select(confidence, table, calibration=artifact)
    left_out = [f"{name} is left out: {why}" for name, why in selection.left_out.items()]
    note = inferred_note(table.scale.levels, table.scale.inferred)
    warn((*([note] if note else []), *table.warnings, *selection.notes, *left_out))
    return table, {
        name: rank_judgments(table, confidences.compute(name, table, calibration=artifact), cost)
        for name in selection.names
    }
