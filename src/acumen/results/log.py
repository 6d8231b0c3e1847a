"""Results that were written a line at a time, as runs do while they go on."""

from __future__ import annotations

from typing import Final

from acumen.errors import DataError, Problem, what_came
from acumen.files.json import decode_text, parse_json

METRICS: Final = "metrics"
"""The type of a line that sums the run up and is no result."""


def log_of(data: bytes, source: str) -> dict[str, object] | None:
    """The lines of a log as one document of results; None where the file is no log.

    A log has an object in its first line and more lines below it, or is one result.

    >>> log_of(b'{"sample_id": "A", "verdict": null}\\n{"type": "metrics"}', "x")["results"]
    [{'sample_id': 'A', 'verdict': None}]
    >>> log_of(b'{"results": []}', "x") is None
    True
    """
    lines = decode_text(data, source).splitlines()
    numbered = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    first = numbered[0][1] if numbered else ""
    if not (first.startswith("{") and first.endswith("}")):
        return None
    if len(numbered) < 2 and ('"results"' in first or '"verdict"' not in first):
        return None  # one line is a log of one result, or a whole document
    header: dict[str, object] = {}
    rows: list[object] = []
    for number, line in numbered:
        try:
            row = parse_json(line, source, nan_below=(METRICS,))
        except DataError as error:
            where = [Problem(p.message, line=number, field=p.field) for p in error.problems]
            raise DataError(where, source=source) from None
        if not isinstance(row, dict):
            message = f"must be an object, not {what_came(row)}"
            raise DataError([Problem(message, line=number)], source=source)
        if row.get("type") != METRICS:
            rows.append(row)
        elif isinstance(own := row.get("metadata"), dict):
            header |= own
    return {**header, "results": rows}
