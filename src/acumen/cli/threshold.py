"""``acumen threshold``: above which confidence answers may be used, certified."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.output import check_targets, finish

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def threshold(
    run: options.RunFile,
    risk: Annotated[float, typer.Option(help="The largest risk allowed, in units of the loss.")],
    confidence: options.OneConfidence = defaults.CONFIDENCE,
    delta: Annotated[
        float, typer.Option(help="Chance that the true risk is larger.")
    ] = defaults.DELTA,
    method: Annotated[
        str | None, typer.Option(help="exact, approx, sgr or crc; by default what suits the cases.")
    ] = None,
    test: Annotated[
        str, typer.Option(help="Of exact: betting or hoeffding-bentkus.")
    ] = defaults.EXACT_TEST,
    starts: Annotated[
        str, typer.Option(help="Shares of the grid at which the search begins.")
    ] = defaults.STARTS,
    grid: Annotated[
        str | None, typer.Option(help="ranks, values, apart, or thresholds with commas.")
    ] = None,
    most_items: Annotated[
        int | None, typer.Option(min=1, help="Most judgments of a case, by design.")
    ] = None,
    loss: options.Loss = defaults.LOSS,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.AsJson = False,
    *,
    reading: options.Reading,
) -> None:
    """Find the confidence above which answers may be used, so that their risk is at most --risk.

    Examples:

    acumen threshold run.json --mode few_shot --confidence token_msp --risk .2 -o threshold.json

    acumen threshold rows.csv --risk .1 --delta .05 --loss zero_one --method exact --grid .5,.7,.9
    """
    inputs = [run, calibration, loss, *options.inputs_of(reading)]
    check_targets({"--output": output, "--html": html}, inputs)
    from acumen.decisions.threshold import threshold as find

    decision = find(
        run,
        risk=risk,
        confidence=confidence,
        delta=delta,
        method=method,
        test=test,
        starts=starts,
        grid=grid,
        most_items=most_items,
        loss=loss,
        mode=mode,
        calibration=calibration,
        **reading,
    )
    finish(decision, output, html, as_json=as_json)
