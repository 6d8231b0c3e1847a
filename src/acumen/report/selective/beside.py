"""Metrics documents that were made apart, one row a system and function: numbers, and no claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from acumen.report.blocks import Block, Cell, Paragraph, Table, Tone
from acumen.report.cells import measured_cell, number, plain, text, unit_of
from acumen.results.metrics import MetricsArtifact, name

COLUMNS: Final = {"cmax": "coverage", "mae": "mean loss", "aurc": "AURC", "augrc": "AUGRC"}
APART: Final = (
    "Made apart, so nothing is claimed of differences: acumen evaluate with the runs themselves "
    "tests them on the same rows. Mean losses and AURC of unlike coverage are not comparable."
)


def beside(documents: Sequence[Any]) -> Iterator[Block]:
    """The documents of metrics in one table, where there are several."""
    artifacts = [d for d in documents if isinstance(d, MetricsArtifact) and d.confidence_variants]
    if len(artifacts) < 2:
        return
    losses = {a.loss.name for a in artifacts}
    head = ("system", "confidence", *(("loss",) if len(losses) > 1 else ()), "cases")
    rows = tuple(row for artifact in artifacts for row in _rows(artifact, len(losses) > 1))
    yield Table("Side by side", (*head, *COLUMNS.values()), rows)
    yield Paragraph(APART, Tone.QUIET)


def _rows(artifact: MetricsArtifact, with_loss: bool) -> Iterator[tuple[Cell, ...]]:
    loss = (text(plain(artifact.loss.name)),) if with_loss else ()
    for function, system, variant in artifact.variants():
        cells = (measured_cell(variant.metrics.get(key), unit_of(key)) for key in COLUMNS)
        cases = number(artifact.population.participants_included)
        yield (text(name(system)), text(name(function)), *loss, cases, *cells)
