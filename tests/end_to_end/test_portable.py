"""Nothing that evaluates, rates, scores or reports needs POSIX: it runs with all of that hidden."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HIDE = """
import os, sys
for name in ("fcntl", "pwd", "grp", "resource", "termios"):
    sys.modules[name] = None
for name in ("geteuid", "getuid", "getegid", "getgid", "fchmod", "fork", "O_NOFOLLOW", "O_CLOEXEC"):
    if hasattr(os, name):
        delattr(os, name)
from pathlib import Path
from acumen.cli import run
from acumen.files.json import write_json
from acumen.studies import RATERS, RATING, phq8_run, ratings
write_json("run.json", phq8_run())
write_json("ratings.json", ratings())
rating = [word for key, value in RATING.items() for word in (f"--{key}", str(value))]
for line in (
    ["evaluate", "run.json", "--mode", "few_shot", "--resamples", "50", "-o", "metrics.json"],
    ["score", "--demo", "--resamples", "50", "-o", "scores.json"],
    ["rate", "ratings.json", *rating, "--raters", ",".join(RATERS), "--judge", "judge_a",
     "-o", "rated.json"],
    ["report", "metrics.json", "scores.json", "rated.json", "-o", "report.html"],
):
    assert run(line) == 0, line
import acumen.runner.journal
"""


def test_the_main_commands_run_where_posix_is_hidden(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HIDE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").stat().st_size > 100_000
