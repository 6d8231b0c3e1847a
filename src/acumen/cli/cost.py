"""``acumen cost``: below which confidence handing over is cheaper."""

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
def cost(
    run: options.RunFile,
    abstain_cost: Annotated[float, say("What handing a judgment over costs, in the same units.")],
    costs: Annotated[str, say("A loss by name, or a TOML file of costs.")] = defaults.COSTS,
    confidence: options.OneConfidence = defaults.CONFIDENCE,
    folds: Annotated[int, say("Folds of cases to choose and to pay on.")] = defaults.COST_FOLDS,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.AsJson = False,
    *,
    reading: options.Reading,
) -> None:
    """Find the threshold at which answering and handing over together cost least.

    Examples:

    acumen cost run.json --mode few_shot --confidence token_msp --abstain-cost .5 --html cost.html

    acumen cost rows.csv --abstain-cost 2 --costs triage.toml -o cost.json
    """
