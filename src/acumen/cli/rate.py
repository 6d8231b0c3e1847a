"""``acumen rate``: agreement among raters, and whether a judge may stand in for one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.door import by_door
from acumen.cli.options import COLUMNS, column, say

app = typer.Typer(add_completion=False)

_TEST = "The alternative annotator test"
_BIAS = "Columns that may bias a judge"


@app.command()
@options.reads_rows
@by_door
def rate(
    ratings: Annotated[str, typer.Argument(help="Ratings, as rows; - is stdin.")],
    reading: options.Reading,
    judge: Annotated[
        list[str] | None, say("A judge: a rater's name, or a column; repeatable.")
    ] = None,
    rating: Annotated[str | None, column("What a rater said, with --rater.")] = None,
    raters: Annotated[
        str | None, say("One column a rater.", metavar="A,B,C", rich_help_panel=COLUMNS)
    ] = None,
    length: Annotated[str | None, column("How long an output is.", _BIAS)] = None,
    own: Annotated[
        str | None, column("Whether it is the judge's own, or whose it is.", _BIAS)
    ] = None,
    position: Annotated[str | None, column("Which of two slots it stood in.", _BIAS)] = None,
    score: Annotated[
        str, say("What is close: ordinal or nominal.", rich_help_panel=_TEST)
    ] = "ordinal",
    epsilon: Annotated[
        float,
        say("How much worse it may be: .2 experts, .15 skilled, .1 crowds.", rich_help_panel=_TEST),
    ] = defaults.EPSILON,
    q: Annotated[
        float, say("Share of false rejections.", "--q", rich_help_panel=_TEST)
    ] = defaults.FALSE_DISCOVERY,
    fewest_instances: Annotated[
        int, say("Instances that a person must have.", rich_help_panel=_TEST)
    ] = defaults.TESTED_BY_T,
    by_case: Annotated[
        bool, say("Cases are independent, not rows.", "--by-case", rich_help_panel=_TEST)
    ] = False,
    confidence_level: options.ConfidenceLevel = defaults.CONFIDENCE_LEVEL,
    output: options.Output = None,
    html: options.Html = None,
    as_json: options.Json = False,
    full: options.Full = False,
) -> None:
    """Do raters agree, and may an AI judge stand in for one of them?

    Example: acumen rate ratings.csv --case doc --rater who --rating stars --judge gpt

    Example: acumen rate wide.csv --case doc --raters ann,ben,eve --judge ai --levels 1-5
    """
