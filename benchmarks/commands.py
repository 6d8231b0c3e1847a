"""How long a user waits: whole commands, from a cold process with a warm kernel cache."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from acumen.strict_json import to_json
from acumen.studies.phq8 import phq8_run

FUNCTIONS = 12
"""Distinct confidence functions that ``--confidence all`` computes on the demo run."""


def seconds(command: list[str], folder: Path, repeats: int = 5) -> float:
    """The quickest of a few runs; the first warms the caches and is not counted."""
    times = []
    for _ in range(repeats + 1):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "acumen", *command], cwd=folder, check=True, capture_output=True
        )
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
