"""Rows that are exact copies of others: a file that was put together twice."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np

from acumen.readers.cells import coded_of
from acumen.readers.records import Records, Rows
from acumen.readers.unfold import Unfolded


def without_copies(rows: Rows) -> Rows | None:
    """The rows, each once, with what to tell; None where all differ in some cell."""
    if isinstance(rows, Records):
        whole = coded_of([json.dumps(row, sort_keys=True, default=repr) for row in rows.rows])
        key = whole.codes.astype(np.int64)
    else:
        key = np.zeros(len(rows), np.int64)
        for name in rows.names:
            column = coded_of(rows.ids(name))
            key = np.unique(key * (len(column.values) + 1) + column.codes, return_inverse=True)[1]
    first = np.sort(np.unique(key, return_index=True)[1])
    if len(first) == len(rows):
        return None
    lines = None if rows.lines is None else np.asarray(rows.lines)
    copy = int(np.setdiff1d(np.arange(len(rows)), first)[0])
    where = "" if lines is None else f", the first in line {lines[copy]}"
    are = "row is an exact copy" if len(rows) - len(first) == 1 else "rows are exact copies"
    note = f"{len(rows) - len(first):,} {are} of another{where}: counted once"
    lines = None if lines is None else lines[first]
    if isinstance(rows, Records):
        some = [rows.rows[at] for at in first.tolist()]
        return replace(rows, rows=some, lines=lines, warnings=(*rows.warnings, note))
    facts: dict[str, Any] = {f.name: getattr(rows, f.name) for f in fields(Rows)}
    facts |= {"lines": lines, "warnings": (*rows.warnings, note)}
    return Unfolded(**facts, base=rows, place=first, parts=1, wide={}, named={})
