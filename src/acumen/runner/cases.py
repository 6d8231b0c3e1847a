"""The cases a model is asked about, with their truth; and the references of few-shot prompts.

A case file is JSON: ``{"cases": [{"id": …, <the task's inputs>, "truth": {…}}, …]}``, or the same
records by id, ``{id: {…}, …}``. Where there is no ``truth``, the record itself holds it: a verdict
study's cases, truth and reviews can be one file. Messages name the case and the field; the text of
a case is never part of one.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from acumen.errors import DataError, Problem, UsageError, label, what_came
from acumen.files.json import parse_json, read_bytes, source_name
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


def read_cases(path: str | Path, task: Task) -> Cases:
    """The cases of a file, or the bundled ones for ``demo``; refuses with all that is wrong."""
    return _read(path, "cases", _case, task)


def read_references(path: str | Path, task: Task) -> References:
    """The references of a file, or the bundled ones for ``demo``."""
    return _read(path, "references", _reference, task)


@uncollected()
def _read(
    path: str | Path,
    noun: str,
    read: Callable[[dict[str, Any], str, Task, list[Problem]], T | None],
    task: Task,
) -> Contents[T]:
    data, source = _bytes(path, noun, task)
    records = _records(parse_json(data, source=source), noun, source)
    problems: list[Problem] = []
    contents: list[T] = []
    for index, record in enumerate(records):
        where = f"{noun}[{index}]"
        if not isinstance(record, dict):
            problems.append(Problem(f"must be an object, not {_kind(record)}", field=where))
        elif (content := read(record, where, task, problems)) is not None:
            contents.append(content)
    # 7 and "7" would be one case to a reader of the run file
    names = Counter(str(content.id) for content in contents if isinstance(content, Case))
    repeats = [name for name, n in names.items() if n > 1]
    problems += [Problem("is there more than once", case=i, noun=task.scale.case) for i in repeats]
    if not records:
        problems.append(Problem(f"holds no {noun}"))
    if problems:
        raise DataError(problems, source=source)
    return Contents(tuple(contents), hashlib.sha256(data).hexdigest())


def _bytes(path: str | Path, noun: str, task: Task) -> tuple[bytes, str]:
    if str(path) != DEMO:
        return read_bytes(path), source_name(path)
    name = f"{task.name}-{noun}.json"
    entry = files("acumen.runner.demo").joinpath(name)
    if not entry.is_file():
        raise UsageError(f"there are no bundled {noun} for the task {label(task.name)}")
    return entry.read_bytes(), name


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
    return Case(name, {key: record.get(key) for key in task.inputs}, truth)


def _input_problems(record: dict[str, Any], task: Task) -> Iterator[Problem]:
    for key, kind in task.inputs.items():
        value = record.get(key)
        if kind == "optional text" and value is None:
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
