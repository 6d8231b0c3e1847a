"""``acumen plot``: one chart as a figure file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen.cli.targets import check_targets
from acumen.errors import UsageError, printable

if TYPE_CHECKING:
    from acumen.charts.theme import Figure
    from acumen.results.verdicts import PairDocument

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
    from acumen.charts.export import FORMATS, available

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
    figure: Figure = _draw(chart, source, mode=mode, scale=scale, confidence=confidence)
    from acumen.charts.export import write_figure

    write_figure(figure, output)
    typer.echo(f"acumen: wrote {output}", err=True)


def _draw(
    name: str,
    source: Path,
    *,
    mode: str | None = None,
    scale: str | None = None,
    confidence: str = "default",
) -> Figure:
    """A chart of a file: a metrics artifact, results, or a run that is evaluated first."""
    from acumen.charts import chart
    from acumen.evaluation.evaluate import evaluate
    from acumen.evaluation.plan import Plan
    from acumen.files.json import read_json, source_name
    from acumen.readers import FORMATS as TABLES
    from acumen.readers import read
    from acumen.readers.run import run_from_document
    from acumen.results.files import document_of, is_document
    from acumen.results.metrics import MetricsArtifact
    from acumen.results.verdicts import PairDocument
    from acumen.table.scale import find_scale

    if source.suffix.lower() in TABLES:
        table = read(source, mode=mode, scale=scale)
    else:  # read once: a pipe cannot be read again
        document = read_json(source)
        if is_document(document):
            read_one = document_of(document, source_name(source))
            if isinstance(read_one, MetricsArtifact):
                return chart(name, read_one)
            if isinstance(read_one, PairDocument):
                return _of_results(name, read_one)
        chosen = None if scale is None else find_scale(scale)
        table = run_from_document(document, mode=mode, scale=chosen, path=source)
    return chart(name, evaluate(table, plan=Plan(confidence=confidence)))


def _of_results(name: str, document: PairDocument) -> Figure:
    from acumen.charts.verdicts import VERDICT_CHARTS

    if name not in VERDICT_CHARTS:
        raise UsageError(
            f"no chart '{printable(name)}' of results; there are {', '.join(VERDICT_CHARTS)}"
        )
    figure = VERDICT_CHARTS[name](document.systems)
    if figure is None:
        raise UsageError(f"the results hold nothing to draw for the chart '{name}'")
    return figure
