"""Whatever people hand in (a path, a frame, a list of rows, a table) as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from acumen.errors import DataError, Problem, UsageError, printable
from acumen.readers import read
from acumen.readers.assemble import assemble
from acumen.readers.columns import from_columns
from acumen.readers.frame import frame_rows
from acumen.readers.items import Row, rows_of
from acumen.readers.reading import Reading
from acumen.readers.records import Records
from acumen.readers.request import Request
from acumen.table.judgments import Judgments, Source


def judgments_of(items: Iterable[Row], scale: Any = None) -> Judgments:
    """The table of a list of rows; rows without a case are a case each.

    >>> from acumen.readers.items import ItemPrediction
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


def from_frame(
    frame: Any,
    *,
    source: Source = Source(),  # noqa: B008  (frozen)
    **reading: Unpack[Reading],
) -> Judgments:
    """The table of a long dataframe, one row a judgment.

    Columns are named by keywords (``truth="human"``) or by ``columns`` (role -> column); those not
    named are found by the names that people give them. Other numeric columns are signals.
    A null prediction is an abstention (in pandas NaN is null).

    >>> import pyarrow as pa
    >>> rows = pa.table({"participant_id": [7, 7], "item": ["Sleep", "Tired"], "gt": [1, 2],
    ...                  "pred": [1, None], "confidence": [0.9, 0.1]})
    >>> from_frame(rows).answered
    array([ True, False])
    """
    return assemble(frame_rows(frame, source.name), source, Request.of(reading))


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
