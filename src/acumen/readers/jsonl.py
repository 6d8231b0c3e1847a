"""JSON Lines: one case record a line, as a runner writes them while it goes."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from acumen.errors import DataError, Problem
from acumen.files.json import parse_json, read_bytes, source_name
from acumen.readers.entries import table_from_entries
from acumen.table.judgments import Judgments, Source
from acumen.table.scale import Scale, find_scale

_BOM = b"\xef\xbb\xbf"


def read_jsonl(path: str | Path, scale: str | Scale | None = None) -> Judgments:
    """The table of a file with one case record a line; blank lines are passed over."""
    name = source_name(path)
    data = read_bytes(path)
    entries, places, problems = [], [], []
    # only \n ends a line: U+2028 and U+0085 may stand inside a text
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            if b"\x00" in line:
                raise DataError([f"holds NUL bytes, the first at byte {line.index(0)}"])
            entries.append(parse_json(line.rstrip(b"\r"), source=name))
            places.append(f"line {number}")
        except DataError as error:
            problems += [replace(p, line=number) for p in error.problems]
    if not entries and not problems:
        problems.append(Problem("there are no cases in it: the file is empty"))
    if problems:
        raise DataError(problems, source=name)
    return table_from_entries(
        entries,
        scale=None if scale is None else find_scale(scale),
        source=Source(path=str(path), sha256=hashlib.sha256(data).hexdigest(), is_long=False),
        name=name,
        places=places,
    )
