"""Help fits a screen, the most used first."""

from __future__ import annotations

import re

import pytest

from acumen.cli import COMMANDS, run
from acumen.cli.questions import FIRST
from acumen.cli.summary import MORE, MOST_USED

LINES, WIDTH = 45, 80


def lines_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert run(arguments) == 0
    return capsys.readouterr().out.splitlines()


def test_the_list_of_commands_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(["--help"], capsys)
    assert len(lines) <= LINES
    assert max(map(len, lines)) < WIDTH


def test_every_command_is_listed_once() -> None:
    assert sorted([*MOST_USED, *MORE]) == sorted(COMMANDS)
    assert {"curve", "reconcile", "schema", "count", "merge", "task"} <= MORE.keys()


def test_evaluate_lists_the_options_first_that_most_people_need(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = lines_of(["evaluate", "--help"], capsys)
    heads = [at for at, line in enumerate(lines) if line.startswith("╭")]
    titles = [lines[at].strip("╭─╮ ") for at in heads]
    assert titles[:3] == ["Arguments", "Options", "Further options"]
    first = "\n".join(lines[heads[1] : heads[2]])
    options = re.findall(r"^│ (--[a-z-]+)", first, re.MULTILINE)
    assert len(FIRST["evaluate"]) == 12
    assert options == [*(f"--{name.replace('_', '-')}" for name in FIRST["evaluate"]), "--help"]
