"""Decision models: what is sent, what is read, refusals; and probabilities in the run file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run as command_line
from acumen.errors import DataError, UsageError
from acumen.files.json import read_json, write_json
from acumen.runner.cases import read_cases
from acumen.runner.endpoint import Patience
from acumen.runner.execute import execute
from acumen.runner.plan import Plan, Settings
from acumen.runner.reply import UnusableReply, read_decisions
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task
from acumen.table.judgments import Outcome

HASTE = Patience(timeout=60, retries=1, backoff=0.01)
PlanFor = Callable[..., Plan]
CHANCES = [0.1, 0.2, 0.3, 0.4]
PAIN = b"""
name = "pain"
scale = { levels = [1, 2, 3], items = ["Back", "Head"] }
inputs = { text = "text" }
[questions]
Back = "How bad is the pain in the back?"
[reply]
layout = "by_item"
score = "score"
evidence = { key = "evidence", kind = "quotes", from = "text" }
[prompt]
system = "You judge."
user = "CASE {{ case.text }}"
"""


def score(name: str, chances: list[float], first: int = 0, **more: Any) -> dict[str, Any]:
    """An answer as openai-python's types have it, its values counted from ``first``."""
    mean = sum(p * (k + first) for k, p in enumerate(chances))
    parts = [{"label": str(k), "value": k + first, "probability": p} for k, p in enumerate(chances)]
    facts = {"score": mean, "confidence": max(chances), "probabilities": parts}
    return {"type": "score", "name": name, **facts, **more}


def body(*answers: dict[str, Any]) -> bytes:
    usage = {"input_tokens": 7, "output_tokens": 0, "total_tokens": 7}
    return json.dumps({"answers": answers, "model": "luna", "usage": usage}).encode()


@pytest.fixture
def pain(tmp_path: Path) -> Plan:
    """One case, of which two items are asked."""
    task, path = parse_task(PAIN, "pain.toml"), tmp_path / "pain.json"
    case = {"id": "sore", "text": "sore", "truth": {"Back": 2, "Head": 1}}
    path.write_text(json.dumps({"cases": [case]}))
    return Plan(task, read_cases(path, task), None, Settings("m", "test", api="decisions"))


def of_three(name: str) -> dict[str, Any]:
    answer = score(name, [0.2, 0.3, 0.5])
    for k, part in enumerate(answer["probabilities"]):
        part["label"] = str(k + 1)
    return answer


def run_of(
    scripted: ModuleType, plan: Plan, output: Path, replies: dict[str, list[dict[str, Any]]]
) -> tuple[Any, list[Any]]:
    async def script(exchange: Any) -> None:
        (case,) = [name for name in replies if name in exchange.body["input"]]
        await exchange.send(200, body(*replies[case]))

    with scripted.ScriptedServer(script) as server:
        return execute(plan, output, server.url, patience=HASTE), server.seen


def test_a_question_is_asked_as_the_published_types_have_it(
    scripted: ModuleType, pain: Plan, tmp_path: Path
) -> None:
    replies = {"sore": [of_three("Head"), of_three("Back")]}
    _, seen = run_of(scripted, pain, tmp_path / "run.json", replies)
    (exchange,) = seen
    levels = [{"label": "1"}, {"label": "2"}, {"label": "3"}]
    assert exchange.path == "/v1/decisions"
    assert exchange.body == {
        "model": "m",
        "input": "You judge.\n\nCASE sore",
        "questions": [
            {"type": "score", "name": "Back", "instructions": "How bad is the pain in the back?",
             "levels": levels},
            {"type": "score", "name": "Head", "instructions": "pain: Head", "levels": levels},
        ],
    }  # fmt: skip
    table = acumen.read(tmp_path / "run.json")
    assert table.prediction.tolist() == [1, 1]  # 1.3 is next to the second level
    assert table.distribution is not None
    np.testing.assert_allclose(table.distribution, [[0.2, 0.3, 0.5]] * 2, atol=1e-12)
    assert table.signals["confidence"].values.tolist() == [0.5, 0.5]
    assert np.isnan(table.signals["llm_evidence_count"].values).all()  # it quotes nothing


