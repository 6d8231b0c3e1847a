"""``acumen report``: artifacts as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli.targets import check_targets

app = typer.Typer(add_completion=False)


@app.command()
def report(
    artifacts: Annotated[
        list[Path],
        typer.Argument(help="What acumen evaluate or acumen score wrote.", metavar="ARTIFACT..."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the page goes.")] = Path(
        "report.html"
    ),
    texts: Annotated[
        bool, typer.Option("--texts", help="Show the texts of cases that an artifact keeps.")
    ] = False,
    debug: Annotated[bool, typer.Option(help="Show a traceback on errors.", hidden=True)] = False,
) -> None:
    """Make one self-contained HTML page of saved artifacts; it opens from disk, offline.

    Examples:

    acumen report metrics.json --output report.html

    acumen report few_shot.json verdicts.json -o both.html
    """
    from acumen.report.html import write_report

    check_targets({"--output": output}, artifacts)
    write_report(artifacts, output, texts=texts)
    typer.echo(f"acumen: wrote {output}", err=True)
