"""kill -9 at random moments: no finished question is lost, written twice or asked again.

``pytest tests/runner/test_killed.py -m slow`` kills five hundred times.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.files.json import read_json

CASES = 30
SAMPLES = 2
WORKERS = 2
Key = tuple[str, int]


class Killed:
    """One output that is worked on by runners that die."""

    def __init__(self, task: Path, cases: Path, output: Path, url: str, log: Path) -> None:
        self.output, self.log = output, log
        self.journal = Path(f"{output}.journal")
        command = [sys.executable, "-m", "acumen", "run", str(task), "--cases", str(cases)]
        command += ["--model", "m", "--base-url", url, "--output", str(output), "--resume"]
        self.command = [*command, "--samples", str(SAMPLES), "--concurrency", str(WORKERS)]

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def finished(self) -> set[Key]:
        """What whole lines of the journal hold; a key that is there twice fails."""
        if not self.journal.exists():
            return set()
        lines = self.journal.read_bytes().split(b"\n")[1:-1]
        keys = [(r["case"], r["sample"]) for r in map(json.loads, lines)]
        assert len(keys) == len(set(keys))
        return set(keys)

    def asked(self) -> list[Key]:
        if not self.log.exists():
            return []
        lines = [line.split() for line in self.log.read_text().split("\n") if line]
        return [(case, int(seed)) for case, seed in lines]


def kill_at_random_moments(killed: Killed, deaths: int, seed: int) -> None:
    """Start, wait a random moment, kill, check; a run that ended by itself is no death."""
    draw = random.Random(seed)
    final: set[Key] = set()
    for _ in range(10 * deaths):
        before = len(killed.asked())
        process = killed.start()
        # from before the first import to after the last byte of the run file
        began, moment = (
            time.monotonic(),
            draw.choice([draw.uniform(0, 0.8), draw.uniform(0.5, 2.0)]),
        )
        while process.poll() is None and time.monotonic() - began < moment:
            time.sleep(0.003)
        deaths -= process.poll() is None
        process.kill()
        process.wait()
        again = set(killed.asked()[before:]) & final
        assert not again, "a finished question was asked again"
        finished = killed.finished()
        assert final <= finished, "a finished question was lost"
        final = finished
        if killed.output.exists():
            read_json(killed.output)  # whole or not there
        if not deaths:
            return
    raise AssertionError("too few runners died at work")


def check_the_end(killed: Killed, deaths: int) -> None:
    assert killed.start().wait(300) == 0
    keys = {(f"c{n}", sample) for n in range(CASES) for sample in range(SAMPLES)}
    assert killed.finished() == keys
    asked = Counter(killed.asked())
    assert set(asked) == keys
    assert sum(asked.values()) - len(keys) <= deaths * WORKERS
    artifact = read_json(killed.output)
    assert isinstance(artifact, dict)
    results = artifact["experiments"][0]["results"]["results"]
    assert [r["participant_id"] for r in results] == [f"c{n}" for n in range(CASES)]
    assert all(r["samples"] == {"answered": SAMPLES} for r in results)
    leftovers = [p.name for p in killed.output.parent.glob(".*.tmp")]
    assert len(leftovers) <= deaths


def loop(
    kills: int,
    flat_file: Path,
    cases_file: Callable[..., Path],
    echo: Callable[..., tuple[str, Path]],
) -> None:
    url, log = echo(0.05)
    cases = cases_file(*(f"c{n}" for n in range(CASES)))
    for number in range(kills // 10):
        log.write_text("")
        killed = Killed(flat_file, cases, flat_file.with_name(f"run{number}.json"), url, log)
        kill_at_random_moments(killed, 10, seed=number)
        check_the_end(killed, deaths=10)


def test_kill_nine_at_ten_random_moments(
    flat_file: Path,
    cases_file: Callable[..., Path],
    echo_server: Callable[..., tuple[str, Path]],
) -> None:
    loop(10, flat_file, cases_file, echo_server)


@pytest.mark.slow
def test_kill_nine_at_five_hundred_random_moments(
    flat_file: Path,
    cases_file: Callable[..., Path],
    echo_server: Callable[..., tuple[str, Path]],
) -> None:
    loop(500, flat_file, cases_file, echo_server)


def test_a_second_runner_on_the_same_output_is_refused_while_the_first_works(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> None:
    asked, refused = threading.Event(), threading.Event()

    async def script(exchange: Any) -> None:
        asked.set()
        assert await asyncio.to_thread(refused.wait, 300)
        await exchange.reply('{"score": 2, "confidence": 4}')

    with scripted.ScriptedServer(script) as server:
        cases, output = cases_file("c0", "c1", "c2"), tmp_path / "run.json"
        killed = Killed(flat_file, cases, output, server.url, tmp_path / "none.txt")
        first = killed.start()
        assert asked.wait(300)
        second = subprocess.run(killed.command, capture_output=True, text=True, check=False)
        refused.set()
        assert second.returncode == 2
        assert "another run is writing run.json.journal" in second.stderr
        assert first.wait(300) == 0
        assert dict(server.asked) == {"c0": SAMPLES, "c1": SAMPLES, "c2": SAMPLES}
    assert output.exists()
