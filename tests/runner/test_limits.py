"""A run that should end ends: at its limits, where no replies come, and soon after Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.cli.progress import RunProgress
from acumen.errors import UsageError
from acumen.readers.run import read_run
from acumen.runner import drive
from acumen.runner.endpoint import Patience, Watcher
from acumen.runner.execute import execute
from acumen.runner.limits import Limits
from acumen.runner.plan import Plan
from acumen.runner.task import Task

GOOD = '{"score": 2, "confidence": 4}'
HASTE = Patience(timeout=60, retries=1, backoff=0.01)
PlanFor = Callable[..., Plan]


@pytest.mark.parametrize(("answered", "concurrency", "most"), [(0, 4, 8), (1, 4, 24), (1, 8, 32)])
def test_an_endpoint_that_gives_no_replies_ends_the_run_with_the_reason(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, answered: int,
    concurrency: int, most: int,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if int(exchange.case[1:]) < answered:
            await exchange.reply(GOOD)
        else:
            await exchange.send(500, b"")

    plan = plan_for(flat, [f"c{n}" for n in range(300)], reply_format="text")
    with scripted.ScriptedServer(script) as server:
        run = execute(
            plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=concurrency
        )
        assert len(server.asked) <= most
        assert (run.stop, run.reason) == ("no_replies", "http_500")
        first = set(server.asked)
        again = execute(
            plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=concurrency,
            resume=True,
        )  # fmt: skip
        # what failed comes last: the next ones are asked before it is asked again
        assert set(server.asked) > first
    assert again.stop == "no_replies"


def test_a_run_without_replies_is_told_in_a_line_and_exits_as_a_part(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.send(503, b"")

    cases = cases_file(*(f"c{n}" for n in range(40)))
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--retries", "0"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        assert acumen(command) == 4
        assert len(server.asked) <= 13
    said = capsys.readouterr().err
    assert "gives no replies (the last: http_503)" in said
    assert "continue with: " in said


def test_a_run_that_has_nothing_left_was_not_stopped(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.send(500, b"")

    plan = plan_for(flat, [f"c{n}" for n in range(8)], reply_format="text")
    with scripted.ScriptedServer(script) as server:
        run = execute(plan, tmp_path / "run.json", server.url, patience=Patience(retries=0))
    assert (run.stop, run.failed_cases) == (None, 8)


@pytest.mark.parametrize("words", [["--header", "X-Key: canary"], ["--header=X-Key: canary"]])
def test_the_value_of_a_header_is_not_shown_again(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply(GOOD)

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b")), "--model", "m"]
    command += [*words, "--failure-limit", "1", "--token-limit", "1"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        monkeypatch.setattr("sys.argv", ["acumen", *command])
        assert acumen([*command, "--concurrency", "1"]) == 4
    said = capsys.readouterr().err
    assert "the tokens are used up" in said
    assert "X-Key: …" in said
    assert "canary" not in said


def test_failures_here_and_there_end_nothing(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if int(exchange.case[1:]) % 3:
            await exchange.send(500, b"")
        else:
            await exchange.reply(GOOD)

    plan = plan_for(flat, [f"c{n}" for n in range(60)], reply_format="text")
    with scripted.ScriptedServer(script) as server:
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=4)
    assert (run.stop, run.failed_cases) == (None, 40)


@pytest.mark.parametrize(
    ("limits", "stop", "most"),
    [
        (Limits(failures=3), "failure_limit", 9),
        (Limits(tokens=100), "token_limit", 7),  # 15 tokens an answer, 7 of them are enough
        (Limits(cost=1e-4, prices=(1.0, 2.0)), "cost_limit", 5),  # 20 millionths an answer
        (Limits(seconds=1.0), "time_limit", 60),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_limit_ends_the_run_with_a_part_that_can_be_read_and_continued(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, limits: Limits,
    stop: str, most: int,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        is_bad = stop == "failure_limit" and int(exchange.case[1:]) % 3 == 2
        await asyncio.sleep(0.05 if stop == "time_limit" else 0)
        await exchange.reply("no" if is_bad else GOOD)

    output, plan = tmp_path / "run.json", plan_for(flat, [f"c{n}" for n in range(300)])
    with scripted.ScriptedServer(script) as server:
        run = execute(plan, output, server.url, patience=HASTE, concurrency=1, limits=limits)
        assert run.stop == stop
        assert len(server.asked) <= most
        if stop in ("token_limit", "cost_limit", "failure_limit"):
            assert len(server.asked) == most
        assert run.artifact
        assert run.artifact["run_metadata"]["questions_left"] == 300 - len(server.asked)
        assert set(read_run(output).cases) == set(server.asked)
        whole = execute(plan, output, server.url, patience=HASTE, resume=True)
        assert set(server.asked.values()) <= {1, 2}  # twice: the repair of a bad reply
    assert whole.stop is None
    assert len(read_run(output).cases) == 300


def test_no_time_is_no_question(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply(GOOD)

    plan, limits = plan_for(flat, ["a", "b"]), Limits(seconds=0.0)
    with scripted.ScriptedServer(script) as server:
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE, limits=limits)
        assert not server.asked
    assert (run.stop, run.artifact) == ("time_limit", None)


def test_the_time_of_embedding_counts(
    scripted: ModuleType,
    flat: Task,
    plan_for: PlanFor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drive, "GRACE", 0.2)

    async def script(exchange: Any) -> None:
        await asyncio.sleep(60)

    known = [{"item": "Sleep", "score": 3, "text": "sleeps badly"}]
    plan = plan_for(flat, ["a"], known, modes=("few_shot",), embedding_model="e")
    with scripted.ScriptedServer(script) as server:
        start, limits = time.monotonic(), Limits(seconds=0.2)
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE, limits=limits)
    assert run.stop == "time_limit"
    assert time.monotonic() - start < 30  # the attempt itself may take two minutes


@pytest.mark.parametrize("trouble", ["pause", "silence"])
def test_ctrl_c_ends_a_run_that_waits_within_five_seconds(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, trouble: str
) -> None:
    waits = threading.Event()

    async def script(exchange: Any) -> None:
        if exchange.case == "a":
            await exchange.reply(GOOD)
        elif trouble == "pause":
            await exchange.send(429, b"", retry_after="99999999")
        else:
            waits.set()
            await asyncio.sleep(60)

    class Listener(Watcher):
        def retry(self, reason: str, seconds: float) -> None:
            heard.append((reason, seconds))
            waits.set()

    def press() -> None:
        assert waits.wait(60)
        time.sleep(0.3)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    heard: list[tuple[str, float]] = []
    pressed: list[float] = []
    thread = threading.Thread(target=press)
    plan = plan_for(flat, ["a", "b", "c"])
    with scripted.ScriptedServer(script) as server:
        thread.start()
        run = execute(plan, tmp_path / "run.json", server.url, watcher=Listener())
        ended = time.monotonic()
        thread.join()
    assert ended - pressed[0] < 5
    assert run.stop == "interrupted"
    assert run.artifact  # "a" was answered
    assert run.journal.read_text().count('"case": ') == 1  # what was dropped is asked again
    if trouble == "pause":
        assert heard == [("http_429", 300.0)] * 2  # all the pauses of a question together


def test_pauses_and_reasons_stand_in_the_line() -> None:
    progress = RunProgress(total=3)
    progress.retry("http_429", 300.0)
    progress.retry("timeout", 2.0)
    progress.retry("http_429", 2.0)
    line = progress.line()
    assert "3 retries · http_429, timeout · waits 5:00" in line


def test_a_dropped_endpoint_leaves_the_line_and_the_journal_agreeing(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if exchange.case == "c20":
            await exchange.send(402, b"")
        else:
            await asyncio.sleep(0.02)
            await exchange.reply(GOOD)

    cases, output = cases_file(*(f"c{n}" for n in range(40))), tmp_path / "run.json"
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, "--base-url", server.url, "--output", str(output)]) == 2
    said = capsys.readouterr().err
    lines = Path(f"{output}.journal").read_bytes().count(b"\n") - 1
    assert f"{lines}/40 done" in said
    assert "continue with: " in said
    part = json.loads(output.read_text())
    assert len(part["experiments"][0]["results"]["results"]) == lines


@pytest.mark.parametrize("lacking", ["model_file", "server_library"])
def test_the_local_model_is_asked_for_before_its_first_question(
    flat: Task, plan_for: PlanFor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    def fail() -> None:
        raise UsageError(f"no {lacking}")

    for name in ("model_file", "server_library"):
        monkeypatch.setattr(f"acumen.runner.execute.{name}", fail if name == lacking else str)
    plan = plan_for(flat, ["a"], reply_format="text")
    with pytest.raises(UsageError, match=f"no {lacking}"):
        execute(plan, tmp_path / "run.json", None, dry_run=True)
