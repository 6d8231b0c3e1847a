"""``run --cascade``: who is asked what, the run file of all, an audit, and going on."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.files.json import read_json

SURE = {
    "small": {"easy": 5, "plain": 5, "hard": 2, "odd": 1, "silent": 4},
    "large": {"easy": 5, "plain": 5, "hard": 5, "odd": 2, "silent": 5},
}
"""How sure each model is; what a rating becomes must be above 0.5, and 3 is 0.5."""
LEVELS = [0, 1, 2, 3]


def document(**fields: Any) -> dict[str, Any]:
    stage = {"confidence": "verbalized", "is_asked": True, "asked": 1.0, "accepted": 0.5}
    operation = {"name": "cascade", "certified": True, "price": 3.0, "referred": 0.1, "risk": 0.05}
    return {
        "kind": "cascade",
        "alpha": 0.1,
        "delta": 0.1,
        "certified": True,
        "loss": "abs_norm",
        "scale": {"name": "flat", "levels": LEVELS},
        "stages": [
            {"name": name, "price": price, "threshold": 0.5} | stage
            for name, price in (("a.csv", 1.0), ("b.csv", 20.0))
        ],
        "cascade": operation,
        "alone": [],
        "person_price": 100.0,
        "frontier": [operation],
        "cases": 100,
        "cases_apart": 50,
        "cases_tested": 50,
        **fields,
    }


@pytest.fixture
def server(scripted: ModuleType) -> Any:
    asked: list[tuple[str, str]] = []

    async def script(exchange: Any) -> None:
        model, case = exchange.body["model"], exchange.case
        asked.append((model, case))
        score = '"N/A"' if (model, case) == ("small", "silent") else "2"
        await exchange.reply(f'{{"score": {score}, "confidence": {SURE[model][case]}}}')

    with scripted.ScriptedServer(script) as server:
        server.calls = asked
        yield server


@pytest.fixture
def ask(
    server: Any, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> Callable[..., int]:
    def ask(
        *options: str, cascade: dict[str, Any] | None = None, models: str = "small large"
    ) -> int:
        path = tmp_path / "cascade.json"
        path.write_text(json.dumps(document() if cascade is None else cascade))
        words = ["run", str(flat_file), "--cases", str(cases_file(*SURE["small"]))]
        words += [word for model in models.split() for word in ("--model", model)]
        words += ["--base-url", server.url, "--cascade", str(path)]
        return run([*words, "--output", str(tmp_path / "out.json"), *options])

    return ask


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    content: Any = read_json(path)
    results = content["experiments"][0]["results"]["results"]
    return {row["participant_id"]: row for row in results}


def test_each_stage_is_asked_what_those_before_it_left_open(
    ask: Callable[..., int], server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask() == 0
    of = {model: {case for m, case in server.calls if m == model} for model in SURE}
    assert of == {"small": {*SURE["small"]}, "large": {"hard", "odd", "silent"}}
    rows = rows_of(tmp_path / "out.json")
    by = {case: row["answered_by"]["Sleep"] for case, row in rows.items()}
    assert by == {
        "easy": "small",
        "plain": "small",
        "hard": "large",
        "odd": None,
        "silent": "large",
    }
    levels = {case: row["predicted_items"]["Sleep"] for case, row in rows.items()}
    assert levels == {"easy": 2, "plain": 2, "hard": 2, "odd": None, "silent": 2}
    assert rows["odd"]["withheld_items"] == {"Sleep": 2}
    assert rows["hard"]["item_signals"]["Sleep"]["verbalized_confidence"] == 5
    assert "withheld_items" not in rows["hard"]
    content: Any = read_json(tmp_path / "out.json")
    facts = content["failure_summary"]["cascade"]
    assert (facts["rows"], facts["referred"]) == (5, 1)
    assert facts["stages"] == [
        {"model": "small", "cases": 5, "accepted": 2},
        {"model": "large", "cases": 3, "accepted": 2},
    ]
    told = capsys.readouterr().err
    assert "small 2 (asked about 5 cases), large 2 (asked about 3 cases)" in told
    assert "to people: 1 (20.0%; 10.0% where it was certified)" in told
    table = acumen.read(tmp_path / "out.json")
    assert (len(table), int(table.answered.sum())) == (5, 4)  # an abstention is not a failure


def test_a_cascade_that_stopped_goes_on_and_asks_nothing_twice(
    ask: Callable[..., int], server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--concurrency", "1", "--token-limit", "1") == 4
    assert not (tmp_path / "out.json").exists()
    assert "--resume" in capsys.readouterr().err
    before = len(server.calls)
    assert before < 5
    assert ask() == 2  # without --resume
    assert ask("--resume") == 0
    first = (tmp_path / "out.json").read_bytes()
    assert len(server.calls) == len({*server.calls}) == 8
    assert ask("--resume") == 0
    assert (tmp_path / "out.json").read_bytes() == first
    assert len(server.calls) == 8


def test_a_share_of_what_no_person_sees_is_drawn_for_people(
    ask: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--audit", ".5") == 0
    assert "audit: 2 cases to label, in out-audit.csv" in capsys.readouterr().err
    with (tmp_path / "out-audit.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2
    assert {row["case"] for row in rows} < {"easy", "plain", "hard", "silent"}
    assert {(row["item"], row["label"], row["inclusion"]) for row in rows} == {("Sleep", "", "0.5")}
    drawn = (tmp_path / "out-audit.csv").read_bytes()
    assert ask("--audit", ".5", "--resume") == 0
    assert (tmp_path / "out-audit.csv").read_bytes() == drawn
    (tmp_path / "out-audit.csv").write_text("case,item,truth\neasy,Sleep,2\n")
    assert ask("--audit", ".5", "--resume") == 3
    assert "out-audit.csv: is there, with labels" in capsys.readouterr().err
    assert (tmp_path / "out-audit.csv").read_text() == "case,item,truth\neasy,Sleep,2\n"


def test_a_stage_that_does_not_pay_is_not_asked(ask: Callable[..., int], server: Any) -> None:
    own = document()
    own["stages"][0]["is_asked"] = False
    assert ask(cascade=own) == 0
    assert {model for model, _ in server.calls} == {"large"}


@pytest.mark.parametrize(
    ("change", "options", "code", "message"),
    [
        ({"certified": False}, [], 3, "certifies nothing"),
        ({"scale": {"name": "x", "levels": [0, 1]}}, [], 3, "is for the scale x, not for"),
        ({"kind": "plan"}, [], 3, "cascade"),
        ({}, ["--model", "third"], 2, "a model for each stage, in their order (a.csv, b.csv)"),
        ({}, ["--model", "small"], 2, "two are the same"),
        ({}, ["--audit", "1.5"], 2, "a share from 0 to 1"),
        ({}, ["--mode", "both", "--references", "demo"], 2, "in one mode"),
    ],
)
def test_a_cascade_that_does_not_fit_is_refused_before_the_first_question(
    change: dict[str, Any],
    options: list[str],
    code: int,
    message: str,
    ask: Callable[..., int],
    server: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ask(*options, cascade=document(**change)) == code
    assert message in capsys.readouterr().err
    assert server.calls == []


def test_an_audit_is_of_a_cascade(capsys: pytest.CaptureFixture[str]) -> None:
    line = "run phq8 --cases demo --model m --base-url http://127.0.0.1:9/v1 --audit .1"
    assert run(line.split()) == 2
    assert "an audit is of a cascade" in capsys.readouterr().err


def test_a_rehearsal_asks_nothing(
    ask: Callable[..., int], server: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask("--dry-run") == 0
    assert server.calls == []
    assert [*tmp_path.glob("out*")] == []
    assert "5 questions" in capsys.readouterr().out
