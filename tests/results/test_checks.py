"""Documents that were edited by hand or damaged: what does not fit together is told, all of it."""

from __future__ import annotations

import copy
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import acumen
from acumen.errors import DataError
from acumen.readers.run import run_from_document
from acumen.results.charted import VerdictSummary
from acumen.results.files import ResultFile
from acumen.results.frames import frame_of
from acumen.results.metrics import SCHEMA_VERSION, MetricsArtifact
from tests.toy_runs import other_run, toy_run


@cache
def _document(inputs: int) -> dict[str, Any]:
    documents = [toy_run(12), *(other_run(12, times) for times in range(1, inputs))]
    runs = [run_from_document(document) for document in documents]
    artifact = acumen.evaluate(*runs, confidence="llm", resamples=0).document
    return artifact.model_dump(mode="json")


def document(inputs: int = 1) -> dict[str, Any]:
    return copy.deepcopy(_document(inputs))


def refusal(content: dict[str, Any]) -> list[str]:
    with pytest.raises(DataError) as caught:
        MetricsArtifact.model_validate(content).check()
    return str(caught.value).splitlines()


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_a_document_as_it_was_written_fits_together(inputs: int) -> None:
    artifact = MetricsArtifact.model_validate(document(inputs))
    artifact.check()
    assert len(artifact.inputs) == len(artifact.input_names) == inputs
    assert artifact.is_list is (inputs == 3)
    assert [side for _, side, _ in artifact.variants()] == artifact.input_names


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_an_input_that_is_gone_is_missed(inputs: int) -> None:
    content = document(inputs)
    content["inputs"] *= 2
    first, *_ = refusal(content)
    assert first == f"inputs: {2 * inputs}, where {inputs} are compared"


def test_a_function_has_numbers_of_every_input() -> None:
    content = document(2)
    del content["confidence_variants"]["llm"]["input_1"]
    assert "confidence_variants, llm: must be of 2 inputs" in refusal(content)


def test_there_is_no_more_of_rows_or_summaries_than_of_inputs() -> None:
    for part in ("rows", "summaries"):
        content = document()
        assert len(content[part]) == 1
        content[part] *= 2
        assert refusal(content) == ["rows, summaries: more of them than inputs"]


def test_rows_have_columns_of_one_length() -> None:
    content = document()
    content["rows"][0]["truth"].append(1)
    assert refusal(content) == ["rows: ragged columns"]


@pytest.mark.parametrize("version", ["x", "-1", str(int(SCHEMA_VERSION) + 1)])
def test_a_newer_schema_is_refused(version: str) -> None:
    message = f"has schema version {version}; this acumen reads up to {SCHEMA_VERSION}"
    with pytest.raises(ValidationError, match=message):
        MetricsArtifact.model_validate(document() | {"schema_version": version})
    older = MetricsArtifact.model_validate(document() | {"schema_version": "1"})
    assert older.schema_version == "1"


def test_what_needs_no_confidence_stood_under_another_name_once() -> None:
    content = document()
    overall = content.pop("overall")
    older = MetricsArtifact.model_validate(content | {"agreement": overall})
    assert older.overall == MetricsArtifact.model_validate(document()).overall
    both = document() | {"agreement": {}}
    assert MetricsArtifact.model_validate(both).overall == older.overall


def test_functions_come_by_area_and_those_without_one_last() -> None:
    content = document()
    one = content["confidence_variants"]["llm"]
    areas = {"b": 0.3, "none": None, "a": 0.1, "zero": 0.0}
    content["confidence_variants"] = {
        name: {**one, "metrics": {}, "augrc_full": area} for name, area in areas.items()
    }
    assert MetricsArtifact.model_validate(content).functions == ["zero", "a", "b", "none"]


@pytest.mark.parametrize("at", [0, 1])
def test_a_row_of_a_confusion_has_one_column_more_than_there_are_levels(at: int) -> None:
    sound: list[Any] = [[1, 0, 0], [0, 2, 1]]
    summary: dict[str, Any] = {"levels": ["Low", "High"], "ranked_by": "x", "precision_recall": []}
    assert VerdictSummary(**summary, confusion=sound).confusion == sound
    for row in ([1, 0], [1, 0, 0, 0]):
        damaged: list[Any] = [row if place == at else own for place, own in enumerate(sound)]
        with pytest.raises(ValidationError, match="a count for each level and for abstentions"):
            VerdictSummary(**summary, confusion=damaged)


def test_results_are_sorted_by_their_time_and_then_by_their_file() -> None:
    def file(name: str, time: str | None) -> ResultFile:
        class Timed:
            timestamp = time

        return ResultFile(Path(f"folder/{name}"), Timed())  # type: ignore[arg-type]

    assert file("b.json", "2026-01-02").age == ("2026-01-02", "b.json")
    assert file("b.json", None).age == ("", "b.json")


def test_records_become_a_frame_of_the_library_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    records = [{"a": 1}, {"b": 2, "a": 3}]
    frame = frame_of(records, "polars")
    assert frame.to_dict(as_series=False) == {"a": [1, 3], "b": [None, 2]}
    assert frame_of(records, "pyarrow").to_pydict() == {"a": [1, 3], "b": [None, 2]}
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    assert type(frame_of(records)).__module__.startswith("polars")
    monkeypatch.setattr("acumen.results.frames.LIBRARIES", ())
    assert frame_of(records) == records
    assert frame_of(records, "polars").shape == (2, 2)


def test_a_pair_that_names_no_systems_is_of_two_inputs() -> None:
    content = document(2) | {"systems": []}
    MetricsArtifact.model_validate(content).check()
    content["inputs"] *= 2
    assert refusal(content)[0] == "inputs: 4, where 2 are compared"
    content = document(1) | {"systems": []}
    MetricsArtifact.model_validate(content).check()
