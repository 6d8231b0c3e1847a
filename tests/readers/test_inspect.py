"""Logs of Inspect: what is read of them, what a killed run leaves, and files made to hurt."""

from __future__ import annotations

import json
import math
import time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers import read_content
from acumen.readers.content import Content, load
from acumen.readers.formats import format_of
from acumen.readers.inspect import read_inspect
from acumen.readers.records import Records
from acumen.table.judgments import Outcome
from tests.files.test_archive import packed

SAMPLES = Path(__file__).parents[1] / "samples"


def content_of(data: bytes, name: str = "log.eval") -> Content:
    return Content(name, BytesIO(data))


def sample(number: object = 1, epoch: object = 1, **more: Any) -> dict[str, Any]:
    choice = {"message": {"content": "2"}, "stop_reason": "stop"}
    return {
        "id": number,
        "epoch": epoch,
        "target": "1",
        "output": {"choices": [choice], "completion": "2"},
        "scores": {"exact": {"value": "I", "answer": "2"}},
        **more,
    }


def log_of(*samples: Any, header: Any = None, names: list[str] | None = None) -> bytes:
    """A log with the given samples; the header is that of a run that ended well."""
    head = {"version": 2, "status": "success", "eval": {"task": "t"}} if header is None else header
    members = {"header.json": json.dumps(head).encode()}
    for k, entry in enumerate(samples):
        name = names[k] if names else f"samples/{k}_epoch_1.json"
        members[name] = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
    return packed(members)


def read_log(*samples: Any, **options: Any) -> Records:
    return read_inspect(content_of(log_of(*samples, **options)))


def columns(records: Records) -> dict[str, Any]:
    return dict(records.mapping["columns"])


def test_the_zip_and_the_document_hold_the_same_samples() -> None:
    zipped = read_inspect(load(SAMPLES / "inspect_phq.eval"))
    document = read_inspect(load(SAMPLES / "inspect_phq.json"))
    assert zipped.mapping == document.mapping
    keys = [[(r["id"], r["epoch"], r["target"]) for r in log.rows] for log in (zipped, document)]
    assert keys[0] == keys[1]
    assert len(zipped) == 12


@pytest.mark.parametrize("name", ["phq.eval", "phq.json", "killed.eval", "rescored.eval"])
def test_a_log_is_told_by_its_content(name: str) -> None:
    content = load(SAMPLES / f"inspect_{name}")
    assert format_of(Content("whatever.txt", BytesIO(content.data)).head) == "inspect"


def test_the_bulk_of_a_sample_is_let_go_and_the_study_stands_in_each_row() -> None:
    row = read_inspect(load(SAMPLES / "inspect_phq.eval")).rows[0]
    assert not {"events", "messages", "attachments"} & row.keys()
    assert row["eval"]["model"] == "mockllm/model"
    assert row["token_msp"] == pytest.approx(0.7, abs=1e-12)


def test_a_killed_run_says_how_many_rows_it_planned() -> None:
    killed = read_inspect(load(SAMPLES / "inspect_killed.eval"))
    assert (len(killed), killed.planned) == (11, 24)
    assert killed.warnings[-1] == "the run did not end: 11 of 24 planned rows are there"
    assert read_inspect(load(SAMPLES / "inspect_phq.eval")).planned is None


def test_a_run_that_ended_by_an_error_is_partial_too() -> None:
    study = {"task": "t", "dataset": {"sample_ids": [1, 2, 3]}, "config": {"epochs": 2}}
    header = {"version": 2, "status": "error", "eval": study}
    assert read_log(sample(), header=header).planned == 6
    whole = [sample(k, e) for k in (1, 2, 3) for e in (1, 2)]
    assert read_log(*whole, header=header).planned is None


def test_case_and_item_are_the_metadata_that_their_names_make_plain() -> None:
    plain = read_log(sample(1, metadata={"patient": 7, "item": "Sleep"}))
    assert (columns(plain)["case"], columns(plain)["item"]) == ("metadata.patient", "metadata.item")
    cluster = read_log(sample(1, metadata={"patient": 7}))
    assert (columns(cluster)["case"], columns(cluster)["item"]) == ("metadata.patient", "id")
    bare = read_log(sample(1))
    assert (columns(bare)["case"], columns(bare)["item"]) == ("id", "eval.task")
    some = read_log(sample(1, metadata={"patient": 7}), sample(2, metadata={}))
    assert columns(some)["case"] == "id"


def prediction_of(scores: Any) -> tuple[str, Any]:
    """The path of the prediction, and the score that stands in the row."""
    log = read_log(sample(scores=scores))
    return columns(log)["prediction"], log.rows[0]["score"]


