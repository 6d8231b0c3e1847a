"""A run against a scripted server: outcomes, repairs, samples, few-shot, resume, Ctrl-C."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError, UsageError
from acumen.files.json import read_json
from acumen.readers.run import read_run
from acumen.runner.access import Access
from acumen.runner.cases import read_cases
from acumen.runner.endpoint import Patience, Watcher
from acumen.runner.execute import execute
from acumen.runner.journal import journal_of, sealed
from acumen.runner.plan import Plan, Settings
from acumen.runner.record import Outcome as Outcomes
from acumen.runner.record import Record, as_line
from acumen.runner.refusals import EndpointRefusal
from acumen.runner.task import Task
from acumen.runner.task_file import read_task
from acumen.table.judgments import Outcome

HASTE = Patience(timeout=60, retries=1, backoff=0.01)
PlanFor = Callable[..., Plan]
ITEM = {"level": 2, "signals": {}, "flaws": [], "no_tokens_because": None}


def logprobs(text: str, at: str) -> dict[str, Any]:
    """One token before ``at``, ``at`` itself with two alternatives, one token after."""
    before, _, after = text.partition(at)
    other = [{"token": "x", "logprob": math.log(0.9)}]
    top = [{"token": at, "logprob": math.log(0.5)}, {"token": "3", "logprob": math.log(0.25)}]
    content = [
        {"token": before, "logprob": math.log(0.9), "top_logprobs": other},
        {"token": at, "logprob": math.log(0.5), "top_logprobs": top},
        {"token": after, "logprob": math.log(0.9), "top_logprobs": other},
    ]
    return {"content": content}


def results(artifact: dict[str, Any], experiment: int = 0) -> dict[Any, dict[str, Any]]:
    results = artifact["experiments"][experiment]["results"]["results"]
    return {result["participant_id"]: result for result in results}


def test_every_outcome_is_kept_apart(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    replies = {
        "answered": '{"score": 2, "confidence": 4}',
        "abstained": '{"score": "N/A", "confidence": 2}',
        "refused": "I cannot help with that.",
        "filtered": None,
        "invalid": '{"score": 9}',
        "nonsense": "nonsense",
    }

    async def script(exchange: Any) -> None:
        if exchange.case == "filtered":
            await exchange.reply(None, finish="content_filter")
        elif exchange.case == "repaired":
            bad = exchange.times == 1
            await exchange.reply("oops" if bad else '{"score": 1, "confidence": 9}')
        elif exchange.case == "down":
            await exchange.send(500, b"{}")
        else:
            await exchange.reply(replies[exchange.case])

    plan = plan_for(flat, [*replies, "repaired", "down"])
    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        finished = execute(plan, output, server.url, patience=HASTE)
        assert server.asked["refused"] == 1  # a refusal is not argued with
        assert server.asked["invalid"] == 2
        repair = next(e for e in server.seen if e.case == "invalid" and e.times == 2)
        assert "9 is outside 0..3" in repair.prompt
    assert finished.artifact == read_json(output)
    assert finished.artifact is not None
    summary = finished.artifact["failure_summary"]
    assert summary["outcomes"] == {
        "abstained": 1,
        "answered": 2,
        "invalid_reply": 2,
        "refused": 2,
        "transport_failure": 1,
    }
    assert summary["repairs"] == {"attempts": 3, "repaired": 1}
    assert summary["flaws"] == {"confidence_invalid": 1}
    by_case = results(finished.artifact)
    assert {c: r["error"] for c, r in by_case.items() if not r["success"]} == {
        "refused": "RefusalError: refused",
        "filtered": "RefusalError: refused",
        "invalid": "InvalidReplyError: no_legal_score",
        "nonsense": "InvalidReplyError: not_json",
        "down": "TransportFailure: http_500",
    }
    assert by_case["abstained"]["predicted_items"] == {"Sleep": None}
    assert by_case["repaired"]["repairs"] == 1
    assert finished.failed_cases == 5
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_samples_give_the_modal_score_and_the_signals_of_its_first_sample(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    scores = ["1", "2", "null", "2", "broken"]

    async def script(exchange: Any) -> None:
        score = scores[exchange.body["seed"] - 40]
        text = f'{{"score": {score}, "confidence": {exchange.body["seed"] - 39}}}'
        await exchange.reply(text, logprobs=logprobs(text, score) if score == "2" else None)

    plan = plan_for(flat, ["a"], samples=5, seed=40, temperature=0.7)
    with scripted.ScriptedServer(script) as server:
        finished = execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
        sent = server.seen[0].body
    assert (sent["temperature"], sent["logprobs"], sent["top_logprobs"]) == (0.7, True, 20)
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert finished.artifact
    result = results(finished.artifact)["a"]
    assert result["predicted_items"] == {"Sleep": 2}
    assert result["samples"] == {"abstained": 1, "answered": 3, "invalid_reply": 1}
    signals = result["item_signals"]["Sleep"]
    assert signals["consistency_samples"] == [1, 2, None, 2]
    assert signals["consistency_modal_confidence"] == 0.5
    assert signals["consistency_score_std"] == pytest.approx(math.sqrt(2 / 9))
    assert signals["consistency_na_rate"] == 0.25
    assert signals["verbalized_confidence"] == 2
    assert signals["token_msp"] == pytest.approx(0.5)
    assert signals["token_energy"] == pytest.approx(math.log(0.75))
    assert signals["token_label_probability"] == pytest.approx(2 / 3)
    assert signals["token_mass_elsewhere"] == pytest.approx(0.25)
    assert result["item_details"]["Sleep"]["token_scope"] == "score"


def test_one_usable_sample_agrees_with_nobody(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply("no" if exchange.body["seed"] == 0 else '{"score": 3}')

    plan = plan_for(flat, ["a"], samples=2)
    with scripted.ScriptedServer(script) as server:
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
    assert artifact
    signals = results(artifact)["a"]["item_signals"]["Sleep"]
    assert signals["consistency_samples"] == [3]
    assert signals["consistency_modal_confidence"] is None
    assert signals["consistency_score_std"] is None


def test_without_log_probabilities_the_signal_is_null_with_the_reason(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        text = '{"score": 2, "confidence": 4}'
        half = {"content": logprobs(text, "2")["content"][:1]}
        await exchange.reply(text, logprobs=half if exchange.case == "half" else None)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["none", "half"])
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
    assert artifact
    for case, reason in (("none", "gave no log-probabilities"), ("half", "end half way")):
        result = results(artifact)[case]
        assert result["item_signals"]["Sleep"]["token_msp"] is None
        assert reason in result["item_details"]["Sleep"]["no_tokens_because"]


def test_both_modes_are_paired_and_nothing_retrieved_gives_the_zero_shot_prompt(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    references = [{"item": "Sleep", "text": "sleepless nights again", "score": 3}]
    plan = plan_for(flat, ["sleepless", "other"], references, modes=("zero_shot", "few_shot"))
    with scripted.ScriptedServer(script) as server:
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
        prompts = sorted(e.prompt for e in server.seen if e.case.startswith("sleepless"))
    assert prompts == ["CASE sleepless", "CASE sleepless [3: sleepless nights again]"]
    assert artifact
    assert [e["provenance"]["mode"] for e in artifact["experiments"]] == ["zero_shot", "few_shot"]
    zero, few = results(artifact, 0), results(artifact, 1)
    assert zero["other"]["prompt_hash"] == few["other"]["prompt_hash"]
    assert zero["sleepless"]["prompt_hash"] != few["sleepless"]["prompt_hash"]
    signals = few["sleepless"]["item_signals"]["Sleep"]
    assert signals["retrieval_reference_count"] == 1
    assert 0 < signals["retrieval_similarity_mean"] == signals["retrieval_similarity_max"] <= 1
    assert few["other"]["item_signals"]["Sleep"]["retrieval_similarity_mean"] is None


def test_references_can_be_embedded_by_the_endpoint(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.path.endswith("/embeddings"):
            data = [
                {"index": i, "embedding": [1.0, 0.0] if "a" in text else [1.0, 1.0]}
                for i, text in enumerate(exchange.body["input"])
            ]
            await exchange.send(200, json.dumps({"data": data[::-1]}).encode())
        else:
            await exchange.reply('{"score": 2, "confidence": 4}')

    references = [{"item": "Sleep", "text": "xyz", "score": 3}]
    plan = plan_for(flat, ["a"], references, modes=("few_shot",), embedding_model="e", samples=2)
    with scripted.ScriptedServer(script) as server:
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
        embedded = [e.body["input"] for e in server.seen if e.path.endswith("/embeddings")]
    assert embedded == [["xyz"], ["a"]]  # once a case, whatever the number of samples
    assert artifact
    signals = results(artifact)["a"]["item_signals"]["Sleep"]
    assert signals["retrieval_similarity_max"] == pytest.approx(math.sqrt(0.5))


def test_resume_asks_only_what_is_missing_and_what_never_arrived(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    down = True

    async def script(exchange: Any) -> None:
        if exchange.case == "b" and down:
            await exchange.send(503, b"")
        else:
            await exchange.reply('{"score": 2, "confidence": 4}')

    class Listener(Watcher):
        def stop(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    output = tmp_path / "run.json"
    plan = plan_for(flat, ["a", "b", "c"])
    with scripted.ScriptedServer(script) as server:
        first = execute(plan, output, server.url, patience=HASTE)
        assert first.failed_cases == 1
        down = False
        second = execute(plan, output, server.url, patience=HASTE, resume=True)
        assert dict(server.asked) == {"a": 1, "b": 3, "c": 1}
        before = output.read_bytes()
        execute(plan, output, server.url, patience=HASTE, resume=True)
        assert dict(server.asked) == {"a": 1, "b": 3, "c": 1}
    assert second.failed_cases == 0
    assert output.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"model": "other"}, "model"),
        ({"temperature": 0.5}, "temperature"),
        ({"address": "another"}, "address"),
        ({"extra_body": {"top_p": 0.5}}, "extra_body"),
    ],
)
def test_a_changed_setting_is_refused_by_name(
    scripted: ModuleType,
    flat: Task,
    plan_for: PlanFor,
    tmp_path: Path,
    change: dict[str, Any],
    name: str,
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, ["a"]), output, server.url, patience=HASTE)
        with pytest.raises(DataError, match=f"changed: {name}"):
            execute(plan_for(flat, ["a"], **change), output, server.url, resume=True)


def test_more_samples_and_more_cases_ask_only_what_is_new(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, ["a", "b"]), output, server.url, patience=HASTE)
        more = plan_for(flat, ["c", "b", "a"], samples=2)
        artifact = execute(more, output, server.url, patience=HASTE, resume=True).artifact
        asked = sorted((e.case, e.body["seed"]) for e in server.seen)
        assert asked == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("c", 0), ("c", 1)]
        assert artifact
        assert list(results(artifact)) == ["c", "b", "a"]
        assert artifact["run_metadata"]["settings"]["samples"] == 2
        fewer = execute(plan_for(flat, ["b"]), output, server.url, resume=True).artifact
        assert len(server.seen) == 6
    assert fewer
    assert list(results(fewer)) == ["b"]


def test_cases_without_truth_are_judged_now_and_labelled_later(
    scripted: ModuleType, flat_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    cases, output = tmp_path / "cases.json", tmp_path / "run.json"
    records: list[dict[str, Any]] = [{"id": n, "text": f"c{n}"} for n in range(3)]
    cases.write_text(json.dumps({"cases": records}))
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--compute-aurc"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(output)]
        assert acumen(command) == 0
        assert "AURC N/A" in capsys.readouterr().out
        assert all("ground_truth_items" not in r for r in results(read_json(output)).values())  # type: ignore[arg-type]
        cases.write_text(json.dumps({"cases": [r | {"truth": {"Sleep": 1}} for r in records]}))
        assert acumen([*command, "--resume"]) == 0
        assert set(server.asked.values()) == {1}
    assert "AURC 1.0000" in capsys.readouterr().out
    assert list(read_run(output).truth) == [1, 1, 1]


def test_a_verdict_task_with_levels_of_its_own_is_led_to_the_command_and_the_policy_it_needs(
    scripted: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"mood": "Quiet", "rows": []}')

    task, cases, output = (tmp_path / name for name in ("t.toml", "cases.json", "run.json"))
    task.write_text(
        'name = "noise"\nscale = { levels = ["Quiet", "Loud"], items = ["verdict"] }\n'
        'inputs = { reviews = "reviews" }\n[reply]\nlayout = "flat"\nscore = "mood"\n'
        'evidence = { key = "rows", kind = "rows", from = "reviews", fields = { N = ["y"] } }\n'
        '[prompt]\nuser = "CASE {{ case.reviews[0].text }}"\n'
    )
    case = {"reviews": [{"review_id": "r1", "text": "x"}], "truth": {"verdict": "Quiet"}}
    cases.write_text(json.dumps({"R1": case}))
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(task), "--cases", str(cases), "--model", "m"]
        assert acumen([*command, "--base-url", server.url, "--output", str(output)]) == 0
    capsys.readouterr()
    assert acumen(["evaluate", str(output)]) == 3
    assert "this is a verdict study: use acumen score" in capsys.readouterr().err
    assert acumen(["score", str(output)]) == 3
    assert "other levels need their own --policy" in capsys.readouterr().err


def test_several_models_are_asked_in_turn_and_written_one_file_each(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b"))]
    command += ["--model", "org/one", "--model", "two:7b", "--output", str(tmp_path / "r.json")]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, "--base-url", server.url]) == 0
        assert [e.body["model"] for e in server.seen] == ["org/one"] * 2 + ["two:7b"] * 2
    names = {"r-org-one.json": "org/one", "r-two-7b.json": "two:7b"}
    for name, model in names.items():
        document: Any = read_json(tmp_path / name)
        assert document["run_metadata"]["settings"]["model"] == model


@pytest.mark.parametrize(
    "rate", [{"requests_per_minute": 600.0}, {"tokens_per_minute": 9000.0}], ids=str
)
def test_requests_go_no_faster_than_they_may(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, rate: dict[str, float]
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')  # 15 tokens

    with scripted.ScriptedServer(script) as server:
        plan, patience = plan_for(flat, [f"c{n}" for n in range(10)]), Patience(**rate)  # type: ignore[arg-type]
        execute(plan, tmp_path / "run.json", server.url, patience=patience, concurrency=1)
        moments = [exchange.at for exchange in server.seen]
    # ten a second either way: nine steps of a tenth
    assert 0.85 < moments[-1] - moments[0] < 5


def test_a_case_whose_text_changed_is_not_the_one_that_was_answered(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["a", "b"])
        execute(plan, output, server.url, patience=HASTE)
        first, second = plan.cases.all
        other = replace(plan.cases, all=(first, replace(second, inputs={"text": "secret"})))
        with pytest.raises(DataError, match="case b was asked with another text") as refused:
            execute(replace(plan, cases=other), output, server.url, resume=True)
    assert "secret" not in str(refused.value)


def test_a_record_with_a_level_that_the_scale_does_not_have_is_refused_by_its_line(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    output, plan = tmp_path / "run.json", plan_for(flat, ["a"])
    with scripted.ScriptedServer(script) as server:
        execute(plan, output, server.url, patience=HASTE)
        journal = journal_of(output)
        first, line = journal.read_bytes().splitlines(keepends=True)
        changed = json.loads(line) | {"items": {"Sleep": {**ITEM, "level": 77}}}
        del changed["seal"]
        journal.write_bytes(first + sealed(json.dumps(changed).encode()))
        with pytest.raises(DataError, match="line 2: holds no answers of this task"):
            execute(plan, output, server.url, resume=True)


def test_a_refused_key_stops_the_run_at_once_and_says_why(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        body = b'{"error": {"message": "wrong key sk-canary", "code": "invalid_api_key"}}'
        await exchange.send(401, body)

    plan = plan_for(flat, [f"c{n}" for n in range(100)])
    with scripted.ScriptedServer(script) as server:
        with pytest.raises(EndpointRefusal) as refused:
            execute(plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=4)
        assert sum(server.asked.values()) <= 4
    said = str(refused.value)
    assert "--api-key-env OPENAI_API_KEY sends the one in that variable here" in said
    assert "(HTTP 401) (invalid_api_key)" in said
    assert "canary" not in said
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("code", ["sk-canary0", "Canary", "a sentence", 7, None, "x" * 61])
def test_a_code_that_could_be_a_key_or_a_text_is_not_repeated(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, code: object
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.send(404, json.dumps({"error": {"code": code}}).encode())

    with (
        scripted.ScriptedServer(script) as server,
        pytest.raises(EndpointRefusal, match=r"no such model .* \(HTTP 404\)$"),
    ):
        execute(plan_for(flat, ["a"]), tmp_path / "run.json", server.url, patience=HASTE)


def test_ctrl_c_finishes_what_is_in_flight_and_the_rest_can_be_resumed(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    pressed = threading.Event()

    async def script(exchange: Any) -> None:
        if sum(server.asked.values()) == 4 and not pressed.is_set():
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)
        await exchange.reply('{"score": 2, "confidence": 4}')

    output = tmp_path / "run.json"
    cases = cases_file(*(f"c{n}" for n in range(20)))
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(flat_file), "--cases", str(cases), "--model", "m"]
        command += ["--base-url", server.url, "--output", str(output), "--concurrency", "2"]
        monkeypatch.setattr("sys.argv", ["acumen", *command])
        assert acumen(command) == 130
        said = capsys.readouterr().err
        assert f"continue with: acumen run {flat_file}" in said
        assert said.rstrip().endswith("--resume")
        asked = dict(server.asked)
        assert 4 <= len(asked) <= 7
        lines = Path(f"{output}.journal").read_text().split("\n")
        assert len(lines) - 2 == len(asked)  # all in flight were finished and saved
        part: Any = read_json(output)
        assert set(results(part)) == set(asked)
        assert part["run_metadata"]["questions_left"] == 20 - len(asked)
        assert set(read_run(output).cases) == set(asked)
        words = ["evaluate", str(output), "--resamples", "20", "--confidence", "verbalized"]
        assert acumen(words) == 4  # a part, and told to be one
        told = capsys.readouterr()
        assert " of 20 planned" in " ".join(told.out.split())
        left = f"{20 - len(asked)} of 20 cases (cases_asked) are not in the file"
        assert left in " ".join((told.out + told.err).split())
        assert acumen([*command, "--resume"]) == 0
        assert set(server.asked.values()) == {1}
    assert len(results(read_json(output))) == 20  # type: ignore[arg-type]


def test_a_second_ctrl_c_drops_what_is_in_flight_and_nothing_of_it_counts_as_done(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case != "b" or exchange.times > 1:
            await exchange.reply('{"score": 2, "confidence": 4}')
        else:  # never answered
            os.kill(os.getpid(), signal.SIGINT)

    class Listener(Watcher):
        def stop(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    output = tmp_path / "run.json"
    plan = plan_for(flat, ["a", "b", "c"])
    with scripted.ScriptedServer(script) as server:
        stopped = execute(plan, output, server.url, concurrency=1, watcher=Listener())
        assert stopped.stop == "interrupted"
        assert list(results(stopped.artifact or {})) == ["a"]
        assert dict(server.asked) == {"a": 1, "b": 1}
        assert stopped.journal.read_text().count('"case": ') == 1
        again = execute(plan, output, server.url, resume=True)
        assert dict(server.asked) == {"a": 1, "b": 2, "c": 1}
    assert again.artifact


def test_a_dry_run_asks_nothing_and_shows_the_first_prompt_and_what_it_may_cost(
    flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cases = cases_file("one\x1b[2J", "two")
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--samples", "5"]
    command += ["--base-url", "http://127.0.0.1:9/v1", "--output", str(tmp_path / "run.json")]
    command += ["--prompt-price", "2", "--completion-price", "10", "--concurrency", "2"]
    assert acumen([*command, "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "10 questions: 2 cases, zero_shot, 5 samples each, to 127.0.0.1:9"
    assert lines[1].startswith("zero-shot prompts of 8 to 12 characters, hash ")
    # (12 + 8) characters, five times, are 25 tokens; ten replies of 60 tokens at most
    assert lines[2] == (
        "about 25 tokens of prompts (4 characters a token), at most 600 of replies (60 each)"
    )
    assert lines[3] == "about 0.4 minutes at 5 seconds an answer, 2 at a time"
    assert lines[4] == "costs 0.0001 for the prompts, and at most 0.0060 with the replies"
    assert lines[5:8] == ["--- user", "CASE one\\x1b[2J", "---"]
    assert lines[8].endswith("nothing was asked")


def test_a_dry_run_of_a_resumption_estimates_what_is_left(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b", "c", "d")), "--model"]
    command += ["m", "--output", str(tmp_path / "run.json")]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        assert acumen([*command, "--limit", "3"]) == 0
        assert acumen([*command, "--resume", "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "3 of them are answered, 1 are left"
    assert lines[3].endswith("at most 60 of replies (60 each)")


def test_several_models_are_several_files_and_one_that_is_unknown_stops_no_other(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if exchange.body["model"] == "none":
            await exchange.send(404, b'{"error": {"code": "model_not_found"}}')
        else:
            await exchange.reply('{"score": 2, "confidence": 4}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a"))]
    command += ["--output", str(tmp_path / "run.json")]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        assert acumen([*command, "--model", "a/b", "--model", "a:b"]) == 2
        assert not server.asked
        assert acumen([*command, "--model", "none", "--model", "m"]) == 2
    assert "knows no such model" in capsys.readouterr().err
    assert (tmp_path / "run-m.json").exists()


def test_a_variable_holds_a_header_with_its_blank(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    monkeypatch.setenv("ACUMEN_RUN_HEADER", "X-One: a b\nX-Two: c")
    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        command += ["--output", str(tmp_path / "run.json"), "--base-url", server.url]
        assert acumen(command) == 0
        assert (server.seen[0].headers["x-one"], server.seen[0].headers["x-two"]) == ("a b", "c")


@pytest.mark.parametrize(
    ("environment", "options", "samples"),
    [
        ("true", [], "5 samples"),
        ("true", ["--samples", "1"], "1 sample"),
        ("false", [], "1 sample"),
    ],
)
def test_the_environment_may_enable_consistency_and_a_number_beats_it(
    environment: str,
    options: list[str],
    samples: str,
    flat_file: Path,
    cases_file: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONSISTENCY_ENABLED", environment)
    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m", "--dry-run"]
    assert acumen([*command, "--base-url", "http://127.0.0.1:9/v1", *options]) == 0
    assert f", zero_shot, {samples} each" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "line"),
    [
        # "CASE night walk" is 15 long, and "CASE sleeps badly" 17; " [3: sleeps badly]" adds 18
        ([], "few-shot prompts of 15 to 35 characters; nothing is retrieved for 1 of 2 cases"),
        (["--limit", "1"], "few-shot prompts of 35 characters"),
        (
            ["--embedding-model", "e"],
            "few-shot prompts: unknown until the endpoint has embedded the references",
        ),
    ],
)
@pytest.mark.parametrize("mode", ["few_shot", "both"])
def test_a_dry_run_tells_both_kinds_of_prompt(
    flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path, mode: str,
    options: list[str], line: str, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    references = tmp_path / "references.json"
    known = {"item": "Sleep", "score": 3, "text": "sleeps badly"}
    references.write_text(json.dumps({"references": [known]}))
    cases = cases_file("sleeps badly", "night walk")
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--mode", mode]
    command += ["--references", str(references), "--base-url", "http://127.0.0.1:9/v1"]
    command += ["--output", str(tmp_path / "run.json"), "--dry-run", *options]
    assert acumen(command) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1].startswith("zero-shot prompts of 1")
    assert said[2] == line
    assert said[5].startswith("--- user")


@pytest.mark.parametrize("obstacle", ["output", "journal", "key"])
def test_a_dry_run_refuses_what_the_run_refuses(
    flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path, obstacle: str,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    output = tmp_path / "run.json"
    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    command += ["--output", str(output)]
    if obstacle != "key":
        command += ["--base-url", "http://127.0.0.1:9/v1"]
    if obstacle == "output":
        output.write_text("{}")
    if obstacle == "journal":
        lines = (
            b'{"journal": 2, "plan": {}}\n',
            as_line(Record("a", "zero_shot", 0, Outcomes.refused)),
        )
        (tmp_path / "run.json.journal").write_bytes(b"".join(map(sealed, lines)))
    before = sorted(tmp_path.iterdir())
    assert acumen([*command, "--dry-run"]) == 2
    dry = capsys.readouterr()
    assert dry.out == ""
    assert acumen(command) == 2
    assert capsys.readouterr().err == dry.err
    # but for the lock, which stays: whoever deleted it could let two runs write
    assert sorted(path for path in tmp_path.iterdir() if path.suffix != ".lock") == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base-url", "ftp://x/v1"], "must begin with http"),
        (["--base-url", "http://user:pw@x/v1"], "must hold no key"),
        (["--base-url", "http://x/v1?key=1"], "must hold no key"),
        (["--base-url", "http://x:y/v1"], "is not an address"),
        (["--base-url", "http://x/v1", "--mode", "few_shot"], "--references FILE"),
    ],
)
def test_usage_errors_exit_two(
    flat_file: Path, cases_file: Callable[..., Path], options: list[str], said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m", *options]
    assert acumen(command) == 2
    assert said in capsys.readouterr().err


def test_openai_needs_a_key_and_a_key_needs_to_be_one(
    flat: Task, plan_for: PlanFor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    plan = plan_for(flat, ["a"])
    with pytest.raises(UsageError, match="set OPENAI_API_KEY"):
        execute(plan, tmp_path / "run.json", "https://api.openai.com/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary\n")
    access = Access("http://127.0.0.1:9/v1", key_variable="OPENAI_API_KEY")
    with pytest.raises(UsageError, match="characters that no key has") as refused:
        execute(plan, tmp_path / "run.json", access, resume=True)
    assert "canary" not in str(refused.value)


def test_compute_aurc_prints_area_risk_and_count_after_the_run(
    scripted: ModuleType, flat_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # (prediction, truth, confidence) of the worked example: AURC 17/24, risk at 50% is 1
    rows = {"a": (2, 2, 2), "b": (3, 1, 2), "c": (1, 1, 1), "d": (None, 0, 1)}

    async def script(exchange: Any) -> None:
        score, _, confidence = rows[exchange.case]
        await exchange.reply(json.dumps({"score": score, "confidence": confidence}))

    cases = {name: {"text": name, "Sleep": truth} for name, (_, truth, _) in rows.items()}
    path = tmp_path / "by_id.json"
    path.write_text(json.dumps(cases))
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(flat_file), "--cases", str(path), "--model", "m", "--compute-aurc"]
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        assert acumen(command) == 0
    assert capsys.readouterr().out == (
        "zero_shot: AURC 0.7083, risk at 50% coverage 1.0000, 4 judgments "
        "(loss abs, ranked by verbalized_confidence)\n"
    )


@pytest.mark.parametrize("items", [["Sleep"], ["Sleep", "Tired"]])
def test_the_line_of_compute_aurc_names_the_loss_and_the_signal_that_evaluate_repeats_it_with(
    scripted: ModuleType, tmp_path: Path, items: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    # one level off where the model is sure: 1 by the level, a quarter as a share of five levels
    async def script(exchange: Any) -> None:
        sure = 5 if exchange.case == "a" else 1
        await exchange.reply(json.dumps({i: {"score": 1, "confidence": sure} for i in items}))

    task = tmp_path / "mine.toml"
    task.write_text(
        f'name = "mine"\nscale = {{ levels = [0, 1, 2, 3, 4], items = {json.dumps(items)} }}\n'
        'inputs = { text = "text" }\n[reply]\nlayout = "by_item"\nscore = "score"\n'
        'confidence = "confidence"\n[prompt]\nuser = "CASE {{ case.text }}"\n'
    )
    cases = tmp_path / "cases.json"
    truths = {"a": 0, "b": 1}
    cases.write_text(
        json.dumps({n: {"text": n, **dict.fromkeys(items, t)} for n, t in truths.items()})
    )
    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(task), "--cases", str(cases), "--model", "m", "--compute-aurc"]
        assert acumen([*command, "--base-url", server.url, "--output", str(output)]) == 0
    noun = "2 judgments" if len(items) == 1 else "4 items"
    assert capsys.readouterr().out == (
        f"zero_shot: AURC 0.8750, risk at 50% coverage 1.0000, {noun} "
        "(loss abs, ranked by verbalized_confidence)\n"
    )
    areas = []
    for loss in ("abs", "abs_norm"):
        options = ["--loss", loss, "--confidence", "verbalized_confidence"]
        options += ["--bootstrap-resamples", "0"]
        assert acumen(["evaluate", str(output), *options, "--json"]) == 0
        variants = json.loads(capsys.readouterr().out)["confidence_variants"]
        areas.append(variants["verbalized_confidence"]["aurc_full"])
    assert areas == [0.875, 0.875 / 4]


def test_when_nothing_was_answered_aurc_is_not_a_number_but_na(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": null}')

    with scripted.ScriptedServer(script) as server:
        command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        assert acumen([*command, "--compute-aurc"]) == 0
    assert "AURC N/A, risk at 50% coverage N/A, 1 judgment (" in capsys.readouterr().out


def test_one_failed_case_is_told_in_the_singular(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply("no" if exchange.case == "b" else '{"score": 1}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json"), "--base-url"]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, server.url]) == 4
    said = capsys.readouterr().err
    assert said.count("2/2 done · 1 failed") == 1
    assert "questions: 1 answered, 1 invalid_reply\n" in said
    assert "\n1 case failed\n" in said


def test_the_run_file_is_read_back_as_the_table_it_means(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    replies = {"a": '{"score": 1, "confidence": 4}', "b": '{"score": null}', "c": "no"}

    async def script(exchange: Any) -> None:
        await exchange.reply(replies[exchange.case])

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, list(replies)), output, server.url, patience=HASTE)
    table = read_run(output)
    assert table.scale == flat.scale
    assert table.cases == ("a", "b", "c")
    assert [Outcome(o) for o in table.outcome] == [
        Outcome.ANSWERED,
        Outcome.ABSTAINED,
        Outcome.FAILED,
    ]
    assert table.prediction[0] == 1
    assert list(table.truth) == [2, 2, 2]
    assert table.warnings == ()
    assert table.failed[0].reason.startswith("InvalidReplyError")


def test_a_verdict_study_is_written_with_its_evidence_and_carried_truth(
    scripted: ModuleType, tmp_path: Path
) -> None:
    task = read_task("allergy")
    cases = read_cases("demo", task)
    row = {"evidence_id": "E1", "review_id": "r11", "field": "INCIDENT_SEVERITY"}
    snippets = ["his lips swelled", "he turned blue"]

    async def script(exchange: Any) -> None:
        evidences = [
            {**row, "evidence_id": f"E{n}", "judgement": judgement, "snippet": snippet}
            for n, (judgement, snippet) in enumerate(
                zip(("moderate", "mild"), snippets, strict=True)
            )
        ]
        reply = {
            "evidences": evidences,
            "justification": {"direct_evidence": ["E0"], "scoring_trace": {"total_score": 5}},
            "verdict": "High Risk",
            "risk_score": 40,
            "confidence": 4,
        }
        bad = "R02" in exchange.prompt or "Corner Noodles" in exchange.prompt
        await exchange.reply("I cannot judge a business." if bad else json.dumps(reply))

    plan = Plan(task, cases, None, Settings("m", "test", max_tokens=60), limit=2)
    with scripted.ScriptedServer(script) as server:
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
    assert artifact
    assert (artifact["policy_id"], artifact["model"], artifact["n"]) == ("G1_allergy_V2", "m", 2)
    first, second = artifact["results"]
    assert first["business_id"] == "R01"
    assert (first["verdict"], first["risk_score"], first["gt_verdict"]) == (
        "High Risk",
        40,
        "Critical Risk",
    )
    assert [e["snippet"] for e in first["parsed"]["evidences"]] == snippets
    assert first["parsed"]["justification"]["direct_evidence"] == ["E0"]
    assert first["signals"]["llm_evidence_count"] == 1
    assert first["signals"]["llm_evidence_invented"] == 1
    consistency = ("modal_confidence", "score_std", "na_rate", "samples")
    assert [first["signals"][f"consistency_{name}"] for name in consistency] == [None] * 4
    assert second == {
        "business_id": "R02",
        "error": "RefusalError: refused",
        "gt_verdict": "High Risk",
    }
    # one file is the cases, the truth and the reviews
    known = str(files("acumen.runner.demo").joinpath("allergy-cases.json"))
    scored = tmp_path / "scored.json"
    command = ["score", str(tmp_path / "run.json"), "--truth", known, "--reviews", known]
    assert acumen([*command, "--resamples", "0", "--output", str(scored)]) == 0
    numbers: Any = read_json(scored)
    assert (numbers["correct"], numbers["total"]) == (0, 1)
    components = numbers["unified_metrics_full"]["process_components"]
    assert components["incident_precision"] == 1.0
    assert components["snippet_validity"] == 0.5


def test_both_modes_of_a_verdict_study_are_two_methods_in_one_file_and_are_compared(
    scripted: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def script(exchange: Any) -> None:
        few = "Other restaurants whose verdict is known" in exchange.prompt
        if few and "Corner Noodles" in exchange.prompt:
            await exchange.reply("I cannot judge a business.")
            return
        reply = {"evidences": [], "justification": {"direct_evidence": []}, "confidence": 4}
        verdict = "Critical Risk" if few else "Low Risk"
        await exchange.reply(json.dumps({**reply, "verdict": verdict, "risk_score": 90 * few}))

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        command = ["run", "allergy", "--cases", "demo", "--model", "m", "--mode", "both"]
        command += ["--base-url", server.url, "--output", str(output), "--compute-aurc"]
        assert acumen(command) == 4
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in said] == ["zero_shot", "few_shot"]
    artifact: Any = read_json(output)
    cases = len(read_cases("demo", read_task("allergy")).all)
    assert (artifact["mode"], artifact["n"]) == ("both", cases)
    by_mode = {
        mode: [r for r in artifact["results"] if r["method"] == mode]
        for mode in ("zero_shot", "few_shot")
    }
    assert {r["verdict"] for r in by_mode["zero_shot"]} == {"Low Risk"}
    assert [r.get("error") for r in by_mode["few_shot"] if "error" in r] == [
        "RefusalError: refused"
    ]
    scored = tmp_path / "scored.json"
    assert acumen(["score", str(output), "--resamples", "0", "--output", str(scored)]) == 0
    both: Any = read_json(scored)
    assert [system["method"] for system in both["systems"]] == ["zero_shot", "few_shot"]
    assert both["comparison"]
    command = ["score", str(output), "--method", "few_shot", "--resamples", "0"]
    assert acumen([*command, "--output", str(scored)]) == 0
    one: Any = read_json(scored)
    assert (one["method"], one["total"]) == ("few_shot", cases - 1)


def test_a_resumed_run_counts_the_answers_of_its_own_cases(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 1}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b", "c")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json")]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        assert acumen(command) == 0
        capsys.readouterr()
        assert acumen([*command, "--resume", "--limit", "2"]) == 0
    said = capsys.readouterr().err
    assert "2 of 2 questions were answered before" in said
    assert "2/2 done" in said


def test_a_resumed_run_counts_the_cases_of_its_own_that_failed_before(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply("no" if exchange.case in "bc" else '{"score": 1}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b", "c")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json")]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        assert acumen(command) == 4
        capsys.readouterr()
        assert acumen([*command, "--resume", "--limit", "2"]) == 4
    said = capsys.readouterr().err
    assert "2 of 2 questions were answered before, 1 without a usable reply\n" in said
    assert "2/2 done · 1 failed ·" in said
    assert "1 case failed" in said


def test_a_journal_of_a_version_that_did_not_name_the_served_model_is_resumed(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    output, plan = tmp_path / "run.json", plan_for(flat, ["a", "b"])
    with scripted.ScriptedServer(script) as server:
        whole = execute(plan, output, server.url).artifact
        assert whole
        output.unlink()
        journal = journal_of(output)
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        assert all("served_model" in line for line in lines[1:])
        for line in lines:
            line.pop("served_model", None)
            del line["seal"]
        journal.write_bytes(b"".join(sealed(f"{json.dumps(line)}\n".encode()) for line in lines))
        resumed = execute(plan, output, server.url, resume=True).artifact
        assert dict(server.asked) == {"a": 1, "b": 1}
    assert resumed
    assert resumed["run_metadata"]["served_models"] == []
    assert resumed["experiments"] == whole["experiments"]
    assert read_json(output) == resumed


def test_the_longest_reply_is_the_tasks_or_the_users(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 1}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        for n, options in enumerate(([], ["--max-tokens", "9000"])):
            assert acumen([*command, "--output", str(tmp_path / f"{n}.json"), *options]) == 0
        assert [e.body["max_tokens"] for e in server.seen] == [60, 9000]


@pytest.mark.parametrize(
    ("option", "advice"),
    [("temperature", "--omit temperature"), ("response_format.json_schema", "--reply-format")],
)
def test_an_option_the_endpoint_does_not_take_stops_the_run_with_advice(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, option: str, advice: str
) -> None:
    async def script(exchange: Any) -> None:
        error = {"message": "secret", "code": "unsupported_value", "param": option}
        await exchange.send(400, json.dumps({"error": error}).encode())

    plan = plan_for(flat, ["a", "b"])
    with (
        scripted.ScriptedServer(script) as server,
        pytest.raises(EndpointRefusal, match=f"does not take the option .*{advice}") as refused,
    ):
        execute(plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=1)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (402, {"code": "x", "message": "secret"}, "asks for payment"),
        (429, {"code": "insufficient_quota", "message": "secret"}, "has no quota left"),
    ],
)
def test_what_no_waiting_mends_stops_the_run_and_keeps_what_was_done(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    status: int, error: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    broke = True

    async def script(exchange: Any) -> None:
        if exchange.case != "a" and broke:
            await exchange.send(status, json.dumps({"error": error}).encode())
        else:
            await exchange.reply('{"score": 2}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b", "c")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json"), "--concurrency", "1"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        monkeypatch.setattr("sys.argv", ["acumen", *command])
        assert acumen(command) == 2
        assert dict(server.asked) == {"a": 1, "b": 1}
        text = capsys.readouterr().err
        assert said in text
        assert "secret" not in text
        assert "1/3 done" in text
        assert "what is done is in" in text
        assert "--resume\n" in text
        broke = False
        assert acumen([*command, "--resume"]) == 0
        assert dict(server.asked) == {"a": 1, "b": 2, "c": 1}


def test_an_endpoint_that_nobody_answers_at_stops_the_run_and_it_may_begin_again(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    plan, output = plan_for(flat, ["a", "b"]), tmp_path / "run.json"
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # a port that is taken, and where nobody listens
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        with pytest.raises(EndpointRefusal, match=r"127\.0\.0\.1:\d+ cannot be reached: is it "):
            execute(plan, output, url, patience=HASTE, concurrency=1)
    assert not output.exists()
    with scripted.ScriptedServer(script) as server:
        assert execute(plan, output, server.url, patience=HASTE).artifact
        assert dict(server.asked) == {"a": 1, "b": 1}


def test_a_connection_lost_over_the_first_case_does_not_end_the_run(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case == "gone":
            exchange.abort()
        else:
            await exchange.reply('{"score": 2}')

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["gone", "a"])
        finished = execute(plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=1)
        assert dict(server.asked) == {"gone": 2, "a": 1}  # with its retry
    assert finished.artifact
    assert finished.artifact["failure_summary"]["reasons"] == {"connection": 1}


def test_a_prompt_that_was_filtered_is_refused_and_one_too_long_is_told_apart(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    errors = {
        "filtered": {"code": "content_filter", "param": "prompt", "message": "secret"},
        "long": {"code": "context_length_exceeded", "message": "secret"},
        "llama": {"code": 400, "type": "exceed_context_size_error", "message": "secret"},
        "other": {"code": 400, "type": "BadRequestError", "message": "secret"},
    }

    async def script(exchange: Any) -> None:
        await exchange.send(400, json.dumps({"error": errors[exchange.case]}).encode())

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, list(errors), reply_format="text")
        artifact = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
        assert set(server.asked.values()) == {1}
    assert artifact
    assert [r["error"] for r in results(artifact).values()] == [
        "RefusalError: refused",
        "TransportFailure: context_too_long",
        "TransportFailure: context_too_long",
        "TransportFailure: http_400",
    ]


def test_a_request_that_is_refused_without_a_reason_gets_a_hint(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.send(400, b'{"object": "error", "message": "secret", "code": 400}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        assert acumen(command) == 4
    assert "try --top-logprobs 0" in capsys.readouterr().err


def test_provenance_says_what_was_asked_of_whom_with_what(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary0")
    served = {"a": "m-2026-01-01", "b": "m-2026-01-01", "c": "a sentence", "d": "x/sk-canary0"}

    async def script(exchange: Any) -> None:
        body = json.loads(scripted.completion('{"score": 2}')) | {"model": served[exchange.case]}
        await exchange.send(200, json.dumps(body).encode())

    references = [{"item": "Sleep", "text": "sleepless nights again", "score": 3}]
    plan = plan_for(flat, [*served, "e"], references, modes=("zero_shot", "few_shot"))
    plan = replace(plan, limit=4)
    with scripted.ScriptedServer(script) as server:
        access = Access(server.url, key_variable="OPENAI_API_KEY")
        artifact = execute(plan, tmp_path / "run.json", access, patience=HASTE).artifact
    assert artifact
    metadata = artifact["run_metadata"]
    assert metadata["served_models"] == ["m-2026-01-01"]
    assert (metadata["cases_in_file"], metadata["cases_asked"]) == (5, 4)
    for name in ("run_id", "timestamp", "acumen_version", "httpx2_version",
                 "python_version", "scikit_learn_version", "platform", "endpoint_host", "task",
                 "task_hash", "prompt_hash", "cases_hash", "references_hash"):  # fmt: skip
        assert isinstance(metadata[name], str), name
    assert metadata["settings"]["model"] == "m"
    assert metadata["usage"] == {
        "questions": 8, "prompt_tokens": 80, "completion_tokens": 40, "retries": 0,
    }  # fmt: skip
    durations = metadata["durations"]
    assert durations["questions_total_seconds"] >= durations["longest_question_seconds"] >= 0
    assert {"git_commit", "git_dirty", "model_file"} <= metadata.keys()


def test_a_case_that_cannot_be_embedded_was_not_asked_and_is_on_resume(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    down = True

    async def script(exchange: Any) -> None:
        if not exchange.path.endswith("/embeddings"):
            await exchange.reply('{"score": 2, "confidence": 4}')
        elif down and exchange.body["input"] == ["b"]:
            await exchange.send(500, b"")
        else:
            data = [{"index": i, "embedding": [1.0]} for i, _ in enumerate(exchange.body["input"])]
            await exchange.send(200, json.dumps({"data": data}).encode())

    references = [{"item": "Sleep", "text": "xyz", "score": 3}]
    plan = plan_for(flat, ["a", "b"], references, modes=("few_shot",), embedding_model="e")
    with scripted.ScriptedServer(script) as server:
        first = execute(plan, tmp_path / "run.json", server.url, patience=HASTE).artifact
        assert first
        assert results(first)["b"]["error"] == "TransportFailure: embedding_http_500"
        assert results(first)["b"]["prompt_hash"] is None
        usage = {"questions": 2, "prompt_tokens": 10, "completion_tokens": 5, "retries": 1}
        assert first["run_metadata"]["usage"] == usage  # "b" was never put to the model
        down = False
        second = execute(
            plan, tmp_path / "run.json", server.url, patience=HASTE, resume=True
        ).artifact
        assert {e.case for e in server.seen} == {"", "a", "b"}
    assert second
    assert results(second)["b"]["prompt_hash"]
    assert results(second)["b"]["item_signals"]["Sleep"]["retrieval_similarity_max"] == 1


def test_what_is_omitted_is_not_sent(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    omit = ("max_tokens", "seed", "temperature")
    plan = plan_for(flat, ["a"], omit=omit, top_logprobs=None, reply_format="text")
    with scripted.ScriptedServer(script) as server:
        execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
        assert set(server.seen[0].body) == {"model", "messages"}


def test_references_that_cannot_be_embedded_stop_the_run(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.send(200, b'{"data": [{"embedding": ["x"]}]}')

    references = [{"item": "Sleep", "text": "xyz", "score": 3}]
    plan = plan_for(flat, ["a"], references, modes=("few_shot",), embedding_model="e")
    with (
        scripted.ScriptedServer(script) as server,
        pytest.raises(EndpointRefusal, match=r"could not be embedded at .*: malformed_response"),
    ):
        execute(plan, tmp_path / "run.json", server.url, patience=HASTE)


def test_a_run_that_was_begun_and_never_answered_may_begin_again(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    refuse = True

    async def script(exchange: Any) -> None:
        if refuse:
            await exchange.send(401, b"")
        else:
            await exchange.reply('{"score": 2}')

    with scripted.ScriptedServer(script) as server:
        with pytest.raises(EndpointRefusal):
            execute(plan_for(flat, ["a"]), tmp_path / "run.json", server.url, patience=HASTE)
        refuse = False
        plan = plan_for(flat, ["a"], model="another")
        finished = execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
    assert finished.artifact
    assert finished.artifact["run_metadata"]["settings"]["model"] == "another"


def test_what_a_killed_writer_left_is_swept_away(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    output = tmp_path / "run[1].json"
    left = tmp_path / ".run[1].json.0123456789abcdef.tmp"
    names = ("run1.json.0123456789abcdef", "run[1].json.mine", "run[1].json.b.0123456789abcdef")
    others = [tmp_path / f".{name}.tmp" for name in names]
    left.write_text('{\n "run_metadata": {\n  "run_id": "')
    for file in others:
        file.write_text("somebody's, for all that is known")
    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, ["a"]), output, server.url, patience=HASTE)
    assert not left.exists()
    assert all(other.exists() for other in others)
