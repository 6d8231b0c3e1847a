"""What a run tells while it goes, on standard error: done, failed, rate, tokens, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, TextIO

from acumen.runner.question import ABSTAINED, ANSWERED

PLAIN_EVERY: Final = 10.0


@dataclass(frozen=True, slots=True)
class Prices:
    """Price of a million tokens, in and out."""

    prompt: float
    completion: float


@dataclass(slots=True)
class Progress:
    """Counts what is reported; shows one live line on a terminal, else a line now and then."""

    total: int
    already: int = 0
    prices: Prices | None = None
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    done: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _began: float = field(default_factory=time.monotonic)
    _shown: float = 0.0
    _told: int = -1
    _live: Any = None

    def __enter__(self) -> Progress:
        if self.stream.isatty():
            from rich.console import Console
            from rich.live import Live
            from rich.text import Text

            # it asks for the line itself: the clock runs while a slow model thinks
            self._live = Live(
                console=Console(file=self.stream, highlight=False),
                get_renderable=lambda: Text(self.line()),
                refresh_per_second=4,
                transient=True,
            )
            self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
        fell_at_once = error is not None and not self.done
        if not fell_at_once and self._told != self.done:
            print(self.line(), file=self.stream)

    def carry_on(self, settled: Sequence[dict[str, Any]]) -> None:
        """Count what an earlier run settled; its tokens were paid for then."""
        self.already += len(settled)
        self.failed += sum(_has_failed(record) for record in settled)

    def report(self, record: dict[str, Any]) -> None:
        """Count one finished question."""
        self.done += 1
        self.failed += _has_failed(record)
        self.prompt_tokens += record["prompt_tokens"]
        self.completion_tokens += record["completion_tokens"]
        now = time.monotonic()
        if self._live is None and now - max(self._shown, self._began) > PLAIN_EVERY:
            self._shown, self._told = now, self.done
            print(self.line(now), file=self.stream)

    def say(self, text: str) -> None:
        """One line that stays, above the live one."""
        if self._live is not None:
            self._live.console.print(text, markup=False)
        else:
            print(text, file=self.stream)

    def line(self, now: float | None = None) -> str:
        """The state of the run in one line."""
        elapsed = max((now or time.monotonic()) - self._began, 1e-9)
        rate = self.done / elapsed
        left = self.total - self.already - self.done
        parts = [f"{self.already + self.done}/{self.total} done", f"{self.failed} failed"]
        parts.append(f"{rate:.1f}/s")
        parts.append(f"{self.prompt_tokens + self.completion_tokens:,} tokens")
        if self.prices is not None:
            parts.append(f"cost {self.cost:.4f}")
        if left and rate:
            parts.append(f"{_clock(left / rate)} left")
        return " · ".join(parts)

    @property
    def cost(self) -> float:
        """What the tokens of this session cost, in the currency of the prices."""
        if self.prices is None:
            return 0.0
        paid = self.prompt_tokens * self.prices.prompt
        return (paid + self.completion_tokens * self.prices.completion) / 1e6


def _has_failed(record: dict[str, Any]) -> bool:
    return record["outcome"] not in (ANSWERED, ABSTAINED)


def _clock(seconds: float) -> str:
    """Seconds as a clock shows them.

    >>> _clock(59.6), _clock(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
