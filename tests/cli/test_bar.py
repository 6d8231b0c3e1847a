"""The progress bar: for people who wait at a terminal, and for nobody else."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from acumen.cli.bar import progress
from acumen.inference.resample import Bootstrap, replicate


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def nothing(block: object) -> np.ndarray:
    return np.zeros((1, block.lanes))  # type: ignore[attr-defined]


def test_nothing_is_shown_where_nobody_watches() -> None:
    pipe = io.StringIO()
    with progress("drawing", 10, stream=pipe, patience=0.0) as advance:
        assert advance is None
    assert pipe.getvalue() == ""


def test_short_work_shows_nothing_on_a_terminal_either() -> None:
    terminal = Terminal()
    with progress("drawing", 100, stream=terminal, patience=60.0) as advance:
        replicate(nothing, Bootstrap(5, 100), advance=advance)
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar_with_its_count_and_takes_it_away() -> None:
    terminal = Terminal()
    with progress("drawing [cases]", 3000, stream=terminal, patience=0.0) as advance:
        assert advance is not None
        replicate(nothing, Bootstrap(5, 3000), threads=2, advance=advance)
        assert advance.__self__.done == 3000  # type: ignore[attr-defined]
        assert advance.__self__.is_shown  # type: ignore[attr-defined]
    assert "drawing [cases]" in terminal.getvalue()
    assert "of 3,000" in terminal.getvalue()


def test_the_bar_goes_away_when_the_work_fails() -> None:
    bars = []

    def fail() -> None:
        with progress("x", 2, stream=Terminal(), patience=0) as advance:
            assert advance is not None
            advance(1)
            bars.append(advance.__self__)  # type: ignore[attr-defined]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not bars[0]._shown.live.is_started


def test_standard_error_is_where_it_goes_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress("drawing", 5, patience=0.0) as advance:
        assert advance is not None
        advance(5)
    assert "drawing" in terminal.getvalue()
