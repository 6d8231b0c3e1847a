"""``acumen plot``: one chart as a figure file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen.cli.targets import check_targets
from acumen.errors import UsageError

if TYPE_CHECKING:
    from acumen.charts.theme import Figure

app = typer.Typer(add_completion=False)


@app.command()
def plot(
    source: Annotated[
        Path | None,
        typer.Argument(help="A run (JSON, JSONL, CSV, Parquet), a metrics artifact, or results."),
    ] = None,
    chart: Annotated[str, typer.Option(help="Which chart; 'list' shows the names.")] = "list",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .svg, .png or .pdf file.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="Which experiment of a run.")] = None,
    scale: Annotated[
        str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="Functions of a run: names with commas, default or all.")
    ] = "default",
    debug: Annotated[bool, typer.Option(help="Show a traceback on errors.", hidden=True)] = False,
) -> None:
    """Draw one chart at paper quality: SVG, PNG (300 dots an inch) or PDF.

    Examples:

    acumen plot metrics.json --chart risk-coverage --output curve.pdf

    acumen plot run.json --mode few_shot --confidence all --chart forest -o forest.svg
    """
    from acumen.charts.export import FORMATS, available, draw

    if chart == "list":
        for name, what in available().items():
            typer.echo(f"{name:<18}{what}")
        return
    if source is None:
        raise UsageError("give a run, a metrics artifact or results to draw from")
    if output is None:
        raise UsageError("--output FILE is missing: where should the figure go?")
    if output.suffix.lower() not in FORMATS:
        raise UsageError(f"a figure is {', '.join(FORMATS)}, not '{output.suffix}'")
    check_targets({"--output": output}, [source, scale])
    figure: Figure = draw(chart, source, mode=mode, scale=scale, confidence=confidence)
    from acumen.charts.export import write_figure

    write_figure(figure, output)
    typer.echo(f"acumen: wrote {output}", err=True)
