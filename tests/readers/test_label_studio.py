"""Exports of Label Studio: a row for each task and annotator, and what a skip is."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers.content import Content, load
from acumen.readers.formats import format_of
from acumen.readers.label_studio import read_label_studio
from acumen.readers.records import Records

SAMPLES = Path(__file__).parents[1] / "samples"


def result(value: Any, control: str = "quality", kind: str = "rating") -> dict[str, Any]:
    return {"from_name": control, "type": kind, "value": {kind: value}}


def annotation(rater: Any, *results: Any, **more: Any) -> dict[str, Any]:
    return {"completed_by": rater, "result": list(results), "was_cancelled": False, **more}


def task(annotations: list[Any], predictions: list[Any], number: int = 1) -> dict[str, Any]:
    return {"id": number, "data": {}, "annotations": annotations, "predictions": predictions}


def read_tasks(*tasks: Any) -> Records:
    return read_label_studio(Content("export.json", BytesIO(json.dumps(tasks).encode())))


def test_an_export_is_told_by_its_content() -> None:
    data = load(SAMPLES / "labelstudio_quality.json").data
    assert format_of(Content("rows", BytesIO(data)).head) == "label-studio"


def test_a_rater_who_skipped_gives_no_truth_and_a_model_without_result_abstained() -> None:
    predictions = [{"model_version": "v", "score": 0.5, "result": []}]
    skipped = annotation(2, result(4), was_cancelled=True)
    records = read_tasks(task([annotation(1, result(3)), skipped], predictions))
    rows = [(r["rater"], r["truth"], r["prediction"], r["has_prediction"]) for r in records.rows]
    assert rows == [(1, 3, None, True), (2, None, None, True)]
    none = read_tasks(task([annotation(1, result(3))], [])).rows[0]
    assert (none["has_prediction"], none["prediction"], none["score"]) == (False, None, None)


def test_choices_and_numbers_are_levels_and_a_rater_may_be_an_object() -> None:
    predictions = [{"model_version": "v", "result": [result(["good"], kind="choices")]}]
    rater = {"id": 9, "email": "a@example.org"}
    entry = annotation(rater, result(["poor"], kind="choices"))
    row = read_tasks(task([entry], predictions)).rows[0]
    assert (row["rater"], row["truth"], row["prediction"]) == (9, "poor", "good")


def test_several_controls_make_rows_of_which_one_is_to_be_chosen() -> None:
    entry = annotation(1, result(3), result(5, "tone"))
    records = read_tasks(task([entry], []))
    assert [(r["control"], r["truth"]) for r in records.rows] == [("quality", 3), ("tone", 5)]
    assert records.one_of == {"control": ("quality", "tone")}


def test_versions_of_a_model_are_systems_and_the_later_prediction_of_one_counts() -> None:
    predictions = [
        {"model_version": "a", "result": [result(1)]},
        {"model_version": "b", "result": [result(2)]},
        {"model_version": "a", "result": [result(3)]},
    ]
    tasks = [task([annotation(1, result(3))], predictions), task([annotation(1)], [], 2)]
    records = read_tasks(*tasks)
    rows = [(r["id"], r["model_version"], r["prediction"]) for r in records.rows]
    assert rows == [(1, "a", 3), (1, "b", 2), (2, "a", None), (2, "b", None)]
    assert records.mapping["columns"]["system"] == "model_version"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"id": 1}, "a list is expected, an object came"),
        ([{"id": 1, "annotations": 3}], r"\[0\]\.annotations: a list is expected, 3 came"),
        ([{"id": 1, "annotations": [3]}], r"\[0\]\.annotations\[0\]: an object is expected"),
        ([{"id": 1, "annotations": [{"result": 3}]}], r"annotations\[0\]\.result: a list"),
        ([7], r"\[0\]: an object is expected, 7 came"),
        ([], "there are no annotations of a rating, choices or number"),
        ([{"id": 1, "annotations": []}], "there are no annotations"),
    ],
)
def test_what_is_no_export_is_refused_with_the_place(document: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_label_studio(Content("export.json", BytesIO(json.dumps(document).encode())))
