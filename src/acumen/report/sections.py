"""Every kind of document as sections: the one list that every medium takes.

A family of documents says what it shows and what it adds for who wants it all. Terminal and
notebook show the first, a page and ``--full`` both. Sections of one key are one section: what a
family adds to a section, such as its charts, stands below what was there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from acumen.errors import UsageError, label
from acumen.report.blocks import Block, Detail, Head, Note, Notes, Section, Warnings
from acumen.report.cells import plain
from acumen.report.origin import KEY, with_origin
from acumen.results.kinds import name_of


@dataclass(frozen=True, slots=True)
class Ask:
    """What is wanted of a document beside its numbers."""

    study: str = "s1"
    """Begins the keys of its charts, where several documents are one page."""
    command: str | None = None
    """How to make it again, where the document does not say."""
    texts: bool = False
    """Whether to show what cases say."""


Build = Callable[[Any, Ask], Section | Iterable[Section]]


@dataclass(frozen=True, slots=True)
class Family:
    """What there is to say of a kind of document. To add a section, add its function to a list."""

    head: Callable[[Any], Head]
    main: tuple[Build, ...]
    """Sections that answer, and those that most readers need."""
    rest: tuple[Build, ...] = ()
    """Everything else: sections of their own, or parts of those above."""
    named: Callable[[Any, tuple[str, ...]], Section] | None = None
    """The section of some metrics alone, where they have names to ask by."""
    brief: Build | None = None
    """What a screen shows, where that is not a part of ``main`` as it is."""


HOMES: Final[Mapping[str, str]] = {
    "metrics": "selective.family:METRICS",
    "results": "verdicts.family:RESULTS",
    "calibration": "calibration:CALIBRATION",
    "threshold": "decisions:THRESHOLD",
    "sets": "decisions:SETS",
    "cost": "decisions:COST",
    "gate": "decisions:GATE",
    "cascade": "cascades:CASCADE",
    "card": "cards:CARD",
    "card_check": "cards:CHECK",
    "watch": "watching:WATCH",
    "plan": "decisions:PLAN",
    "ratings": "raters:RATINGS",
    "estimates": "estimates:ESTIMATES",
    "sample": "samples:SAMPLE",
    "totals": "totals.family:TOTALS",
    "large": "large:LARGE",
    "counts": "counts:COUNTS",
    "moments": "counts:MOMENTS",
    "run_summary": "runs:RUN_SUMMARY",
    "survey": "survey:SURVEY",
}
"""Kind of document -> its family, imported when such a document is shown."""


def remarks(notes: Iterable[str | Note], warnings: Iterable[str] = (), *others: Block) -> Section:
    """What to know of a document's numbers, and before trusting any of them."""
    lines = tuple(n if isinstance(n, Note) else Note(n) for n in dict.fromkeys(notes))
    alarms = tuple(map(plain, warnings))
    blocks = ([Notes(lines)] if lines else []), others, ([Warnings(alarms)] if alarms else [])
    return Section("notes", "Notes", tuple(b for part in blocks for b in part))


def family_of(document: Any) -> Family:
    """What there is to say of a document of this kind."""
    kind = name_of(document)
    if kind not in HOMES:
        raise UsageError(
            f"no sections are known of a document of kind {label(kind)}: "
            "its family is missing in acumen.report.sections.HOMES"
        )
    module, _, name = HOMES[kind].partition(":")
    family: Family = getattr(import_module(f"acumen.report.{module}"), name)
    return family


def sections_of(
    document: Any,
    *,
    full: bool = False,
    metrics: Iterable[str] = (),
    ask: Ask = Ask(),
    fit: bool = True,
) -> list[Section]:
    """What a document says, each section once; ``metrics`` stand in place of it all.

    Without ``full`` it is one screen; without ``fit`` too, all of what most readers need.
    """
    family, names = family_of(document), tuple(metrics)
    if names and family.named is not None:
        return [family.named(document, names)]
    if fit and not full:
        from acumen.report.screenful import screenful

        result = family.brief(document, ask) if family.brief else None
        sections_ = [result] if isinstance(result, Section) else result
        whole = sections_of(document, ask=ask, fit=False) if sections_ is None else sections_
        return screenful([s for s in whole if s.blocks or s.finding])
    sections: dict[str, Section] = {}
    for depth, builds in ((Detail.MAIN, family.main), (Detail.FULL, family.rest)):
        for build in builds if full or depth < Detail.FULL else ():
            result = build(document, ask)
            for section in [result] if isinstance(result, Section) else result:
                own = section if depth < Detail.FULL else replace(section, detail=depth)
                before = sections.get(own.key)
                if before is not None:  # what is added to it stands below what was there
                    own = replace(before, blocks=(*before.blocks, *own.blocks))
                if own.blocks or own.finding:
                    sections[own.key] = own
    if full:
        origin = with_origin(sections.pop(KEY, None), document, ask.command)
        sections[KEY] = replace(origin, detail=Detail.FULL)
    return list(sections.values())
