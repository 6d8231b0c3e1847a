"""What a run of the tests promises: a hang fails by its name, a missing browser is told."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.report import browsers

ROOT = Path(__file__).parents[2]

HANG = """
import time

def test_that_waits_for_ever():
    while True:
        time.sleep(1)

def test_that_comes_after():
    pass
"""


def session(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A run of its own, with this project's settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c"]
    return subprocess.run(
        [*command, ROOT / "pyproject.toml", *arguments],
        capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | environment,
    )  # fmt: skip


def test_a_hang_fails_by_its_name_and_the_next_test_runs(tmp_path: Path) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]
    assert 0 < settings["ini_options"]["timeout"] < settings["ini_options"]["faulthandler_timeout"]
    (tmp_path / "test_hang.py").write_text(HANG)
    done = session(tmp_path, "--rootdir", tmp_path, "-o", "timeout=1")
    assert done.returncode == 1
    assert "Failed: Timeout" in done.stdout
    assert "::test_that_waits_for_ever" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


@pytest.fixture
def no_browser(tmp_path: Path) -> Mapping[str, str]:
    """A machine without one: nothing on the path, nothing that Playwright downloaded."""
    return {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}


IN_A_BROWSER = "tests/report/test_browser.py::test_a_hundred_thousand_rows_are_paged_and_thinned"
"""It asks for nothing that takes long to make before it asks for a browser."""


def test_the_last_lines_say_that_browser_tests_were_skipped(no_browser: Mapping[str, str]) -> None:
    done = session(IN_A_BROWSER, **no_browser, ACUMEN_BROWSER="")
    assert done.returncode == 0, done.stdout
    *_, headline, reason, mend = done.stdout.splitlines()
    assert " 1 BROWSER TESTS WERE SKIPPED " in headline
    assert "chromium" in reason
    assert "`make browser`" in mend


def test_where_a_browser_is_required_its_absence_fails(no_browser: Mapping[str, str]) -> None:
    done = session(IN_A_BROWSER, **no_browser, ACUMEN_BROWSER="required")
    assert done.returncode == 1
    assert "1 error" in done.stdout.splitlines()[-1]


def test_a_browser_that_does_not_start_is_none(no_browser: Mapping[str, str]) -> None:
    broken = Path(no_browser["PATH"]) / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    done = session(IN_A_BROWSER, **no_browser, ACUMEN_BROWSER="")
    assert done.returncode == 0, done.stdout
    assert "1 BROWSER TESTS WERE SKIPPED" in done.stdout


@pytest.mark.parametrize(
    ("user", "failing", "programs"),
    [
        (0, "", ["apt-get", "apt-get", sys.executable]),
        (0, "apt-get", ["apt-get", sys.executable]),
        (1000, "", [sys.executable]),
    ],
)
def test_where_there_is_none_debians_is_tried_and_then_a_download(
    monkeypatch: pytest.MonkeyPatch,
    no_browser: Mapping[str, str],
    user: int,
    failing: str,
    programs: list[str],
) -> None:
    ran: list[str] = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command[0])
        return subprocess.CompletedProcess(command, int(command[0] == failing))

    for name, value in no_browser.items():
        monkeypatch.setenv(name, value)
    (Path(no_browser["PATH"]) / "apt-get").touch(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(subprocess, "run", run)
    assert browsers.main() == 1
    assert ran == programs
