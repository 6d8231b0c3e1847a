"""``acumen plot``: one chart as a figure file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets
from acumen.cli.progress import waiting
from acumen.errors import UsageError
from acumen.extras import need

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def plot(
    source: Annotated[
        Path | None,
        typer.Argument(help=f"A run ({options.FORMATS}), a metrics artifact, or results."),
    ] = None,
    chart: Annotated[str, say("Which chart; 'list' shows the names.")] = "list",
    output: Annotated[Path | None, say("A .svg, .png or .pdf file.", "--output", "-o")] = None,
    width: Annotated[
        str | None, say("Width in print, such as 3.25in, 5.5in or 84mm; text has 8 points then.")
    ] = None,
    font_size: Annotated[
        float | None, say("Size of all text in points, such as 8.", min=4, max=24)
    ] = None,
    functions: Annotated[
        str | None, say("Draw only these confidence functions of it, with commas between.")
    ] = None,
    mode: options.Mode = None,
    confidence: options.Confidence = defaults.CONFIDENCE,
    *,
    reading: options.Reading,
) -> None:
    """Draw one chart at paper quality: SVG, PNG (300 dots an inch) or PDF.

    Examples:

    acumen plot metrics.json --chart risk-coverage --output curve.pdf

    acumen plot run.json --mode few_shot --confidence all --chart forest -o forest.svg

    acumen plot metrics.json --chart confidence --functions llm --width 3.25in -o c.pdf
    """
    from acumen.charts import available

    if chart == "list":
        for name, what in available().items():
            typer.echo(f"{name:<18}{what}")
        return
    need("report", "acumen plot")
    from acumen.charts.export import FORMATS, write_figure
    from acumen.charts.paper import Paper

    if source is None:
        raise UsageError("give a run, a metrics artifact or results to draw from")
    if output is None:
        raise UsageError("--output FILE is missing: where should the figure go?")
    if output.suffix.lower() not in FORMATS:
        raise UsageError(f"a figure is {', '.join(FORMATS)}, not '{output.suffix}'")
    paper = Paper.of(width, font_size)
    check_targets({"--output": output}, [source, *options.inputs_of(reading)])
    from acumen.questions.chart import chart as draw

    names = None if functions is None else [name.strip() for name in functions.split(",")]
    with waiting("drawing"):
        figure = draw(chart, source, mode=mode, confidence=confidence, functions=names, **reading)
        write_figure(figure, output, paper)
    typer.echo(f"acumen: wrote {output}", err=True)
