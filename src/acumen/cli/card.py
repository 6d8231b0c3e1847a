"""``acumen card``: a promise with all that it rests on, in one file."""

from __future__ import annotations

import typer

from acumen.cli.questions import command_of
from acumen.questions import find_question

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def card() -> None:
    """Make a card of a promise, or check it on other data.

    Example: acumen card make rows.csv --threshold promise.json --judge j --labelled-by me

    Example: acumen card check card.json labelled.csv
    """


for _name in ("make", "check"):
    app.command(_name)(command_of(find_question(f"card {_name}")))
