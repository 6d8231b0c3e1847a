"""``acumen curve``: the risk-coverage curve as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, emit, warn

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments
    from acumen.views.ranking import Ranking

app = typer.Typer(add_completion=False)

COLUMNS: Final = ("confidence", "coverage", "selective_risk", "generalized_risk", "threshold")


@app.command()
@options.reads_rows
def curve(
    run: options.RunFile,
    mode: options.Mode = None,
    confidence: options.Confidence = defaults.CONFIDENCE,
    loss: options.Loss = defaults.LOSS,
    calibration: options.Calibration = None,
    output: Annotated[
        Path | None, say("Write here instead of to standard output.", "--output", "-o")
    ] = None,
    *,
    reading: options.Reading,
) -> None:
    """The working points of the risk-coverage curve, one for each distinct confidence, as CSV.

    Example: acumen curve run.json --mode few_shot --confidence token_msp --output curve.csv
    """
    check_targets({"--output": output}, [run, calibration, loss, *options.inputs_of(reading)])
    from acumen.files.csv import csv_text
    from acumen.files.json import write_bytes

    _, rankings = rank_run(
        run, reading, mode=mode, confidence=confidence, loss=loss, calibration=calibration
    )
    rows: list[tuple[object, ...]] = []
    for name, ranking in rankings.items():
        points = ranking.curve()
        columns = (getattr(points, column).tolist() for column in COLUMNS[1:])
        rows += [(name, *point) for point in zip(*columns, strict=True)]
    text = csv_text(COLUMNS, rows)
    if output is None:
        emit(text)
    else:
        write_bytes(output, text.encode("utf-8"))
        typer.echo(f"acumen: wrote {output}", err=True)


def rank_run(
    run: str,
    reading: options.Reading,
    *,
    mode: str | None,
    confidence: str,
    loss: str = defaults.LOSS,
    calibration: Path | None = None,
) -> tuple[Judgments, dict[str, Ranking]]:
    """The table of a run, and its answered rows ranked by each function asked for."""
    from acumen import confidence as confidences
    from acumen.evaluation.inputs import calibration_of, table_of
    from acumen.report.selective.outcomes import scale_warning
    from acumen.table.losses import find_loss
    from acumen.views.ranking import rank_judgments

    cost = find_loss(loss)
    table = table_of(run, mode, reading)
    artifact = calibration_of(calibration)
    selection = confidences.select(confidence, table, calibration=artifact)
    left_out = [f"{name} is left out: {why}" for name, why in selection.left_out.items()]
    warn((*scale_warning(table.scale), *table.warnings, *selection.notes, *left_out))
    return table, {
        name: rank_judgments(table, confidences.compute(name, table, calibration=artifact), cost)
        for name in selection.names
    }
