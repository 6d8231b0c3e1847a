"""Cases from rows: the columns of a table instead of a JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError, UsageError
from acumen.files.json import read_json
from acumen.runner.cases import read_cases
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task

PAIN = b"""
name = "pain"
scale = { levels = [0, 1, 2, 3], items = ["Back", "Head"] }
inputs = { note = "text", hint = "optional text" }
[reply]
layout = "by_item"
score = "score"
[prompt]
user = "{{ case.note }}"
"""
TWO = [(7, "it aches", {"Back": 1, "Head": 3}), (8, "fine, thanks", {})]


@pytest.fixture
def pain() -> Task:
    return parse_task(PAIN, "pain.toml")


def cases(path: Path, task: Task, **reading: Any) -> list[tuple[Any, Any, Mapping[str, Any]]]:
    return [(c.id, c.inputs["note"], c.truth) for c in read_cases(path, task, **reading).all]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_row_is_a_case_and_its_truth_stands_under_the_items(pain: Task, tmp_path: Path) -> None:
    wide = write(tmp_path, "c.csv", "pid,text,Back,Head\n7,it aches,1,3\n8,'fine',,\n")
    assert cases(wide, pain, text_column="text") == [
        ("7", "it aches", {"Back": 1, "Head": 3}),
        ("8", "'fine'", {}),
    ]
    part = write(tmp_path, "part.csv", "pid,text,Back,Head\n7,it aches,,3\n")  # the rest, later
    assert cases(part, pain, text_column="text") == [("7", "it aches", {"Head": 3})]


def test_rows_of_one_item_each_are_joined_to_cases(pain: Task, tmp_path: Path) -> None:
    rows = "who;what;gold;text;site\n7;Back;1;it aches;A\n7;Head;3;it aches;A\n"
    rows += "8;Back;;fine, thanks;A\n8;Head;;fine, thanks;A\n9;Back;0;x;B\n"
    columns = {"case": "who", "item": "what", "truth": "gold", "text_column": "note=text"}
    long = write(tmp_path, "c.csv", rows)
    joined = cases(long, pain, **columns, where="site=A")
    assert joined == [(str(case), note, truth) for case, note, truth in TWO]


def test_json_lines_are_the_records_of_a_case_file(pain: Task, tmp_path: Path) -> None:
    records = [{"id": i, "note": note, "truth": truth or None} for i, note, truth in TWO]
    del records[1]["truth"]
    lines = write(tmp_path, "c.jsonl", "".join(json.dumps(r) + "\n" for r in records))
    assert cases(lines, pain) == TWO
    document = write(tmp_path, "c.json", json.dumps({"cases": records}))
    assert read_cases(document, pain).all == read_cases(lines, pain).all
    nested = [{"pid": r["id"], "in": {"note": r["note"]}, "gold": r.get("truth")} for r in records]
    document.write_text(json.dumps({"study": {"people": nested}}))
    columns = {"case": "pid", "truth": "gold", "text_column": "note=in.note"}
    assert cases(document, pain, rows="study.people", **columns) == TWO


def test_parquet_keeps_its_numbers_and_its_gaps(pain: Task, tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    table = {"case_id": [7, 8], "note": ["it aches", "fine, thanks"], "Back": [1, None]}
    pq.write_table(pa.table(table | {"Head": [3, None]}), path)
    assert cases(path, pain) == TWO


def test_a_scale_of_one_item_needs_no_item_column(flat: Task, tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "id,text,stars\n1,a,3\n2,b,\n")
    assert [dict(c.truth) for c in read_cases(path, flat, truth="stars").all] == [{"Sleep": 3}, {}]


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ("id,text\n1,a\n", {}, r"no column for the input note \(--text-column note=COLUMN\)"),
        ("id,note,Back,Head\n1,a,9,\n", {}, "case 1, item Back, truth: 9 is not one of"),
        ("id,note\n1,a\n1,b\n", {}, "case 1: is there more than once"),
        ("id,note\n1,\n", {}, "case 1, note: "),
        ("nr,note\n1,a\n", {"case": "id"}, r"no column for the case \(id\); there are nr"),
        ("id,note,i,t\n1,a,Back,1\n1,b,Head,1\n", {"item": "i", "truth": "t"}, "different texts"),
        ("id,note,i,t\n1,a,Back,1\n1,a,Back,1\n", {"item": "i", "truth": "t"}, "more than once"),
        ("id,note,i,t\n1,a,Neck,1\n", {"item": "i", "truth": "t"}, "truth.Neck: is not an item"),
        ("id,note\n1,a\n", {"where": "id=2"}, "holds no cases"),
    ],
)
def test_what_is_wrong_with_rows_is_told_with_the_file(
    pain: Task, tmp_path: Path, rows: str, columns: dict[str, str], message: str
) -> None:
    with pytest.raises(DataError, match=message) as refusal:
        read_cases(write(tmp_path, "c.csv", rows), pain, **columns)
    assert str(refusal.value).startswith("c.csv: ")


def test_a_text_column_must_say_which_input_it_is_where_there_are_several(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", "id,q,a\n1,x,y\n")
    judge = parse_task(PAIN.replace(b"note", b"first").replace(b'"optional text"', b'"text"'), "j")
    with pytest.raises(UsageError, match="INPUT=COLUMN; the task's inputs are first, hint"):
        read_cases(path, judge, text_column="q")
    with pytest.raises(UsageError, match="two columns for first"):
        read_cases(path, judge, text_column=["first=q", "first=a", "hint=a"])
    both = read_cases(path, judge, text_column=["first=q", "hint=a"]).all[0]
    assert both.inputs == {"first": "x", "hint": "y"}


def test_a_run_over_rows_writes_ratings_that_are_rows_again(
    scripted: ModuleType, pain: Task, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"Back": {"score": 1}, "Head": {"score": 2}}')

    task = tmp_path / "pain.toml"
    task.write_bytes(PAIN)
    rows = write(tmp_path, "c.csv", "id,text,Back,Head\n7,it aches,1,3\n8,well,,\n")
    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        words = ["run", str(task), "--cases", str(rows), "--text-column", "text", "--model", "m"]
        words += ["--base-url", server.url, "--samples", "2", "--retries", "0"]
        assert acumen([*words, "--output", str(output)]) == 0
    document: Any = read_json(output)
    first, second = document["experiments"][0]["results"]["results"]
    assert [tuple(r.values()) for r in first["ratings"]] == [
        ("Back", "truth", 1), ("Head", "truth", 3), ("Back", "m 1", 1), ("Head", "m 1", 2),
        ("Back", "m 2", 1), ("Head", "m 2", 2),
    ]  # fmt: skip
    assert "ground_truth_items" not in second
    map_words = ["map", str(output), "--format", "json", "--case", "participant_id"]
    map_words += ["--rows", "experiments[].results.results[].ratings[]", "--prediction", "rating"]
    assert acumen([*map_words, "--item", "item", "--rater", "rater"]) == 0
