"""Prediction-powered estimates as sections: each beside what the labels alone tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from acumen.defaults import RELIABLE_CASES
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Fact, Head, Section, Table
from acumen.report.cells import measured_cell, number, plain
from acumen.report.claims import Claim
from acumen.report.raters import DEFINITIONS, Drawing, behind, concluded
from acumen.report.samples import of_draw
from acumen.report.sections import Ask, Family
from acumen.results.raters import EstimateDocument, PoweredEstimate

if TYPE_CHECKING:
    from acumen.charts.theme import Figure

TITLES: Final = {
    "mean": ("Mean rating", Unit.NUMBER),
    "bias": ("Judge minus people", Unit.NUMBER),
    "mae": ("Judge off people, mean", Unit.NUMBER),
    "errors": ("Judge wrong", Unit.SHARE),
}
HELPED, ALONE = "with the judge", "alone"
NO_EFFECT: Final = "Judge minus people"
"""What is compared with 0."""
SUSPECT: Final = 0.01
"""Labelled cases that differ so from the others were hardly drawn at random."""


def _headline(document: EstimateDocument) -> str:
    labelled = counted(document.cases_labelled, "labelled case")
    judged = f"{document.cases_unlabelled} more that were judged, {counted(document.rows, 'row')}"
    return f"{labelled} and {judged}"


def _main(document: EstimateDocument, _: Ask) -> Iterator[Section]:
    yield Section("judged", "What was judged", finding=_headline(document))
    yield _drawing(document).section
    yield from concluded(_sentences(document), document.warnings)


def _rest(document: EstimateDocument, ask: Ask) -> Iterator[Section]:
    facts = [Fact("Mean rating", measured_cell(document.estimates["mean"].estimate))]
    origin = {"confidence level": document.confidence_level, "acumen": document.acumen_version}
    return behind(ask, facts, [_drawing(document)], origin)


def _drawing(document: EstimateDocument) -> Drawing:
    entries = _entries(document)
    caption = "With the judge's help, and from the labels alone."
    title = "What people would say of all"
    return Drawing("metrics", title, caption, _table(entries), lambda: _figure(entries))


def _figure(entries: dict[str, tuple[PoweredEstimate, Unit]]) -> Figure | None:
    from acumen.charts.raters import estimates

    sides = [
        (title, side, measured)
        for title, (entry, _) in entries.items()
        for side, measured in ((HELPED, entry.estimate), (ALONE, entry.classical))
        if measured is not None
    ]
    return estimates(sides, (HELPED, ALONE), no_effect=NO_EFFECT)


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


def _table(entries: dict[str, tuple[PoweredEstimate, Unit]]) -> Table:
    rows = tuple(
        (
            Cell(title),
            measured_cell(entry.estimate, unit),
            measured_cell(entry.classical, unit),
            number(entry.weight, ".2f"),
            number(entry.effective_cases, ".1f"),
            number(entry.labels_saved, "+.1f"),
        )
        for title, (entry, unit) in entries.items()
    )
    columns = ("of all rows", "with judge", "labels alone", "weight", "as if labelled", "saved")
    return Table("", columns, rows)


def _sentences(document: EstimateDocument) -> Iterator[str]:
    labels, p = document.labels, document.labels.random_p_value
    mean = measured_cell(document.estimates["mean"].estimate)
    yield f"{Claim.PEOPLE_WOULD_GIVE.say(mean=f'{mean.text} {mean.interval}')}."
    if not document.estimates["mae"].weight:
        yield "Errors and distances of the judge rest on the labels alone: no confidence helps."
    if not labels.enough:
        yield f"Fewer than {RELIABLE_CASES} labelled cases: no interval of these can be relied on."
    if labels.partly_labelled:
        cases = counted(labels.partly_labelled, "case")
        yield f"{cases} labelled in part: their rows without a label are left out."
    yield from of_draw(labels.drawn)
    if document.not_judged:
        yield f"{counted(document.not_judged, 'row')} without a rating of the judge left out."
    if p is not None and p < SUSPECT:
        yield (
            f"{Claim.NOT_AT_RANDOM.say()} (p = {p:.2g}): were they drawn at random? If not, none "
            "of this holds."
        )


ESTIMATES: Final = Family(
    lambda d: Head(plain(d.judged_in or "Judged cases"), _headline(d), DEFINITIONS),
    (_main,),
    (_rest,),
)
