"""What ``acumen run`` costs beside the endpoint's own time, held against the bare openai SDK.

Both ask the same questions of the same slow echo, in turn, each in a process of its own; the SDK
keeps its connections open and does nothing with an answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUESTIONS, LATENCY, ABREAST, MANY = 10_000, 0.02, 64, 500
SETTLED = 100_000
SERVER = Path(__file__).parents[1] / "tests" / "runner" / "scripted_server.py"
TASK = """
name = "flat"
scale = { levels = [0, 1, 2, 3], items = ["Sleep"] }
inputs = { text = "text" }
[reply]
layout = "flat"
score = "score"
confidence = "confidence"
[prompt]
user = "CASE {{ case.text }}"
"""
CLOCK = """
import json, sys, time
from pathlib import Path

folder, url, abreast, name = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]

def tell(wall, cpu):
    status = Path("/proc/self/status").read_text()
    most = int(status.split("VmHWM:")[1].split()[0]) / 1024
    print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu, most]))
"""
PLAN = """
import httpx2
from acumen.runner.cases import read_cases
from acumen.runner.execute import execute
from acumen.runner.plan import Plan, Settings
from acumen.runner.task_file import read_task

task = read_task(folder / "flat.toml")
plan = Plan(task, read_cases(folder / f"{name}.json", task), None, Settings("m", "test"))
"""
DRIVE = (
    CLOCK
    + PLAN
    + """
wall, cpu = time.perf_counter(), time.process_time()
execute(plan, folder / sys.argv[5], url, concurrency=abreast, resume="resume" in sys.argv)
# a resumption is counted from the process's beginning: its imports, its cases
tell(wall, 0.0 if "resume" in sys.argv else cpu)
"""
)
SDK = (
    CLOCK
    + PLAN
    + """
import asyncio
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from acumen.runner.adaptation import Shape
from acumen.runner.prompts import zero_or_few_shot
from acumen.runner.protocols import Ask

async def main():
    streams = DefaultAsyncHttpxClient(http2=True) if "HTTP/2" in sys.argv else None
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=streams)
    cases = iter(plan.asked_cases)
    fields = Ask(task, plan.settings, 0, []).body(Shape("schema"))

    async def work():
        for case in cases:
            body = fields | {"messages": zero_or_few_shot(task, case)}
            answer = await client.chat.completions.create(**body)
            assert json.loads(answer.choices[0].message.content)["score"] == 2

    await asyncio.gather(*(work() for _ in range(abreast)))

wall, cpu = time.perf_counter(), time.process_time()
asyncio.run(main())
tell(wall, cpu)
"""
)
SETTLE = (
    CLOCK
    + PLAN
    + """
from dataclasses import replace
from acumen.runner.journal import sealed
from acumen.runner.record import as_line, read_record

few = folder / "few-run.json.journal"
head, line, *_ = few.read_bytes().split(b"\\n")
record = read_record(line.rpartition(b", ")[0] + b"}")
with (folder / sys.argv[5]).open("wb") as journal:
    journal.write(head + b"\\n")
    for case in plan.asked_cases[:-5]:
        copy = replace(record, case=case.id, case_hash=case.digest, reply=record.reply or "…")
        journal.write(sealed(as_line(copy)))
"""
)


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock and of processor time, and the most memory, in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Costs:
    """The runner, the SDK, the runner with many questions in flight, and a resumption."""

    ours: Cost
    sdk: Cost
    many: Cost
    resumption: Cost


def costs(repeats: int = 2) -> Costs:
    """Of each the run that took the least processor time: another's work on the machine shows."""
    with tempfile.TemporaryDirectory() as name, _echo() as port:
        folder = Path(name)
        (folder / "flat.toml").write_text(TASK, "utf-8")
        for file, count in (("cases", QUESTIONS), ("few", 5), ("all", SETTLED)):
            cases = [{"id": n, "text": f"c{n}", "truth": {"Sleep": 2}} for n in range(count)]
            (folder / f"{file}.json").write_text(json.dumps({"cases": cases}), "utf-8")
        turns = range(repeats)
        pairs = [
            (
                _cost(DRIVE, folder, port, ABREAST, "cases", f"run{turn}.json"),
                _cost(SDK, folder, port, ABREAST, "cases"),
                _cost(DRIVE, folder, port, MANY, "cases", f"many{turn}.json"),
            )
            for turn in turns
        ]
        _cost(DRIVE, folder, port, 1, "few", "few-run.json")
        again = []
        for turn in turns:
            _run(SETTLE, folder, port, 1, "all", f"all{turn}.json.journal")
            again.append(_cost(DRIVE, folder, port, 8, "all", f"all{turn}.json", "resume"))
    ours, sdk, many = (min(costs, key=lambda c: c.cpu) for costs in zip(*pairs, strict=True))
    return Costs(ours, sdk, many, min(again, key=lambda c: c.cpu))


@contextmanager
def _echo() -> Iterator[int]:
    """The port of a server that answers every question after the latency."""
    command = [sys.executable, str(SERVER), "--latency", str(LATENCY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _cost(program: str, *arguments: Any) -> Cost:
    return Cost(*json.loads(_run(program, *arguments)))


def _run(program: str, folder: Path, port: int, *rest: Any) -> str:
    arguments = [str(folder), f"http://127.0.0.1:{port}/v1", *map(str, rest)]
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    print(costs())
