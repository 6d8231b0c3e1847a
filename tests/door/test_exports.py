"""Files as platforms export them, in the shapes that their sources and documentation show."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError

TRUTH = [1 + case % 5 for case in range(40)]
JUDGED = [1 + (case + (case % 4 == 0)) % 5 for case in range(40)]
PAIRS = list(enumerate(zip(TRUTH, JUDGED, strict=True)))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(name: str, header: list[str], rows: list[list[Any]]) -> str:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return name


def document(name: str, value: Any) -> str:
    Path(name).write_text(json.dumps(value), "utf-8")
    return name


def columns_of(path: str, **reading: Any) -> dict[str, str]:
    """What a look at the file proposes, which must give the numbers that were put in."""
    survey = acumen.survey(path, **reading).document
    roles: dict[str, Any] = dict(survey.columns)
    roles = {} if roles.get("case") == "case" else roles  # it goes by the platform's own columns
    read = acumen.read(path, **(reading | roles))
    levels = read.scale.levels
    truth = [levels[k] for k in read.truth]
    judged = [levels[k] for k in read.prediction]
    assert (truth, judged) == (TRUTH, JUDGED)
    return dict(survey.columns)


def test_runs_of_langsmith_are_read_beside_their_references() -> None:
    header = ["inputs.question", "outputs.rating", "error", "reference.rating", "feedback.brief"]
    header += ["execution_time", "example_id", "id"]
    rows = [[f"q{k}", p, "", t, 1, 0.5, f"e{k}", f"r{k}"] for k, (t, p) in PAIRS]
    found = columns_of(table("ls.csv", header, rows))
    assert found == {
        "case": "example_id",
        "truth": "reference.rating",
        "prediction": "outputs.rating",
    }
    rows[3][1:3] = ["", "TimeoutError"]
    path = table("ls.csv", header, rows)
    assert acumen.read(path, columns=found).outcomes["failed"] == 1


def test_repetitions_of_langsmith_are_draws_of_one_case(capsys: pytest.CaptureFixture[str]) -> None:
    header = ["inputs.question", "outputs.rating", "reference.rating", "example_id", "id"]
    drawn = [*JUDGED, *TRUTH, *TRUTH]
    rows = [[f"q{k % 40}", p, TRUTH[k % 40], f"e{k % 40}", f"r{k}"] for k, p in enumerate(drawn)]
    path = table("ls.csv", header, rows)
    survey = acumen.survey(path).document
    assert (survey.cases, survey.columns["case"]) == (40, "example_id")
    command = survey.measurable["outcomes"].command
    assert command is not None
    assert run(shlex.split(command)[1:]) == 0
    shown = capsys.readouterr()
    assert "40 of 40 cases" in shown.out
    assert "draws of one answer: --repeat id" in " ".join((shown.out + shown.err).split())
    roles: dict[str, Any] = {"truth": "reference.rating", "prediction": "outputs.rating"}
    read = acumen.read(path, **roles)
    assert read.repeat is not None
    assert len(set(read.case)) == 40
    with pytest.raises(DataError, match="duplicate"):
        acumen.read(path, **roles, case="inputs.question")


def test_feedback_of_langsmith_by_people_and_by_a_judge_is_seen_beside_texts() -> None:
    header = [
        "inputs.question",
        "outputs.answer",
        "feedback.human_score",
        "feedback.llm_judge",
        "id",
    ]
    rows = [[f"q{k}", "a text", t, p, f"r{k}"] for k, (t, p) in PAIRS]
    found = columns_of(table("fb.csv", header, rows))
    assert found["prediction"] == "feedback.llm_judge"
    assert found["truth"] == "feedback.human_score"


def test_experiments_of_opik_are_read_as_items_and_as_a_table() -> None:
    items = [
        {
            "id": f"i{k}",
            "dataset_item_id": f"d{k}",
            "dataset_item_data": {"input": "x", "expected_output": t},
            "evaluation_task_output": {"output": p},
            "feedback_scores": [{"name": "g_eval", "value": 0.5, "reason": "fine"}],
        }
        for k, (t, p) in PAIRS
    ]
    assert columns_of(document("opik.json", items)) == {
        "case": "dataset_item_id",
        "truth": "dataset_item_data.expected_output",
        "prediction": "evaluation_task_output.output",
    }
    header = ["dataset.input", "output", "g_eval", "human"]
    path = table("opik.csv", header, [["x", "a text", p, t] for _, (t, p) in PAIRS])
    assert columns_of(path) == {"truth": "human", "prediction": "g_eval"}
    warnings = acumen.read(path, truth="human", prediction="g_eval").warnings
    assert any("each row is a case of its own" in warning for warning in warnings)


def test_scores_by_name_inside_of_opik_traces_have_paths() -> None:
    traces = [
        {
            "id": f"t{k}",
            "feedback_scores": [{"name": "person", "value": t}, {"name": "judge", "value": p}],
        }
        for k, (t, p) in PAIRS
    ]
    read = acumen.read(
        document("traces.json", traces),
        truth="feedback_scores[name=person].value",
        prediction="feedback_scores[name=judge].value",
    )
    assert [read.scale.levels[k] for k in read.prediction] == JUDGED


def test_events_of_a_braintrust_experiment_are_rows() -> None:
    events = [
        {
            "id": f"e{k}",
            "is_root": True,
            "span_attributes": {"name": "eval", "type": "eval"},
            "input": {"q": "x"},
            "output": p,
            "expected": t,
            "scores": {"ExactMatch": float(t == p)},
            "error": None,
            "metadata": {"model": "m"},
        }
        for k, (t, p) in PAIRS
    ]
    found = {"case": "id", "truth": "expected", "prediction": "output"}
    assert columns_of(document("bt.json", {"events": events, "cursor": "x"})) == found


def assessment(trace: str, who: str, value: Any) -> dict[str, Any]:
    source = {"source_type": who, "source_id": "someone"}
    return {
        "assessment_id": f"a-{trace}-{who}",
        "assessment_name": "quality",
        "trace_id": trace,
        "source": source,
        "feedback": {"value": value},
    }


@pytest.mark.parametrize("inside", [False, True])
def test_assessments_inside_of_mlflow_traces_stand_beside_each_other(inside: bool) -> None:
    traces: list[dict[str, Any]] = []
    for k, (t, p) in PAIRS:
        trace = f"tr{k}"
        both = [assessment(trace, "HUMAN", t), assessment(trace, "LLM_JUDGE", p)]
        traces.append(
            {"info": {"trace_id": trace, "assessments": both}, "data": {"spans": []}}
            if inside
            else {"trace_id": trace, "request": "{}", "response": "{}", "assessments": both}
        )
    path = document("traces.json", traces)
    assert columns_of(path)["prediction"] == "prediction"
    assert any("scores of MLflow" in warning for warning in acumen.read(path).warnings)


def test_values_of_mlflow_scorers_are_seen_beside_expectations() -> None:
    header = ["trace_id", "request", "response", "quality/value", "expected_quality/value"]
    path = table("ml.csv", header, [[f"t{k}", "{}", "{}", p, t] for k, (t, p) in PAIRS])
    assert columns_of(path) == {
        "case": "trace_id",
        "truth": "expected_quality/value",
        "prediction": "quality/value",
    }


def test_verdicts_of_autorubric_are_rows_of_their_criteria() -> None:
    verdicts = ["UNMET", "MET", "CANNOT_ASSESS"]
    lines = [
        {
            "item_idx": k,
            "duration_seconds": 1.0,
            "error": None,
            "report": {
                "score": 0.5,
                "report_type": "single",
                "criterion_reports": [
                    {"name": name, "weight": 1.0, "verdict": verdicts[(k + at) % 3], "reason": "r"}
                    for at, name in enumerate(("clear", "true"))
                ],
            },
        }
        for k in range(12)
    ]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    path = table(
        "truth.csv",
        ["item_idx", "name", "verdict_of_people"],
        [[k, name, verdicts[k % 2]] for k in range(12) for name in ("clear", "true")],
    )
    read = acumen.read(
        "items.jsonl",
        rows="report.criterion_reports[]",
        case="item_idx",
        item="name",
        prediction="verdict",
        label_files=path,
        truth="verdict_of_people",
        on="item_idx,name",
    )
    assert read.scale.levels == ("UNMET", "MET")
    assert (read.outcomes["answered"], read.outcomes["abstained"]) == (16, 8)


def test_a_table_without_ids_has_a_case_a_row_and_says_so() -> None:
    path = table("two.csv", ["human", "ai"], [[t, p] for _, (t, p) in PAIRS])
    found = columns_of(path)
    assert found == {"truth": "human", "prediction": "ai"}
    read = acumen.read(path)
    assert len(read.cases) == 40
    assert any("each row is a case of its own" in warning for warning in read.warnings)
    with pytest.raises(
        acumen.DataError, match="--case essay"
    ):  # where one could be it, it is asked
        acumen.read(table("three.csv", ["essay", "human", "ai"], [[f"e{k}", *p] for k, p in PAIRS]))
