"""Whatever a caller has (a path, a frame, rows, a table) as what an evaluation takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from acumen.defaults import CONFIDENCE
from acumen.errors import UsageError, label, printable
from acumen.evaluation.slices import ITEM, LEVEL
from acumen.readers.inputs import table_of
from acumen.readers.reading import Reading, predictions_of
from acumen.readers.run import modes_of
from acumen.table.judgments import Judgments

Confidence = str | Sequence[str] | Callable[..., Any] | Mapping[str, Callable[..., Any] | str]
"""A selector, names, a function of signals, several by name, or a name for each system."""

Modes = str | Sequence[str | None] | None
"""One mode for every input, or one for each; of one input, any number of its own or ``"all"``."""


def tables_of(inputs: Sequence[Any], mode: Modes, reading: Reading) -> dict[str, Judgments]:
    """One table a system; by name where the inputs come by name, else by place.

    Several modes, or systems, of a single input make several of it.
    """
    by_name: Mapping[str, Any] = dict(zip(map(str, range(len(inputs))), inputs, strict=True))
    if len(inputs) == 1 and isinstance(inputs[0], Mapping) and is_by_name(inputs[0]):
        by_name = inputs[0]
    entries, modes = list(by_name.values()), _modes(inputs, mode)
    if len(entries) == 1 and len(modes) > 1:
        entries *= len(modes)
        by_name = dict.fromkeys(map(str, range(len(modes))))
    if len(modes) not in (1, len(entries)):
        raise UsageError(f"{len(modes)} modes for {len(entries)} inputs: one for all, or for each")
    if [entry for entry in entries if isinstance(entry, str)].count("-") > 1:
        raise UsageError("standard input can be read only once")
    modes = modes * len(entries) if len(modes) == 1 else modes
    tables = [table_of(entry, m, reading) for entry, m in zip(entries, modes, strict=True)]
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()  # which would be kept for another file
    if len(tables) == 1 and len(systems := _systems(tables[0])) > 1:
        named = [name for name in predictions_of(reading) if name in systems]
        ordered = named if len(named) == len(systems) else systems
        return {str(system): _side(tables[0], system) for system in ordered}
    for table in tables:
        _refuse_several(table, reading.get("system"))
    return dict(zip(by_name, tables, strict=True))


def one_table(data: Any, mode: str | None, reading: Reading) -> Judgments:
    """The table of one input, which holds one system: two would be taken for one."""
    table = table_of(data, mode, reading)
    _refuse_several(table, reading.get("system"), alone=True)
    return table


def two_systems(data: Any, mode: str | None, reading: Reading) -> list[Judgments]:
    """The two predictions that are named of one input, in this order; nothing where one is."""
    names = predictions_of(reading)
    if len(names) < 2:
        return []
    tables = tables_of([data], mode, reading)
    if len(tables) != 2:
        raise UsageError(f"two predictions are compared, not {len(names)}")
    return list(tables.values())


def is_by_name(inputs: Mapping[Any, Any]) -> bool:
    """Whether a mapping is of inputs by the names of their systems."""
    kinds = (str, Path, Judgments)
    rows = ([*v[:1]] if isinstance(v, list | tuple) else [] for v in inputs.values())
    tables = (
        isinstance(v, kinds) or hasattr(type(v), "columns") or any(hasattr(r, "keys") for r in one)
        for v, one in zip(inputs.values(), rows, strict=True)
    )
    return bool(inputs) and all(isinstance(name, str) for name in inputs) and all(tables)


def _modes(inputs: Sequence[Any], mode: Modes) -> list[str | None]:
    if mode == "all" and len(inputs) == 1 and isinstance(inputs[0], str | Path):
        return list(modes_of(inputs[0]))
    if isinstance(mode, str):
        return [part.strip() for part in mode.split(",")]
    return [mode] if mode is None else [m for part in mode for m in _modes(inputs, part)]


def with_groups(reading: Reading, by: Sequence[str], inputs: Sequence[Any]) -> Reading:
    """The reading with the columns of groups that are sliced by; a mapping and a table have them.

    >>> with_groups({"group": ["site"]}, ["sex,age", "item"], ["rows.csv"])["group"]
    ['site', 'sex', 'age']
    """
    names = [name.strip() for columns in by for name in columns.split(",")]
    new = [name for name in names if name not in (ITEM, LEVEL)]
    entries = [e for i in inputs for e in (i.values() if isinstance(i, Mapping) else [i])]
    if not new or "mapping" in reading or any(isinstance(e, Judgments) for e in entries):
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


def _refuse_several(table: Judgments, column: str | None, *, alone: bool = False) -> None:
    systems = _systems(table)
    if len(systems) > 1:
        names = ", ".join(label(system) for system in systems[:10])
        which = f"--where {column}={systems[0]}" if column else f"--prediction {systems[0]}"
        rest = "" if alone else ", or give this input alone"
        several = "one at a time is answered for" if alone else "of several inputs each holds one"
        raise UsageError(
            f"{table.source.name or 'the input'} holds {len(systems)} systems ({names}); "
            f"{several}: choose it with {which}{rest}"
        )


def confidence_of(confidence: Confidence) -> tuple[str, Mapping[str, Callable[..., Any]]]:
    """A selector, and functions by name."""
    if isinstance(confidence, str):
        return confidence, {}
    if isinstance(confidence, Mapping):
        own = {system: f for system, f in confidence.items() if isinstance(f, str)}
        if len(own) == len(confidence):
            return ",".join(f"{system}={function}" for system, function in own.items()), {}
        return CONFIDENCE, {name: f for name, f in confidence.items() if not isinstance(f, str)}
    if callable(confidence):
        name = getattr(confidence, "__name__", "custom")
        return CONFIDENCE, {"custom" if name == "<lambda>" else name: confidence}
    if not isinstance(confidence, list | tuple) or not all(isinstance(n, str) for n in confidence):
        raise UsageError(
            "a confidence is a name, a list of names or a function of signals; numbers come with "
            f"the rows, as a column of them; not {printable(type(confidence).__name__)}"
        )
    return ",".join(confidence), {}


def calibration_of(calibration: Any) -> Any:
    """A calibration, or prediction sets: as they are, as a result has them, or from their file."""
    if calibration is None:
        return None
    from acumen.calibration.artifact import calibration_from, read_calibration
    from acumen.calibration.sets import PredictionSets, read_sets
    from acumen.results.calibration import CalibrationDocument
    from acumen.results.decisions import SetsDocument

    if isinstance(calibration, str | Path):
        return read_sets(calibration) or read_calibration(calibration)
    document = getattr(calibration, "document", calibration)
    if isinstance(document, SetsDocument):
        return PredictionSets(document)
    if isinstance(document, CalibrationDocument):
        return calibration_from(document.model_dump(mode="json"))
    return calibration
