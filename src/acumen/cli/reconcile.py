"""``acumen reconcile``: the same data as other tools would show it, and why they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from acumen import defaults
from acumen.cli import options

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments
    from acumen.views.ranking import Ranking

app = typer.Typer(add_completion=False)


@app.command()
def reconcile(
    run: options.RunFile,
    mode: options.Mode = None,
    confidence: options.Confidence = defaults.CONFIDENCE,
    scale: options.Scale = None,
) -> None:
    """One run's AURC as other tools would show it, and why their numbers differ.

    The tools are fd-shifts, torch-uncertainty, lm-polygraph, HELM and MAPIE.
    There is one table for each confidence function.

    Example: acumen reconcile run.json --mode few_shot --confidence token_msp
    """
    from acumen.cli.ranking import rank_run
    from acumen.report.verdict_tables import show, terminal

    table, rankings = rank_run(run, mode=mode, confidence=confidence, scale=scale)
    if confidence == defaults.CONFIDENCE:  # its names are one function under two names
        rankings = dict(list(rankings.items())[:1])
    for name, ranking in rankings.items():
        show(terminal(), _parts(name, ranking, table))


def _parts(name: str, ranking: Ranking, table: Judgments) -> list[Any]:
    from rich.padding import Padding
    from rich.text import Text

    from acumen.metrics.conventions import readings

    n, rows = len(ranking.order), len(ranking)
    title = (
        f"{name}: area under risk of {n} answered of {rows} rows, "
        f"{len(table.included.cases)} {table.scale.case}s, loss {defaults.LOSS} (0 to 1)"
    )
    numbers = readings(ranking)
    if not numbers:
        return [Text(title, style="bold"), Text("No row was answered: there is no curve.\n")]
    distinct = len(ranking.ends)
    note = (
        f"{distinct} distinct confidences among {n} rows: there are ties, and the numbers marked "
        "'ties in row order' change when the rows of the file do."
        if distinct < n
        else "No two rows are tied, so no number depends on the order of the rows."
    )
    if ranking.weight is not None:
        note += " The rows' weights are left aside: the other tools have none."
    return [Text(title, style="bold"), _table(numbers), Padding(Text(note), (0, 0, 1, 0))]


def _table(numbers: list[Any]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SQUARE, show_lines=True)
    table.add_column("Tool: its name for it", no_wrap=True)
    table.add_column("Number", justify="right", no_wrap=True)
    table.add_column("Why")
    for reading in numbers:
        value = "–" if reading.value is None else f"{reading.value:.4f}"
        table.add_row(f"{reading.tool}:\n  {reading.name}", value, reading.why)
    return table
