"""The entry point: the version is answered first, everything else goes to the command line."""

from __future__ import annotations

import gc
import sys

import pytest

import acumen
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
