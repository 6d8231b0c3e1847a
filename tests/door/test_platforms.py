"""Exports of platforms in the shapes that their published sources write, with values of our own.

Each shape was read in the source that writes it: Langfuse's batch export and its API's models, the
downloads of Phoenix's experiments and its client's frames, Opik's comparison page and its command
``opik export``, DeepEval's test runs, Braintrust's events, MLflow's traces, autorubric's run files.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.errors import DataError
from acumen.table.judgments import Judgments

TRUTH = [1 + case % 5 for case in range(40)]
JUDGED = [1 + (case + (case % 4 == 0)) % 5 for case in range(40)]
PAIRS = list(enumerate(zip(TRUTH, JUDGED, strict=True)))
WORDS = ["awful", "poor", "fair", "good", "great"]
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV, each cell in quotes, objects in JSON, as Langfuse and Phoenix write them."""
    cells = [
        {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
        for row in rows
    ]
    names = dict.fromkeys(key for row in cells for key in row)
    with Path("export.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(names), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(cells)
    return "export.csv"


def document(value: Any) -> str:
    Path("export.json").write_text(json.dumps(value), "utf-8")
    return "export.json"


def lines(rows: Iterable[Any]) -> str:
    Path("export.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return "export.jsonl"


def levels_of(read: Judgments) -> tuple[list[Any], list[Any]]:
    levels = read.scale.levels
    return [levels[k] for k in read.truth], [levels[k] for k in read.prediction]


def as_proposed(path: str, **reading: Any) -> Judgments:
    """The table that a look at the file proposes."""
    roles: dict[str, Any] = dict(acumen.survey(path, **reading).document.columns)
    named = {} if roles.get("case") == "case" else roles  # it goes by the platform's own columns
    return acumen.read(path, **(reading | named))


def langfuse(case: int, source: str, value: Any, **more: Any) -> Row:
    """A row of the scores that the batch export of Langfuse writes."""
    row: Row = {"id": f"s{case}{source}", "traceId": f"t{case}", "sessionId": None}
    row |= {"datasetRunId": None, "timestamp": "2026-05-29T13:46:19.963Z", "source": source}
    row |= {"name": "quality", "dataType": "NUMERIC", "value": value, "stringValue": None}
    row |= {"comment": None, "metadata": {}, "observationId": None, "traceName": "chat"}
    row |= {"userId": "u", "traceTags": ["a"], "environment": "default"}
    return row | {"authorUserName": "Ann" if source == "ANNOTATION" else None} | more


def both(score: Callable[..., Row], people: str = "ANNOTATION", judge: str = "EVAL") -> list[Row]:
    return [
        score(k, kind, pair[at]) for at, kind in enumerate((people, judge)) for k, pair in PAIRS
    ]


@pytest.mark.parametrize("written", [table, document])
def test_scores_of_langfuse_as_its_tables_are_exported(written: Callable[..., str]) -> None:
    read = acumen.read(written(both(langfuse)))
    assert levels_of(read) == (TRUTH, JUDGED)
    others = [langfuse(k, "ANNOTATION", t, authorUserName="Ben") for k, (t, _) in PAIRS]
    read = acumen.read(written([*both(langfuse), *others]))
    assert read.rater is not None
    assert {*read.rater.values} == {"Ann", "Ben"}


def test_a_category_of_langfuse_is_its_word_and_not_the_zero_beside_it() -> None:
    def category(case: int, source: str, value: int, **more: Any) -> Row:
        said: Row = {"dataType": "CATEGORICAL", "stringValue": WORDS[value - 1]}
        return langfuse(case, source, 0, **said, **more)

    read = acumen.read(table(both(category)), levels=",".join(WORDS))
    assert levels_of(read) == tuple([WORDS[v - 1] for v in side] for side in (TRUTH, JUDGED))
    numbered = [row | {"value": WORDS.index(row["stringValue"])} for row in both(category)]
    assert acumen.read(table(numbered)).scale.levels == tuple(WORDS)  # as they are configured


def test_remarks_of_langfuse_are_no_levels() -> None:
    remark = {"name": "remark", "dataType": "TEXT", "value": 0, "stringValue": "a remark"}
    remarks = [row | remark for row in both(langfuse)]
    read = acumen.read(table([*both(langfuse), *remarks]))
    assert levels_of(read) == (TRUTH, JUDGED)
    assert any("80 scores left out that are remarks" in warning for warning in read.warnings)


def test_scores_of_sessions_and_of_programs_are_scores() -> None:
    rows = [row | {"traceId": None, "sessionId": row["traceId"]} for row in both(langfuse)]
    assert levels_of(acumen.read(table(rows))) == (TRUTH, JUDGED)
    read = acumen.read(table(both(langfuse, judge="API")))
    assert levels_of(read) == (TRUTH, JUDGED)
    assert any("API the prediction" in warning for warning in read.warnings)


def test_scores_of_different_names_are_no_pairs() -> None:
    rows = [langfuse(k, "ANNOTATION", t, name="tone") for k, (t, _) in PAIRS]
    rows += [langfuse(k, "EVAL", p, name=name) for k, (_, p) in PAIRS for name in "ab"]
    with pytest.raises(DataError, match="tone of people, and a, b of the judge"):
        acumen.read(table(rows))


def test_scores_of_the_newest_interface_of_langfuse() -> None:
    def score(case: int, source: str, value: int) -> Row:
        row = {"id": f"{case}{source}", "projectId": "p", "name": "quality", "source": source}
        row |= {"timestamp": "x", "environment": "default", "dataType": "CATEGORICAL"}
        return row | {"value": WORDS[value - 1], "subject": {"kind": "trace", "id": f"t{case}"}}

    path = document({"data": both(score), "meta": {"cursor": None, "limit": 100}})
    read = acumen.read(path, levels=",".join(WORDS))
    assert (len(read.cases), [WORDS.index(w) + 1 for w in levels_of(read)[1]]) == (40, JUDGED)


@pytest.mark.parametrize("written", [table, document])
def test_scores_beside_traces_of_langfuse_are_lists(written: Callable[..., str]) -> None:
    usage = {"promptTokens": 10, "completionTokens": 20, "totalTokens": 30}
    rows = [
        {"id": f"t{k}", "timestamp": "2026-01-01", "name": "chat", "input": {"q": "x"}}
        | {"output": "an answer", "usage": usage, "inputTokens": 10, "outputTokens": 20}
        | {"human_quality": [t], "judge_quality": [p]}
        for k, (t, p) in PAIRS
    ]
    assert levels_of(as_proposed(written(rows))) == (TRUTH, JUDGED)
    assert not acumen.survey(written(rows)).document.sure  # a list may have others


def phoenix(case: int, truth: Any, output: Any, *annotations: Row) -> Row:
    """A run of an experiment, as Phoenix's download in JSON has it."""
    row = {"example_id": f"RGF{case}", "repetition_number": 1, "input": {"q": "x"}}
    row |= {"reference_output": truth, "output": output, "error": None, "latency_ms": 10.0}
    row |= {"start_time": "s", "end_time": "e", "trace_id": f"tr{case}", "prompt_token_count": 1}
    return row | {"completion_token_count": 2, "annotations": list(annotations)}


def test_runs_of_phoenix_are_read_beside_their_references() -> None:
    runs = [phoenix(k, {"rating": t}, {"rating": p}) for k, (t, p) in PAIRS]
    assert levels_of(as_proposed(document(runs))) == (TRUTH, JUDGED)
    flat = [{k: v for k, v in run.items() if k != "annotations"} for run in runs]
    more = {"annotation_exact_label": "", "annotation_exact_score": 0.5}
    more |= {"annotation_exact_annotator_kind": "CODE", "annotation_exact_error": ""}
    assert levels_of(as_proposed(table([run | more for run in flat]))) == (TRUTH, JUDGED)


def test_annotations_inside_of_runs_of_phoenix_stand_beside_each_other() -> None:
    def annotation(kind: str, score: int) -> Row:
        return {"name": "tone", "annotator_kind": kind, "label": None, "score": float(score)}

    runs = [
        phoenix(k, {"a": "text"}, "a text", annotation("HUMAN", t), annotation("LLM", p))
        for k, (t, p) in PAIRS
    ]
    read = as_proposed(document(runs))
    assert (read.items, levels_of(read)) == (("tone",), (TRUTH, JUDGED))


def test_scores_of_phoenix_evaluators_are_objects_in_text() -> None:
    def score(value: int) -> Row:
        return {"name": "tone", "score": value, "label": None, "kind": "llm", "metadata": {}}

    rows = [
        {"context.span_id": f"sp{k}", "input": "x", "human_rating": t, "tone_score": score(p)}
        for k, (t, p) in PAIRS
    ]
    assert levels_of(as_proposed(table(rows))) == (TRUTH, JUDGED)


def test_tables_of_opik_have_a_column_for_each_score() -> None:
    rows: list[Row] = [
        {"id": f"d{k}", "created_at": "2026", "dataset.input": "x", "dataset.human_rating": t}
        | {"evaluation_task.output": "a text of the model", "feedback_scores.judge": p or "-"}
        | {"feedback_scores.judge_reason": "fine"}
        for k, (t, p) in PAIRS
    ]
    assert levels_of(as_proposed(table(rows))) == (TRUTH, JUDGED)
    rows[3]["feedback_scores.judge"] = "-"
    assert as_proposed(table(rows)).outcomes["abstained"] == 1
    compared = [
        {"id": f"d{k}", "dataset.human_rating": t, "v1.feedback_scores.judge": p}
        | {"v2.feedback_scores.judge": t}
        for k, (t, p) in PAIRS
    ]
    read = as_proposed(table(compared))
    assert read.system is not None
    assert len(read.system.values) == 2
    traces = [
        {"id": f"t{k}", "output": {"a": "y"}, "feedback_scores.human": t, "feedback_scores.ai": p}
        for k, (t, p) in PAIRS
    ]
    assert levels_of(as_proposed(table(traces))) == (TRUTH, JUDGED)


def test_what_opik_export_writes_is_read_at_its_items() -> None:
    items = [
        {"id": f"i{k}", "dataset_item_id": f"d{k}", "trace_id": f"tr{k}"}
        | {"dataset_item_data": {"input": "x", "expected_output": t}}
        | {"evaluation_task_output": {"output": p}, "assertion_results": []}
        | {"feedback_scores": [{"category_name": None, "name": "g", "reason": "", "value": 0.5}]}
        for k, (t, p) in PAIRS
    ]
    experiment = {"id": "e", "name": "v1", "feedback_scores": [{"name": "g", "value": 0.5}]}
    path = document({"experiment": experiment, "items": items, "downloaded_at": "x"})
    assert levels_of(as_proposed(path)) == (TRUTH, JUDGED)


def test_feedback_inside_of_traces_of_opik_stands_beside_each_other() -> None:
    def traces(*judges: str) -> list[Row]:
        return [
            {"id": f"t{k}", "input": {"q": "x"}, "output": {"a": "y"}}
            | {
                "feedback_scores": [
                    {"name": "by people", "value": float(t), "source": "ui", "created_by": "ann"},
                    *({"name": j, "value": float(p), "source": "online_scoring"} for j in judges),
                ]
            }
            for k, (t, p) in PAIRS
        ]

    read = as_proposed(document(traces("quality")))
    assert levels_of(read) == (TRUTH, JUDGED)
    pair = "by people by people is compared with quality by the judge"
    assert any(pair in warning for warning in read.warnings)
    by_name = {"truth": 'feedback_scores[name="by people"].value'}
    by_name |= {"prediction": "feedback_scores[name=b].value"}
    read = acumen.read(document(traces("a", "b")), case="id", **by_name)  # type: ignore[arg-type]
    assert levels_of(read) == (TRUTH, JUDGED)


def metric(name: str, score: float, **spelled: Any) -> Row:
    row = {"name": name, "threshold": 0.5, "success": True, "score": score, "reason": "r"}
    return row | spelled


def test_what_evaluate_of_deepeval_returns_is_read_as_a_test_run_is() -> None:
    results = [
        {"name": f"test_case_{k}", "success": True, "conversational": False, "input": "x"}
        | {"actual_output": "y", "expected_output": str(t / 5)}
        | {"metrics_data": [metric("Tone [GEval]", p / 5, strict_mode=False)]}
        for k, (t, p) in PAIRS
    ]
    expected = tuple([v / 5 for v in side] for side in (TRUTH, JUDGED))
    path = document({"test_results": results, "confident_link": None})
    assert levels_of(acumen.read(path)) == expected
    cases = [
        {"name": f"c{k}", "metricsData": [metric("Tone", p / 5)], "turns": [{"role": "user"}]}
        | {"expectedOutcome": "o", "metadata": {"human": t / 5}}
        for k, (t, p) in PAIRS
    ]
    run = {"testCases": [], "conversationalTestCases": cases, "metricsScores": [{"metric": "T"}]}
    assert levels_of(acumen.read(document(run), truth="metadata.human")) == expected


@pytest.mark.parametrize(
    "written", [lines, lambda rows: document({"events": rows, "cursor": None})]
)
def test_steps_inside_of_a_run_of_braintrust_are_no_rows(written: Callable[..., str]) -> None:
    def event(case: int, root: bool, output: Any, expected: Any) -> Row:
        row = {"id": f"e{case}{root}", "is_root": root, "span_id": f"s{case}{root}"}
        row |= {"root_span_id": f"s{case}True", "input": {"q": "x"}, "error": None}
        return row | {"output": output, "expected": expected, "scores": None}

    rows = [
        e
        for k, (t, p) in PAIRS
        for e in (event(k, True, p, t), event(k, False, [{"message": "x"}], None))
    ]
    read = as_proposed(written(rows))
    assert levels_of(read) == (TRUTH, JUDGED)
    assert any("40 rows left out: steps inside of a run" in w for w in read.warnings)


@pytest.mark.parametrize("name", ["quality", "expected_quality"])
def test_expectations_of_mlflow_are_truths(name: str) -> None:
    def assessment(name: str, kind: str, trace: str, **value: Any) -> Row:
        row = {"assessment_id": f"a{trace}{kind}", "assessment_name": name, "trace_id": trace}
        return row | {"source": {"source_type": kind, "source_id": "someone"}} | value

    traces = [
        {"trace_id": f"tr{k}", "state": "OK", "request": "x", "response": "y"}
        | {
            "assessments": [
                assessment(name, "HUMAN", f"tr{k}", expectation={"value": t}),
                assessment("quality", "LLM_JUDGE", f"tr{k}", feedback={"value": p}),
            ]
        }
        for k, (t, p) in PAIRS
    ]
    assert levels_of(acumen.read(document(traces))) == (TRUTH, JUDGED)


def report(case: int, *criteria: Row, error: str | None = None) -> Row:
    """A line of autorubric's items.jsonl."""
    inner: Row = {"score": 0.5, "raw_score": 1.0, "error": error, "report_type": "single"}
    inner |= {"criterion_reports": list(criteria)} if criteria else {}
    return {"item_idx": case, "duration_seconds": 1.0, "error": error, "report": inner}


def test_verdicts_of_autorubric_are_known_by_their_content() -> None:
    verdicts = ["UNMET", "MET", "CANNOT_ASSESS"]

    def criterion(name: str, at: int, error: str | None = None) -> Row:
        row = {"name": name, "weight": 1.0, "requirement": "r", "multi_choice_verdict": None}
        return row | {"verdict": verdicts[at % 3], "reason": "r", "error": error}

    items = [report(k, criterion("clear", k), criterion("true", k + 1)) for k in range(12)]
    items += [report(12, criterion("clear", 0, error="parse: x")), report(13, error="a timeout")]
    labels = [
        {"item_idx": k, "name": name, "label": verdicts[k % 2]}
        for k in range(13)
        for name in ("clear", "true")
    ]
    read = acumen.read(lines(items), label_files=table(labels), truth="label", on="item_idx,name")
    assert read.scale.levels == ("UNMET", "MET")
    counts = {name: n for name, n in read.outcomes.items() if n}
    assert counts == {"answered": 16, "abstained": 8, "failed": 1}
    assert any("1 item left out: autorubric did not grade it" in w for w in read.warnings)
    several = [
        report(
            k, {"name": "style", "verdict": None, "multi_choice_verdict": {"value": (p - 1) / 4}}
        )
        for k, (_, p) in PAIRS
    ]
    read = acumen.read(lines(several))
    assert levels_of(read)[1] == [(p - 1) / 4 for p in JUDGED]


def test_several_judges_vote_on_a_criterion_of_autorubric() -> None:
    def criterion(at: int) -> Row:
        row = {"criterion": {"name": "clear", "weight": 1.0}, "final_reason": "r", "votes": []}
        return row | {"final_verdict": ["UNMET", "MET"][at % 2], "agreement": 1.0, "error": None}

    read = acumen.read(lines(report(k, criterion(k)) for k in range(12)))
    assert (read.items, read.prediction.tolist()) == (("clear",), [k % 2 for k in range(12)])
