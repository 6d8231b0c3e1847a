"""``acumen confidence``: which confidence functions there are, and which a run can compute."""

from __future__ import annotations

import typer

from acumen.cli import options
from acumen.cli.output import warn
from acumen.cli.progress import waiting
from acumen.errors import printable

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def confidence(
    run: options.OneRun = None,
    input_file: options.Input = None,
    mode: options.Mode = None,
    *,
    reading: options.Reading,
) -> None:
    """List the confidence functions: name, what it is, the signals it needs.

    Given a run, also which of them it can compute, why not the others, and its own signals.

    Example: acumen confidence

    Example: acumen confidence run.json --mode few_shot
    """
    from acumen import confidence as confidences

    path = options.one_run(run, input_file)
    verdicts: dict[str, str] = {}
    if path is not None:
        from acumen.evaluation.inputs import one_table

        with waiting():
            table = one_table(path, mode, reading)
        warn(table.warnings)
        verdicts = confidences.availability(table)
    for name in confidences.names():
        function = confidences.find(name)
        needs = [*function.needs]
        if isinstance(function, confidences.Calibrated):
            needs.append("a calibration artifact")
        typer.echo(f"{name}\n    {function.about}\n    needs {', '.join(needs)}")
        if name in verdicts:
            typer.echo(f"    this run: {verdicts[name]}")
    for name in (n for n in verdicts if n not in confidences.names()):
        about = "A signal of this table, as it is: asked for by its name."
        typer.echo(f"{printable(name)}\n    {about}\n    this run: {verdicts[name]}")
    typer.echo("secondary:<a>+<b>:<average|product>\n    Two of these combined, row by row.")
    typer.echo("calibrated:<name>\n    A temperature or isotonic artifact applied to one of these.")
