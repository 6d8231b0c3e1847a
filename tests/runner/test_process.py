"""A run leaves the process of who called it as it was."""

from __future__ import annotations

import gc
import logging
import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.files.json import write_files
from acumen.runner.endpoint import Patience
from acumen.runner.execute import execute
from acumen.runner.plan import Plan
from acumen.runner.task import Task


def state() -> dict[str, Any]:
    """What belongs to the whole process."""
    return {
        "environment": dict(os.environ),
        "garbage": (gc.isenabled(), gc.get_threshold()),
        "signals": [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)],
        "warnings": list(warnings.filters),
        "floats": np.geterr(),
        "logging": {n: logging.getLogger(n).level for n in ("httpx2", "httpcore2", "anyio", "h11")},
    }


def test_a_run_restores_what_it_changes_for_the_process(
    scripted: ModuleType,
    flat: Task,
    plan_for: Callable[..., Plan],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: pytest.fail("the objects of others stay, too"))
    moments: list[Any] = []

    async def script(exchange: Any) -> None:
        moments.append(gc.isenabled())
        await exchange.reply('{"score": 2, "confidence": 4}')

    own = [signal.signal(n, lambda *_: None) for n in (signal.SIGINT, signal.SIGTERM)]
    logging.getLogger("httpx2").setLevel(logging.INFO)
    try:
        before = state()
        plan = plan_for(flat, ["a", "b"])
        with scripted.ScriptedServer(script) as server:
            execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
        assert state() == before
        assert {*moments} == {True}
    finally:
        logging.getLogger("httpx2").setLevel(logging.NOTSET)
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), own, strict=True):
            signal.signal(number, handler)


HASTE = Patience(timeout=60, retries=1, backoff=0.01)


def test_an_evaluation_leaves_the_process_as_it_was() -> None:
    before = state()
    rows = [{"case": k, "truth": k % 4, "prediction": k % 3, "confidence": 0.5} for k in range(9)]
    acumen.evaluate(rows, levels="0-3", resamples=20).to_json()
    assert state() == before


def test_a_file_is_made_without_a_look_at_the_processs_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("every thread's files would have it"))
    write_files({tmp_path / "a": b"one"})
    write_files({tmp_path / "b": b"two"}, private=True)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
