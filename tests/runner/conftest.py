"""A short task, its cases, and servers for the runner's tests."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.runner.cases import read_cases, read_references
from acumen.runner.plan import Plan, Settings
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task, read_task

HERE = Path(__file__).parent

FLAT = b"""
name = "flat"
scale = { levels = [0, 1, 2, 3], items = ["Sleep"] }
inputs = { text = "text" }
repairs = 1
max_tokens = 60
[reply]
layout = "flat"
score = "score"
confidence = "confidence"
[prompt]
user = "CASE {{ case.text }}{% for r in references %} [{{ r.score }}: {{ r.text }}]{% endfor %}"
"""


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    return _module("scripted_server")


@pytest.fixture
def flat() -> Task:
    return parse_task(FLAT, "flat.toml")


@pytest.fixture
def phq8() -> Task:
    return read_task("phq8")


@pytest.fixture
def flat_file(tmp_path: Path) -> Path:
    path = tmp_path / "flat.toml"
    path.write_bytes(FLAT)
    return path


@pytest.fixture
def cases_file(tmp_path: Path) -> Callable[..., Path]:
    def write(*names: str) -> Path:
        path = tmp_path / "cases.json"
        cases = [{"id": n, "text": n, "truth": {"Sleep": 2}} for n in names]
        path.write_text(json.dumps({"cases": cases}))
        return path

    return write


@pytest.fixture
def plan_for(cases_file: Callable[..., Path], tmp_path: Path) -> Callable[..., Plan]:
    """A plan over named cases, whose texts are their names."""

    def make(task: Task, names: list[str], references: Any = None, **settings: Any) -> Plan:
        known = None
        if references is not None:
            path = tmp_path / "references.json"
            path.write_text(json.dumps({"references": references}))
            known = read_references(path, task)
        base: dict[str, Any] = {"model": "m", "endpoint": "test", "max_tokens": task.max_tokens}
        return Plan(task, read_cases(cases_file(*names), task), known, Settings(**base | settings))

    return make


@pytest.fixture
def echo_server(tmp_path: Path) -> Iterator[Callable[..., tuple[str, Path]]]:
    """Start an echo server as a process; gives its address and the log of what it was asked."""
    started: list[subprocess.Popen[str]] = []

    def start(latency: float) -> tuple[str, Path]:
        log = tmp_path / f"asked-{len(started)}.txt"
        command = [sys.executable, str(HERE / "scripted_server.py")]
        process = subprocess.Popen(
            [*command, "--latency", str(latency), "--log", str(log)],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout
        return f"http://127.0.0.1:{process.stdout.readline().strip()}/v1", log

    yield start
    for process in started:
        process.kill()
        process.communicate()
