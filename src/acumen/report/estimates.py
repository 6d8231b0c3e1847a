"""Prediction-powered estimates as blocks: each beside what the labels alone tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from acumen.charts.raters import effects
from acumen.defaults import RELIABLE_CASES
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import (
    Block,
    Cell,
    Fact,
    Facts,
    Note,
    Notes,
    Paragraph,
    Section,
    Study,
    Table,
    Tone,
    Warnings,
)
from acumen.report.cells import measured_cell, number, plain
from acumen.report.plots import plot, plots
from acumen.results.measured import Measured
from acumen.results.raters import EstimateDocument, PoweredEstimate

TITLES: Final = {
    "mean": ("Mean rating", Unit.NUMBER),
    "bias": ("Judge minus people", Unit.NUMBER),
    "mae": ("Judge off people, mean", Unit.NUMBER),
    "errors": ("Judge wrong", Unit.SHARE),
}
SUSPECT: Final = 0.01
"""Labelled cases that differ so from the others were hardly drawn at random."""


def brief(document: EstimateDocument, *, full: bool = False) -> Iterator[Section | Block]:
    """What a terminal shows."""
    yield Paragraph(_headline(document), Tone.STRONG)
    yield Section("metrics", "What people would say of all", (_table(document),))
    yield Notes(tuple(map(Note, _sentences(document))))
    if document.warnings:
        yield Warnings(tuple(map(plain, document.warnings)))


def study_of(document: EstimateDocument, key: str, command: str | None = None) -> Study:
    """Everything a page tells."""
    named = {t: e for t, (e, unit) in _entries(document).items() if unit is Unit.NUMBER}
    sides = [(t, side, m) for t, e in named.items() for side, m in _sides(e).items()]
    figure = plot(
        key,
        "estimates",
        effects([(side, title, m) for title, side, m in sides], "in units of the scale"),
        "With the judge and without",
        "Estimates of what people would say, with the judge's help and from labels alone.",
        _table(document),
    )
    blocks = (*plots(figure), *(() if figure else (_table(document),)))
    return Study(
        key=key,
        title=plain(document.judged_in or "Judged cases"),
        subtitle=_headline(document),
        answers=(("What can be concluded", tuple(_sentences(document))),),
        facts=Facts((Fact("Mean rating", measured_cell(document.estimates["mean"].estimate)),)),
        warnings=Warnings(tuple(map(plain, document.warnings))),
        sections=(
            Section("estimates", "What people would say of all", blocks),
            *([Section("provenance", "Provenance", (Paragraph(command),))] if command else []),
        ),
        definitions=("intervals",),
    )


def _sides(entry: PoweredEstimate) -> Mapping[str, Measured]:
    sides = {"with the judge": entry.estimate}
    return sides | ({} if entry.classical is None else {"labels alone": entry.classical})


def _headline(document: EstimateDocument) -> str:
    return (
        f"{counted(document.cases_labelled, 'labelled case')} and "
        f"{document.cases_unlabelled} more that were judged, {counted(document.rows, 'row')}"
    )


def _entries(document: EstimateDocument) -> dict[str, tuple[PoweredEstimate, Unit]]:
    """Everything that is estimated, by its title."""
    out = {TITLES[k][0]: (e, TITLES[k][1]) for k, e in document.estimates.items()}
    if document.difference is not None:
        left, right = map(plain, document.systems)
        out[f"Mean rating, {right} minus {left}"] = document.difference, Unit.NUMBER
    out |= {f"{plain(k)} or above": (e, Unit.SHARE) for k, e in document.at_least.items()}
    return out | {
        f"Mean rating, {plain(column)} {plain(value)}": (entry, Unit.NUMBER)
        for column, by_value in document.slices.items()
        for value, entry in by_value.items()
    }


def _table(document: EstimateDocument) -> Table:
    rows = tuple(
        (
            Cell(title),
            measured_cell(entry.estimate, unit),
            measured_cell(entry.classical, unit),
            number(entry.weight, ".2f"),
            number(entry.effective_cases, ".1f"),
            number(entry.labels_saved, "+.1f"),
        )
        for title, (entry, unit) in _entries(document).items()
    )
    columns = ("of all rows", "with judge", "labels alone", "weight", "as if labelled", "saved")
    return Table("", columns, rows)


def _sentences(document: EstimateDocument) -> Iterator[str]:
    labels = document.labels
    yield "Errors and distances of the judge rest on the labels alone: nothing stands in for them."
    if not labels.enough:
        yield f"Fewer than {RELIABLE_CASES} labelled cases: no interval of these can be relied on."
    if labels.partly_labelled:
        cases = counted(labels.partly_labelled, "case")
        yield f"{cases} labelled in part: their rows without a label are left out."
    if document.not_judged:
        yield f"{counted(document.not_judged, 'row')} without a rating of the judge left out."
    if labels.random_p_value is not None and labels.random_p_value < SUSPECT:
        yield (
            "The judge rates labelled cases unlike the others "
            f"(p = {labels.random_p_value:.2g}): were they drawn at random? If not, none of this "
            "holds."
        )
