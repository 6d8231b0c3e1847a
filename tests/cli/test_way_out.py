"""A refusal ends with a command to copy, wherever one can be made of what was typed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from acumen.cli import run
from acumen.cli.way_out import way_out
from acumen.errors import UsageError

ROWS = [f"{k},{k % 3},{k * k % 3},{0.5 + k / 100:g}" for k in range(20)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text("\n".join(["case,truth,prediction,confidence", *ROWS]))
    Path("odd names.csv").write_text("\n".join(["a,b,c,d", *ROWS]))
    systems = [f"{row},{system}" for row in ROWS for system in "xy"]
    Path("systems.csv").write_text("\n".join(["case,truth,prediction,confidence,model", *systems]))
    ids = [f"u{k},{k % 3}" for k in range(20)]
    Path("outputs.csv").write_text("\n".join(["uid,answer", *ids]))
    Path("labels.csv").write_text("\n".join(["prompt,human", *ids]))
    rows = [{"case": k, "truth": k % 3, "prediction": k % 2} for k in range(20)]
    Path("lists.json").write_text(json.dumps({"first": rows, "second": rows}))
    Path("broken.json").write_text('[{"case": 1 "truth": 2}]')


def tried(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(words) in (2, 3)
    return capsys.readouterr().err.partition("\ntry: ")[2].strip()


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("evaluate good.csv --truth trut", "evaluate good.csv --truth truth"),
        ("evaluate good.csv --levels=0-1", "evaluate good.csv --levels 0-2"),
        ("evaluate 'odd names.csv'", "evaluate 'odd names.csv' --case a --truth b --prediction c"),
        ("evaluate lists.json", "evaluate lists.json --rows 'first[]'"),
        ("map lists.json", "map lists.json --rows 'first[]'"),
        ("evaluate outputs.csv --labels labels.csv", "… --on uid=prompt"),
        ("evaluate good.csv --truth nowhere", "map good.csv"),
        ("evaluate systems.csv", "map systems.csv"),
        ("curve systems.csv --output x.csv", "map systems.csv"),
    ],
)
def test_the_command_runs_that_a_refusal_ends_with(
    words: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tried(capsys, *shlex.split(words))
    assert told == f"acumen {command.replace('…', words)}"
    assert run(shlex.split(told)[1:]) == 0


@pytest.mark.parametrize("question", ["evaluate", "map", "curve"])
def test_the_place_of_a_fault_is_shown_where_a_file_cannot_be_read(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = tried(capsys, question, "broken.json")
    assert command == "sed -n 1p broken.json | cut -c 1-121"
    Path("a b.yaml").write_text("id: 1\n")
    assert "open('a b.yaml.json', 'w')" in tried(capsys, question, "a b.yaml")


@pytest.mark.parametrize(
    "words",
    [
        "evaluate nowhere.csv",
        "count good.csv --truth trut --salt secret",
        "evaluat good.csv",
    ],
)
def test_no_command_is_shown_that_would_not_go_on_or_would_show_a_secret(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tried(capsys, *shlex.split(words)) == ""


@pytest.mark.parametrize(
    "secret",
    [
        ("--header", "Authorization: Bearer hush"),
        ("--extra-body", '{"api_key": "hush"}'),
        ("--api-key-command=print hush",),
    ],
)
def test_a_command_with_a_secret_is_not_printed_again(secret: tuple[str, ...]) -> None:
    error = UsageError("no such column", amends=(("--case", "id"),))
    words = ["run", "task.toml", "--cases", "cases.csv", "--case", "ids"]
    assert way_out(words, error) == "acumen run task.toml --cases cases.csv --case id"
    assert way_out([*words, *secret], error) == ""
