"""What there is to say of a metrics document: its screen, its notes, and every metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from acumen.errors import counted, printable
from acumen.report.blocks import UNDEFINED, Head, Note, Paragraph, Section, Table, Tone
from acumen.report.sections import Ask, Family, remarks
from acumen.report.selective.brief import brief
from acumen.report.selective.compared import listed
from acumen.report.selective.metrics import metric_table
from acumen.report.selective.outcomes import judged, side_names
from acumen.report.selective.screen import screen
from acumen.results.metrics import MetricsArtifact, name


def _head(artifact: MetricsArtifact) -> Head:
    names, people = artifact.input_names, artifact.population
    by_influence = any(v.bootstrap.leave_one_out for _, _, v in artifact.variants())
    return Head(
        listed(names, 4) if artifact.comparison.enabled else _title(artifact, names[0]),
        f"{judged(people)}, "
        f"{counted(people.items_total, 'judgment') if people.items_total is not None else '…'}, "
        f"{counted(len(artifact.confidence_variants), 'confidence function')}",
        ("selective", "intervals", *(["influence"] if by_influence else [])),
    )


def _title(artifact: MetricsArtifact, run: str) -> str:
    mode = artifact.inputs[0].mode
    return run if mode is None or name(mode) == run else f"{run}, {name(mode)}"


def _main(artifact: MetricsArtifact, _: Ask) -> Iterator[Section]:
    """The screen, and what to know of its numbers."""
    artifact.check()
    sections = screen(artifact)
    yield from sections
    left_out = "; ".join(f"{printable(name)} ({why})" for name, why in artifact.left_out.items())
    absent = [Paragraph(f"not computed: {left_out}", Tone.QUIET)] if left_out else []
    warnings = [w for w in artifact.warnings if w != artifact.scale_note]
    yield remarks(_notes(sections, side_names(artifact)), warnings, *absent)


def _brief(artifact: MetricsArtifact, _: Ask) -> list[Section]:
    """One screen, and what to know of the numbers on it."""
    artifact.check()
    sections = brief(artifact)
    absent = (
        f"{counted(len(artifact.left_out), 'confidence function')} not computed: --full says why"
    )
    left_out = [Paragraph(absent, Tone.QUIET)] if artifact.left_out else []
    numbers = (section for section in sections if section.key != "slices")
    notes = _notes(numbers, side_names(artifact))
    *parts, origin = sections
    known = replace(remarks(notes, artifact.warnings, *left_out), title="")
    return [*parts, known, origin]


def _rest(artifact: MetricsArtifact, ask: Ask) -> Iterator[Section]:
    """Charts, limits, every number and every case: a screen pays for none of it."""
    from acumen.report.selective.charts import rest

    return rest(artifact, ask)


def _named(artifact: MetricsArtifact, names: tuple[str, ...]) -> Section:
    artifact.check()
    return Section("metrics", "Metrics", (metric_table(artifact, names),))


def _notes(sections: Iterable[Section], sides: list[str]) -> Iterator[Note]:
    """Why numbers of the screen have no interval or a marked one, and which; of several, whose."""
    places: dict[tuple[str, bool], dict[str, None]] = {}
    tables = (b for section in sections for b in section.blocks if isinstance(b, Table))
    rows = ((table.columns, row) for table in tables for row in table.rows)
    for columns, (first, *cells) in rows:
        for column, cell in zip(columns[1:], cells, strict=True):
            absent = UNDEFINED in (cell.interval, cell.text)
            if cell.hint is not None and (absent or cell.marked):
                whose = f" ({column})" if len(sides) > 1 and column in sides else ""
                places.setdefault((cell.hint, cell.marked), {})[first.text.strip() + whose] = None
    for (hint, marked), titles in places.items():
        where = f"{', '.join(list(titles)[:4])}{', …' if len(titles) > 4 else ''}"
        yield Note(f"{where}: {'' if marked else 'no interval, '}{hint}", marked)


METRICS: Final = Family(_head, (_main,), (_rest,), _named, _brief)
