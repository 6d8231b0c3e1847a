"""A metrics document in brief: its screen, what to know of its numbers, and every metric."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from acumen.errors import UsageError, label, printable
from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Note,
    Notes,
    Paragraph,
    Section,
    Table,
    Tone,
    Warnings,
)
from acumen.report.cells import amount, interval, plain, text, title_of, unit_of
from acumen.report.selective.outcomes import scale_note, side_names
from acumen.report.selective.screen import screen
from acumen.results.metrics import MetricsArtifact, name


def brief(
    artifact: MetricsArtifact, *, full: bool = False, metrics: Collection[str] = ()
) -> Iterator[Section | Block]:
    """What a terminal shows; ``full`` adds every metric, ``metrics`` stand in place of it all."""
    artifact.check()
    if metrics:
        yield Section("metrics", "Metrics", (metric_table(artifact, named=metrics),))
        return
    note = scale_note(artifact.scale)
    if note is not None:
        yield Paragraph(note, Tone.STRONG)
    sections = screen(artifact)
    yield from sections
    if notes := tuple(_notes(sections, side_names(artifact))):
        yield Notes(notes)
    if full:
        yield Section("metrics", "Every metric", (metric_table(artifact),))
    if artifact.left_out:
        left_out = (f"{printable(function)} ({why})" for function, why in artifact.left_out.items())
        yield Paragraph(f"not computed: {'; '.join(left_out)}", Tone.QUIET)
    if warnings := [warning for warning in artifact.warnings if warning != note]:
        yield Warnings(tuple(map(plain, warnings)))


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


def metric_table(
    artifact: MetricsArtifact,
    functions: Collection[str] | None = None,
    named: Collection[str] = (),
) -> Table:
    """Every metric: by confidence function (all, or some), then whatever the confidence.

    ``named`` are those to show, as documents name them, with their parameter or without.
    """
    levels, inputs = artifact.scale.get("levels", []), artifact.input_names
    numbers = [
        (name(function), side, variant.metrics)
        for function, side, variant in artifact.variants()
        if functions is None or function in functions
    ]
    numbers += [
        ("any", side, ms) for side, ms in zip(inputs, artifact.overall_by_input, strict=False)
    ]
    _refuse_unknown(named, {key for _, _, metrics in numbers for key in metrics})
    rows = []
    for function, side, metrics in numbers:
        who = (text(function), *([text(side)] if len(inputs) > 1 else []))
        for key, measured in metrics.items():
            if named and not {key, key.partition("@")[0]} & {*named}:
                continue
            unit = unit_of(key)
            value = amount(measured.value, unit, reason=measured.reason)
            rows.append((text(title_of(key, levels)), *who, value, interval(measured, unit)))
    several = ("input",) if len(inputs) > 1 else ()
    level = f"{100 * artifact.confidence_level:g}% interval"
    columns = ("metric", "confidence function", *several, "value", level)
    return Table("Every metric", columns, tuple(rows))


def _refuse_unknown(named: Collection[str], keys: Collection[str]) -> None:
    known = sorted({*keys, *(key.partition("@")[0] for key in keys)})
    for metric in named:
        if metric not in known:
            near = get_close_matches(metric, known, n=3) or known
            raise UsageError(f"no metric {label(metric)} here; there are {', '.join(near)}")
