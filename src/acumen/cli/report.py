"""``acumen report``: artifacts as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets
from acumen.cli.progress import waiting
from acumen.extras import need

app = typer.Typer(add_completion=False)


@app.command()
def report(
    documents: Annotated[
        list[Path],
        typer.Argument(help="What acumen evaluate or acumen score wrote.", metavar="ARTIFACT..."),
    ],
    output: Annotated[Path, say("Where the page goes.", "--output", "-o")] = Path("report.html"),
    texts: options.Texts = False,
) -> None:
    """Make one self-contained HTML page of saved artifacts; it opens from disk, offline.

    Examples:

    acumen report metrics.json --output report.html

    acumen report few_shot.json verdicts.json -o both.html
    """
    need("report", "acumen report")
    from acumen.report.html import write_report

    check_targets({"--output": output}, documents)
    with waiting("drawing the page"):
        write_report(documents, output, texts=texts)
    typer.echo(f"acumen: wrote {output}", err=True)
