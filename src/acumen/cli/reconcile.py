"""``acumen reconcile``: the same data as other tools would show it, and why they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from acumen import defaults
from acumen.cli import options

if TYPE_CHECKING:
    from acumen.report.blocks import Block
    from acumen.table.judgments import Judgments
    from acumen.views.ranking import Ranking

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def reconcile(
    run: options.RunFile,
    mode: options.Mode = None,
    confidence: options.Confidence = defaults.CONFIDENCE,
    *,
    reading: options.Reading,
) -> None:
    """One run's AURC as other tools would show it, and why their numbers differ.

    The tools are fd-shifts, torch-uncertainty, lm-polygraph, HELM and MAPIE.
    There is one table for each confidence function.

    Example: acumen reconcile run.json --mode few_shot --confidence token_msp

    Example: acumen reconcile rows.csv
    """
    from acumen.cli.ranking import rank_run
    from acumen.report.terminal import print_parts

    table, rankings = rank_run(run, reading, mode=mode, confidence=confidence)
    if confidence == defaults.CONFIDENCE:  # its names are one function under two names
        rankings = dict(list(rankings.items())[:1])
    print_parts(part for name, r in rankings.items() for part in _parts(name, r, table))


def _parts(name: str, ranking: Ranking, table: Judgments) -> list[Block]:
    from acumen.metrics.conventions import readings
    from acumen.report.blocks import Cell, Paragraph, Table, Tone
    from acumen.report.cells import number

    n, rows = len(ranking.order), len(ranking)
    heading = Paragraph(
        f"{name}: area under risk of {n} answered of {rows} rows, "
        f"{len(table.included.cases)} {table.scale.case}s, loss {defaults.LOSS} (0 to 1)",
        Tone.STRONG,
    )
    areas = readings(ranking)
    if not areas:
        panel = "Other tools have one truth a row: of several raters, say which by --truth-is."
        return [heading, Paragraph(panel if n else "No row was answered: there is no curve.")]
    distinct = len(ranking.ends)
    note = (
        f"{distinct} distinct confidences among {n} rows: there are ties, and the numbers marked "
        "'ties in row order' change when the rows of the file do."
        if distinct < n
        else "No two rows are tied, so no number depends on the order of the rows."
    )
    if ranking.weight is not None:
        note += " The rows' weights are not used: the other tools have none."
    cells = tuple(
        (Cell(f"{area.tool}:\n  {area.name}"), number(area.value), Cell(area.why)) for area in areas
    )
    return [heading, Table("", ("Tool: its name for it", "Number", "Why"), cells), Paragraph(note)]
