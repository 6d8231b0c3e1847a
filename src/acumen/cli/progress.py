"""How far long work is, on standard error: a bar for its stages, a line for a run's questions.

A terminal sees one of them live; a file or a pipe gets a line of a run now and then, and no bar.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TextIO

from acumen.errors import counted
from acumen.stages import watched
from acumen.threads import deaf

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType
    from rich.live import Live

    from acumen.runner.journal import Journal
    from acumen.runner.plan import Plan
    from acumen.runner.record import Record

PATIENCE: Final = 2.0
"""Seconds of work before a bar comes up."""

PLAIN_EVERY: Final = 10.0
"""Seconds between two lines of a run where there is no terminal."""


class Display:
    """Something live at the foot of a terminal, which is asked what it looks like now."""

    def __init__(self, stream: TextIO, look: Callable[[], RenderableType]) -> None:
        self._stream, self._look = stream, look
        self._live: Live | None = None
        self._is_over = False
        self._lock = threading.Lock()  # it may come up from another thread, and never too late

    @property
    def is_live(self) -> bool:
        """Whether it stands on a terminal at this moment."""
        return self._live is not None

    def show(self) -> None:
        """Come up, if this is a terminal."""
        with self._lock:
            if self._is_over or not self._stream.isatty():
                return
            from rich.console import Console
            from rich.live import Live

            self._live = Live(
                console=Console(file=self._stream, highlight=False),
                get_renderable=self._look,
                transient=True,
                redirect_stdout=False,  # data go where they were sent
            )
            self._live.start(refresh=True)

    def say(self, text: str) -> None:
        """One line that stays, above what is live."""
        if self._live is not None:
            self._live.console.print(text, markup=False)
        else:
            print(text, file=self._stream)

    def close(self) -> None:
        """Leave the terminal as it was."""
        with self._lock:
            self._is_over = True
            if self._live is not None:
                self._live.stop()
                self._live = None


class Wait:
    """What a command is busy with, how long it has taken and how long it will."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = self._moved = self._entered = clock()
        self._what, self._done = "", 0.0
        self.seconds: dict[str, float] = {}
        """Of every stage so far: how long it took."""

    def tell(self, what: str, done: float) -> None:
        """The watcher of the work."""
        now = self._clock()
        if what != self._what:
            self.seconds[self._what] = self.seconds.get(self._what, 0.0) + now - self._entered
            self._what, self._entered = what, now
        if done > self._done:
            self._done, self._moved = done, now

    @property
    def line(self) -> str:
        """Time spent, and time left as far as the work that is done shows it."""
        now = self._clock()
        spent = f"{_clock(now - self._began)} spent"
        if not self._done:
            return spent
        left = (self._moved - self._began) * (1 / self._done - 1) - (now - self._moved)
        return f"{spent}, {_clock(left)} left" if left > 0.5 else spent

    def look(self) -> RenderableType:
        """One line: what, a bar, the times."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        known = {"completed": self._done} if self._done else {"pulse": True}
        bar = ProgressBar(total=1.0, width=30, **known)
        row = Table.grid(padding=(0, 1))
        row.add_row(Text(self._what, no_wrap=True), bar, Text(self.line, no_wrap=True))
        return row

    def __str__(self) -> str:
        """Where the time went."""
        parts = (f"{what} {seconds:.2f} s" for what, seconds in self.seconds.items() if what)
        return f"acumen: {' · '.join(parts)} · in all {self._clock() - self._began:.2f} s"


@contextmanager
def waiting(
    what: str = "measuring", *, quiet: bool = False, stream: TextIO | None = None,
    patience: float = PATIENCE,
) -> Iterator[Wait]:  # fmt: skip
    """Show who waits at a terminal what is being done; nothing in a file, or of short work."""
    stream = sys.stderr if stream is None else stream
    wait = Wait()
    display = Display(stream, wait.look)
    timer = threading.Timer(patience, display.show)
    timer.daemon = True
    if stream.isatty() and not quiet:
        with deaf():
            timer.start()
    try:
        with watched(wait.tell, what):
            yield wait
    finally:
        timer.cancel()
        display.close()


@dataclass(slots=True)
class RunProgress:
    """Watches a run: done, failed, rate, tokens, cost, time left.

    ``prices`` are those of a million tokens, of the prompts and of the replies.
    """

    total: int = 0
    before: int = 0
    """Questions that an earlier run settled; their tokens were paid for then."""
    prices: tuple[float, float] | None = None
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    journal: Path | None = None
    done: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why questions and attempts failed, each so often."""
    retries: int = 0
    _began: float = field(default_factory=time.monotonic)
    _pause_ends: float = 0.0
    _next_line: float = 0.0
    _last_line: int | None = None
    """How many were done when the last plain line was written; None before the run begins."""
    _display: Display = field(init=False)

    def __post_init__(self) -> None:
        self._display = Display(self.stream, self._look)

    def _look(self) -> RenderableType:
        """The line, asked for anew: the clock runs while a slow model thinks."""
        from rich.text import Text

        return Text(self.line())

    def begin(self, plan: Plan, journal: Journal) -> None:
        """Say what an earlier run left, and come up."""
        from acumen.runner.drive import final_records

        records = final_records(plan, journal.records)
        self.total, self.before, self.journal = plan.size, len(records), journal.path
        self.failed = sum(not record.is_usable for record in records)
        if journal.repaired:
            self._display.say("the journal's last line was incomplete and has been removed")
        if records:
            verb = "was" if len(records) == 1 else "were"
            useless = f", {self.failed} without a usable reply" if self.failed else ""
            questions = counted(plan.size, "question")
            self._display.say(f"{self.before:,} of {questions} {verb} answered before{useless}")
        self.show()

    def show(self) -> None:
        """Come up."""
        self._began, self._last_line = time.monotonic(), -1
        self._next_line = self._began + PLAIN_EVERY
        self._display.show()

    def report(self, record: Record) -> None:
        """Count one question that ended."""
        self.done += 1
        self.failed += not record.is_usable
        self.prompt_tokens += record.prompt_tokens
        self.completion_tokens += record.completion_tokens
        if record.reason is not None:
            self.reasons[record.reason] += 1
        self._now_and_then()

    def retry(self, reason: str, seconds: float) -> None:
        """Count an attempt that failed, and note when the next one comes."""
        self.retries += 1
        self.reasons[reason] += 1
        self._pause_ends = max(self._pause_ends, time.monotonic() + seconds)
        self._now_and_then()

    def fall_back(self, reply_format: str) -> None:
        """Say that the endpoint takes no schema."""
        name = {"json": "JSON without a schema", "text": "plain text"}[reply_format]
        self._display.say(f"the endpoint does not take the format of replies: asking for {name}")

    def leave_out(self, options: Sequence[str]) -> None:
        """Say which options the endpoint does not take."""
        words = {"max_tokens": "max_tokens (max_completion_tokens instead)"}
        words |= {"top_logprobs": "so many top_logprobs (5 instead)"}
        names = ", ".join(words.get(option, option) for option in options)
        self._display.say(f"the endpoint does not take {names}: asking without")

    def stop(self) -> None:
        """Tell of the first Ctrl-C."""
        self._display.say("waiting a moment for open questions; Ctrl-C again drops them")

    def _now_and_then(self) -> None:
        """A line where there is no terminal, and not too many of them."""
        now = time.monotonic()
        if not self._display.is_live and now > self._next_line:
            self._next_line, self._last_line = now + PLAIN_EVERY, self.done
            self._display.say(self.line(now))

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Leave one last line; none of a run that failed before its first answer."""
        self._display.close()
        if self._last_line not in (None, self.done) and (self.done or error is None):
            self._display.say(self.line())

    def line(self, now: float | None = None) -> str:
        """The state of the run in one line."""
        now = now or time.monotonic()
        rate = self.done / max(now - self._began, 1e-9)
        left = self.total - self.before - self.done
        parts = [
            f"{self.before + self.done}/{self.total} done",
            f"{self.failed} failed",
            f"{rate:.1f}/s",
            f"{self.prompt_tokens + self.completion_tokens:,} tokens",
        ]
        if self.prices is not None:
            prompts, replies = self.prices
            cost = (self.prompt_tokens * prompts + self.completion_tokens * replies) / 1e6
            parts.append(f"cost {cost:.4f}")
        if self.retries:
            parts.append(f"{self.retries:,} {'retry' if self.retries == 1 else 'retries'}")
        if self.reasons:
            parts.append(", ".join(reason for reason, _ in self.reasons.most_common(2)))
        if left and self._pause_ends > now + 1:
            parts.append(f"waits {_clock(self._pause_ends - now)}")
        if left and rate:
            parts.append(f"{_clock(left / rate)} left")
        return " · ".join(parts)


def _clock(seconds: float) -> str:
    """Seconds as a clock shows them.

    >>> _clock(59.6), _clock(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