def test_the_prediction_is_an_answer_before_a_value_before_the_completion() -> None:
    first, second, third = {"value": {"x": 1}}, {"value": 2.0}, {"value": "C", "answer": "2"}
    every = {"first": first, "second": second, "a.b/c": third}
    assert prediction_of(every) == ("score.answer", third)
    assert prediction_of({"first": first, "second": second}) == ("score.value", second)
    assert prediction_of({"first": first}) == ("output.completion", None)
    assert prediction_of({"marks": {"value": "I"}}) == ("output.completion", None)
    assert prediction_of({}) == ("output.completion", None)


def test_a_choice_among_scorers_is_told() -> None:
    (warning,) = read_inspect(load(SAMPLES / "inspect_phq.eval")).warnings
    assert "scorer exact; there are also ordinal, numeric" in warning
    assert read_log(sample()).warnings == ()


def test_values_with_our_three_numbers_bring_their_confidence() -> None:
    rescored = read_inspect(load(SAMPLES / "inspect_rescored.eval"))
    assert columns(rescored)["confidence"] == "score.value.confidence"


def with_logs(number: int, *logs: Any) -> dict[str, Any]:
    tokens = [{"token": "2", "logprob": log} for log in logs]
    return sample(number, output={"choices": [{"logprobs": {"content": tokens}}]})


@pytest.mark.parametrize(
    ("samples", "means"),
    [
        ([with_logs(1, 0.0, math.log(0.5)), sample(2)], [0.75, None]),
        ([sample(1), with_logs(2, math.log(0.25))], [None, 0.25]),
        ([with_logs(1, 0), with_logs(2, math.log(0.5))], [1.0, 0.5]),
        ([sample(1), sample(2)], [None, None]),
        ([with_logs(1), with_logs(2, 0.0, None)], [None, None]),
        ([with_logs(1, -1.0, 0.1), with_logs(2, "-1")], [None, None]),
    ],
)
def test_tokens_of_some_samples_are_enough_for_a_signal(
    samples: list[dict[str, Any]], means: list[float | None]
) -> None:
    log = read_log(*samples)
    assert [row.get("token_msp") for row in log.rows] == pytest.approx(means, abs=1e-15)
    own = {"token_msp": "token_msp"}
    assert log.mapping["signals"] == (own if any(means) else {})


@pytest.mark.parametrize(
    ("first", "second", "has_confidence"),
    [
        ({"answered": 1, "confidence": 0.5}, 2, True),
        (2, {"answered": 1, "confidence": 0.5, "right": 0}, True),
        ({"confidence": 0.5}, {"answered": 1}, False),
        (2, 3, False),
    ],
)
def test_a_confidence_in_the_values_of_some_samples_is_taken(
    first: Any, second: Any, has_confidence: bool
) -> None:
    scores = [{"exact": {"value": value, "answer": "2"}} for value in (first, second)]
    log = read_log(*(sample(k, scores=score) for k, score in enumerate(scores)))
    assert (columns(log).get("confidence") == "score.value.confidence") is has_confidence


def test_a_target_of_one_is_that_one() -> None:
    assert read_log(sample(target=["3"])).rows[0]["target"] == "3"
    assert read_log(sample(target=["3", "4"])).rows[0]["target"] == ["3", "4"]


def test_id_and_epoch_are_read_inside_and_not_from_the_name() -> None:
    names = ["samples/a/b c/../d_epoch_9.json", "samples//etc/passwd_epoch_1.json"]
    log = read_log(sample("a/b", 1), sample("a/b", 2), names=names)
    assert [(row["id"], row["epoch"]) for row in log.rows] == [("a/b", 1), ("a/b", 2)]


def test_nan_below_scores_is_a_number_that_is_not_there() -> None:
    log = read_log(sample(scores={"exact": {"value": math.nan}}, events=[{"score": math.nan}]))
    assert math.isnan(log.rows[0]["scores"]["exact"]["value"])


def scored(**score: Any) -> dict[str, Any]:
    return {"scores": {"exact": score}}


WHAT_HAPPENED: dict[str, tuple[str, dict[str, Any]]] = {
    "an answer": ("answered", scored(value="I", answer="2")),
    "no answer": ("abstained", scored(value="N")),
    "the mark of no answer beside a text": ("abstained", scored(value="N", answer="3")),
    "a word for no answer": ("abstained", scored(value="I", answer="n/a")),
    "NaN beside an answer": ("unscored", scored(value=math.nan, answer="2")),
    "the scorer gave up": ("unscored", scored(value=math.nan, explanation="no grade")),
    "no score of this scorer": ("unscored", {"scores": {}}),
    "a grader failed": ("unscored", scored(value="I", answer="2", reason="grader_failed")),
    "an error": ("failed", {"error": {"message": "boom"}, "scores": {}}),
    "an error after a score": ("failed", {"error": {"message": "boom"}}),
    "a time-out inside a solver": ("failed", {"output": {"choices": [], "completion": ""}}),
    "no output": ("failed", {"output": None}),
    "a refusal scored like any text": (
        "refused",
        {"output": {"choices": [{"stop_reason": "content_filter"}], "completion": "no"}},
    ),
    "a refusal by its reason": ("refused", scored(value="I", answer="no", reason="refusal")),
    "no level": ("unparseable", scored(value="I", answer="x", reason="invalid_response_format")),
    "not answered, as ours has it": ("abstained", scored(value={"answered": 0}, answer="2")),
}


