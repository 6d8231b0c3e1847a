"""``acumen evaluate``: selective-prediction metrics of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def evaluate(run: Annotated[Path, typer.Argument(help="A run file.")]) -> None:
    """Evaluate a run.

    Example: acumen evaluate run.json --mode few_shot
    """
    typer.echo(run)
