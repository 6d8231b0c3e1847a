"""What ``acumen run`` adds to the endpoint's own time: many cases, a slow echo, many abreast."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CASES, LATENCY, ABREAST = 1000, 0.2, 50
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
DRIVE = """
import sys, time
from pathlib import Path
import httpx2
from acumen.runner.cases import read_cases
from acumen.runner.plan import Plan, Settings
from acumen.runner.execute import execute
from acumen.runner.task_file import read_task

folder, url, abreast = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
task = read_task(folder / "flat.toml")
plan = Plan(task, read_cases(folder / "cases.json", task), None, Settings("m", "test"))
begun = time.perf_counter()
execute(plan, folder / sys.argv[4], url, concurrency=abreast)
print(time.perf_counter() - begun)
"""


def ratio(repeats: int = 3) -> tuple[float, float]:
    """Times the ideal, and seconds, of the run that came nearest to it.

    The ideal is what bare sockets take on this machine just before, and never less than the
    latency's own share, cases × latency / abreast.
    """
    found = []
    with tempfile.TemporaryDirectory() as name, _echo() as port:
        folder = Path(name)
        (folder / "flat.toml").write_text(TASK, "utf-8")
        cases = [{"id": n, "text": f"c{n}", "truth": {"Sleep": 2}} for n in range(CASES)]
        (folder / "cases.json").write_text(json.dumps({"cases": cases}), "utf-8")
        for attempt in range(repeats):
            ideal = max(asyncio.run(_bare(port)), CASES * LATENCY / ABREAST)
            taken = _driven(folder, port, f"run{attempt}.json")
            found.append((taken / ideal, taken))
    return min(found)


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


def _driven(folder: Path, port: int, output: str) -> float:
    """Seconds of the runner, in a process of its own, from a read plan to the written file."""
    arguments = [str(folder), f"http://127.0.0.1:{port}/v1", str(ABREAST), output]
    done = subprocess.run(
        [sys.executable, "-c", DRIVE, *arguments], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


async def _bare(port: int) -> float:
    """Seconds that as many questions take with nothing but sockets, kept open."""
    body = json.dumps({"messages": [{"content": "CASE x"}]}).encode()
    request = f"POST /v1 HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
    left = iter(range(CASES))

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in left:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"content-length: (\d+)", head)
            assert length is not None
            await reader.readexactly(int(length[1]))
        writer.close()

    begun = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(ABREAST)))
    return time.perf_counter() - begun


if __name__ == "__main__":
    times, seconds = ratio()
    print(f"{times:.2f} times the ideal, {seconds:.2f} s")
