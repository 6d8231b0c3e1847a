"""How long a user waits: whole commands, from a cold process with a warm kernel cache."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from acumen import confidence, read_run
from acumen.files.json import to_json
from acumen.studies import phq8_run
from benchmarks.studies import study

AS_INSTALLED = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""An environment in which modules are compiled once, as they are when they are installed."""
FUNCTIONS = 12
"""Distinct confidence functions that ``--confidence all`` computes on the demo run."""


def seconds(command: list[str], folder: Path, repeats: int = 5) -> float:
    """The quickest of a few runs; the first warms the caches and is not counted."""
    times = []
    for _ in range(repeats + 1):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "acumen", *command],
            cwd=folder, check=True, capture_output=True, env=AS_INSTALLED,
        )  # fmt: skip
        times.append(time.perf_counter() - begun)
    return min(times[1:])


def commands() -> dict[str, float]:
    """Seconds of the commands people wait for."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_text(to_json(phq8_run()), "utf-8")
        everything = ["--confidence", "all", "--bootstrap-resamples", "10000"]
        return {
            "version": seconds(["--version"], folder),
            "help": seconds(["--help"], folder),
            "evaluate": seconds(
                ["evaluate", "run.json", "--mode", "few_shot", *everything], folder
            ),
        }


@dataclass(frozen=True)
class Cost:
    """What a whole command takes: seconds by the clock and of the processor, and MB at most."""

    wall: float
    cpu: float
    memory: float


def of_rows(rows: int, repeats: int = 2) -> Cost:
    """The default command on a Parquet file of so many rows, one function, to the screen."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = study(rows // 8)
    numbers = {name: getattr(columns, name) for name in ("case", "truth", "confidence")}
    prediction = pa.array(columns.prediction, mask=~columns.answered)
    item = np.tile(np.arange(8, dtype=np.int8), rows // 8)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.parquet"
        table = pa.table({**numbers, "item": item, "prediction": prediction})
        parquet.write_table(table, path)
        del columns, numbers, prediction, item, table
        costs = [cost_of(["evaluate", str(path)]) for _ in range(repeats)]
    return min(costs, key=lambda cost: cost.cpu)


def cost_of(command: list[str]) -> Cost:
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "acumen", *command],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=AS_INSTALLED,
    )  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    wall, cpu = time.perf_counter() - begun, usage.ru_utime + usage.ru_stime
    return Cost(wall, cpu, usage.ru_maxrss / unit)


def cold_start() -> tuple[float, float]:
    """Seconds of a comparison with no compiled loop in the cache, and of the next one."""
    times = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.json").write_text(to_json(phq8_run()), "utf-8")
        modes = ["--mode", "zero_shot", "--mode", "few_shot", "--bootstrap-resamples", "200"]
        for _ in range(2):
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "acumen", "evaluate", "run.json", "run.json", *modes],
                cwd=folder, check=True, capture_output=True,
                env=AS_INSTALLED | {"NUMBA_CACHE_DIR": str(folder / "cache")},
            )  # fmt: skip
            times.append(time.perf_counter() - begun)
    return times[0], times[1]


def reading_and_confidence(cases: int = 10_000) -> tuple[float, float]:
    """Seconds to read a run of so many cases, and to compute every confidence function of it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "run.json"
        run = phq8_run()
        run["experiments"] = run["experiments"][1:]
        results = run["experiments"][0]["results"]
        people = itertools.cycle(results["results"])
        results["results"] = [next(people) | {"participant_id": n} for n in range(cases)]
        path.write_text(to_json(run), "utf-8")
        begun = time.perf_counter()
        table = read_run(path)
        reading = time.perf_counter() - begun
    begun = time.perf_counter()
    for function in confidence.select("all", table).names:
        confidence.compute(function, table)
    return reading, time.perf_counter() - begun
