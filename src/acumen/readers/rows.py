"""A long table in a file: CSV (one line a judgment) or Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import decode_text, read_bytes, source_name
from acumen.readers.columns import from_columns
from acumen.readers.frame import column_roles, from_frame
from acumen.table.judgments import Judgments, Source
from acumen.table.signals import SIGNALS

ABSTAINED: Final = ("", "NA", "N/A", "null")
"""How a cell of a CSV file says that there is no value."""

OTHER_MARKS: Final = (";", "\t", "|")
"""What other programs put between fields; looked for only where no comma is."""

_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MANGLED = re.compile(r"\d(?:\.\d+)?[eE]\+\d+")


def read_csv(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Any = None,
) -> Judgments:
    """The table of a CSV file with a header; ids stay text, so 0101 and 101 are two cases."""
    name = source_name(path)
    data = read_bytes(path)
    header, rows, lines = _parse(decode_text(data, name), name)
    roles = column_roles(header, columns, name)
    cells = {h: [row[i] for row in rows] for i, h in enumerate(header)}
    numeric = {h: [_number(cell) for cell in column] for h, column in cells.items()}
    ids = cells[roles["case"]]
    others = [h for h in header if h not in roles.values()]
    signals = {h: numeric[h] for h in others if h in SIGNALS or _has_numbers(numeric[h])}
    mixed = [_mixed(h, column, lines) for h, column in signals.items()]
    if "confidence" in roles:
        signals["confidence"] = numeric[roles.pop("confidence")]
    values: dict[str, Any] = {
        role: cells[h] if role in ("case", "item", "outcome") else numeric[h]
        for role, h in roles.items()
    }
    return from_columns(
        **values,
        signals={h: _objects(column) for h, column in signals.items()},
        scale=scale,
        source=Source(path=str(path), sha256=hashlib.sha256(data).hexdigest()),
        lines=lines,
        warnings=[*_mangled(ids), *filter(None, mixed)],
    )


def read_parquet(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Any = None,
) -> Judgments:
    """The table of a Parquet file (needs pyarrow)."""
    try:
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException
    except ImportError:
        raise UsageError("reading Parquet needs pyarrow: pip install pyarrow") from None
    name = source_name(path)
    data = read_bytes(path)
    try:
        frame = parquet.read_table(io.BytesIO(data))
    except (ArrowException, OSError) as error:
        raise DataError([f"is not a Parquet file: {error}"], source=name) from None
    source = Source(path=str(path), sha256=hashlib.sha256(data).hexdigest())
    return from_frame(frame, columns=columns, scale=scale, source=source)


def _parse(text: str, name: str) -> tuple[list[str], list[list[str]], list[int]]:
    """Header, rows and the line each row begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] = []
    rows, lines, problems = [], [], []
    line = 1
    try:
        for cells in reader:
            if cells and not header:
                header = [cell.strip() for cell in cells]
                _refuse_other_marks(header, line, name)
            elif cells:
                if len(cells) != len(header):
                    message = f"has {len(cells)} fields, expected {len(header)}"
                    problems.append(Problem(message, line=line))
                rows.append(cells)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(str(error), line=line))
    twice = sorted(h for h, times in Counter(header).items() if times > 1)
    problems += [Problem(f"column {label(h)} is there twice", line=1) for h in twice]
    if not header:
        problems.append(Problem("is empty"))
    elif not rows:
        problems.append(Problem("there are no rows in it"))
    if problems:
        raise DataError(problems, source=name)
    return header, rows, lines


def _refuse_other_marks(header: list[str], line: int, name: str) -> None:
    """A header that commas do not divide, but another mark would."""
    mark = next((m for m in OTHER_MARKS if len(header) == 1 and m in header[0]), None)
    if mark is not None:
        sign = "tabs" if mark == "\t" else f"'{mark}'"
        message = f"there is one column: is it separated by {sign}? Commas are expected"
        raise DataError([Problem(message, line=line)], source=name)


def _number(cell: str) -> int | float | str | None:
    """A cell as a number, None where it says there is none, else the text as it is."""
    cell = cell.strip()
    if cell in ABSTAINED:
        return None
    if _INTEGER.fullmatch(cell):
        return int(cell)
    return float(cell) if _NUMBER.fullmatch(cell) else cell


def _has_numbers(column: list[int | float | str | None]) -> bool:
    """Whether a column is one of numbers: a text in it is then a mistake, and kept to be told."""
    kinds = set(map(type, column))
    return str not in kinds or not kinds.isdisjoint({int, float})


def _mixed(header: str, column: list[int | float | str | None], lines: list[int]) -> str | None:
    """What to say of a column of numbers that holds texts: where, since they may be of a case."""
    texts = [line for line, value in zip(lines, column, strict=True) if isinstance(value, str)]
    if not texts:
        return None
    return (
        f"column {label(header)} holds text in {len(texts)} of {len(column)} rows, "
        f"first in line {texts[0]}, where numbers are expected"
    )


def _objects(column: list[int | float | str | None]) -> NDArray[Any]:
    out = np.empty(len(column), object)
    out[:] = column
    return out


def _mangled(ids: list[str]) -> list[str]:
    suspects = sorted({i for i in ids if _MANGLED.fullmatch(i)})
    examples = ", ".join(label(i) for i in suspects[:5])
    return [f"ids that look rewritten by a spreadsheet: {examples}"] if suspects else []
