"""How a page arranges a document: its answer with one picture, then a chapter a question.

A chapter has one chart and one paragraph; its tables and further charts are closed beneath it. The
table of cases is open. Everything else is the appendix, which is closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from acumen.report.blocks import (
    Block,
    Cases,
    Detail,
    Facts,
    Head,
    Notes,
    Paragraph,
    Plot,
    Section,
    Table,
    Warnings,
)

MOST_FACTS: Final = 5
"""Numbers told large."""
MOST_NAMED: Final = 5
"""Sections of the appendix that its line names; of more, it says how many."""
MOST_NOTES: Final = 8
"""Remarks that stand open; of more, all are in the appendix."""
LONGEST_TITLE: Final = 150
"""Characters of a finding that is a title; a longer one stands below the question."""
JOINED: Final[Mapping[str, tuple[str, str]]] = {
    "right": ("Accuracy", "confusion"),
    "agreement": ("Accuracy", "confusion"),
    "errors": ("Accuracy", "confusion"),
    "knows": ("Selective prediction", "risk-coverage"),
    "functions": ("Selective prediction", "forest"),
    "honest": ("Calibration", "reliability"),
    "severity": ("Severity", "precision-recall"),
    "compared": ("Comparison", "deltas"),
    "slices": ("For whom", "slices"),
}
"""Section of an evaluation -> the topic it is part of, and the charts that lead there, in turn."""
JOINED_OF: Final = {"selective", "verdicts"}
"""What documents with these topics define: what raters agree on is no accuracy."""
CLOSED: Final = ("judged", "fitted")
"""What most readers need, and nobody first."""
LAST: Final = ("limits", "notes")
"""What to know of the findings, below them."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One question: its sections, the first of which names it, and the chart that leads."""

    topic: str
    sections: tuple[Section, ...]
    chart: Plot | None = None

    @property
    def key(self) -> str:
        """What links name it by."""
        return self.sections[0].key

    @property
    def title(self) -> str:
        """What was found, where that is short; else what was asked."""
        first = self.sections[0]
        return first.finding if self._is_titled else first.title

    @property
    def question(self) -> str:
        """What was asked, above a title that answers it."""
        return self.sections[0].title if self._is_titled else ""

    @property
    def _is_titled(self) -> bool:
        first = self.sections[0]
        is_line = 0 < len(first.finding) <= LONGEST_TITLE and "\n" not in first.finding
        return is_line and first.finding.count(". ") == 0

    @property
    def paragraphs(self) -> Iterator[Block]:
        """What stands open: the findings that are no title, else the ends of the chart."""
        first, *others = self.sections
        texts: list[Block] = [b for b in first.blocks if isinstance(b, Paragraph | Notes)]
        texts += [Paragraph(section.finding) for section in others if section.finding]
        if first.finding and not self._is_titled:
            yield Paragraph(first.finding)
        elif self.chart is not None and self.chart.finding and not (first.finding or texts):
            yield Paragraph(self.chart.finding)
        yield from texts

    @property
    def tables(self) -> list[Table]:
        """The numbers of the first section, closed."""
        return [block for block in self.sections[0].blocks if isinstance(block, Table)]

    @property
    def more(self) -> list[Section]:
        """Further charts, and the other sections, closed."""
        rest = []
        for at, section in enumerate(self.sections):
            others = [b for b in section.blocks if b is not self.chart]
            if at == 0:
                others = [b for b in others if not isinstance(b, Paragraph | Notes | Table)]
            if others or at > 0:
                rest.append(replace(section, blocks=tuple(others), finding=""))
        return rest

    @property
    def more_charts(self) -> list[str]:
        """What the further charts are called."""
        blocks = [block for section in self.more for block in section.blocks]
        return [block.title for block in blocks if isinstance(block, Plot)]


