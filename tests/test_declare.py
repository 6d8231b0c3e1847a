"""A parameter says what it means, and its value as words of a command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acumen.declare import Parameter, say


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, []),
        (False, []),
        (True, ["--by"]),
        (0, ["--by", "0"]),
        (0.10, ["--by", "0.1"]),
        (Path("a b"), ["--by", "a b"]),
        (["x", 2, 0.5], ["--by", "x,2,0.5"]),
        ([1, object()], None),
        ([1, True], None),
        (object(), None),
    ],
)
def test_a_value_as_words_of_a_command_line(value: Any, words: list[str] | None) -> None:
    parameter = Parameter("by", say("What it goes by."), str | None, None)
    assert parameter.words(value) == words


def test_a_parameter_that_may_come_again_is_said_once_for_each_value() -> None:
    parameter = Parameter("by", say("What it goes by.", kind=list[str]), list[str], None)
    assert parameter.words(["x", "y"]) == ["--by", "x", "--by", "y"]
