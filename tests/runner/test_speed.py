"""A thousand cases at 200 ms and fifty at a time: the wire is what takes the time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

CASES, LATENCY, CONCURRENCY = 1000, 0.2, 50

DRIVE = """
import sys, time
from pathlib import Path
from acumen.runner.cases import read_cases
from acumen.runner.plan import Plan
from acumen.runner.run import run
from acumen.runner.settings import Settings
from acumen.runner.task_file import read_task
import openai
sys.path.insert(0, sys.argv[6])
from scripted_server import waited

task = read_task(sys.argv[1])
plan = Plan(task, read_cases(sys.argv[2], task), None, Settings("m", "test", max_tokens=60))
seen, syncs = [], []

def report(record):
    # on disk before it is reported: the line is in the file by now
    if len(seen) % 50 == 0:
        assert f'"case": "{record["case"]}"' in Path(sys.argv[3] + ".journal").read_text()
    seen.append(record["case"])

began = time.monotonic() - waited()
run(plan, Path(sys.argv[3]), sys.argv[4], concurrency=int(sys.argv[5]), report=report,
    started=syncs.append)
print(time.monotonic() - waited() - began, len(seen), syncs[0].syncs)
"""


def test_a_thousand_cases_take_at_most_half_again_the_ideal_time(
    scripted: ModuleType,
    flat_file: Path,
    cases_file: Callable[..., Path],
    echo_server: Callable[..., tuple[str, Path]],
) -> None:
    url, _ = echo_server(LATENCY)
    port = int(url.split(":")[2].split("/")[0])
    cases = cases_file(*(f"c{n}" for n in range(CASES)))
    command = [sys.executable, "-c", DRIVE, str(flat_file), str(cases)]
    ratios = []
    for attempt in range(3):
        # the ideal where this runs, now: bare sockets; on an idle machine it is the latency's share
        bare = asyncio.run(scripted.bare_client(port, CASES, CONCURRENCY))
        ideal = max(bare, CASES * LATENCY / CONCURRENCY)
        output = flat_file.with_name(f"run{attempt}.json")
        done = subprocess.run(
            [*command, str(output), url, str(CONCURRENCY), str(Path(__file__).parent)],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, seen, syncs = done.stdout.split()
        assert int(seen) == CASES
        assert int(syncs) < CASES  # grouped
        ratios.append(float(seconds) / ideal)
        if ratios[-1] <= 1.5:
            break
    print(f"{min(ratios):.2f} times the ideal")
    assert min(ratios) <= 1.5
