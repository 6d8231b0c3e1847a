"""What pages and terminals say, line by line: ``python -m tests.report.golden`` writes it anew.

Of a table the first rows are enough to see a wrong word, and of a chart's data the ends. Look at
what changed before you keep it: every line of it is what somebody reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from acumen import __version__
from acumen.report.blocks import (
    Block,
    Cases,
    Cell,
    Facts,
    Folded,
    Notes,
    Paragraph,
    Plot,
    Table,
    Warnings,
)
from acumen.report.html import _document, study_of
from acumen.report.layout import Study
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from tests.report.kinds import KINDS

FOLDER: Final = Path(__file__).with_name("golden")
ROWS: Final = 3
ALIKE: Final = ("config", "$schema")
"""Of all charts."""
LEFT_OUT: Final = ("five",)
"""Another count of systems, which says nothing that two and seven do not."""


def lines(study: Study) -> Iterator[str]:
    """A study from its title to its last case."""
    yield from (study.head.title, study.head.subtitle)
    yield f"## {study.answer}"
    yield from _block(study.facts)
    yield from _block(study.warnings)
    if study.picture is not None:
        yield from _block(study.picture)
    for chapter in study.chapters:
        yield f"# {chapter.topic}: {chapter.question or '-'}: {chapter.title} [{chapter.key}]"
        yield from (line for block in chapter.paragraphs for line in _block(block))
        yield from _block(chapter.chart) if chapter.chart is not None else ()
        yield from (line for table in chapter.tables for line in ("closed", *_table(table)))
        for section in chapter.more:
            yield f"more: {section.title} [{section.key}]"
            yield from (line for block in section.blocks for line in _block(block))
    cases = [] if study.cases is None else [study.cases]
    for section in (*study.last, *cases, *study.appendix):
        yield f"# {section.title} [{section.key}]"
        yield from (line for block in section.parts for line in _block(block))
    yield from study.head.definitions


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield f"{block.tone}: {block.text}"
        case Facts():
            yield from (f"{fact.label}: {_cell(fact.cell)}; {fact.note}" for fact in block.facts)
        case Notes():
            yield from (f"{'* ' * note.marked}{note.text}" for note in block.notes)
        case Warnings():
            yield from (f"warning: {warning}" for warning in block.warnings)
        case Table():
            yield from _table(block)
        case Folded():
            yield from ("folded", *_table(block.table))
        case Plot():
            yield from (block.title, block.caption, block.alt, *_table(block.table))
            yield _json({k: part for k, part in block.spec.items() if k not in ALIKE})
            yield from (_json([len(rows), rows[0], rows[-1]]) for rows in block.data.values())
        case Cases():
            yield from (block.title, block.note, *_table(block.first(ROWS)))
            yield _json([block.systems, [c.key for c in block.columns], block.n, block.filters])


def _table(table: Table) -> Iterator[str]:
    yield f"{table.caption} ({len(table.rows)})"
    yield " | ".join(table.columns)
    yield " | ".join("number" if numeric else "text" for numeric in table.numeric)
    yield from (" | ".join(map(_cell, row)) for row in table.rows[:ROWS])


def _cell(cell: Cell) -> str:
    hint = f" ({cell.hint})" if cell.hint else ""
    return f"{cell.text}{' marked' * cell.marked} {cell.interval}{hint}".strip()


def _json(part: Any) -> str:
    """With six digits: processors differ in the last ones."""
    return json.dumps(_rounded(part), ensure_ascii=False, separators=(",", ":"))


def _rounded(part: Any) -> Any:
    match part:
        case float():
            return float(f"{part:.6g}")
        case dict():
            return {key: _rounded(value) for key, value in part.items()}
        case list() | tuple():
            return [_rounded(value) for value in part]
    return part


def text(kind: str) -> str:
    """All of a kind of document, but when and by which acumen it was made."""
    document = _document(KINDS[kind]())
    text = "\n".join(lines(study_of(document))) + "\n" + render(sections_of(document))
    text = re.sub(
        r"\d{4}-\d\d-\d\d(T[\d:]+Z| at [\d:]+ \(UTC\))",
        "TIME",
        text.replace(__version__, "VERSION"),
    )
    return re.sub(r'"rows-[0-9a-f]{16}"', '"ROWS"', text)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind in KINDS.keys() - LEFT_OUT:
        (FOLDER / f"{kind}.txt").write_text(text(kind), "utf-8")
