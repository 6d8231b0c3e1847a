"""Many questions at once: each on disk before it is reported, and syncs shared off the loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.runner.endpoint import Watcher
from acumen.runner.execute import execute
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan
from acumen.runner.record import Record
from acumen.runner.task import Task

CASES, CONCURRENCY = 40, 10


def test_a_case_is_reported_after_its_own_sync_and_those_that_wait_share_one(
    scripted: ModuleType,
    flat: Task,
    plan_for: Callable[..., Plan],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = tmp_path / "run.json"
    path = tmp_path / "run.json.journal"
    all_wait = threading.Event()
    on_disk = b""
    seen: list[int | str] = []
    journals: list[Journal] = []
    begun = 0
    fsync, append = os.fsync, Journal.append

    def held(handle: int) -> None:
        """The first sync of an answer ends when all workers wait for theirs: the loop goes on."""
        nonlocal on_disk
        is_answer = path.exists() and path.read_bytes().count(b"\n") > 1
        if is_answer and not seen and not all_wait.wait(60):
            raise OSError(5, "the loop stood still while the disk was written")
        data = path.read_bytes()
        fsync(handle)
        on_disk = data

    async def counted(journal: Journal, record: Record) -> None:
        nonlocal begun
        begun += 1
        if begun == CONCURRENCY:  # the last of them is in the queue when this is called
            asyncio.get_running_loop().call_soon(all_wait.set)
        await append(journal, record)

    class Listener(Watcher):
        def begin(self, plan: Plan, journal: Journal) -> None:
            journals.append(journal)

        def report(self, record: Record) -> None:
            assert f'"case": "{record.case}"'.encode() in on_disk
            seen.append(record.case)

    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    monkeypatch.setattr(os, "fsync", held)
    monkeypatch.setattr(Journal, "append", counted)
    names = [f"c{n}" for n in range(CASES)]
    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, names)
        execute(plan, output, server.url, concurrency=CONCURRENCY, watcher=Listener())
        assert set(server.asked.values()) == {1}
    assert sorted(seen) == sorted(names)
    # one for the first, one for the nine that waited, at most one for each of the rest
    assert journals[0].syncs <= CASES - CONCURRENCY + 2
