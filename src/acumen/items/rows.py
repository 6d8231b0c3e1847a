"""Rows as people hold them, and whatever else they hand in (a path, a frame), as a table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, Problem, UsageError, printable, refuse, what_came
from acumen.readers import read
from acumen.readers.assemble import assemble
from acumen.readers.columns import from_columns
from acumen.readers.frame import frame_rows
from acumen.readers.reading import Reading
from acumen.readers.records import Records
from acumen.readers.request import Request
from acumen.table.judgments import Judgments, Source
from acumen.table.scale import Scale


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """One judgment: the predicted level or None, the true level, and how sure the system was."""

    score: int | None
    ground_truth: int
    confidence: float
    case: int | str | None = None
    item: str | None = None

    @property
    def is_predicted(self) -> bool:
        """Whether the system answered."""
        return self.score is not None

    @property
    def absolute_error(self) -> int:
        """Levels between prediction and truth; 0 when the system abstained."""
        # int(): the difference of two unsigned NumPy numbers would wrap around
        return 0 if self.score is None else abs(int(self.score) - int(self.ground_truth))


Row = ItemPrediction | Mapping[str, Any]


def rows_of(items: Iterable[Row]) -> list[ItemPrediction]:
    """Rows as :class:`ItemPrediction`, mappings accepted; everything wrong is told at once."""
    known = {f.name for f in fields(ItemPrediction)}
    rows, problems = [], []
    values: Iterable[object] = items
    for index, row in enumerate(values):
        if isinstance(row, Mapping):
            entries = {k: v for k, v in row.items() if k in known}
            if "case" not in entries and "participant_id" in row:
                entries["case"] = row["participant_id"]
            missing = {"score", "ground_truth", "confidence"} - entries.keys()
            if missing:
                message = f"lacks {', '.join(sorted(missing))}"
                problems.append(Problem(message, field=f"row {index}"))
                continue
            row = ItemPrediction(**entries)
        if not isinstance(row, ItemPrediction):
            message = f"must be an ItemPrediction or a mapping, not {what_came(row)}"
            problems.append(Problem(message, field=f"row {index}"))
            continue
        problems += [Problem(message, field=f"row {index}") for message in _wrong(row)]
        rows.append(row)
    refuse(problems)
    return rows


def _wrong(row: ItemPrediction) -> list[str]:
    faults = []
    for name in ("score", "ground_truth"):
        value = getattr(row, name)
        if value is None and name == "score":
            continue
        whole = isinstance(value, int | np.integer) or (
            isinstance(value, float | np.floating) and float(value).is_integer()
        )
        if isinstance(value, bool | np.bool_) or not whole:
            silence = ", or None for an abstention" if name == "score" else ""
            faults.append(f"{name} must be a whole number{silence}, not {what_came(value)}")
    number = isinstance(row.confidence, int | float | np.integer | np.floating)
    if isinstance(row.confidence, bool) or not number:
        faults.append(f"confidence must be a number, not {what_came(row.confidence)}")
    elif row.score is not None and not -sys.float_info.max <= row.confidence <= sys.float_info.max:
        faults.append(f"confidence must be finite, not {what_came(row.confidence)}")
    return faults


def off_scale(rows: Sequence[ItemPrediction], scale: Scale) -> list[Problem]:
    """Levels that the scale does not have."""
    problems = []
    for (index, row), name in product(enumerate(rows), ("score", "ground_truth")):
        try:
            if (value := getattr(row, name)) is not None:
                scale.rank(int(value))
        except ValueError as error:
            problems.append(Problem(f"{name}: {error}", field=f"row {index}"))
    return problems


def judgments_of(items: Iterable[Row], scale: Any = None) -> Judgments:
    """The table of a list of rows; rows without a case are a case each.

    >>> judgments_of([ItemPrediction(2, 1, 0.9), ItemPrediction(None, 0, 0.1)]).answered
    array([ True, False])
    """
    rows = rows_of(items)
    for name in ("case", "item"):
        absent = [index for index, row in enumerate(rows) if getattr(row, name) is None]
        if 0 < len(absent) < len(rows):
            which = f"lacks {'an' if name == 'item' else 'a'} {name} that others have"
            raise DataError([Problem(which, field=f"row {absent[0]}")])
    has_case = any(row.case is not None for row in rows)
    has_item = any(row.item is not None for row in rows)
    return from_columns(
        case=[r.case for r in rows] if has_case else np.arange(len(rows)),
        item=[r.item for r in rows] if has_item else None,
        truth=[r.ground_truth for r in rows],
        prediction=[r.score for r in rows],
        confidence=np.array([float(r.confidence) for r in rows]),
        scale=scale,
    )


def table_of(data: Any, mode: str | None = None, reading: Reading | None = None) -> Judgments:
    """The table of one input, read as the keywords of a door say."""
    reading = reading or {}
    if isinstance(data, str | Path):
        return read(data, mode=mode, **reading)
    if mode is not None:
        raise UsageError("a mode is chosen when a run file is read; this input has none")
    request = Request.of(reading)
    if isinstance(data, Judgments):
        if request.asks:
            asks = ", ".join(request.asks)
            raise UsageError(f"a table is read already; leave {asks} out, or give the rows")
        return data if request.scale is None else data.on_scale(request.scale)
    if isinstance(data, list | tuple):
        return _of_list(data, request)
    # asked of its type: a lazy frame would have to work the columns out, and warns
    if isinstance(data, Mapping) or not hasattr(type(data), "columns"):
        raise UsageError(
            "an input is a Judgments table (from_columns makes one), a path, a dataframe or a list "
            f"of rows, not {printable(type(data).__name__)}"
        )
    return assemble(frame_rows(data), Source(), request)


_ITEM_KEYS: Final = {"score", "ground_truth"}


def _of_list(data: Sequence[Any], request: Request) -> Judgments:
    """The table of a list: of rows as items have them, or of mappings with columns of their own."""
    is_own = all(isinstance(row, Mapping) and not _ITEM_KEYS & row.keys() for row in data)
    if data and (is_own or (request.asks and all(isinstance(row, Mapping) for row in data))):
        return assemble(Records(rows=list(data), format="list"), Source(), request)
    return judgments_of(data, scale=request.scale)
