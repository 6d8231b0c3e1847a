"""``acumen skill``: a short guide for coding agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli.options import say
from acumen.cli.output import emit

GUIDE = Path(__file__).with_name("skill.md")
"""The guide; its commands run like those of every page."""

app = typer.Typer(add_completion=False)


@app.command()
def skill(
    output: Annotated[Path | None, say("Write to this file.", "--output", "-o")] = None,
) -> None:
    """Print a guide for coding agents: which command, how to read it, what not to do.

    Example: acumen skill

    Example: acumen skill --output SKILL.md
    """
    from acumen.files.json import write_bytes

    text = GUIDE.read_text("utf-8")
    if output is None:
        emit(text)
    else:
        write_bytes(output, text.encode("utf-8"))
        typer.echo(f"acumen: wrote {output}", err=True)
