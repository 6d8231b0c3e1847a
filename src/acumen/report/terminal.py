"""An evaluation as a terminal shows it: who was judged, the tables, a plain sentence, warnings.

Nothing is computed here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from acumen.errors import printable
from acumen.report.grids import LEGEND, NAME_WIDTH, Grid, grids, without_interval
from acumen.report.letters import in_letters_of
from acumen.report.metric_reading import conclusion, population

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from acumen.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, width: int = 80, *, color: bool = False) -> str:
    """The report as text."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,  # a name with brackets in it is a name
        emoji=False,
    )
    for part in _parts(evaluation):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def print_report(evaluation: Evaluation) -> None:
    """The report on standard output, in colour on a terminal, in plain ASCII where need be."""
    from rich.console import Console

    console = Console(highlight=False)
    text = render(
        evaluation,
        width=max(80, console.width),
        color=console.is_terminal and not console.no_color,
    )
    sys.stdout.write(in_letters_of(sys.stdout.encoding or "ascii", text))


def _parts(evaluation: Evaluation) -> Iterable[RenderableType]:
    from rich.text import Text

    artifact = evaluation.artifact
    for line in inputs(evaluation):
        yield Text(line, style="bold")
    yield Text(population(artifact))
    loss = artifact.loss
    level = f"{artifact.confidence_level:.0%}"
    yield Text(f"loss {loss.name} = {loss.definition} · intervals {level}, below each number\n")
    for grid in grids(evaluation):
        yield _table(grid)
    yield Text(LEGEND, style="dim")
    for line in without_interval(evaluation):
        yield Text(f"– {line}", style="dim")
    yield Text(f"\n{conclusion(artifact)}", style="bold")
    if artifact.left_out:
        left_out = (f"{printable(name)} ({why})" for name, why in artifact.left_out.items())
        yield Text(f"\nnot computed: {'; '.join(left_out)}")
    for warning in artifact.warnings:
        yield Text(f"\nwarning: {printable(warning, limit=600)}", style="yellow")


def inputs(evaluation: Evaluation) -> Iterable[str]:
    """Which file in which mode stands on which side."""
    for index, given in enumerate(evaluation.artifact.inputs):
        side = ("left: ", "right: ")[index] if evaluation.is_paired else ""
        mode = f" · mode {printable(given.mode)}" if given.mode else ""
        yield f"{side}{printable(given.path or 'rows', limit=200)}{mode}"


def _table(grid: Grid) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=grid.title or None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, 0),
    )
    table.add_column(grid.columns[0], max_width=NAME_WIDTH, overflow="fold")
    for header in grid.columns[1 : grid.words]:
        table.add_column(header, no_wrap=True)
    # room for an interval under each number, where every number has one
    least = 9 if grid.words == 1 else None
    for header in grid.columns[grid.words :]:
        table.add_column(header, justify="right", no_wrap=True, min_width=least)
    for row in grid.rows:
        table.add_row(*row)
    return table
