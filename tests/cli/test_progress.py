"""A bar for people who wait at a terminal and for nobody else; a line for a run."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

import acumen
from acumen.cli import COMMANDS, MODULES
from acumen.cli.progress import Display, RunProgress, Wait, waiting
from acumen.questions import HOMES
from acumen.runner.record import Outcome, Record
from acumen.stages import stage, watched


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_time_left_comes_from_the_work_that_is_done() -> None:
    clock = Clock()
    wait = Wait(clock)
    wait.tell("reading rows", 0.0)
    clock.now = 3.0
    assert wait.line == "0:03 spent"
    wait.tell("reading rows", 0.25)
    assert wait.line == "0:03 spent, 0:09 left"
    clock.now = 7.0  # it counts down where no step is told of
    assert wait.line == "0:07 spent, 0:05 left"
    clock.now = 20.0
    assert wait.line == "0:20 spent"
    wait.tell("measuring", 0.5)
    assert wait.line == "0:20 spent, 0:20 left"
    clock.now = 21.0
    wait.tell("starting", 1.0)
    assert wait.line == "0:21 spent"
    assert str(wait) == "acumen: reading rows 20.00 s · measuring 1.00 s · in all 21.00 s"


def test_nothing_is_shown_where_nobody_watches() -> None:
    for stream, quiet in ((io.StringIO(), False), (Terminal(), True)):
        with waiting(stream=stream, quiet=quiet, patience=0.0):
            time.sleep(0.05)
        assert stream.getvalue() == ""


def test_short_work_shows_nothing_on_a_terminal_either() -> None:
    terminal = Terminal()
    with waiting(stream=terminal, patience=60.0), stage("reading"):
        pass
    assert terminal.getvalue() == ""


def wait_for(terminal: Terminal, text: str) -> None:
    for _ in range(500):
        if text in terminal.getvalue():
            return
        time.sleep(0.01)
    raise AssertionError(f"no {text!r} in {terminal.getvalue()!r}")


def test_long_work_shows_its_stage_and_takes_it_away() -> None:
    terminal = Terminal()
    with waiting(stream=terminal, patience=0.0), stage("drawing [cases]", steps=4) as advance:
        advance(1)
        wait_for(terminal, "drawing [cases]")
        wait_for(terminal, "spent")
    assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")


def test_the_bar_goes_away_when_the_work_fails() -> None:
    terminal = Terminal()

    def fail() -> None:
        with waiting(stream=terminal, patience=0.0):
            wait_for(terminal, "spent")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")


def test_a_bar_never_comes_up_after_the_end() -> None:
    terminal = Terminal()
    display = Display(terminal, lambda: "late")
    display.close()
    display.show()
    assert terminal.getvalue() == ""


def test_a_person_at_a_terminal_sees_stage_and_time_left_and_is_left_a_clean_line(
    tmp_path: Path,
) -> None:
    pty = pytest.importorskip("pty")  # there is none on Windows
    rows = ["case,truth,prediction,confidence"]
    rows += [f"{k},{k % 4},{k * 7 % 4},{k % 10 / 10}" for k in range(300)]
    (tmp_path / "rows.csv").write_text("\n".join(rows), "utf-8")
    own, other = pty.openpty()
    command = [sys.executable, "-m", "acumen", "evaluate", "rows.csv"]
    command += ["--bootstrap-resamples", "30000000"]
    shown = b""
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=other,
        stdout=subprocess.PIPE,
        env=os.environ | {"TERM": "xterm"},
    ) as process:
        os.close(other)
        try:
            while not (b"measuring confidence" in shown and shown.endswith(b" left")):
                shown += os.read(own, 4096)
            process.send_signal(signal.SIGINT)
            with suppress(OSError):  # which is how the other end says that it is gone
                while more := os.read(own, 4096):
                    shown += more
            assert process.communicate()[0] == b""
        finally:
            process.kill()
            os.close(own)
    assert process.returncode == 130
    *_, left = shown.split(b"\x1b[2K")  # after the last line that was wiped away
    assert left == b""


def test_every_command_that_may_take_long_shows_that_it_works() -> None:
    # these answer at once, have a line of their own, rank a run, or are made of questions (card)
    others = {"explain", "schema", "skill", "task", "run", "curve", "reconcile", "card"}
    own = {*COMMANDS} - {*HOMES} | {"run"}  # those of questions are made alike, and wait
    sources = {n: import_module(f"acumen.cli.{MODULES.get(n, n)}").__file__ for n in own}
    texts = {name: Path(path or "").read_text("utf-8") for name, path in sources.items()}
    silent = {name for name, text in texts.items() if "waiting(" not in text}
    assert silent == others


def test_the_stages_of_an_evaluation_go_from_nothing_to_all_of_it(tmp_path: Path) -> None:
    rows = ["case,truth,prediction,confidence,other"]
    rows += [f"{k},{k % 4},{k * 7 % 4},{k % 10 / 10},{k % 7}" for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(rows), "utf-8")
    steps: list[tuple[str, float]] = []
    for threads in (1, 2):
        steps.clear()
        acumen.evaluate(
            tmp_path / "rows.csv", threads=threads, resamples=200,
            progress=lambda what, done: steps.append((what, done)),
        )  # fmt: skip
        shares = [done for _, done in steps]
        assert shares == sorted(shares)
        assert shares[0] == 0.0
        assert shares[-1] == pytest.approx(1.0)
        assert len({*shares}) > 8
        names = {what.split(" ")[0] for what, _ in steps}
        assert names >= {"reading", "ranking", "measuring", "agreement"}


def test_threads_of_a_pool_move_the_stage_that_gave_them_their_steps() -> None:
    shares: list[float] = []
    with (
        watched(lambda _, done: shares.append(done)),
        stage("measuring", 0.5, steps=100) as advance,
        ThreadPoolExecutor(4) as pool,
    ):
        list(pool.map(lambda _: advance(1), range(100)))
        list(pool.map(lambda _: stage("nobody hears of it").__enter__(), range(2)))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(0.5)
    assert len(shares) == 103  # both begin, a hundred steps, one ends


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
        assert "waiting a moment for open questions; Ctrl-C again drops them\n" in stream.getvalue()
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
