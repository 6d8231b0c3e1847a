"""A metrics document in brief: who was judged, the tables, a plain sentence, warnings.

Raw MAE is not compared between inputs: at unequal coverage it says nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, TypeVar

from acumen.errors import printable
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.report.blocks import Block, Cell, Paragraph, Section, Table, Tone, Warnings
from acumen.report.cells import amount, interval, measured_cell, plain, text, title_of, unit_of
from acumen.report.selective.compared import (
    DESCRIBED,
    MANY_FUNCTIONS,
    is_described,
    rows_of,
    shared_rows,
)
from acumen.report.selective.leaderboard import blocks as among_several
from acumen.report.selective.outcomes import (
    not_probabilities,
    overall,
    population,
    scale_note,
    side_names,
)
from acumen.report.selective.words import conclusion, meaning
from acumen.report.words import why_missing
from acumen.results.measured import Delta, Measured
from acumen.results.metrics import MetricsArtifact, Variant, name

T = TypeVar("T")

LEGEND: Final = "excess: AUGRC above its optimum; achiev.: AUGRC on its lower hull"
TESTED: Final = "p all: every row that is tested, together; risk@: where both answer as much"
_HEADERS: Final = {
    "cmax": "cmax",
    "aurc": "AURC",
    "augrc": "AUGRC",
    "eaugrc": "excess",
    "augrc_achievable": "achiev.",
}
"""Metrics of the first table under words short enough for its columns."""


def brief(artifact: MetricsArtifact, *, full: bool = False) -> Iterator[Section | Block]:
    """What a terminal shows; ``full`` adds every metric."""
    artifact.check()
    loss, level = artifact.loss, f"{artifact.confidence_level:.0%}"
    note = scale_note(artifact.scale)
    if note is not None:
        yield Paragraph(note, Tone.STRONG)
    yield Paragraph("\n".join(_inputs(artifact)), Tone.STRONG)
    about = (
        f"loss {plain(loss.name)} = {plain(loss.definition)} · intervals {level}, below each number"
    )
    if artifact.options.get("items") == "random" or artifact.options.get("estimand") == "case":
        about += f" · {meaning(artifact)}"
    yield Paragraph("\n".join([population(artifact), *overall(artifact), about]))
    if len(artifact.inputs) > 2:
        yield from among_several(artifact)
    elif artifact.confidence_variants:
        for side, title in enumerate(side_names(artifact)):
            yield _functions(artifact, side, title if artifact.comparison.enabled else "")
        if artifact.comparison.enabled:
            yield _deltas(artifact)
        notes = [LEGEND, *([TESTED] if artifact.comparison.enabled else []), *_described(artifact)]
        notes += [*_without_interval(artifact), *not_probabilities(artifact)]
        yield Paragraph("\n".join(notes), Tone.QUIET)
    if full:
        yield Section("metrics", "Every metric", (metric_table(artifact),))
    yield Paragraph(conclusion(artifact), Tone.STRONG)
    if artifact.left_out:
        left_out = (f"{printable(function)} ({why})" for function, why in artifact.left_out.items())
        yield Paragraph(f"not computed: {'; '.join(left_out)}")
    warnings = [warning for warning in artifact.warnings if warning != note]
    if warnings:
        yield Warnings(tuple(map(plain, warnings)))


def _inputs(artifact: MetricsArtifact) -> Iterator[str]:
    """Which file in which mode stands on which side."""
    for side, entry in zip(side_names(artifact), artifact.inputs, strict=False):
        mode = f" · mode {printable(entry.mode)}" if entry.mode else ""
        where = f"{printable(entry.path or 'rows', limit=200)}{mode}"
        yield f"{side}: {where}" if artifact.comparison.enabled else where


def _at_coverage(artifact: MetricsArtifact) -> Metric:
    return METRICS["mae_at_coverage"].at(coverage=artifact.common_coverage)


def _columns(artifact: MetricsArtifact) -> dict[str, str]:
    """Metric -> its header."""
    return _HEADERS | {_at_coverage(artifact).name: f"MAE@{artifact.common_coverage:g}"}


def _functions(artifact: MetricsArtifact, side: int, title: str) -> Table:
    """Confidence functions, best AUGRC first, an interval under each number."""
    columns = _columns(artifact)
    rows = [
        (Cell(_label(names)), *(measured_cell(variant.metrics.get(key)) for key in columns))
        for names, variant in _shared(_ranked(artifact, side))
    ]
    return Table(title, ("confidence", *columns.values()), tuple(rows))


def _ranked(artifact: MetricsArtifact, side: int) -> list[tuple[str, Variant]]:
    """The functions on one input, lowest AUGRC first."""
    variants = [(function, sides[side]) for function, sides in artifact.sides.items()]
    return sorted(variants, key=lambda nv: (nv[1].augrc_full is None, nv[1].augrc_full or 0.0))


def _shared(numbers_by_name: Iterable[tuple[str, T]]) -> list[tuple[list[str], T]]:
    """The functions that have the very same numbers together, in the order of the first."""
    shared: list[tuple[list[str], T]] = []
    for function, numbers in numbers_by_name:
        twin = next((names for names, other in shared if other == numbers), None)
        if twin is None:
            shared.append(([function], numbers))
        else:
            twin.append(function)
    return shared


def _deltas(artifact: MetricsArtifact) -> Table:
    """By each function what is tested, of few functions also what is described; then the rest."""
    few = len(artifact.comparison.matched) <= MANY_FUNCTIONS
    by_function = ((f, rows_of(artifact, f)) for f, _ in _ranked(artifact, 0))
    rows = []
    for names, compared in [*_shared(by_function), (["any"], shared_rows(artifact))]:
        label = _label(names)
        for row in compared:
            if few or row.delta.description is None:
                rows.append((Cell(label), Cell(row.short), *_delta_cells(row.delta)))
                label = ""
    left, right = side_names(artifact)
    columns = ("confidence", "metric", left, right, "delta", "p", "p all")
    return Table(f"{right} − {left} (paired)", columns, tuple(rows))


def _delta_cells(delta: Delta) -> list[Cell]:
    sides = [measured_cell(Measured(value=value)) for value in (delta.left, delta.right)]
    plain_sides = [Cell(cell.text, cell.value) for cell in sides]
    return [
        *plain_sides,
        measured_cell(delta, signed=True),
        _p(delta.p_value),
        _p(delta.p_adjusted),
    ]


def _p(value: float | None) -> Cell:
    if value is None:
        return text(None)
    return Cell("<.001" if value < 0.001 else f"{value:.3f}", value)


def _described(artifact: MetricsArtifact) -> list[str]:
    few = len(artifact.comparison.matched) <= MANY_FUNCTIONS
    return [DESCRIBED] if few and is_described(artifact) else []


def _label(names: list[str]) -> str:
    """The functions of a row."""
    return "\n= ".join(map(name, names))


def _without_interval(artifact: MetricsArtifact) -> list[str]:
    """Why numbers of the tables have no interval or no value, and where."""
    places: dict[str, list[str]] = {}
    sides = side_names(artifact)
    for function, variants in artifact.sides.items():
        for side, variant in zip(sides, variants, strict=True):
            for key, header in _columns(artifact).items():
                metric = variant.metrics.get(key)
                if metric is not None and metric.interval is None:
                    of = f", {side}" if artifact.comparison.enabled else ""
                    where = f"{header} of {name(function)}{of}"
                    places.setdefault(why_missing(metric) or "not given", []).append(where)
    return [
        f"– no interval ({', '.join(where[:4])}{', …' if len(where) > 4 else ''}): "
        + printable(reason, limit=300)
        for reason, where in places.items()
    ]


def metric_table(artifact: MetricsArtifact, functions: Collection[str] | None = None) -> Table:
    """Every metric: by confidence function (all, or those named), then whatever the confidence."""
    levels = artifact.scale.get("levels", [])
    inputs = artifact.input_names
    numbers = [
        (name(function), side, variant.metrics)
        for function, side, variant in artifact.variants()
        if functions is None or function in functions
    ]
    numbers += [
        ("any", side, ms) for side, ms in zip(inputs, artifact.overall_by_input, strict=False)
    ]
    rows = []
    for function, side, metrics in numbers:
        who = (text(function), *([text(side)] if len(inputs) > 1 else []))
        for key, measured in metrics.items():
            unit = unit_of(key)
            value = amount(measured.value, unit, reason=measured.reason)
            rows.append((text(title_of(key, levels)), *who, value, interval(measured, unit)))
    several = ("input",) if len(inputs) > 1 else ()
    level = f"{100 * artifact.confidence_level:g}% interval"
    columns = ("metric", "confidence function", *several, "value", level)
    return Table("Every metric", columns, tuple(rows))
