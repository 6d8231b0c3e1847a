"""A run read and ranked by confidence functions: what ``curve`` and ``reconcile`` begin with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from acumen.errors import printable

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments
    from acumen.views.ranking import Ranking


def ranked(
    run: str,
    *,
    mode: str | None,
    confidence: str,
    scale: str | None,
    loss: str = "abs_norm",
    calibration: Path | None = None,
) -> tuple[Judgments, dict[str, Ranking]]:
    """The table of a run, and its answered rows ranked by each function asked for."""
    from acumen import confidence as confidences
    from acumen.readers import read
    from acumen.table.losses import find_loss
    from acumen.views.ranking import rank_judgments

    chosen = find_loss(loss)
    table = read(run, mode=mode, scale=scale)
    calibrator = None
    if calibration is not None:
        from acumen.calibration import read_calibration

        calibrator = read_calibration(calibration)
    selection = confidences.select(confidence, table, calibration=calibrator)
    left_out = [f"{name} is left out: {why}" for name, why in selection.left_out.items()]
    warn((*table.warnings, *selection.notes, *left_out))
    return table, {
        name: rank_judgments(
            table, confidences.compute(name, table, calibration=calibrator), chosen
        )
        for name in selection.names
    }


def warn(warnings: Iterable[str]) -> None:
    """Warnings on standard error, one a line."""
    for warning in warnings:
        typer.echo(f"acumen: warning: {printable(warning, limit=600)}", err=True)
