"""``run --threshold``: answers that a threshold does not accept are open in the run file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from acumen.cli import run as acumen
from acumen.evaluation.abstain import abstain, threshold_of
from acumen.files.json import read_json
from acumen.readers.run import read_run
from acumen.results.calibration import case_hash
from acumen.runner.task import Task
from acumen.runner.task_file import read_task
from acumen.runner.withhold import AT_ONCE, Sieve

RATINGS = {"sure": 5, "at": 3, "unsure": 1, "silent": 4}
LEVELS = [0, 1, 2, 3]


def document(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "threshold",
        "threshold": 0.5,  # what a rating of 3 becomes
        "certified": True,
        "alpha": 0.1,
        "delta": 0.1,
        "risk": 0.05,
        "coverage": {"value": 0.5},
        "method": "exact",
        "test": "binomial",
        "cases": 100,
        "items": 1,
        "confidence": "verbalized",
        "loss": "abs_norm",
        "scale": {"name": "flat", "levels": LEVELS},
        **fields,
    }


@pytest.fixture
def threshold(tmp_path: Path) -> Callable[..., Path]:
    def write(**fields: Any) -> Path:
        path = tmp_path / "threshold.json"
        path.write_text(json.dumps(document(**fields)))
        return path

    return write


@pytest.fixture
def server(scripted: ModuleType) -> Any:
    async def script(exchange: Any) -> None:
        score = '"N/A"' if exchange.case == "silent" else "2"
        await exchange.reply(f'{{"score": {score}, "confidence": {RATINGS[exchange.case]}}}')

    with scripted.ScriptedServer(script) as server:
        yield server


@pytest.fixture
def ask(
    server: Any, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> Callable[..., tuple[int, Path]]:
    def ask(name: str, *options: str) -> tuple[int, Path]:
        output = tmp_path / name
        common = ["--cases", str(cases_file(*RATINGS)), "--model", "m", "--base-url", server.url]
        code = acumen(["run", str(flat_file), *common, "--output", str(output), *options])
        return code, output

    return ask


def test_what_is_not_above_the_threshold_is_left_open(
    ask: Callable[..., tuple[int, Path]],
    threshold: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    hashes = [case_hash(case, "salt") for case in ("sure", "another")]
    path = threshold(case_hashes={"salt": "salt", "sha256_16": hashes})
    code, output = ask("sieved.json", "--threshold", str(path))
    assert code == 0
    run: Any = read_json(output)
    rows = {row["participant_id"]: row for row in run["experiments"][0]["results"]["results"]}
    assert {case: row["predicted_items"]["Sleep"] for case, row in rows.items()} == {
        "sure": 2,
        "at": None,
        "unsure": None,
        "silent": None,
    }
    assert {case: row.get("withheld_items") for case, row in rows.items()} == {
        "sure": None,
        "at": {"Sleep": 2},
        "unsure": {"Sleep": 2},
        "silent": None,
    }
    judged = {c: [r["rating"] for r in row["ratings"]] for c, row in rows.items()}
    assert judged == {"sure": [2, 2], "at": [2, None], "unsure": [2, None], "silent": [2, None]}
    assert run["failure_summary"]["threshold"] == {
        "confidence": "verbalized",
        "threshold": 0.5,
        "alpha": 0.1,
        "delta": 0.1,
        "loss": "abs_norm",
        "method": "exact",
        "answers": 3,
        "withheld": 2,
        "without_confidence": 0,
        "calibration_cases": 1,
    }
    told = capsys.readouterr().err
    assert "withheld 2 of 3 answers\n" in told
    assert "warning: 1 case here made the threshold" in told


def test_it_is_what_evaluate_would_leave_open(
    ask: Callable[..., tuple[int, Path]], threshold: Callable[..., Path]
) -> None:
    path = threshold(threshold=0.1)
    _, whole = ask("whole.json")
    _, sieved = ask("sieved.json", "--threshold", str(path))
    later = abstain(read_run(whole), threshold_of(path))
    np.testing.assert_array_equal(read_run(sieved).prediction, later.prediction)
    np.testing.assert_array_equal(read_run(sieved).outcome, later.outcome)


def test_a_finished_run_can_be_given_another_threshold(
    ask: Callable[..., tuple[int, Path]], threshold: Callable[..., Path], server: Any
) -> None:
    _, output = ask("run.json")
    asked = sum(server.asked.values())
    code, _ = ask("run.json", "--threshold", str(threshold()), "--resume")
    assert code == 0
    assert sum(server.asked.values()) == asked
    run: Any = read_json(output)
    assert run["failure_summary"]["threshold"]["withheld"] == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"certified": False, "threshold": None}, "certifies no threshold"),
        ({"scale": {"name": "stars", "levels": [1, 2, 3]}}, "is for the scale stars, not for own"),
        ({"confidence": "calibrated"}, "whose calibration a run does not have"),
        ({"alpha": -1}, "alpha"),
        (
            {"confidence": "expected_loss", "loss": "costs"},
            "is under the loss costs, whose costs it does not hold",
        ),
    ],
)
def test_one_that_cannot_be_applied_is_refused_before_the_first_question(
    ask: Callable[..., tuple[int, Path]],
    threshold: Callable[..., Path],
    server: Any,
    fields: dict[str, Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, output = ask("run.json", "--threshold", str(threshold(**fields)))
    assert code == 3
    assert message in " ".join(capsys.readouterr().err.split())
    assert not server.seen
    assert not output.exists()


def test_an_answer_without_the_signal_is_withheld_and_counted(
    flat: Task, threshold: Callable[..., Path]
) -> None:
    sieve = Sieve.of(threshold(confidence="token_msp"), flat.scale)
    bare = {3, 8, AT_ONCE + 1}
    values = [math.nan if at in bare else (at % 10) / 10 for at in range(AT_ONCE + 20)]
    answers = [
        (at, 1, {} if at in bare else {"token_msp": value}, None) for at, value in enumerate(values)
    ]
    keys, facts = sieve.hold_back(answers)
    assert keys == {at for at, value in enumerate(values) if at in bare or value <= 0.5}
    assert facts["without_confidence"] == 3
    assert facts["answers"] == len(answers)


def test_a_confidence_of_probabilities_is_the_one_that_the_threshold_was_made_with(
    flat: Task, threshold: Callable[..., Path]
) -> None:
    sure, torn = [0.0, 0.05, 0.95, 0.0], [0.4, 0.0, 0.6, 0.0]
    answers: list[Any] = [("sure", 2, {}, sure), ("torn", 2, {}, torn), ("bare", 2, {}, None)]
    # what is lost is 0.05 and 0.4 of all answers, and 0.05 / 3 and 0.8 / 3 of the scale
    for loss, bound in (("zero_one", -0.3), ("abs_norm", -0.1), ("zero_one", 0.0)):
        path = threshold(confidence="expected_loss", loss=loss, threshold=bound)
        keys, facts = Sieve.of(path, flat.scale).hold_back(answers)
        assert keys == ({"torn", "bare"} if bound else {"sure", "torn", "bare"})
        assert facts["without_confidence"] == 1
    between = threshold(confidence="expected_loss", loss="zero_one", threshold=-0.45)
    assert Sieve.of(between, flat.scale).hold_back(answers)[0] == {"bare"}


def test_a_verdict_is_withheld_whole(
    scripted: ModuleType, threshold: Callable[..., Path], tmp_path: Path
) -> None:
    levels = list(read_task("allergy").scale.levels)
    path = threshold(scale={"name": "allergy", "levels": levels}, confidence="token_msp")
    reply: dict[str, Any] = {
        "verdict": levels[1],
        "risk_score": 0.5,
        "evidences": [],
        "justification": {},
    }

    async def script(exchange: Any) -> None:
        await exchange.reply(json.dumps(reply))

    output = tmp_path / "verdicts.json"
    with scripted.ScriptedServer(script) as server:
        target = ["--model", "m", "--base-url", server.url, "--output", str(output)]
        acumen(["run", "allergy", "--cases", "demo", *target, "--threshold", str(path)])
    run: Any = read_json(output)
    rows = [row for row in run["results"] if "error" not in row]
    assert rows
    assert {(row["verdict"], row["withheld"]) for row in rows} == {(None, levels[1])}
