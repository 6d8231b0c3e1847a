"""JSON Lines of case records, one a line, as a runner writes them while it goes."""

from __future__ import annotations

from dataclasses import replace

from acumen.readers.content import Content
from acumen.readers.entries import table_from_entries
from acumen.readers.json_rows import parse_lines
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale


def read_cases(content: Content, scale: Scale | None = None) -> Judgments:
    """The table of a file with one case record a line; blank lines are passed over."""
    entries, lines = parse_lines(content)
    return table_from_entries(
        entries,
        scale=scale,
        source=replace(content.source, is_long=False),
        name=content.name,
        places=[f"line {line}" for line in lines],
    )
