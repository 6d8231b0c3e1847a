"""``acumen estimate``: what people would say of all cases, from few that they labelled."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.output import check_targets, show_findings

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def estimate(
    judged: Annotated[str, typer.Argument(help="Rows with the judge's ratings; - is stdin.")],
    labelled: Annotated[
        str, typer.Option(metavar="COLUMN", help="People's ratings, empty where there are none.")
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
    check_targets({"--output": output, "--html": html}, [judged, *options.inputs_of(reading)])
    from acumen.raters.estimate import estimate as estimate_rows

    findings = estimate_rows(
        judged, labelled=labelled, confidence_level=confidence_level, **reading
    )
    show_findings(findings, output, html, as_json=as_json, full=full)
