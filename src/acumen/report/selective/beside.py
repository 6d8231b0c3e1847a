"""Metrics documents that were made apart, one row a system and function: numbers, and no claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from acumen.report.blocks import Block, Cell, Paragraph, Table, Tone
from acumen.report.cells import measured_cell, number, plain, text, unit_of
from acumen.results.metrics import MetricsArtifact, name

COLUMNS: Final = {"coverage": "coverage", "mean_loss": "mean loss"}
AREAS: Final = {"aurc": "AURC", "augrc": "AUGRC"}
"""Of systems that answer equally much; of others an area would reward abstaining."""
MOST_ROWS: Final = 6
APART: Final = (
    "Measured separately, so no difference is claimed: acumen evaluate with the runs themselves "
    "tests them on the same rows. Mean losses at different coverage are not comparable."
)


def beside(documents: Sequence[Any], *, full: bool = True) -> Iterator[Block]:
    """The documents of metrics in one table, where there are several.

    Without ``full`` by one confidence function each, and no more rows than a screen has room for.
    """
    artifacts = [d for d in documents if isinstance(d, MetricsArtifact) and d.confidence_variants]
    if len(artifacts) < 2:
        return
    losses = {a.loss.name for a in artifacts}
    head = ("system", "confidence", *(("loss",) if len(losses) > 1 else ()), "cases")
    reached = {v.cmax for a in artifacts for _, _, v in a.variants()}
    columns = COLUMNS | (AREAS if full and len(reached) == 1 else {})
    rows = tuple(r for a in artifacts for r in _rows(a, columns, len(losses) > 1, full=full))
    fits = full or len(rows) <= MOST_ROWS
    yield Table("Side by side", (*head, *columns.values()), rows if fits else rows[:MOST_ROWS])
    if not fits:
        yield Paragraph(f"and {len(rows) - MOST_ROWS} more: --full", Tone.QUIET)
    yield Paragraph(APART, Tone.QUIET)


def _rows(
    artifact: MetricsArtifact, columns: Mapping[str, str], with_loss: bool, *, full: bool
) -> Iterator[tuple[Cell, ...]]:
    loss = (text(plain(artifact.loss.name)),) if with_loss else ()
    for function, system, variant in artifact.variants():
        if not full and function != artifact.best_function:
            continue
        cells = (measured_cell(variant.metrics.get(key), unit_of(key)) for key in columns)
        cases = number(artifact.population.participants_included)
        yield (text(name(system)), text(name(function)), *loss, cases, *cells)