@pytest.mark.parametrize("name", WHAT_HAPPENED)
def test_what_happened_is_what_the_log_says(name: str) -> None:
    outcome, parts = WHAT_HAPPENED[name]
    # beside it a sample that says which scorer is meant
    data = log_of(sample(1), sample(2, **parts))
    table = read_content(content_of(data), levels="0-3", truth="target")
    assert Outcome(table.outcome[table.case == table.cases.index(2)][0]).name.lower() == outcome


def test_roles_on_the_command_line_go_over_what_the_log_makes_plain() -> None:
    scores = {"exact": {"value": "I", "answer": "2"}, "grade": {"value": 3, "metadata": {"p": 0.4}}}
    data = log_of(*(sample(k, scores=scores, metadata={"site": "a"}) for k in (1, 2)))
    table = read_content(
        content_of(data),
        levels="0-3",
        prediction="scores.grade.value",
        confidence_column="scores.grade.metadata.p",
        case="metadata.site",
        item="id",
    )
    assert table.cases == ("a",)
    assert table.prediction.tolist() == [3, 3]
    assert table.signals["confidence"].values.tolist() == [0.4, 0.4]


HOSTILE: dict[str, tuple[bytes, str]] = {
    "NaN in the target": (log_of(sample(target=math.nan)), r"samples/0.*target \(id 1\): NaN"),
    "NaN in the header": (log_of(sample(), header={"eval": math.nan}), "eval: NaN is not JSON"),
    "an id and epoch twice": (log_of(sample(7, 2), sample(7, 2)), "sample 7, epoch 2 stands twice"),
    "a list for a sample": (log_of([1]), "samples/0_epoch_1.json: id is null"),
    "a list for scores": (log_of(sample(scores=[1])), "scores is a list"),
    "no id": (log_of({"epoch": 1}), "id is null"),
    "a text for an epoch": (log_of(sample(epoch="1")), "epoch is the text '1'"),
    "a boolean for an id": (log_of(sample(True)), "id is the boolean true"),
    "deep nesting": (log_of(b"[" * 100_000), "nesting deeper than 100"),
    "half a sample": (log_of(json.dumps(sample()).encode()[:50]), "was its writer interrupted"),
    "no samples": (log_of(), "holds no samples"),
    "no header": (packed({"a.txt": b"x"}), "no Inspect log"),
    "a list for the header": (log_of(sample(), header=[1]), r"header\.json.*an object is expected"),
    "not UTF-8": (log_of(b'{"id": "\xff"}'), "is not UTF-8"),
    "a bomb": (log_of(b" " * (80 << 20)), "zip bomb"),
    "cut short": (log_of(sample())[:-40], "no whole zip archive"),
    "no list of samples": (
        b'{"version": 2, "status": "x", "eval": {}, "samples": 1}',
        "samples: a",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_made_to_hurt_ends_in_one_clear_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data, message = HOSTILE[name]
    started = time.process_time()
    with pytest.raises(DataError, match=message) as raised:
        read_inspect(content_of(data))
    assert time.process_time() - started < 10
    assert str(raised.value).startswith("log.eval")
    assert list(tmp_path.iterdir()) == []


def test_a_thousand_samples_are_read_in_a_second() -> None:
    data = log_of(*(sample(k) for k in range(1000)))
    started = time.process_time()
    assert len(read_inspect(content_of(data))) == 1000
    assert time.process_time() - started < 5


def test_a_log_of_a_newer_version_is_refused_by_name() -> None:
    with pytest.raises(DataError, match="version: 99 is not known; this acumen reads up to 2"):
        read_log(sample(), header={"version": 99, "status": "success", "eval": {"task": "t"}})


def test_a_thousand_samples_of_one_fault_are_one_line() -> None:
    names = [f"samples/{'ab' * (1 + k % 7)}{k}.json" for k in range(1000)]
    with pytest.raises(DataError) as error:
        read_log(*(sample(k, epoch=None) for k in range(1000)), names=names)
    assert len(str(error.value).splitlines()) == 1
    assert "epoch is null; and 999 more like it: sample samples/" in str(error.value)
