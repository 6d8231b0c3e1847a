"""A bar for people who wait at a terminal and for nobody else; a line for a run."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from acumen.cli.progress import RunProgress, bar
from acumen.inference.resample import Bootstrap, replicate
from acumen.runner.record import Outcome, Record


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def nothing(block: object) -> np.ndarray:
    return np.zeros((1, block.lanes))  # type: ignore[attr-defined]


def test_nothing_is_shown_where_nobody_watches() -> None:
    pipe = io.StringIO()
    with bar("drawing", 10, stream=pipe, patience=0.0) as advance:
        assert advance is None
    assert pipe.getvalue() == ""


def test_short_work_shows_nothing_on_a_terminal_either() -> None:
    terminal = Terminal()
    with bar("drawing", 100, stream=terminal, patience=60.0) as advance:
        replicate(nothing, Bootstrap(5, 100), advance=advance)
    assert terminal.getvalue() == ""


def test_long_work_shows_a_bar_with_its_count_and_takes_it_away() -> None:
    terminal = Terminal()
    with bar("drawing [cases]", 3000, stream=terminal, patience=0.0) as advance:
        assert advance is not None
        replicate(nothing, Bootstrap(5, 3000), threads=2, advance=advance)
        assert advance.__self__.done == 3000  # type: ignore[attr-defined]
        assert advance.__self__.display.is_live  # type: ignore[attr-defined]
    assert "drawing [cases]" in terminal.getvalue()
    assert "of 3,000" in terminal.getvalue()


def test_the_bar_goes_away_when_the_work_fails() -> None:
    bars = []

    def fail() -> None:
        with bar("x", 2, stream=Terminal(), patience=0) as advance:
            assert advance is not None
            advance(1)
            bars.append(advance.__self__)  # type: ignore[attr-defined]
            assert bars[0].display.is_live
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not bars[0].display.is_live


def test_standard_error_is_where_it_goes_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with bar("drawing", 5, patience=0.0) as advance:
        assert advance is not None
        advance(5)
    assert "drawing" in terminal.getvalue()


def record(outcome: str = "answered") -> Record:
    tokens = {"prompt_tokens": 900_000, "completion_tokens": 100_000}
    return Record("c", "zero_shot", 0, Outcome(outcome), **tokens)  # type: ignore[arg-type]


def test_the_line_counts_failures_tokens_cost_and_time_left() -> None:
    stream = io.StringIO()
    progress = RunProgress(total=10, before=2, prices=(1.0, 10.0), stream=stream)
    for outcome in ("answered", "abstained", "refused", "transport_failure"):
        progress.report(record(outcome))
    line = progress.line(now=progress._began + 8)
    assert line == "6/10 done · 2 failed · 0.5/s · 4,000,000 tokens · cost 7.6000 · 0:08 left"


def test_without_prices_there_is_no_cost_and_nothing_left_shows_no_clock() -> None:
    progress = RunProgress(total=1, stream=io.StringIO())
    progress.report(record())
    line = progress.line()
    assert "cost" not in line
    assert "left" not in line


def test_a_terminal_gets_a_live_line_and_a_pipe_one_at_the_end() -> None:
    for stream in (Terminal(), io.StringIO()):
        with RunProgress(total=2, stream=stream) as progress:
            progress.show()
            progress.stop()
            progress.report(record())
            progress.report(record())
        assert (
            "finishing what is in flight, for a moment; Ctrl-C again drops it\n"
            in stream.getvalue()
        )
        assert "2/2 done · 0 failed" in stream.getvalue()
    assert stream.getvalue().count("\n") == 2


@pytest.mark.parametrize("every", [-1.0, 1e9])
def test_a_pipe_gets_the_last_line_once_however_long_the_last_question_took(
    monkeypatch: pytest.MonkeyPatch, every: float
) -> None:
    monkeypatch.setattr("acumen.cli.progress.PLAIN_EVERY", every)
    stream = io.StringIO()
    with RunProgress(total=2, stream=stream) as progress:
        progress.show()
        progress.report(record())
        progress.report(record())
    assert stream.getvalue().count("2/2 done") == 1
    assert stream.getvalue().endswith("tokens\n")


def test_a_run_that_never_began_leaves_nothing() -> None:
    for stream in (Terminal(), io.StringIO()):
        with RunProgress(stream=stream):
            pass
        assert stream.getvalue() == ""


def test_a_run_that_was_already_whole_still_says_so() -> None:
    stream = io.StringIO()
    with RunProgress(total=2, before=2, stream=stream) as progress:
        progress.show()
    assert stream.getvalue().startswith("2/2 done")


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_a_run_that_fell_before_its_first_answer_leaves_no_line_of_progress(
    stream: io.StringIO,
) -> None:
    def fail() -> None:
        with RunProgress(total=1, stream=stream) as progress:
            progress.show()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    *_, left = stream.getvalue().split("\x1b[2K")  # after the last line that was wiped away
    assert "done" not in left


def test_a_terminal_shows_the_line_before_the_first_answer_and_wipes_it_away() -> None:
    stream = Terminal()
    with RunProgress(total=3, stream=stream) as progress:
        progress.show()
        assert "0/3 done" in stream.getvalue()
    assert stream.getvalue().count("\x1b[2K") >= 1
