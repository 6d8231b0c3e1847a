"""``acumen schema``: the JSON Schema of what acumen writes."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen.cli.output import emit

app = typer.Typer(add_completion=False)


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(help="An artifact's name; without one, they are listed.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.", hidden=True)] = False,
) -> None:
    """Print the JSON Schema of an artifact.

    Example: acumen schema metrics > metrics.schema.json
    """
    from acumen.files.json import to_json
    from acumen.results.metrics import SCHEMAS, schema_of

    if name is not None:
        emit(to_json(schema_of(name)))
        return
    for known, model in SCHEMAS.items():
        about = (model.__doc__ or "").strip().split("\n")[0]
        typer.echo(f"{known:12}{about}")
