"""Judge tasks: a rubric with and without a reference, and pairs that are asked in both orders."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError
from acumen.files.json import read_json
from acumen.readers.run import read_run
from acumen.runner.task_file import parse_task, read_task, task_text


def results(path: Path) -> dict[str, dict[str, Any]]:
    document: Any = read_json(path)
    rows = document["experiments"][0]["results"]["results"]
    return {row["participant_id"]: row for row in rows}


def command(task: str, server: Any, output: Path, *options: str) -> list[str]:
    words = ["run", task, "--cases", "demo", "--model", "m", "--base-url", server.url]
    return [*words, "--output", str(output), *options]


def test_a_rubric_scores_every_criterion_with_and_without_a_reference(
    scripted: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def script(exchange: Any) -> None:
        score = 2 if "The sky mirrors" in exchange.prompt else 5
        answer = {"evidence": ["The sky mirrors the sea"], "score": score, "confidence": 4}
        await exchange.reply(
            json.dumps(dict.fromkeys(("Accuracy", "Completeness", "Clarity"), answer))
        )

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        assert acumen(command("judge", server, output, "--samples", "2")) == 0
        prompts = [exchange.prompt for exchange in server.seen]
    with_reference = [p for p in prompts if "A correct answer, to compare with:" in p]
    assert (len(prompts), len(with_reference)) == (8, 4)  # two of four cases, twice each
    rows = results(output)
    assert rows["J2"]["predicted_items"] == {"Accuracy": 2, "Completeness": 2, "Clarity": 2}
    assert rows["J2"]["item_signals"]["Clarity"]["llm_evidence_count"] == 1
    assert rows["J1"]["item_signals"]["Clarity"]["llm_evidence_count"] == 0  # it is not there
    capsys.readouterr()
    assert acumen(["evaluate", str(output), "--bootstrap-resamples", "50"]) == 0
    assert read_run(output).scale.items == ("Accuracy", "Completeness", "Clarity")


@pytest.mark.parametrize(
    ("habit", "verdicts"),
    [
        # one that judges well, whichever comes first
        ("good", {"P1": "first", "P2": "second", "P3": "tie"}),
        # one that prefers what comes first says nothing about the answers
        ("first", {"P1": "tie", "P2": "tie", "P3": "tie"}),
        # half a preference is none: nearest to the mean, towards the middle
        ("lazy", {"P1": "tie", "P2": "tie", "P3": "tie"}),
        ("silent", {"P1": None, "P2": None, "P3": None}),
    ],
)
def test_a_pair_is_asked_in_both_orders_and_the_verdict_is_the_cases_own(
    scripted: ModuleType, tmp_path: Path, habit: str, verdicts: dict[str, str | None]
) -> None:
    async def script(exchange: Any) -> None:
        _, _, rest = exchange.prompt.partition("First answer:\n")
        first, _, second = rest.partition("\n\nSecond answer:\n")
        better = {"good": _better(first, second), "first": "first", "silent": "N/A"}
        better["lazy"] = "first" if len(first) > len(second) else "tie"
        await exchange.reply(json.dumps({"better": better[habit], "confidence": 3}))

    def _better(first: str, second: str) -> str:
        marks = [("scatters" in text) + ("and Venus" in text) for text in (first, second)]
        return "tie" if marks[0] == marks[1] else "first" if marks[0] else "second"

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        assert acumen(command("pairwise", server, output)) == 0
        assert len(server.seen) == 6
        assert {exchange.body["temperature"] for exchange in server.seen} == {0.0}
    rows = results(output)
    assert {case: row["predicted_items"]["Better"] for case, row in rows.items()} == verdicts
    samples = rows["P1"]["item_signals"]["Better"]["consistency_samples"]
    expected = {"good": ["first", "first"], "first": ["first", "second"]}
    if habit in expected:
        assert samples == expected[habit]
    assert len(read_run(output).cases) == 3


def test_what_is_swapped_must_be_two_texts_of_the_case() -> None:
    text = task_text("pairwise")
    for wrong, said in (
        ('swap = ["first", "third"]', "third is not an input of kind 'text'"),
        ('swap = ["first", "reference"]', "reference is not an input of kind 'text'"),
        ('swap = ["first"]', "swap: "),
    ):
        with pytest.raises(DataError, match=said):
            parse_task(text.replace('swap = ["first", "second"]', wrong).encode(), "p.toml")
    assert read_task("pairwise").swap == ("first", "second")
