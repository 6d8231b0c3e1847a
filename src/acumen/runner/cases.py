"""The cases a model is asked about, with their truth; and the references of few-shot prompts.

A case file is JSON: ``{"cases": [{"id": …, <the task's inputs>, "truth": {…}}, …]}``, or the same
records by id, ``{id: {…}, …}``; or it is rows with columns. Where there is no ``truth``, the record
itself holds it: a verdict study's cases, truth and reviews can be one file. Messages name the case
and the field; the text of a case is never part of one.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, Unpack

from acumen.errors import DataError, UsageError, label, what_came
from acumen.files.fields import Fields
from acumen.readers.content import Content, load
from acumen.readers.formats import format_of, read_as
from acumen.runner.choices import CaseReading
from acumen.runner.task import Task
from acumen.types import CaseId

DEMO: Final = "demo"
T = TypeVar("T")
_encode = json.JSONEncoder(sort_keys=True).encode


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its id, its inputs (texts and reviews) and its truth."""

    id: CaseId
    inputs: Mapping[str, Any]
    truth: Mapping[str, int | float | str]

    @property
    def digest(self) -> str:
        """A hash of all that a model can be shown of it."""
        return hashlib.sha256(_encode(self.inputs).encode("ascii")).hexdigest()[:16]

    def passages(self) -> list[str]:
        """Its text in pieces that can be compared: paragraphs or lines, and reviews."""
        pieces: list[str] = []
        for value in self.inputs.values():
            if value is None:
                continue
            if isinstance(value, str):
                pieces += [line.strip() for line in value.splitlines() if line.strip()]
            else:
                pieces += [review["text"] for review in value]
        return pieces


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage of another case whose score on one item is known."""

    item: str
    text: str
    score: int | float | str
    case: CaseId | None = None


@dataclass(frozen=True, slots=True)
class Contents(Generic[T]):
    """The records of one file and the hash of its bytes."""

    all: tuple[T, ...]
    hash: str


Cases = Contents[Case]
References = Contents[Reference]


def read_cases(path: str | Path, task: Task, **reading: Unpack[CaseReading]) -> Cases:
    """The cases of a file, or the bundled ones for ``demo``; refuses with all that is wrong."""
    return _read(path, "cases", _case, task, {k: v for k, v in reading.items() if v is not None})


def read_references(path: str | Path, task: Task) -> References:
    """The references of a file, or the bundled ones for ``demo``."""
    return _read(path, "references", _reference, task, {})


def _read(
    path: str | Path,
    noun: str,
    read: Callable[[dict[str, Any], str, Task, Fields], T | None],
    task: Task,
    reading: Mapping[str, Any],
) -> Contents[T]:
    content = _bundled(noun, task) if str(path) == DEMO else load(path)
    fields = Fields(content.name, task.scale.case)
    is_document = content.head.is_json and not content.head.has_lines
    if noun == "cases" and content.head.start and (reading or not is_document):
        from acumen.runner.case_rows import records_of  # NumPy: not for a JSON document

        try:
            with read_as(format_of(content.head, reading.get("format")), content.name):
                records: Sequence[object] = records_of(content, task, reading)
        except DataError as error:
            raise DataError(error.problems, content.name) from None
    else:
        records = _records(content.document, noun, content.name)
    contents: list[T] = []
    for index, record in enumerate(records):
        fields.case, where = None, f"{noun}[{index}]"
        if not isinstance(record, dict):
            fields.wrong(where, f"must be an object, not {_kind(record)}")
        elif (entry := read(record, where, task, fields)) is not None:
            contents.append(entry)
    # 7 and "7" would be one case to a reader of the run file
    names = Counter(str(entry.id) for entry in contents if isinstance(entry, Case))
    for name in (name for name, n in names.items() if n > 1):
        fields.case = name
        fields.wrong(None, "is there more than once")
    fields.case = None
    if not records:
        fields.wrong(None, f"holds no {noun}")
    fields.finish()
    return Contents(tuple(contents), content.sha256 or "")


def _bundled(noun: str, task: Task) -> Content:
    name = f"{task.name}-{noun}.json"
    entry = files("acumen.runner.demo").joinpath(name)
    if not entry.is_file():
        raise UsageError(f"there are no bundled {noun} for the task {label(task.name)}")
    data = entry.read_bytes()
    return Content(name, BytesIO(data), hashlib.sha256(data).hexdigest)


def _records(document: object, key: str, source: str) -> list[object]:
    records = document.get(key, document) if isinstance(document, dict) else document
    if isinstance(records, dict) and records and all(isinstance(r, dict) for r in records.values()):
        return [{"id": name, **record} for name, record in records.items()]
    if not isinstance(records, list):
        raise DataError([f'must be {{"{key}": […]}} or records by id'], source=source)
    return records


def _case(record: dict[str, Any], where: str, task: Task, fields: Fields) -> Case | None:
    name, at = record.get("id"), ""
    if isinstance(name, bool) or not isinstance(name, int | str) or name == "":
        fields.wrong(f"{where}.id", f"must be text or a whole number, not {_kind(name)}")
        name, at = None, f"{where}."
    fields.case = name
    for key, fault in _wrong_inputs(record, task):
        fields.wrong(f"{at}{key}", fault)
    inline = {key: record[key] for key in (*task.scale.items, "incidents") if key in record}
    truth = _truth(record.get("truth", inline or None), task, f"{at}truth", fields)
    if name is None:
        return None
    inputs = {key: record.get(key) for key in task.inputs}
    gaps = [key for key, kind in task.inputs.items() if kind == "optional text" and not inputs[key]]
    return Case(name, inputs | dict.fromkeys(gaps), truth)


def _wrong_inputs(record: dict[str, Any], task: Task) -> Iterator[tuple[str, str]]:
    for key, kind in task.inputs.items():
        value = record.get(key)
        if kind == "optional text" and not value:
            continue
        if key not in record:
            yield key, "is missing"
        elif kind != "reviews":
            if not isinstance(value, str):
                yield key, f"must be text, not {_kind(value)}"
            elif not value.strip():
                yield key, "is blank"
        elif not isinstance(value, list) or not all(map(_is_review, value)):
            yield key, "must be a list of {review_id, text}, both text"
        elif len({review["review_id"] for review in value}) < len(value):
            yield key, "gives one review_id twice"


def _is_review(review: object) -> bool:
    return isinstance(review, dict) and all(
        isinstance(review.get(key), str) and review[key] for key in ("review_id", "text")
    )


def _truth(truth: object, task: Task, place: str, fields: Fields) -> dict[str, int | float | str]:
    """Levels by item; what is wrong with them or with the incidents of a verdict study is noted.

    A gap is no fault: a case may be judged now and its truth, or part of it, be known later.
    """
    levels: dict[str, int | float | str] = {}
    if truth is None:
        return levels
    if not isinstance(truth, dict):
        fields.wrong(place, f"must be an object, not {_kind(truth)}")
        return levels
    for key in truth:
        if key not in task.scale.items and not (key == "incidents" and task.is_verdict):
            fields.wrong(f"{place}.{label(key)}", "is not an item of the task")
    for item in task.scale.items:
        if truth.get(item) is None:
            continue
        try:
            levels[item] = _level(truth[item], task)
        except ValueError as error:
            fields.wrong(place, str(error), item)
    incidents = truth.get("incidents", [])
    if not isinstance(incidents, list) or not all(isinstance(i, dict) for i in incidents):
        fields.wrong(f"{place}.incidents", "must be a list of objects")
    return levels


def _reference(record: dict[str, Any], where: str, task: Task, fields: Fields) -> Reference | None:
    item, text, before = record.get("item"), record.get("text"), len(fields.problems)
    if item not in task.scale.items:
        fields.wrong(f"{where}.item", f"must be one of {', '.join(task.scale.items)}")
    if not isinstance(text, str) or not text.strip():
        fields.wrong(f"{where}.text", "must be text that is not blank")
    try:
        score = _level(record.get("score"), task)
    except ValueError as error:
        fields.wrong(f"{where}.score", str(error))
    if len(fields.problems) > before:
        return None
    return Reference(str(item), str(text), score, record.get("case"))


def _level(value: object, task: Task) -> int | float | str:
    try:
        return task.scale.levels[task.scale.rank(value)]
    except ValueError:
        raise ValueError(f"{_kind(value)} is not one of {task.scale.allowed}") from None


def _kind(value: object) -> str:
    """The kind of what came and nothing of it: it may be somebody's words."""
    return "text" if isinstance(value, str) else what_came(value)
