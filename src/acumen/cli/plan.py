"""``acumen plan``: how many cases a study needs."""

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
def plan(
    detect: Annotated[float, say("The difference to show, or the margin.")],
    pilot: Annotated[str | None, typer.Argument(help="A pilot run; else give --sd.")] = None,
    other: Annotated[str | None, typer.Argument(help="Another, to be compared with it.")] = None,
    metric: Annotated[str, say("What is measured.")] = defaults.PLAN_METRIC,
    sd: Annotated[float | None, say("A guess of how much cases differ.")] = None,
    non_inferiority: Annotated[bool, say("One-sided, a margin.", "--non-inferiority")] = False,
    power: Annotated[float, say("The chance to show it.")] = defaults.POWER,
    draws: Annotated[float, say("Standard deviation of a judgment between repeats.")] = 0.0,
    agreement: Annotated[float | None, say("Correlation of a judge with the labels.")] = None,
    confidence: options.OneConfidence = defaults.CONFIDENCE,
    loss: options.Loss = defaults.LOSS,
    mode: Annotated[list[str] | None, say("A mode; two compare those of one run.")] = None,
    calibration: options.Calibration = None,
    seed: Annotated[int, say("Seed of the simulation.", min=0)] = defaults.SEED,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.AsJson = False,
    *,
    reading: options.Reading,
) -> None:
    """Say how many cases show a difference, from a pilot or from a guess.

    Examples:

    acumen plan run.json --mode zero_shot --mode few_shot --confidence token_msp --detect .005

    acumen plan --sd .1 --detect .03 --non-inferiority --power .9
    """
