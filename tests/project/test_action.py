"""What runs on GitHub: workflows call targets that exist, and the action tells its verdict."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BASH = shutil.which("bash")


def read(path: Path) -> Any:
    return import_module("yaml").safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_calls_targets_that_there_are(path: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.M))
    jobs = read(path)["jobs"].values()
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    asked = {word for line in lines for word in re.findall(r"^make (\w+)", line)}
    assert asked <= targets
    assert asked


def test_every_python_that_the_metadata_name_is_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    prefix = "Programming Language :: Python :: 3."
    named = {f"3.{c.removeprefix(prefix)}" for c in project["classifiers"] if c.startswith(prefix)}
    matrix = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert set(matrix["python"]) == named
    assert len(matrix["os"]) == 3


@pytest.mark.skipif(BASH is None, reason="the action's steps are bash")
@pytest.mark.parametrize(
    ("options", "verdict", "code"),
    [
        ("--metric accuracy --at-least .5", "pass", 0),
        ("--metric accuracy --at-least .99", "fail", 1),
        ("--metric accuracy --at-least .75", "undecided", 5),
        ("--metric nonsense --at-least .5", "error", 2),
    ],
)
def test_the_step_of_the_action_tells_the_verdict_and_ends_with_its_code(
    options: str, verdict: str, code: int, tmp_path: Path
) -> None:
    steps = read(ROOT / "action.yml")["runs"]["steps"]
    (script,) = [step["run"] for step in steps if step.get("id") == "gate"]
    rows = ["case,truth,prediction", *(f"{k},{k % 3},{(k + (k % 5 == 0)) % 3}" for k in range(60))]
    (tmp_path / "my rows.csv").write_text("\n".join(rows), "utf-8")
    program = tmp_path / "acumen"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m acumen "$@"\n')
    program.chmod(0o755)
    names = {"NEW": "my rows.csv", "BASE": "", "OPTIONS": options, "JUNIT": "gate.xml"}
    names |= {"MARKDOWN": "gate.md", "ACUMEN": str(program), "GITHUB_OUTPUT": "output.txt"}
    done = subprocess.run(
        [BASH or "", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path, env={**os.environ, **names, "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert (tmp_path / "output.txt").read_text() == f"verdict={verdict}\n"
    assert (tmp_path / "gate.xml").exists() == (tmp_path / "summary.md").exists() == (code != 2)
