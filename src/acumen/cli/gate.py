"""``acumen gate``: an exit code for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli import options
from acumen.cli.door import by_door
from acumen.cli.options import say

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
@by_door
def gate(
    new: options.RunFile,
    base: Annotated[str | None, typer.Argument(help="The baseline, a run of the cases.")] = None,
    metric: Annotated[list[str] | None, say("A metric that must pass; repeatable.")] = None,
    margin: Annotated[float | None, say("How much worse is still allowed.")] = None,
    equivalence: Annotated[bool, say("The margin holds both ways.", "--equivalence")] = False,
    superiority: Annotated[bool, say("Ask for better than the base.", "--superiority")] = False,
    at_least: Annotated[float | None, say("The least value of the new run.")] = None,
    at_most: Annotated[float | None, say("The largest value of the new run.")] = None,
    file: Annotated[Path | None, say("A gate file (TOML) with several requirements.")] = None,
    by: Annotated[list[str] | None, say("A column to slice by: all groups must pass.")] = None,
    least_cases: Annotated[int | None, say("With fewer cases it does not pass.", min=0)] = None,
    undecided: Annotated[str | None, say("pass or fail: what undecided counts as.")] = None,
    confidence: Annotated[str | None, say("The confidence function to go by.")] = None,
    loss: Annotated[str | None, say("As of acumen evaluate.")] = None,
    mode: options.Mode = None,
    calibration: options.Calibration = None,
    intersection_only: Annotated[bool, say("The cases both have.", "--intersection-only")] = False,
    output: options.Output = None,
    html: options.Html = None,
    junit: Annotated[Path | None, say("Write JUnit XML here.")] = None,
    markdown: Annotated[Path | None, say("Write Markdown here, for a comment.")] = None,
    as_json: options.AsJson = False,
    *,
    reading: options.Reading,
) -> None:
    """Pass (exit code 0), fail (1) or leave undecided (5) what is asked of a run.

    Examples:

    acumen gate new.json base.json --metric augrc --metric mae --margin .01 --junit gate.xml

    acumen gate rows.csv --metric quadratic_kappa --at-least .5 --least-cases 20 --by site
    """
