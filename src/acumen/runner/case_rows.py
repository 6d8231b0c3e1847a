"""Cases from rows: CSV, JSON Lines, Parquet and whatever else has columns, by the readers' options.

A row is a case, its true levels in columns named like the items; or it is one item of a case
(``--item``), and the rows of a case repeat its texts. Without a truth it is judged all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from acumen.errors import Problem, UsageError, label, refuse
from acumen.readers.cells import coded_of, levels_of
from acumen.readers.content import Content
from acumen.readers.formats import FORMATS, format_of, rows_of
from acumen.readers.lookup import Lookup
from acumen.readers.mapping import Cell, Columns
from acumen.readers.request import Request
from acumen.readers.roles import guess_roles
from acumen.runner.task import Task

Record = dict[str, Any]


def records_of(content: Content, task: Task, reading: Mapping[str, Any]) -> list[Record]:
    """The rows as records of a case file: ``id``, the task's inputs, ``truth`` where there is."""
    request = Request.of({k: v for k, v in reading.items() if k != "text_column"})
    name = format_of(content.head, request.format)
    if not FORMATS[name].has_columns:  # records of cases: here they are rows like others
        name = "jsonl" if content.head.has_lines else "json"
    rows = rows_of(content, name, request.rows)
    mapping, look = request.over(rows.mapping), Lookup(rows, {})
    inputs = _inputs(reading.get("text_column"), rows.names, task)
    case = mapping.columns.case
    if case is None:
        guess = guess_roles(rows.names, {"input": inputs.values()}, ["case"])
        case = Cell(path=guess.columns["case"])
    table = {"id": coded_of(look.cells(case, "case", ids=True))}
    for name, path in inputs.items():
        cell = Cell(path=path, json=task.inputs[name] == "reviews")
        table[name] = coded_of(look.cells(cell, f"input {name} (--text-column {name}=COLUMN)"))
    for name, cell in _truth(mapping.columns, rows.names, task).items():
        cells = look.cells(cell, name)
        # an item is a name, though it look like a number
        is_text = rows.is_text and name != "item"
        table[name] = coded_of(levels_of(cells, is_text=is_text))
    masks = [look.equals(path, values) for path, values in mapping.where.items()]
    columns = [
        [None if code < 0 else column.values[code] for code in column.codes.tolist()]
        for column in table.values()
    ]
    records = [
        dict(zip(table, values, strict=True))
        for row, values in enumerate(zip(*columns, strict=True))
        if all(mask[row] for mask in masks)
    ]
    if "item" in table:
        return _joined(records, task, content.name)
    return [_labelled(record, task) for record in records]


def _inputs(
    text_column: str | Sequence[str] | None, names: Collection[str], task: Task
) -> dict[str, str]:
    """Input of the task -> the column it stands in: as said, else the one of its name."""
    texts = [name for name, kind in task.inputs.items() if kind == "text"]
    columns = {
        name: name for name, kind in task.inputs.items() if kind != "optional text" or name in names
    }
    seen: set[str] = set()
    for said in [text_column] if isinstance(text_column, str) else text_column or ():
        name, mark, column = said.partition("=") if said not in names else ("", "", said)
        name = name if mark else texts[0] if len(texts) == 1 else ""
        if name not in task.inputs:
            known = ", ".join(task.inputs)
            raise UsageError(f"--text-column takes INPUT=COLUMN; the task's inputs are {known}")
        if name in seen:
            raise UsageError(f"--text-column gives two columns for {label(name)}")
        seen.add(name)
        columns[name] = column or said
    return columns


def _truth(columns: Columns, names: Collection[str], task: Task) -> dict[str, Cell]:
    """Where the truth stands: under ``truth``, with the ``item`` beside it; or under each item."""
    truth = columns.truth[0] if columns.truth else Cell(path="truth") if "truth" in names else None
    cells = {"item": columns.item} if columns.item else {}
    if truth is not None:
        return cells | {"truth": truth}
    return cells or {item: Cell(path=item) for item in task.scale.items if item in names}


def _labelled(record: Record, task: Task) -> Record:
    """A row that is a case; where it has no level at all, it has no truth."""
    truth = record.pop("truth", None)
    if truth is None:
        levels = {item: record.pop(item) for item in task.scale.items if item in record}
        truth = levels if any(level is not None for level in levels.values()) else None
    elif not isinstance(truth, dict) and len(task.scale.items) == 1:
        truth = {task.scale.items[0]: truth}
    return record | {"truth": truth}


def _joined(records: Sequence[Record], task: Task, source: str) -> list[Record]:
    """The cases of rows that are one item each."""
    cases: dict[str, Record] = {}
    problems = []
    for record in records:
        item, level = str(record.pop("item")), record.pop("truth", None)
        case = cases.setdefault(str(record["id"]), record | {"truth": {}})
        at = {"case": record["id"], "item": item, "noun": task.scale.case}
        problems += [
            Problem("its rows have different texts", field=label(key), **at)
            for key, value in record.items()
            if case[key] != value
        ]
        if item in case["truth"]:
            problems.append(Problem("is there more than once", **at))
        if level is not None:
            case["truth"][item] = level
    refuse(problems, source)
    return [case | {"truth": case["truth"] or None} for case in cases.values()]
