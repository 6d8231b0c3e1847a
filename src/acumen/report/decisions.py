"""Decisions in words: one sentence, one table, and what to know before acting on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acumen.errors import counted
from acumen.report.blocks import (
    Block,
    Cell,
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
from acumen.report.cells import number, percent, plain
from acumen.results.decisions import Decision, ThresholdDocument

ALL = "all answers"
"""The threshold below every confidence."""


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said of a decision."""

    title: str
    sentence: str
    table: Table
    notes: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    """What only a page has room for."""


def brief(document: Decision, *, full: bool = False) -> Iterator[Section | Block]:
    """The decision in one sentence and one table; ``full`` adds every number behind it."""
    words = _words(document)
    yield Paragraph(words.sentence, Tone.STRONG)
    yield words.table
    if words.notes:
        yield Notes(tuple(map(Note, words.notes)))
    if full:
        yield from words.blocks


def study_of(document: Decision, key: str) -> Study:
    """Everything a page tells of a decision."""
    words = _words(document)
    notes = (Notes(tuple(map(Note, words.notes))),) if words.notes else ()
    blocks = (words.table, *notes, *words.blocks)
    return Study(
        key=key,
        title=words.title,
        subtitle=f"acumen {plain(document.acumen_version)}, {plain(document.created_at)}",
        answers=(("What was decided", (words.sentence,)),),
        facts=Facts(()),
        warnings=Warnings(()),
        sections=(Section(document.kind, words.title, blocks),),
    )


def _words(document: Decision) -> _Words:
    match document:
        case ThresholdDocument():
            return _threshold(document)
    raise TypeError(type(document).__name__)


def _bound(threshold: float | None) -> str:
    return ALL if threshold is None else f"{threshold:.6g}"


_METHODS = {
    "binomial": "the exact binomial test",
    "betting": "the betting test by case, which is exact",
    "hoeffding-bentkus": "the Hoeffding–Bentkus test by case, which is exact",
    "korn-graubard": "the Korn–Graubard bound by case",
    "clopper-pearson": "SGR: a binary search with Clopper–Pearson bounds",
    "conformal": "conformal risk control by case",
}


def _threshold(document: ThresholdDocument) -> _Words:
    name, cases = plain(document.confidence), counted(document.cases, "case")
    what = "mean loss of a case" if document.delta is None else "risk"
    promise = f"{what} ({plain(document.loss)}) is at most {document.alpha:g}"
    if document.delta is not None:
        promise += f", with a chance of error of {document.delta:.3g}"
    if document.certified:
        accept = f"Answers with {name} above {_bound(document.threshold)} may be used"
        accept = "Every answer may be used" if document.threshold is None else accept
        sentence = f"{accept}: their {promise} ({cases})."
    else:
        sentence = f"None can be certified with {cases} that the {promise}; {_needed(document)}."
    points = tuple(
        (
            Cell(_bound(p.threshold), p.threshold),
            *(percent(p.coverage), number(p.risk), number(p.p_value, ".3g")),
            *(number(p.level, ".3g"), Cell("yes" if p.certified else "no")),
        )
        for p in document.grid
    )
    columns = ("accepted above", "coverage", "risk here", "p", "level", "certified")
    ends = document.coverage.interval
    reached = "" if ends is None else f", interval {ends.low:.1%} to {ends.high:.1%}"
    coverage = document.coverage.value
    notes = [
        *([] if coverage is None else [f"It accepts {coverage:.1%} of all rows{reached}."]),
        f"By {_METHODS[document.test]}"
        + (f" ({document.method} is what acumen takes here)." * document.method_is_default or "."),
        *(["Nominal δ; measured up to 1.15 δ."] if document.method == "approx" else []),
        *(
            ["It holds on average over draws of cases, not with a chance δ."]
            * (document.delta is None)
        ),
    ]
    if not document.items_declared:
        most = counted(document.items, "judgment")
        notes.append(f"A case has at most {most} here; say how many by design (--most-items).")
    if document.cases_apart:
        notes.append(f"{counted(document.cases_apart, 'case')} made the grid and were not tested.")
    table = Table("Thresholds, strictest first", columns, points)
    return _Words(f"Threshold for {name}", sentence, table, tuple(notes))


def _needed(document: ThresholdDocument) -> str:
    if document.cases_needed is not None:
        return f"about {document.cases_needed} cases like these could"
    fewest = counted(document.fewest_cases or 0, "case")
    return f"more cases like these would not, and {fewest} without an error are the least"
