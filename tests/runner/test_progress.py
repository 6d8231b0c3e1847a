"""What a run tells while it goes."""

from __future__ import annotations

import io
from typing import Any

import pytest

from acumen.runner.progress import Prices, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(outcome: str = "answered") -> dict[str, Any]:
    return {"outcome": outcome, "prompt_tokens": 900_000, "completion_tokens": 100_000}


def test_the_line_counts_failures_tokens_cost_and_time_left() -> None:
    stream = io.StringIO()
    progress = Progress(total=10, already=2, prices=Prices(1.0, 10.0), stream=stream)
    for outcome in ("answered", "abstained", "refused", "transport_failure"):
        progress.report(record(outcome))
    line = progress.line(now=progress._began + 8)
    assert line == "6/10 done · 2 failed · 0.5/s · 4,000,000 tokens · cost 7.6000 · 0:08 left"


def test_without_prices_there_is_no_cost_and_nothing_left_shows_no_clock() -> None:
    progress = Progress(total=1, stream=io.StringIO())
    progress.report(record())
    line = progress.line()
    assert "cost" not in line
    assert "left" not in line


def test_a_terminal_gets_a_live_line_and_a_pipe_one_at_the_end() -> None:
    for stream in (Terminal(), io.StringIO()):
        with Progress(total=2, stream=stream) as progress:
            progress.say("[bold] is no markup here")
            progress.report(record())
            progress.report(record())
        assert "[bold] is no markup here\n" in stream.getvalue()
        assert "2/2 done · 0 failed" in stream.getvalue()
    assert stream.getvalue().count("\n") == 2


@pytest.mark.parametrize("every", [-1.0, 1e9])
def test_a_pipe_gets_the_last_line_once_however_long_the_last_question_took(
    monkeypatch: pytest.MonkeyPatch, every: float
) -> None:
    monkeypatch.setattr("acumen.runner.progress.PLAIN_EVERY", every)
    stream = io.StringIO()
    with Progress(total=2, stream=stream) as progress:
        progress.report(record())
        progress.report(record())
    assert stream.getvalue().count("2/2 done") == 1
    assert stream.getvalue().endswith("tokens\n")


def test_what_failed_before_counts_as_failed_beside_what_was_done_before() -> None:
    progress = Progress(total=4, stream=io.StringIO())
    progress.carry_on([record("answered"), record("invalid_reply"), record("abstained")])
    progress.report(record("refused"))
    line = progress.line(now=progress._began + 2)
    assert line == "4/4 done · 2 failed · 0.5/s · 1,000,000 tokens"


def test_a_run_that_was_already_whole_still_says_so() -> None:
    stream = io.StringIO()
    with Progress(total=2, already=2, stream=stream):
        pass
    assert stream.getvalue().startswith("2/2 done")


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_a_run_that_fell_before_its_first_answer_leaves_no_line_of_progress(
    stream: io.StringIO,
) -> None:
    with pytest.raises(ValueError, match="refused"), Progress(total=1, stream=stream):
        raise ValueError("refused")
    *_, left = stream.getvalue().split("\x1b[2K")  # after the last line that was wiped away
    assert "done" not in left


def test_a_terminal_shows_the_line_before_the_first_answer_and_wipes_it_away() -> None:
    stream = Terminal()
    with Progress(total=3, stream=stream):
        assert "0/3 done" in stream.getvalue()
    assert stream.getvalue().count("\x1b[2K") >= 1
