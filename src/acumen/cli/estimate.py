"""``acumen estimate``: what people would say of all cases, from few that they labelled."""

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
def estimate(
    judged: Annotated[str, typer.Argument(help="Rows with the judge's ratings; - is stdin.")],
    labelled: Annotated[
        str, say("People's ratings, empty where there are none.", metavar="COLUMN")
    ],
    reading: options.Reading,
    confidence_level: options.ConfidenceLevel = defaults.CONFIDENCE_LEVEL,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.Json = False,
    full: options.Full = False,
) -> None:
    """What would people say of all cases? From few they labelled and many a judge rated (PPI++).

    Example: acumen estimate judged.csv --case doc --prediction ai --labelled human --levels 1-5

    Example: acumen estimate two.csv --prediction ai --labelled human --system model --group lang
    """
