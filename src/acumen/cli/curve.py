"""``acumen curve``: the risk-coverage curve as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from acumen.cli.output import emit
from acumen.cli.targets import check_targets

app = typer.Typer(add_completion=False)

COLUMNS: Final = ("confidence", "coverage", "selective_risk", "generalized_risk", "threshold")


@app.command()
def curve(
    run: Annotated[str, typer.Argument(help="A run file (JSON, JSONL, CSV, Parquet); - is stdin.")],
    mode: Annotated[str | None, typer.Option(help="Which experiment of the run.")] = None,
    confidence: Annotated[
        str, typer.Option(help="default, all, or names separated by commas.")
    ] = "default",
    loss: Annotated[str, typer.Option(help="abs_norm or abs.")] = "abs_norm",
    calibration: Annotated[
        Path | None, typer.Option(help="A calibration artifact, for the calibrated functions.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write here instead of to standard output."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.", hidden=True)] = False,
) -> None:
    """The working points of the risk-coverage curve, one for each distinct confidence, as CSV.

    Example: acumen curve run.json --mode few_shot --confidence token_msp --output curve.csv
    """
    check_targets({"--output": output}, [run, calibration, scale])
    from acumen.cli.ranked import ranked
    from acumen.files.csv import csv_text
    from acumen.files.json import write_bytes

    _, rankings = ranked(
        run, mode=mode, confidence=confidence, scale=scale, loss=loss, calibration=calibration
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
