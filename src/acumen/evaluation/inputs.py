"""Whatever a caller has (a path, a frame, rows, a table) as what an evaluation takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acumen.defaults import CONFIDENCE
from acumen.errors import UsageError, label, printable
from acumen.evaluation.slices import ITEM, LEVEL
from acumen.readers import read
from acumen.readers.assemble import assemble
from acumen.readers.frame import frame_rows
from acumen.readers.reading import Reading
from acumen.readers.records import Records
from acumen.readers.request import Request
from acumen.table.judgments import Judgments, Source

if TYPE_CHECKING:
    from acumen.calibration import Calibration

Confidence = str | Sequence[str] | Callable[..., Any] | Mapping[str, Callable[..., Any]]
"""A selector, names, a function of signals, or several such functions by name."""

Modes = str | Sequence[str | None] | None
"""One mode for every input, or one for each of two."""


def tables_of(
    data: Any, other: Any, mode: Modes, reading: Reading
) -> tuple[Judgments, Judgments | None]:
    """One table or two; a pair of modes, or two systems, of a single input make two of it."""
    if mode is None or isinstance(mode, str):
        left = right = mode
    elif len(mode) == 2:
        left, right = mode
        other = data if other is None else other
    else:
        raise UsageError(f"a mode is a name or a pair of names, not {len(mode)} of them")
    if [side for side in (data, other) if isinstance(side, str)].count("-") > 1:
        raise UsageError("standard input can be read only once")
    tables = [table_of(data, left, reading)]
    tables += [] if other is None else [table_of(other, right, reading)]
    if other is None and len(systems := _systems(tables[0])) == 2:
        return _side(tables[0], systems[0]), _side(tables[0], systems[1])
    for table in tables:
        _refuse_several(table, reading.get("system"))
    return tables[0], tables[1] if len(tables) == 2 else None


def with_groups(reading: Reading, by: Sequence[str], data: Any) -> Reading:
    """The reading with the columns of groups that are sliced by; a mapping and a table have them.

    >>> with_groups({"group": ["site"]}, ["sex,age", "item"], "rows.csv")["group"]
    ['site', 'sex', 'age']
    """
    names = [name.strip() for columns in by for name in columns.split(",")]
    new = [name for name in names if name not in (ITEM, LEVEL)]
    if not new or "mapping" in reading or isinstance(data, Judgments):
        return reading
    known = reading.get("group") or []
    known = [known] if isinstance(known, str) else list(known)
    return {**reading, "group": list(dict.fromkeys([*known, *new]))}


def _systems(table: Judgments) -> Sequence[Any]:
    """The systems that rows of a table are of."""
    return () if table.system is None else table.system.in_order().values


def _side(table: Judgments, system: object) -> Judgments:
    """One system of a table, under its name."""
    part = table.of_system(system)
    return replace(part, source=replace(part.source, run_id=str(system)))


def _refuse_several(table: Judgments, column: str | None) -> None:
    systems = _systems(table)
    if len(systems) > 1:
        names = ", ".join(label(system) for system in systems[:10])
        which = f"--where {column or 'COLUMN'}={systems[0]}"
        raise UsageError(
            f"{table.source.name or 'the input'} holds {len(systems)} systems ({names}); one is "
            f"evaluated, two are compared: choose them with {which}, once or twice "
            "(where= in Python, or a [where] table in a mapping)"
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
    if isinstance(data, Mapping) or not hasattr(data, "columns"):
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
    from acumen.items.rows import judgments_of

    return judgments_of(data, scale=request.scale)


def confidence_of(confidence: Confidence) -> tuple[str, Mapping[str, Callable[..., Any]]]:
    """A selector, and functions by name."""
    if isinstance(confidence, str):
        return confidence, {}
    if isinstance(confidence, Mapping):
        return CONFIDENCE, dict(confidence)
    if callable(confidence):
        name = getattr(confidence, "__name__", "custom")
        return CONFIDENCE, {"custom" if name == "<lambda>" else name: confidence}
    if not isinstance(confidence, list | tuple) or not all(isinstance(n, str) for n in confidence):
        raise UsageError(
            "a confidence is a name, a list of names or a function of signals; numbers come with "
            f"the rows, as a column of them; not {printable(type(confidence).__name__)}"
        )
    return ",".join(confidence), {}


def calibration_of(calibration: str | Path | Calibration | None) -> Calibration | None:
    """A calibration as it is, or from its file."""
    if not isinstance(calibration, str | Path):
        return calibration
    from acumen.calibration import read_calibration

    return read_calibration(calibration)
