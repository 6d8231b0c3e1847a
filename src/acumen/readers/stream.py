"""Rows that come one after another: whole cases of a file or a pipe, as tables, while it goes on.

A case ends where another begins, so its rows stand together; a case that comes again, or a time
that goes back, is refused before anything is made of it.
"""

from __future__ import annotations

import contextlib
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import decode_text, parse_json, readable, source_name
from acumen.readers.assemble import assemble
from acumen.readers.paths import parse_path, value_at
from acumen.readers.records import Records
from acumen.readers.request import Request
from acumen.readers.roles import guess_roles
from acumen.readers.sheet import Sheet, header_of
from acumen.results.calibration import case_hash
from acumen.table.judgments import Judgments, Source

LONGEST_LINE: Final = 1 << 22
"""Bytes of a line: what is longer is no row."""
Row = Mapping[str, Any]
_REPEATED: Final = "comes again; a stream has each case once, all of its rows together"


@dataclass
class Stream:
    """Where rows come from, how they are read, and what has come so far."""

    data: Any
    """A path, - for standard input, or rows."""
    request: Request
    seen: set[str] = field(default_factory=set)
    """The cases that came before, as hashes of their ids."""
    time: str | None = None
    """A column that never goes back."""
    last_time: Any = None
    marks: str | None = None
    """What stands between the cells of a text table; None of JSON Lines."""
    columns: tuple[str, ...] = ()
    case: str | None = None

    @property
    def name(self) -> str:
        """How messages name it."""
        return source_name(self.data) if isinstance(self.data, str | Path) else "the stream"

    def tables(self, every: int) -> Iterator[Judgments]:
        """Tables of so many whole cases each, and of what is left at the end."""
        rows: list[tuple[int, Row]] = []
        current, cases = None, 0
        for number, row in self._rows():
            case = self._case_of(row, number)
            if not cases or case != current:
                if (own := case_hash(case, "")) in self.seen:
                    raise self._refusal(_REPEATED, number, case)
                if cases == every:
                    yield self._table(rows)
                    rows, cases = [], 0
                self.seen.add(own)
                current, cases = case, cases + 1
            self._look_at_time(row, number, case)
            rows.append((number, row))
        if rows:
            yield self._table(rows)

    def _rows(self) -> Iterator[tuple[int, Row]]:
        """Rows with the number of their line."""
        if not isinstance(self.data, str | Path):
            for number, row in enumerate(self.data, 1):
                self.columns = self.columns or tuple(row)
                yield number, row
            return
        for number, text in self._lines():
            if not self.columns and self.marks is None and not text.lstrip().startswith("{"):
                self.marks = header_of(text)[0]
                self.columns = tuple(cell.strip() for cell in self._cells(text, number))
                continue
            if self.marks is None:
                row = parse_json(text.encode(), source=self.name)
                if not isinstance(row, dict):
                    raise self._refusal("is no object: a stream has one a line", number)
                self.columns = self.columns or tuple(row)
                yield number, row
                continue
            cells = self._cells(text, number)
            if len(cells) != len(self.columns):
                message = f"has {len(cells)} fields, expected {len(self.columns)}"
                raise self._refusal(message, number)
            yield number, dict(zip(self.columns, cells, strict=True))

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Lines that hold something, each as soon as it is there."""
        is_input = str(self.data) == "-"
        with (
            readable(self.data),
            contextlib.nullcontext(sys.stdin.buffer)
            if is_input
            else Path(self.data).open("rb") as file,
        ):
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise self._refusal(f"is longer than {LONGEST_LINE:,} bytes", number)
                if text := decode_text(line, self.name).strip("\r\n"):
                    yield number, text

    def _cells(self, text: str, number: int) -> list[str]:
        try:
            return next(csv.reader([text], delimiter=self.marks or ",", strict=True))
        except csv.Error as error:
            raise self._refusal(f"{error}; a row is one line here", number) from None

    def _case_of(self, row: Row, number: int) -> Any:
        if self.case is None:
            named = {
                role: [cell.path for cell in (cells if isinstance(cells, list) else [cells])]
                for role, cells in self.request.over({}).columns
                if cells is not None
            }
            roles = guess_roles(self.columns, named, needs=("case",)).columns
            self.case = named["case"][0] if "case" in named else roles["case"]
        value = row.get(self.case)
        if value is None and self.case not in row:
            value = value_at(row, parse_path(self.case))
        if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
            raise self._refusal(f"has no case: {label(self.case)} is empty", number)
        return value

    def _look_at_time(self, row: Row, number: int, case: Any) -> None:
        if self.time is None:
            return
        if self.time not in row:
            raise UsageError(f"no column {label(self.time)} in the stream")
        now = _moment(row[self.time])
        if now is None:
            raise self._refusal(f"has no time: {label(self.time)} is empty", number, case)
        if self.last_time is not None:
            if type(now) is not type(self.last_time):
                kinds = f"{label(now)} after {label(self.last_time)}"
                raise self._refusal(f"times are numbers or texts, not both: {kinds}", number, case)
            if now < self.last_time:
                back = f"the time {label(now)} comes after {label(self.last_time)}"
                raise self._refusal(f"{back}: the stream is not in order", number, case)
        self.last_time = now

    def _table(self, rows: Iterable[tuple[int, Row]]) -> Judgments:
        """The rows, read as those of a file are."""
        lines, entries = zip(*rows, strict=True)
        source = Source(path=self.name)
        if self.marks is None:
            return assemble(
                Records(rows=entries, lines=lines, format="jsonl"), source, self.request
            )
        columns = {name: [entry[name] for entry in entries] for name in self.columns}
        sheet = Sheet(columns=columns, size=len(lines), lines=lines, format="csv", is_text=True)
        return assemble(sheet, source, self.request)

    def _refusal(self, message: str, line: int, case: Any = None) -> DataError:
        return DataError([Problem(message, case=case, line=line)], source=self.name)


def _moment(value: object) -> Any:
    """A time as what it compares as: a number, else a text; None of neither."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or value == "":
        return None
    with contextlib.suppress(ValueError):
        return float(value)
    return value
