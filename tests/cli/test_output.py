"""Data on standard output is UTF-8, to the byte, on a terminal that has no such letters."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run

IDS = ["é1", "é2", "日本", "ø4"]


def ascii_only(*arguments: str | Path) -> bytes:
    """What a command writes where the terminal's letters are ASCII."""
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    with contextlib.redirect_stdout(terminal):
        assert run([*map(str, arguments)]) == 0
    terminal.flush()
    assert isinstance(terminal.buffer, io.BytesIO)
    return terminal.buffer.getvalue()


def texts(document: Any) -> Iterator[str]:
    """Every text in a document, however deep."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        yield from (text for value in document.values() for text in texts(value))
    elif isinstance(document, list):
        yield from (text for value in document for text in texts(value))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    lines = [f"{case},{n % 3},1,{n},{n}" for n, case in enumerate(IDS)]
    path.write_text("\n".join(["case,truth,prediction,confidence,sûreté", *lines]), "utf-8")
    return path


def test_an_artifact_keeps_every_id(rows: Path) -> None:
    """In a process of its own, whose terminal the environment describes."""
    done = subprocess.run(
        [sys.executable, "-m", "acumen", "evaluate", rows, "--json", "--resamples", "0"],
        capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(IDS) <= set(texts(json.loads(done.stdout.decode("utf-8"))))


def test_a_curve_keeps_the_name_of_its_confidence(rows: Path) -> None:
    written = ascii_only("curve", rows, "--confidence", "sûreté").decode("utf-8")
    names = [row["confidence"] for row in csv.DictReader(io.StringIO(written))]
    assert names == ["sûreté"] * len(IDS)


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "latex"])
def test_a_table_of_results_keeps_the_name_of_a_method(tmp_path: Path, form: str) -> None:
    scores = {"auprc": 0.8, "process_score": 80.0, "consistency_score": 99.0}
    document = {"unified_scores": scores, "accuracy": 0.5, "total": 2, "n": 2}
    names = {"method": "détour", "policy_id": "G1", "run_id": "r", "model": "日本"}
    (tmp_path / "results.json").write_text(json.dumps(document | names))
    written = ascii_only("show", tmp_path, "--format", form).decode("utf-8")
    assert "détour" in written
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(written))
        assert (row["method"], row["model"]) == ("détour", "日本")


def test_the_schema_of_a_reply_keeps_the_name_of_an_item(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\nscale = { levels = [0, 1], items = ["Fièvre"] }\n'
        'inputs = { note = "text" }\n[reply]\nlayout = "by_item"\nscore = "score"\n'
        '[prompt]\nuser = "{{ case.note }}"\n',
        "utf-8",
    )
    schema = json.loads(ascii_only("task", "check", path, "--schema").decode("utf-8"))
    assert list(schema["properties"]) == ["Fièvre"]


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["run", "--help"]])
def test_help_is_for_the_reader_and_keeps_to_the_terminals_letters(arguments: list[str]) -> None:
    assert "Usage: acumen" in ascii_only(*arguments).decode("ascii")
