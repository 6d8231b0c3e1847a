"""The cases a model is asked about, each with its truth; and the references of few-shot prompts.

A case file is JSON: ``{"cases": [{"id": …, <the task's inputs>, "truth": {…}}, …]}``, or the same
records by id, ``{id: {…}, …}``. Where there is no ``truth``, the record itself holds it: a verdict
study's cases, truth and reviews can be one file. Messages name the case and the field; the text of
a case is never part of one.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label, what_came
from acumen.files.json import parse_json, read_bytes, source_name
from acumen.runner.task import Task
from acumen.types import CaseId

DEMO: Final = "demo"


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its id, its inputs (texts and reviews) and its truth."""

    id: CaseId
    inputs: Mapping[str, Any]
    truth: Mapping[str, int | str]
    incidents: tuple[Mapping[str, Any], ...] = ()

    def passages(self) -> list[str]:
        """Its text in pieces that can be compared: paragraphs or lines, and reviews."""
        found: list[str] = []
        for value in self.inputs.values():
            if isinstance(value, str):
                found += [line.strip() for line in value.splitlines() if line.strip()]
            else:
                found += [review["text"] for review in value]
        return found


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one file and the hash of its bytes."""

    all: tuple[Case, ...]
    hash: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage of another case whose score on one item is known."""

    item: str
    text: str
    score: int | str
    case: CaseId | None = None


@dataclass(frozen=True, slots=True)
class References:
    """The references of one file and the hash of its bytes."""

    all: tuple[Reference, ...]
    hash: str


def read_cases(path: str | Path, task: Task) -> Cases:
    """The cases of a file, or the bundled ones for ``demo``; refuses with all that is wrong."""
    data, source = _bytes(path, f"{task.name}-cases.json", "cases", task)
    records = _records(parse_json(data, source=source), "cases", source)
    problems: list[Problem] = []
    cases = [_case(record, index, task, problems) for index, record in enumerate(records)]
    # 7 and "7" would be one case to a reader of the run file
    twice = [name for name, n in Counter(str(c.id) for c in cases if c).items() if n > 1]
    problems += [Problem("is there more than once", case=i, noun=task.scale.case) for i in twice]
    if not cases:
        problems.append(Problem("holds no cases"))
    if problems:
        raise DataError(problems, source=source)
    return Cases(tuple(c for c in cases if c), hashlib.sha256(data).hexdigest())


def read_references(path: str | Path, task: Task) -> References:
    """The references of a file, or the bundled ones for ``demo``."""
    data, source = _bytes(path, f"{task.name}-references.json", "references", task)
    records = _records(parse_json(data, source=source), "references", source)
    problems: list[Problem] = []
    found = [_reference(record, index, task, problems) for index, record in enumerate(records)]
    if not found:
        problems.append(Problem("holds no references"))
    if problems:
        raise DataError(problems, source=source)
    return References(tuple(r for r in found if r), hashlib.sha256(data).hexdigest())


def _bytes(path: str | Path, bundled: str, noun: str, task: Task) -> tuple[bytes, str]:
    if str(path) != DEMO:
        return read_bytes(path), source_name(path)
    entry = files("acumen.runner.demo").joinpath(bundled)
    if not entry.is_file():
        raise UsageError(f"there are no bundled {noun} for the task {label(task.name)}")
    return entry.read_bytes(), bundled


def _records(document: object, key: str, source: str) -> list[object]:
    found = document.get(key, document) if isinstance(document, dict) else document
    if isinstance(found, dict) and found and all(isinstance(r, dict) for r in found.values()):
        return [{"id": name, **record} for name, record in found.items()]
    if not isinstance(found, list):
        raise DataError([f'must be {{"{key}": […]}} or records by id'], source=source)
    return found