def test_outcomes_of_decisions_are_kept_apart(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    replies = {
        "answered": [score("Sleep", CHANCES)],
        "refused": [{"type": "refusal", "name": "Sleep"}],
        "unnamed": [{**score("Sleep", CHANCES), "name": None}],
        "short": [score("Sleep", [0.5, 0.5])],
        "twice": [score("Sleep", CHANCES)] * 2,
        "unequal": [score("Sleep", [0.1, 0.2, 0.3, 0.1])],
    }
    plan = plan_for(flat, [*replies], api="decisions")
    finished, seen = run_of(scripted, plan, tmp_path / "run.json", replies)
    assert len(seen) == len(replies)  # nobody is told what was wrong with a probability
    summary = finished.artifact["failure_summary"]
    assert summary["outcomes"] == {"answered": 1, "invalid_reply": 4, "refused": 1}
    rows = finished.artifact["experiments"][0]["results"]["results"]
    by_case = {row["participant_id"]: row for row in rows}
    assert by_case["refused"]["error"] == "RefusalError: refused"
    assert by_case["answered"]["item_distributions"] == {"Sleep": CHANCES}
    assert by_case["answered"]["item_signals"]["Sleep"]["confidence"] == 0.4
    assert finished.artifact["run_metadata"]["usage"]["prompt_tokens"] == 7 * len(replies)


def test_a_refusal_of_one_item_is_a_row_of_its_own(
    scripted: ModuleType, pain: Plan, tmp_path: Path
) -> None:
    replies = {"sore": [of_three("Back"), {"type": "refusal", "name": "Head"}]}
    run_of(scripted, pain, tmp_path / "run.json", replies)
    table = acumen.read(tmp_path / "run.json")
    assert table.outcome.tolist() == [Outcome.ANSWERED, Outcome.REFUSED]


@pytest.mark.parametrize("first", [0, 1, -3])
def test_a_score_counts_as_its_values_do_whatever_its_labels_are(first: int, flat: Task) -> None:
    reading = read_decisions([score("Sleep", [0.0, 0.1, 0.9, 0.0], first)], flat)
    assert reading.items["Sleep"].level == 2


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ([], "Sleep: has no score"),
        ([{"type": "choice", "name": "Sleep", "choice": "1"}], "Sleep: has no score"),
        ([score("Sleep", [0.5, -0.1, 0.3, 0.3])], "Sleep: -0.1 is not a probability"),
        ([score("Sleep", [0.25] * 4, score=9.0)], "Sleep: its score is not on the scale"),
        ([score("Sleep", [0.25] * 4, probabilities=None)], "Sleep: 0 probabilities for 4 levels"),
    ],
)
def test_what_cannot_be_used_says_why(answers: list[Any], problem: str, flat: Task) -> None:
    with pytest.raises(UnusableReply) as unusable:
        read_decisions(answers, flat)
    assert unusable.value.problems[0].startswith(problem)


def test_the_command_asks_and_evaluate_says_what_its_own_score_costs(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.send(200, body(score("Sleep", [0.4, 0.0, 0.3, 0.3])))

    output = tmp_path / "run.json"
    names = [f"case {at}" for at in range(12)]
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(flat_file), "--cases", str(cases_file(*names)), "--model", "m"]
        command += ["--api", "decisions", "--base-url", server.url, "--output", str(output)]
        assert command_line(command) == 0
    own = acumen.evaluate(output, loss="zero_one", resamples=0)
    assert own.document.levels[0].own.differs == 12  # 1.5 is next to 1, which has no probability
    assert own.document.levels[0].own.rows == 12
    best = acumen.evaluate(output, loss="zero_one", point="loss", resamples=0)
    assert best.document.levels[0].point == "loss"
    assert best.document.overall_by_input[0]["accuracy"].value == 0.0
    assert best.document.overall_by_input[0]["mae"].value == 2.0  # 0 where 2 is true
    capsys.readouterr()


def test_a_verdict_with_evidence_is_not_asked_of_a_decision_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a decision model cites no evidence"):
        acumen.run("allergy", "demo", "m", api="decisions", base_url="http://127.0.0.1:9/v1",
                   dry_run=True, output=tmp_path / "run.json")  # fmt: skip


def test_log_probabilities_of_a_chat_are_written_as_probabilities_of_levels(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    def token(text: str, **top: float) -> dict[str, Any]:
        listed = [{"token": t, "logprob": math.log(p)} for t, p in (top or {text: 0.9}).items()]
        return {"token": text, "logprob": listed[0]["logprob"], "top_logprobs": listed}

    async def script(exchange: Any) -> None:
        given = [token('{"score": '), token("2", **{"2": 0.4, "3": 0.2, "0": 0.1, "x": 0.2})]
        tokens = {"content": [*given, token(', "confidence": 4}')]}
        logprobs = tokens if exchange.case == "some" else None
        await exchange.reply('{"score": 2, "confidence": 4}', logprobs=logprobs)

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, ["some", "none"]), output, server.url, patience=HASTE)
    table = acumen.read(output)
    assert table.distribution is not None
    np.testing.assert_allclose(table.distribution[0], [1 / 7, 0, 4 / 7, 2 / 7], atol=1e-12)
    assert np.isnan(table.distribution[1]).all()
    write_json(tmp_path / "old.json", _without(read_json(output)))
    with pytest.raises(UsageError, match="there are none in it"):
        acumen.read(tmp_path / "old.json", point="mode")


def _without(document: Any) -> Any:
    for row in document["experiments"][0]["results"]["results"]:
        row.pop("item_distributions", None)
    return document


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        ([0.5, 0.5], "must be a list of 4 probabilities, lowest level first"),
        ("high", "must be a list of 4 probabilities, lowest level first, not the text 'high'"),
        ([0.5, 0.5, "a", 0], "must be a list of 4 probabilities"),
        ([0.5, 0.6, -0.1, 0], "-0.1 is not a probability: it is negative"),
        ([0, 0, 0, 0], "the probabilities are all 0"),
    ],
)
def test_a_run_file_with_broken_probabilities_is_refused_by_case_and_item(
    cell: Any, word: str, tmp_path: Path
) -> None:
    rows = [
        {"participant_id": case, "success": True, "predicted_items": {"Sleep": 1},
         "ground_truth_items": {"Sleep": 2}, "item_distributions": {"Sleep": chances}}
        for case, chances in (("a", [0.25] * 4), ("b", cell), ("c", None))
    ]  # fmt: skip
    scale = {"name": "s", "levels": [0, 1, 2, 3], "items": ["Sleep"]}
    document = {"run_metadata": {"scale": scale}, "experiments": [{"results": {"results": rows}}]}
    write_json(tmp_path / "run.json", document)
    with pytest.raises(DataError, match=f"case b, item Sleep, item_distributions: {word}"):
        acumen.read(tmp_path / "run.json")
