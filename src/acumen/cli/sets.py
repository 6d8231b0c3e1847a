"""``acumen sets``: which levels hold the truth, with a promise."""

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
def sets(
    run: options.RunFile,
    alpha: Annotated[float, say("Chance that a set does not hold the truth.")] = defaults.ALPHA,
    method: Annotated[str | None, say("aps or distance; else what the run allows.")] = None,
    probabilities: Annotated[str, say("Signals of the levels' chances, with commas.")] = "",
    mode: options.Mode = None,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.AsJson = False,
    *,
    reading: options.Reading,
) -> None:
    """Make sets of neighbouring levels that hold the truth as often as --alpha promises.

    Examples:

    acumen sets run.json --mode few_shot --alpha .2 -o sets.json

    acumen sets rows.csv --levels 0-2 --probabilities p_low,p_middle,p_high
    """
