"""``acumen schema``: the JSON Schema of what acumen reads and writes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from acumen.cli.output import emit
from acumen.errors import UsageError, printable

app = typer.Typer(add_completion=False)


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(help="A document's name; without one, they are listed.")
    ] = None,
) -> None:
    """Print the JSON Schema of a document: the model that checks it.

    Example: acumen schema

    Example: acumen schema metrics > metrics.schema.json
    """
    from acumen.files.json import to_json
    from acumen.results.kinds import KINDS

    if name is None:
        for known in KINDS:
            about = (KINDS[known].model.__doc__ or "").strip().split("\n")[0]
            typer.echo(f"{known:12}{about}")
        return
    if name not in KINDS:
        raise UsageError(f"no schema '{printable(name)}'; there are {', '.join(KINDS)}")
    emit(to_json(schema_of(name)))


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a document."""
    from acumen.results.kinds import KINDS

    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | KINDS[name].model.model_json_schema()
