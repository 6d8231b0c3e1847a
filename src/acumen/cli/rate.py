"""``acumen rate``: agreement among raters, and whether a judge may stand in for one of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.output import check_targets, show_findings

app = typer.Typer(add_completion=False)

_TEST = "The alternative annotator test"
_BIAS = "Columns that may bias a judge"


def _column(what: str, panel: str = _BIAS) -> Any:
    return typer.Option(metavar="COLUMN", help=what, rich_help_panel=panel)


@app.command()
@options.reads_rows
def rate(
    ratings: Annotated[str, typer.Argument(help="Ratings, as rows; - is stdin.")],
    reading: options.Reading,
    judge: Annotated[
        list[str] | None, typer.Option(help="A judge: a rater's name, or a column; repeatable.")
    ] = None,
    rating: Annotated[
        str | None, _column("What a rater said, with --rater.", options.COLUMNS)
    ] = None,
    raters: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="One column a rater.", rich_help_panel=options.COLUMNS),
    ] = None,
    length: Annotated[str | None, _column("How long an output is.")] = None,
    own: Annotated[str | None, _column("Whether it is the judge's own, or whose it is.")] = None,
    position: Annotated[str | None, _column("Which of two slots it stood in.")] = None,
    score: Annotated[
        str, typer.Option(help="What is close: ordinal or nominal.", rich_help_panel=_TEST)
    ] = "ordinal",
    epsilon: Annotated[
        float,
        typer.Option(
            help="How much worse it may be: .2 experts, .15 skilled, .1 crowds.",
            rich_help_panel=_TEST,
        ),
    ] = defaults.EPSILON,
    q: Annotated[
        float, typer.Option("--q", help="Share of false rejections.", rich_help_panel=_TEST)
    ] = defaults.FALSE_DISCOVERY,
    fewest_instances: Annotated[
        int, typer.Option(help="Instances that a person must have.", rich_help_panel=_TEST)
    ] = defaults.TESTED_BY_T,
    by_case: Annotated[
        bool,
        typer.Option("--by-case", help="Cases are independent, not rows.", rich_help_panel=_TEST),
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
    check_targets({"--output": output, "--html": html}, [ratings, *options.inputs_of(reading)])
    from acumen.raters.api import rate as rate_rows

    findings = rate_rows(
        ratings,
        judge=judge or (),
        rating=rating,
        raters=raters,
        length=length,
        own=own,
        position=position,
        score=score,  # type: ignore[arg-type]  # the door refuses what is neither
        epsilon=epsilon,
        q=q,
        fewest_instances=fewest_instances,
        by_case=by_case,
        confidence_level=confidence_level,
        **reading,
    )
    show_findings(findings, output, html, as_json=as_json, full=full)
