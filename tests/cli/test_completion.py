"""Shell completion, as a shell would ask for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import acumen
from acumen.cli import COMMANDS, run

ACUMEN = [sys.executable, "-m", "acumen"]


def complete(words: str, folder: Path) -> list[str]:
    asked = {"_ACUMEN_COMPLETE": "complete_bash", "COMP_WORDS": words}
    asked["COMP_CWORD"] = str(words.count(" "))
    asked["PYTHONPATH"] = str(Path(acumen.__file__).parents[1])
    found = subprocess.run(
        ACUMEN, env=os.environ | asked, capture_output=True, text=True, check=True, cwd=folder
    )
    return found.stdout.split()


def test_commands_and_options_are_completed_even_beside_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "acumen.toml").write_text("[broken")
    assert complete("acumen ", tmp_path) == list(COMMANDS)
    assert complete("acumen re", tmp_path) == ["reconcile", "report"]
    assert complete("acumen curve --cal", tmp_path) == ["--calibration"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_of_a_named_shell_calls_acumen(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--show-completion", shell]) == 0
    out = capsys.readouterr().out
    assert f"complete_{shell}" in out
    assert "_ACUMEN_COMPLETE" in out
    assert "python" not in out


def test_a_bash_script_is_bash(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--show-completion", "bash"]) == 0
    script = capsys.readouterr().out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "complete -o default -F _acumen_completion acumen" in script


def test_a_shell_there_is_not_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--show-completion", "xsh"]) == 2
    assert capsys.readouterr().err.startswith("acumen: no completion for 'xsh'; there is bash, ")