@dataclass(frozen=True)
class Study:
    """One document as the reader of a page meets it."""

    key: str
    head: Head
    all_sections: tuple[Section, ...]

    @property
    def answer(self) -> str:
        """The first thing read: what was found of what was asked for."""
        findings = (s.finding for s in self.all_sections if s.detail is Detail.ANSWER)
        return next(filter(None, findings), "")

    @property
    def facts(self) -> Facts:
        """The numbers told large, wherever they stand: a page has them beside its answer."""
        blocks = (b for s in self.all_sections for b in s.blocks)
        return Facts(tuple(f for b in blocks if isinstance(b, Facts) for f in b.facts)[:MOST_FACTS])

    @property
    def warnings(self) -> Warnings:
        """What to know before trusting any of it, wherever it stands: each once."""
        blocks = (b for s in self.all_sections for b in s.blocks)
        warnings = (w for b in blocks if isinstance(b, Warnings) for w in b.warnings)
        return Warnings(tuple(dict.fromkeys(warnings)))

    @cached_property
    def picture(self) -> Plot | None:
        """The chart beside the answer: the one asked for, else the answer's own, else the first."""
        ordered = sorted(self.all_sections, key=lambda section: section.detail)
        plots = [b for s in ordered for b in s.blocks if isinstance(b, Plot) and b.is_drawn]
        key = f"{self.key}-chart-{self.head.picture}"
        return next((p for p in plots if p.key == key), plots[0] if plots else None)

    @property
    def sections(self) -> list[Section]:
        """Everything but the answer and its numbers; the table of a chart is in the chart."""
        sections = []
        for section in self.all_sections:
            tables = [block.table for block in section.blocks if isinstance(block, Plot)]
            blocks = (b for b in section.blocks if not isinstance(b, Facts | Warnings))
            below = tuple(b for b in blocks if not (isinstance(b, Table) and b in tables))
            finding = "" if section.finding == self.answer else section.finding
            if below or finding:
                sections.append(replace(section, blocks=below, finding=finding))
        return sections

    @cached_property
    def below(self) -> list[Section]:
        """The sections without the picture, which stands above them."""
        cut = (
            replace(s, blocks=tuple(b for b in s.blocks if b is not self.picture))
            for s in self.sections
        )
        return [section for section in cut if section.blocks or section.finding]

    @cached_property
    def chapters(self) -> list[Chapter]:
        """A question each, in the order in which people ask; those of one topic are one."""
        topics: dict[str, list[Section]] = {}
        for section in self.below:
            if section not in (*self.appendix, *self.last) and section is not self.cases:
                topic = section.title
                if JOINED_OF & {*self.head.definitions}:
                    topic, _ = JOINED.get(section.key, (topic, ""))
                topics.setdefault(topic, []).append(section)
        return [Chapter(topic, tuple(own), _lead(own)) for topic, own in topics.items()]

    @cached_property
    def last(self) -> list[Section]:
        """What to know of the findings, and what they cannot say."""
        remarks = [b for s in self.below for b in s.blocks if isinstance(b, Notes)]
        few = sum(len(block.notes) for block in remarks) <= MOST_NOTES
        return [s for s in self.below if s.key in LAST and (few or s.key != "notes")]

    @cached_property
    def cases(self) -> Section | None:
        """The section with the table of cases."""
        holders = (s for s in self.below if any(isinstance(b, Cases) for b in s.blocks))
        return next(holders, None)

    @cached_property
    def appendix(self) -> list[Section]:
        """Every other number, and where it all comes from."""
        return [
            section
            for section in self.below
            if section is not self.cases
            and section not in self.last
            and (
                section.key in (*CLOSED, *LAST)
                or (section.detail is Detail.FULL and section.key not in JOINED)
            )
        ]

    @property
    def appendix_title(self) -> str:
        """What the closed line of the appendix names."""
        titles = [section.title for section in self.appendix]
        first = [title[:1].lower() + title[1:] for title in titles[:MOST_NAMED]]
        more = len(titles) - MOST_NAMED
        return ", ".join(first) + (f" and {more} more" if more > 0 else "")


def _lead(sections: list[Section]) -> Plot | None:
    """The chart of a chapter that stands open."""
    plots = [b for s in sections for b in s.blocks if isinstance(b, Plot) and b.is_drawn]
    leads = [JOINED.get(section.key, ("", ""))[1] for section in sections]
    first = (p for lead in leads for p in plots if lead and p.key.endswith(f"-chart-{lead}"))
    return next(first, plots[0] if plots else None)
