"""No path of the core needs POSIX: its modules and names are hidden, and the commands run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import os, select, signal, socket, sys, time
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "readline", "syslog"):
    sys.modules[name] = None
for home, names in {
    os: "fork forkpty fchmod fchown chown lchown getuid geteuid getgid getpgid killpg setsid umask "
    "mkfifo nice sched_getaffinity sched_yield sysconf O_NOFOLLOW O_NONBLOCK O_CLOEXEC statvfs "
    "register_at_fork pread pwrite posix_fadvise wait3 wait4 getloadavg",
    signal: "SIGALRM SIGHUP SIGUSR1 SIGKILL SIGCHLD alarm setitimer ITIMER_REAL pthread_sigmask "
    "pthread_kill sigwait set_wakeup_fd",
    time: "tzset", select: "poll epoll kqueue", socket: "AF_UNIX socketpair",
}.items():
    for name in names.split():
        if hasattr(home, name):
            delattr(home, name)

import json
from acumen.cli import run
print(json.dumps([run(line.split()) for line in json.loads(sys.argv[1])]), file=sys.stderr)
"""

COMMANDS = [
    "map rows.csv",
    "evaluate rows.csv --resamples 50 -o metrics.json",
    "rate rows.csv --case case --raters truth,human --judge prediction -o ratings.json",
    "threshold rows.csv --risk 0.3 -o threshold.json",
    "gate rows.csv --metric mae --at-most 2 --junit gate.xml --markdown gate.md -o gate.json",
    "show metrics.json",
    "report metrics.json -o page.html",
]


def test_the_core_runs_where_there_is_no_posix(tmp_path: Path) -> None:
    rows = ["case,truth,prediction,human,confidence"]
    rows += [f"{k},{k % 4},{k * 7 % 11 % 4},{k % 3},{k % 17 / 17}" for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(rows), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(COMMANDS)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stderr.splitlines()[-1]) == [0] * len(COMMANDS), done.stderr
