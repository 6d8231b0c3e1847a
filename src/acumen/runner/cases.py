"""The cases a model is asked about, with their truth; and the references of few-shot prompts.

A case file is JSON: ``{"cases": [{"id": …, <the task's inputs>, "truth": {…}}, …]}``, or the same
records by id, ``{id: {…}, …}``; or it is rows with columns. Where there is no ``truth``, the record
itself holds it: a verdict study's cases, truth and reviews can be one file. Messages name the case
and the field; the text of a case is never part of one.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Generic, TypedDict, TypeVar, Unpack

from acumen.errors import DataError, Problem, UsageError, label, what_came
from acumen.readers.content import Content, digest_of, load
from acumen.runner.task import Task
from acumen.types import CaseId

DEMO: Final = "demo"
T = TypeVar("T")
_encode = json.JSONEncoder(sort_keys=True).encode


class CaseReading(TypedDict, total=False):
    """Keywords that say how rows are cases; but for the first those of every door that reads rows.

    ``text_column`` is the column of the text that a model sees; ``INPUT=COLUMN`` where several are.
    """

    text_column: str | Sequence[str] | None
    case: str | None
    item: str | None
    truth: str | None
    where: str | Sequence[str] | None
    rows: str | None
    format: str | None
    mapping: str | Path | Mapping[str, Any] | None


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


@contextmanager
def uncollected() -> Iterator[None]:
    """Make many objects that stay without looking among them, again and again, for garbage."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def read_cases(path: str | Path, task: Task, **reading: Unpack[CaseReading]) -> Cases:
    """The cases of a file, or the bundled ones for ``demo``; refuses with all that is wrong."""
    return _read(path, "cases", _case, task, {k: v for k, v in reading.items() if v is not None})


def read_references(path: str | Path, task: Task) -> References:
    """The references of a file, or the bundled ones for ``demo``."""
    return _read(path, "references", _reference, task, {})


@uncollected()
def _read(
    path: str | Path,
    noun: str,
    read: Callable[[dict[str, Any], str, Task, list[Problem]], T | None],
    task: Task,
    reading: Mapping[str, Any],
) -> Contents[T]:
    content = _bundled(noun, task) if str(path) == DEMO else load(path)
    source = content.name
    is_document = content.head.is_json and not content.head.has_lines
    if noun == "cases" and content.head.start and (reading or not is_document):
        from acumen.runner.case_rows import records_of  # NumPy: not for a JSON document

        try:
            records: Sequence[object] = records_of(content, task, reading)
        except DataError as error:
            raise DataError(error.problems, source) from None
    else:
        records = _records(content.document, noun, source)
    problems: list[Problem] = []
    contents: list[T] = []
    for index, record in enumerate(records):
        where = f"{noun}[{index}]"
        if not isinstance(record, dict):
            problems.append(Problem(f"must be an object, not {_kind(record)}", field=where))
        elif (entry := read(record, where, task, problems)) is not None:
            contents.append(entry)
    # 7 and "7" would be one case to a reader of the run file
    names = Counter(str(entry.id) for entry in contents if isinstance(entry, Case))
    repeats = [name for name, n in names.items() if n > 1]
    problems += [Problem("is there more than once", case=i, noun=task.scale.case) for i in repeats]
    if not records:
        problems.append(Problem(f"holds no {noun}"))
    if problems:
        raise DataError(problems, source=source)
    return Contents(tuple(contents), content.sha256 or "")


def _bundled(noun: str, task: Task) -> Content:
    name = f"{task.name}-{noun}.json"
    entry = files("acumen.runner.demo").joinpath(name)
    if not entry.is_file():
        raise UsageError(f"there are no bundled {noun} for the task {label(task.name)}")
    return Content(name, data := entry.read_bytes(), digest_of(data))


