"""``acumen threshold``: above which confidence answers may be used, certified."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.door import by_door
from acumen.cli.options import say

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
@by_door
def threshold(
    run: options.RunFile,
    risk: Annotated[float, say("The largest risk allowed, in units of the loss.")],
    confidence: options.OneConfidence = defaults.CONFIDENCE,
    delta: Annotated[float, say("Chance that the true risk is larger.")] = defaults.DELTA,
    method: Annotated[str | None, say("exact, approx, sgr or crc; else what suits.")] = None,
    test: Annotated[str, say("Of exact: betting or hoeffding-bentkus.")] = defaults.EXACT_TEST,
    starts: Annotated[str, say("Shares of the grid where the search begins.")] = defaults.STARTS,
    grid: Annotated[str | None, say("ranks, values, apart, or thresholds with commas.")] = None,
    most_items: Annotated[int | None, say("Most judgments of a case by design.", min=1)] = None,
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
