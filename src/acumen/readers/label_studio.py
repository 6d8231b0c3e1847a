"""Exports of Label Studio (JSON): tasks with the annotations of people and predictions of models.

A row is one (task, annotator, control, model version). A rater who skipped a task leaves a row
without truth: that is no abstention of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from acumen.errors import DataError
from acumen.readers.content import Content
from acumen.readers.logs import Record, at, objects_in, own_mapping, plain_roles
from acumen.readers.records import Records

_LISTS: Final = ("annotations", "predictions")
_KINDS: Final = ("rating", "choices", "number")
"""The controls whose value can be a level."""


def read_label_studio(content: Content) -> Records:
    """One row a task, annotator, control and model version."""
    name = content.name
    tasks = objects_in({"": content.document}, name)
    lists = {
        f"{place}.{key}": task.get(key) or [] for place, task in tasks.items() for key in _LISTS
    }
    entries = objects_in(lists, name)
    results = objects_in({f"{p}.result": e.get("result") or [] for p, e in entries.items()}, name)
    own = (r for r in results.values() if at(r, "type") in _KINDS)
    controls = dict.fromkeys(r["from_name"] for r in own if isinstance(r.get("from_name"), str))
    answers = (entry for place, entry in entries.items() if ".predictions[" in place)
    versions = dict.fromkeys(map(_version, answers))
    rows = [
        _row(task, annotation, control, version)
        for task in tasks.values()
        for annotation in task.get("annotations") or ()
        for control in controls
        for version in versions or (None,)
    ]
    if not rows:
        message = f"there are no annotations of a {_KINDS[0]}, {_KINDS[1]} or {_KINDS[2]}"
        raise DataError([message], source=name)
    columns = {"system": "model_version"} if len(versions) > 1 else {}
    if case := plain_roles(rows, "data").get("case"):
        columns |= {"case": case, "item": "id"}
    return Records(
        rows=rows,
        mapping=own_mapping("label-studio", **columns),
        one_of={"control": tuple(controls)},
        format="label-studio",
    )


def _row(task: Record, annotation: Record, control: object, version: object) -> Record:
    rater = at(annotation, "completed_by")
    models = [p for p in task.get("predictions") or () if _version(p) == version]
    prediction = models[-1] if models else None  # a later prediction replaces an earlier one
    return {
        "id": at(task, "id"),
        "data": at(task, "data"),
        "control": control,
        "rater": at(rater, "id") or at(rater, "email") if isinstance(rater, dict) else rater,
        "truth": None if at(annotation, "was_cancelled") else _value(annotation, control),
        "has_prediction": prediction is not None,
        "prediction": _value(prediction, control),
        "score": at(prediction, "score"),
        "model_version": version,
    }


def _version(prediction: Record) -> str | None:
    version = prediction.get("model_version")
    return version if isinstance(version, str) else None


def _value(entry: object, control: object) -> Any:
    """The level that was given with a control; None where there is none."""
    results: Sequence[Any] = at(entry, "result") or ()
    own = (r for r in results if at(r, "from_name") == control)
    result = next(own, None)
    value = at(result, "value", str(at(result, "type")))
    return value[0] if isinstance(value, list) and len(value) == 1 else value
