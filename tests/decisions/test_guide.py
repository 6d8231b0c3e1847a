"""The guide to decisions is true: its examples run, its gate file is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import acumen
from acumen.cli import run
from acumen.decisions.gate_file import gate_of
from acumen.files.json import write_json
from acumen.studies import phq8_run
from tests.toy_runs import toy_run

GUIDE = Path(__file__).parents[2] / "docs" / "decisions.md"


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_example_in_python_runs(tmp_path: Path) -> None:
    tables = {}
    for seed, name in enumerate(("table", "other")):
        write_json(tmp_path / f"{name}.json", toy_run(30, seed, first_id=100 * seed))
        tables[name] = acumen.read(tmp_path / f"{name}.json")
    (block,) = blocks("python")
    exec(compile(block, str(GUIDE), "exec"), tables)


def test_the_gate_file_is_read(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "gate.toml").write_text(text)
    assert [r.asked for r in gate_of(tmp_path / "gate.toml", []).require] == [
        [("non-inferiority", 0.01)],
        [("at-least", 0.5)],
    ]


def test_the_sentences_are_those_of_the_bundled_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = phq8_run()
    write_json("run.json", study)
    for name, experiment in zip(("base", "new"), study["experiments"], strict=True):
        write_json(f"{name}.json", {**study, "experiments": [experiment]})
    for command in "".join(blocks("console")).splitlines():
        thin = "--least-cases 100" in command
        assert run(command.split()[1:]) == (5 if thin else 0), command
    output = " ".join(capsys.readouterr().out.split())
    sentences = "".join(blocks("text")).splitlines()
    assert len(sentences) >= 4
    assert [sentence for sentence in sentences if sentence not in output] == []
