"""Put faults to the tests: each in a forked process, in a copy of the project.

The parent has the heavy libraries imported and none of acumen, so a fault costs the import of
acumen and its tests. A copy serves one process at a time; its file is put back afterwards. What a
process writes to temporary files and caches lies beside its copy: a fault may spoil it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from mutants.cover import FOLDER, is_compiled
from mutants.mutate import Mutation

HEAVY: Final = (
    *("numpy", "numba", "scipy.stats", "sklearn.linear_model", "sklearn.isotonic", "pydantic"),
    *("narwhals", "typer", "rich.table", "jinja2", "altair", "pandas", "polars", "pyarrow"),
    *("hypothesis", "pytest", "jsonschema", "httpx2", "mpmath"),
)
FIRST: Final = 20
"""Tests that go ahead of the others: they notice most faults, and collecting all takes a while."""
QUIET: Final = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")
# a plugin that the parent has imported cannot have its asserts rewritten: nothing is lost
EARLY: Final = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


@dataclass(frozen=True, slots=True)
class Trial:
    """A fault, the tests it is put to and the seconds they have; no fault for a control."""

    mutation: Mutation | None
    tests: Sequence[str]
    limit: float


def environment(copy: Path, **more: str) -> dict[str, str]:
    """In which Python finds the copy's acumen, also in processes that tests start."""
    scratch = scratch_of(copy)
    own = {
        "PYTHONPATH": os.pathsep.join((str(copy / "src"), str(copy))),
        "TMPDIR": str(scratch),
        "XDG_CACHE_HOME": str(scratch / "cache"),
    }
    return os.environ | own | more


def scratch_of(copy: Path) -> Path:
    """The folder for temporary files and caches of the processes that a copy serves."""
    return copy.with_name(f"{copy.name}.scratch")


def record(copy: Path, folder: Path, workers: int, tests: Sequence[str]) -> None:
    """Run the fast tests once, or these, and write down which lines each of them runs."""
    python = [sys.executable, "-m"]
    options = ["-q", "-p", "no:cacheprovider", "-p", "mutants.cover", "-n", str(workers)]
    options += ["--continue-on-collection-errors", "-m", "not slow and not browser and not engines"]
    scratch_of(copy).mkdir()
    subprocess.run(
        [*python, "pytest", *options, *tests],
        cwd=copy, env=environment(copy, **{FOLDER: str(folder)}), check=False,
    )  # fmt: skip
    shutil.rmtree(scratch_of(copy))
    combine = [*python, "coverage", "combine", "-q", f"--data-file={folder / 'lines'}"]
    subprocess.run([*combine, *folder.glob("lines.*")], cwd=copy, check=True)


def run(
    trials: Sequence[Trial], copies: Sequence[Path], tell: Callable[[Trial, bool], None]
) -> None:
    """Put every trial to its tests and tell whether all of them passed; a hang did not."""
    for name in HEAVY:
        with suppress(ImportError):
            import_module(name)
    waiting, free = list(trials), list(copies)
    processes: dict[int, tuple[Trial, Path, float]] = {}
    try:
        while waiting or processes:
            while waiting and free:
                trial, copy = waiting.pop(0), free.pop()
                processes[_start(trial, copy)] = trial, copy, time.monotonic() + trial.limit
            time.sleep(0.02)
            for number, (trial, copy, deadline) in list(processes.items()):
                ended, status = os.waitpid(number, os.WNOHANG)
                if not ended and time.monotonic() <= deadline:
                    continue
                _kill(number)
                if not ended:
                    _, status = os.waitpid(number, 0)
                if trial.mutation is not None:
                    shutil.move(copy / "original", copy / trial.mutation.file)
                del processes[number]
                free.append(copy)
                tell(trial, status == 0)
    finally:
        for number in processes:
            _kill(number)


def _kill(number: int) -> None:
    """End a process and what its tests left behind."""
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)


def _start(trial: Trial, copy: Path) -> int:
    """Fork a process that ends with pytest's own exit code."""
    loops = False
    shutil.rmtree(scratch_of(copy), ignore_errors=True)
    scratch_of(copy).mkdir()
    if trial.mutation is not None:
        file = copy / trial.mutation.file
        source = file.read_text("utf-8")
        shutil.copy2(file, copy / "original")
        file.write_text(trial.mutation.applied(source), "utf-8")
        loops = is_compiled(source)
    number = os.fork()
    if number:
        return number
    code = 70
    try:
        os.setsid()
        code = _test(trial.tests, copy, loops)
    finally:
        sys.stdout.flush()
        os._exit(code)


def _test(tests: Sequence[str], copy: Path, loops: bool) -> int:
    import numba
    import pytest

    os.chdir(copy)
    log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream, target in ((0, os.open(os.devnull, os.O_RDONLY)), (1, log), (2, log)):
        os.dup2(target, stream)
    # what is compiled without a fault stays on disk; what is compiled with one is never kept
    os.environ.update(environment(copy, PYTHONDONTWRITEBYTECODE="1"))
    sys.dont_write_bytecode = True
    tempfile.tempdir = None
    if loops:
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(scratch_of(copy) / "loops")
    sys.path[:0] = [str(copy / "src"), str(copy)]
    for part in (tests[:FIRST], tests[FIRST:]):
        if part and (code := pytest.main([*QUIET, *EARLY, *part])):
            return int(code)
    return 0
