"""``acumen curve``: the risk-coverage curve as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, emit

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

    Example: acumen curve rows.csv
    """
    check_targets({"--output": output}, [run, calibration, loss, *options.inputs_of(reading)])
    from acumen.cli.ranking import rank_run
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
