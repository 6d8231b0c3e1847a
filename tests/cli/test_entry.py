"""The entry point: the version is answered first, everything else goes to the command line."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

import acumen
import acumen.__main__ as entry
from acumen.__main__ import main
from acumen.cli import run


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_answered_without_the_command_line(
    flag: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["acumen", flag])
    main()
    assert capsys.readouterr().out == f"acumen {acumen.__version__}\n"


def test_any_other_argument_goes_to_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["acumen", "confidence"])
    monkeypatch.setitem(sys.modules, "coverage", sys.modules.get("coverage"))  # it is hidden
    try:
        with pytest.raises(SystemExit) as exit_:
            main()
    finally:
        gc.enable()  # a command turns it off for its short life
    assert exit_.value.code == 0
    assert "token_msp" in capsys.readouterr().out


def test_a_mistyped_command_is_told_with_the_one_that_is_meant(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["evaluat", "rows.csv"]) == 2
    assert capsys.readouterr().err == "acumen: no command 'evaluat'; is evaluate meant?\n"
    assert run(["xyzzy"]) == 2
    assert "there are demo, map," in capsys.readouterr().err


def test_the_package_is_a_program() -> None:
    command = [sys.executable, "-m", "acumen", "-V"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"acumen {acumen.__version__}\n"


class LeftError(Exception):
    """Stands for the end of the process, which a test would not outlive."""


@pytest.mark.parametrize(
    ("command", "at_once", "reuses", "collects"),
    [
        ("evaluate", True, True, False),
        ("score", True, False, False),
        ("show", False, False, False),
        ("run", False, False, True),
    ],
)
def test_long_commands_leave_at_once_and_only_a_run_collects_garbage(
    monkeypatch: pytest.MonkeyPatch, command: str, at_once: bool, reuses: bool, collects: bool
) -> None:
    def leave(code: int) -> None:
        raise LeftError(code)

    calls: list[str] = []
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(entry, "reuse_memory", lambda: calls.append("memory"))
    monkeypatch.setattr(sys, "argv", ["acumen", command, "--nonsense"])
    monkeypatch.setitem(sys.modules, "coverage", sys.modules.get("coverage"))  # put back after it
    try:
        with pytest.raises(LeftError if at_once else SystemExit) as end:
            main()
        assert gc.isenabled() is collects
    finally:
        gc.enable()
    code = end.value.args[0] if at_once else getattr(end.value, "code", None)
    assert code == 2
    assert bool(calls) is reuses


def test_the_allocator_is_told_by_the_numbers_of_malloc_h(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda *call: calls.append(call))
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    entry.reuse_memory()
    assert calls == [(-4, 0), (-1, 2**31 - 1)]
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())  # a library without it
    entry.reuse_memory()
