"""The help: commands by question, and a word for a mistyped one."""

from __future__ import annotations

import pytest

from acumen.cli import COMMANDS, EXITS, QUESTIONS, app_of, run
from acumen.errors import DataError, UsageError


def test_every_command_stands_under_one_question() -> None:
    names = [name for commands in QUESTIONS.values() for name in commands]
    assert len(names) == len(set(names)) == len(COMMANDS)
    assert all(
        app_of(name).registered_commands or app_of(name).registered_groups for name in COMMANDS
    )


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("evalute run.json", "is evaluate meant?"),
        ("explian augrc", "is explain meant?"),
        ("evaluate --confidnce all", "--confidence"),
        ("rate ratings.csv --epsilom .1", "--epsilon"),
        ("explain quadratic_kapa", "did you mean quadratic_kappa"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_one_that_is_meant(
    line: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2
    assert meant in capsys.readouterr().err


def test_the_exit_codes_of_errors_are_listed() -> None:
    assert {UsageError.exit_code, DataError.exit_code} <= set(EXITS)