def _records(document: object, key: str, source: str) -> list[object]:
    records = document.get(key, document) if isinstance(document, dict) else document
    if isinstance(records, dict) and records and all(isinstance(r, dict) for r in records.values()):
        return [{"id": name, **record} for name, record in records.items()]
    if not isinstance(records, list):
        raise DataError([f'must be {{"{key}": […]}} or records by id'], source=source)
    return records


def _case(record: dict[str, Any], where: str, task: Task, problems: list[Problem]) -> Case | None:
    name = record.get("id")
    if isinstance(name, bool) or not isinstance(name, int | str) or name == "":
        message = f"must be text or a whole number, not {_kind(name)}"
        problems.append(Problem(message, field=f"{where}.id"))
        name = None
    inline = {key: record[key] for key in (*task.scale.items, "incidents") if key in record}
    truth, faults = _truth(record.get("truth", inline or None), task)
    for problem in [*_input_problems(record, task), *faults]:
        if name is None:
            problems.append(replace(problem, field=f"{where}.{problem.field}"))
        else:
            problems.append(replace(problem, case=name, noun=task.scale.case))
    if name is None:
        return None
    inputs = {key: record.get(key) for key in task.inputs}
    gaps = [key for key, kind in task.inputs.items() if kind == "optional text" and not inputs[key]]
    return Case(name, inputs | dict.fromkeys(gaps), truth)


def _input_problems(record: dict[str, Any], task: Task) -> Iterator[Problem]:
    for key, kind in task.inputs.items():
        value = record.get(key)
        if kind == "optional text" and not value:
            continue
        if key not in record:
            yield Problem("is missing", field=key)
        elif kind != "reviews":
            if not isinstance(value, str):
                yield Problem(f"must be text, not {_kind(value)}", field=key)
            elif not value.strip():
                yield Problem("is blank", field=key)
        elif not isinstance(value, list) or not all(map(_is_review, value)):
            yield Problem("must be a list of {review_id, text}, both text", field=key)
        elif len({review["review_id"] for review in value}) < len(value):
            yield Problem("gives one review_id twice", field=key)


def _is_review(review: object) -> bool:
    return isinstance(review, dict) and all(
        isinstance(review.get(key), str) and review[key] for key in ("review_id", "text")
    )


def _truth(truth: object, task: Task) -> tuple[dict[str, int | float | str], list[Problem]]:
    """Levels by item, and what is wrong with them or with the incidents of a verdict study.

    None of them is no fault: a case may be judged now and its truth be known later.
    """
    if truth is None:
        return {}, []
    if not isinstance(truth, dict):
        return {}, [Problem(f"must be an object, not {_kind(truth)}", field="truth")]
    allowed = set(task.scale.items) | ({"incidents"} if task.is_verdict else set())
    problems = [
        Problem("is not an item of the task", field=f"truth.{label(key)}")
        for key in truth
        if key not in allowed
    ]
    levels: dict[str, int | float | str] = {}
    for item in task.scale.items:
        if item not in truth:
            problems.append(Problem("is missing", item=item, field="truth"))
            continue
        try:
            levels[item] = _level(truth[item], task)
        except ValueError as error:
            problems.append(Problem(str(error), item=item, field="truth"))
    incidents = truth.get("incidents", [])
    if not isinstance(incidents, list) or not all(isinstance(i, dict) for i in incidents):
        problems.append(Problem("must be a list of objects", field="truth.incidents"))
    return levels, problems


def _reference(
    record: dict[str, Any], where: str, task: Task, problems: list[Problem]
) -> Reference | None:
    item, text = record.get("item"), record.get("text")
    faults = []
    if item not in task.scale.items:
        allowed = ", ".join(task.scale.items)
        faults.append(Problem(f"must be one of {allowed}", field=f"{where}.item"))
    if not isinstance(text, str) or not text.strip():
        faults.append(Problem("must be text that is not blank", field=f"{where}.text"))
    try:
        score = _level(record.get("score"), task)
    except ValueError as error:
        faults.append(Problem(str(error), field=f"{where}.score"))
    problems += faults
    if faults:
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
