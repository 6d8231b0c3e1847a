"""What is measured from counts, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from acumen.errors import counted, printable
from acumen.metrics.registry import Unit
from acumen.report.blocks import UNDEFINED, Cell, Detail, Head, Paragraph, Section, Table
from acumen.report.cells import bracketed, measured_cell, title_of, unit_of
from acumen.report.sections import Ask, Family, remarks
from acumen.report.words import note_of, why_missing
from acumen.results.counts import Certified, LargeArtifact, LargeSystem

NOT_HERE = (
    "Not measured where the rows live: p-values (they swap the systems within every case), "
    "risks at a coverage (they jump from row to row), curves and charts (they show rows)."
)


def _main(artifact: LargeArtifact, _: Ask) -> Iterator[Section]:
    """The headline, every system, differences, slices, and what to know of them."""
    counts = Paragraph(_exactness(artifact))
    yield Section("judged", "What was counted", (counts,), Detail.ANSWER, _headline(artifact))
    yield Section("metrics", "How right is it", tuple(_tables(artifact)))
    notes = [*_notes(artifact), *([NOT_HERE] if artifact.engine else [])]
    yield remarks(notes, _warnings(artifact))


def _headline(artifact: LargeArtifact) -> str:
    of_cases = "".join(f" of {counted(n, 'case')}" for n in _cases(artifact))
    by = f", counted by {artifact.engine}" if artifact.engine else ""
    source = printable(artifact.source, limit=200)
    head = f"{source}: {counted(artifact.rows, 'row')}{of_cases}{by}; loss {artifact.loss}"
    return f"{head}; {artifact.confidence_level:.0%} intervals"


def _cases(artifact: LargeArtifact) -> set[int]:
    return {s.cases for s in artifact.systems.values() if s.cases is not None}


def _parts(artifact: LargeArtifact) -> Iterator[tuple[str, dict[str, LargeSystem]]]:
    yield "", artifact.systems
    yield from artifact.slices.items()


def _tables(artifact: LargeArtifact) -> Iterator[Table]:
    for part, systems in _parts(artifact):
        for name, system in systems.items():
            title = ", ".join(text for text in (part, name if len(systems) > 1 else "") if text)
            yield _table(printable(title) or "Metric", system.metrics)
            if system.deltas:
                rows = tuple(
                    (Cell(title_of(key)), measured_cell(delta, unit_of(key), signed=True))
                    for key, delta in system.deltas.items()
                )
                first = printable(next(iter(systems)))
                yield Table("", (f"minus {first}", "Difference"), rows)


def _notes(artifact: LargeArtifact) -> Iterator[str]:
    if not _cases(artifact):
        yield "Intervals need a second round: acumen count --against these counts."
        return
    for _, systems in _parts(artifact):
        for system in systems.values():
            for name, metric in system.metrics.items():
                note = note_of(metric.interval) if metric.interval else why_missing(metric)
                if note:
                    yield f"{title_of(name)}: {note}"


def _exactness(artifact: LargeArtifact) -> str:
    hidden, cells = artifact.suppressed_rows, f"({artifact.cells:,} cells)"
    left_out = (
        f"; {counted(hidden, 'row')} (weight {artifact.suppressed_weight:g}) in small cells were "
        "left out, so these are not the numbers of all rows"
    )
    if artifact.bits is None:
        return f"Every confidence is a bin of its own {cells}{left_out if hidden else ': exact'}."
    return (
        f"There are too many confidences to count each: bins are their {artifact.bits} leading "
        f"bits {cells}. What depends on the order inside a bin has bounds, between which the value "
        f"of the rows lies; what has none is exact{left_out if hidden else ''}."
    )


def _table(caption: str, metrics: Mapping[str, Certified]) -> Table:
    has_bounds = any(m.bounds is not None for m in metrics.values())
    rows = []
    for name, metric in metrics.items():
        cells = (Cell(title_of(name)), measured_cell(metric, unit_of(name)))
        rows.append((*cells, _between(metric, unit_of(name))) if has_bounds else cells)
    columns = (caption, "Value", "Between")
    return Table("", columns[: 3 if has_bounds else 2], tuple(rows))


def _between(metric: Certified, unit: Unit) -> Cell:
    """Where the value of the rows lies, to more digits than people need of a value."""
    if metric.bounds is None:
        return Cell(UNDEFINED)
    factor, sign = (100, "%") if unit is Unit.SHARE else (1, "")
    return Cell(bracketed(*(f"{factor * end:.8g}{sign}" for end in metric.bounds)))


def _warnings(artifact: LargeArtifact) -> Iterator[str]:
    if artifact.sites > 1 and not artifact.are_cases_apart:
        yield "that no case lies at two sites was not checked; acumen count --salt makes it so"


LARGE: Final = Family(
    lambda a: Head(printable(a.source, limit=200), _headline(a), ("selective", "intervals")),
    (_main,),
)