def _case(record: object, index: int, task: Task, problems: list[Problem]) -> Case | None:
    where = f"cases[{index}]"
    if not isinstance(record, dict):
        problems.append(Problem(f"must be an object, not {_kind(record)}", field=where))
        return None
    name = _name(record.get("id"))
    if name is None:
        came = _kind(record.get("id"))
        problems.append(Problem(f"must be text or a whole number, not {came}", field=f"{where}.id"))
    own = {key: record[key] for key in (*task.scale.items, "incidents") if key in record}
    truth, incidents, wrong = _truth(record.get("truth", own or None), task)
    for found in [*_input_problems(record, task), *wrong]:
        if name is None:
            problems.append(replace(found, field=f"{where}.{found.field}"))
        else:
            problems.append(replace(found, case=name, noun=task.scale.case))
    if name is None:
        return None
    inputs = {key: record.get(key) for key in task.inputs}
    return Case(name, inputs, truth, incidents)


def _name(value: object) -> CaseId | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        return None
    return value


def _input_problems(record: dict[str, Any], task: Task) -> Iterator[Problem]:
    for key, kind in task.inputs.items():
        value = record.get(key)
        if key not in record:
            yield Problem("is missing", field=key)
        elif kind == "text":
            if not isinstance(value, str):
                yield Problem(f"must be text, not {_kind(value)}", field=key)
            elif not value.strip():
                yield Problem("is blank", field=key)
        elif not isinstance(value, list) or not all(_is_review(review) for review in value):
            yield Problem("must be a list of {review_id, text}, both text", field=key)
        elif len({review["review_id"] for review in value}) < len(value):
            yield Problem("gives one review_id twice", field=key)


def _is_review(review: object) -> bool:
    return isinstance(review, dict) and all(
        isinstance(review.get(key), str) and review[key] for key in ("review_id", "text")
    )


def _truth(
    truth: object, task: Task
) -> tuple[dict[str, int | str], tuple[Mapping[str, Any], ...], list[Problem]]:
    """Levels by item, incidents of a verdict study, and what is wrong with either."""
    if not isinstance(truth, dict):
        return {}, (), [Problem(f"must be an object, not {_kind(truth)}", field="truth")]
    known = set(task.scale.items) | ({"incidents"} if task.is_verdict else set())
    problems = [
        Problem("is not an item of the task", field=f"truth.{label(key)}")
        for key in truth
        if key not in known
    ]
    levels: dict[str, int | str] = {}
    for item in task.scale.items:
        if item not in truth:
            problems.append(Problem("is missing", item=item, field="truth"))
            continue
        try:
            levels[item] = task.scale.levels[task.scale.rank(truth[item])]
        except ValueError:
            message = f"{_kind(truth[item])} is not one of {task.scale.allowed}"
            problems.append(Problem(message, item=item, field="truth"))
    incidents = truth.get("incidents", [])
    if not isinstance(incidents, list) or not all(isinstance(i, dict) for i in incidents):
        problems.append(Problem("must be a list of objects", field="truth.incidents"))
        incidents = []
    return levels, tuple(incidents), problems


def _reference(record: object, index: int, task: Task, problems: list[Problem]) -> Reference | None:
    where = f"references[{index}]"
    if not isinstance(record, dict):
        problems.append(Problem(f"must be an object, not {_kind(record)}", field=where))
        return None
    item, text = record.get("item"), record.get("text")
    found = []
    if item not in task.scale.items:
        allowed = ", ".join(task.scale.items)
        found.append(Problem(f"must be one of {allowed}", field=f"{where}.item"))
    if not isinstance(text, str) or not text.strip():
        found.append(Problem("must be text that is not blank", field=f"{where}.text"))
    try:
        score = task.scale.levels[task.scale.rank(record.get("score"))]
    except ValueError:
        message = f"{_kind(record.get('score'))} is not one of {task.scale.allowed}"
        found.append(Problem(message, field=f"{where}.score"))
    problems += found
    if found:
        return None
    return Reference(str(item), str(text), score, record.get("case"))


def _kind(value: object) -> str:
    """The kind of what came and nothing of it: it may be somebody's words."""
    return "text" if isinstance(value, str) else what_came(value)
