"""``acumen confidence``: which confidence functions there are, and which a run can compute."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def confidence(
    run: Annotated[Path | None, typer.Argument(help="A run: which can it compute?")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="The same as RUN.")] = None,
    mode: Annotated[str | None, typer.Option(help="Which experiment of the run.")] = None,
    scale: Annotated[
        str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """List the confidence functions: name, what it is, the signals it needs.

    Given a run, also which of them it can compute, why not the others, and its own signals.

    Example: acumen confidence run.json --mode few_shot
    """
    from acumen import confidence as confidences
    from acumen.errors import UsageError, printable

    if run is not None and input_file is not None:
        raise UsageError("give one run: RUN or --input FILE")
    path = run or input_file
    verdicts: dict[str, str] = {}
    if path is not None:
        from acumen.cli.ranked import warn
        from acumen.readers import read

        table = read(path, mode=mode, scale=scale)
        warn(table.warnings)
        verdicts = confidences.availability(table)
    for name in confidences.names():
        found = confidences.find(name)
        typer.echo(name)
        typer.echo(f"    {found.about}")
        needs = ", ".join(found.needs)
        if isinstance(found, confidences.Calibrated):
            needs = ", ".join(filter(None, [needs, "a calibration artifact"]))
        typer.echo(f"    needs {needs}")
        if name in verdicts:
            typer.echo(f"    this run: {verdicts[name]}")
    for name in (n for n in verdicts if n not in confidences.names()):
        typer.echo(
            f"{printable(name)}\n    A signal of this table, as it is: asked for by its name."
        )
        typer.echo(f"    this run: {verdicts[name]}")
    typer.echo("secondary:<a>+<b>:<average|product>\n    Two of these combined, row by row.")
    typer.echo("calibrated:<name>\n    A temperature or isotonic artifact applied to one of these.")
