"""When a run ends before its last question: its limits, and an endpoint that does not reply."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from acumen.runner.record import Outcome, Record
from acumen.runner.wire import ABOUT_THE_CASE

FIRST_FAILURES: Final = 5
"""Questions without a reply that end a run in which none came at all."""
FAILURES_IN_A_ROW: Final = 10
"""The same for one that had replies; at least two rounds of what is in flight."""


class Stop(StrEnum):
    """Why a run ended with questions left."""

    interrupted = "interrupted"
    no_replies = "no_replies"
    failures = "failure_limit"
    time = "time_limit"
    tokens = "token_limit"
    cost = "cost_limit"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use: questions without a usable reply, seconds, tokens, money.

    ``prices`` are those of a million tokens, of the prompts and of the replies.
    """

    failures: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    prices: tuple[float, float] = (0.0, 0.0)

    def price(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        prompts, replies = self.prices
        return (prompt_tokens * prompts + completion_tokens * replies) / 1e6


@dataclass(slots=True)
class Meter:
    """What a run has used so far, compared with its limits."""

    limits: Limits
    concurrency: int
    has_replies: bool = False
    reason: str | None = None
    """Why the last question got no reply."""
    _in_a_row: int = 0
    _failures: int = 0
    _prompt_tokens: int = 0
    _completion_tokens: int = 0
    _began: float = field(default_factory=time.monotonic)

    def count(self, record: Record) -> Stop | None:
        """Count one question that ended; why the run should end with it, if it should."""
        self._failures += not record.is_usable
        self._prompt_tokens += record.prompt_tokens
        self._completion_tokens += record.completion_tokens
        if record.outcome is not Outcome.transport_failure:
            self.has_replies, self._in_a_row = True, 0
        elif record.reason not in ABOUT_THE_CASE:
            self._in_a_row, self.reason = self._in_a_row + 1, record.reason
        return self._stop()

    @property
    def seconds_left(self) -> float | None:
        """Until the time is up; None without a limit."""
        limit = self.limits.seconds
        return None if limit is None else self._began + limit - time.monotonic()

    def _stop(self) -> Stop | None:
        limits, tokens = self.limits, self._prompt_tokens + self._completion_tokens
        cost = limits.price(self._prompt_tokens, self._completion_tokens)
        most = max(FAILURES_IN_A_ROW, 2 * self.concurrency) if self.has_replies else FIRST_FAILURES
        if self._in_a_row >= most:
            return Stop.no_replies
        for stop, amount, limit in (
            (Stop.failures, self._failures, limits.failures),
            (Stop.tokens, tokens, limits.tokens),
            (Stop.cost, cost, limits.cost),
        ):
            if limit is not None and amount >= limit:
                return stop
        return None
