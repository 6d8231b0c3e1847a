"""One endpoint: a question out, an answer or a classified failure back.

Retries are counted here, obey a ``Retry-After``, can be watched and stopped, and an *attempt* is
bounded as a whole: a server that drips one byte a second holds nobody for ever. Redirects are not
followed: the key and the case's text go to the host that was named and to no other.

A connection carries one attempt and is closed. A broken server or proxy may send more than its
answer, and on a connection that is kept alive nothing tells a late second response from the answer
to the next question. A handshake costs little beside the time a model thinks.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from acumen.errors import printable
from acumen.extras import need
from acumen.runner.access import Access
from acumen.runner.choices import ReplyFormat
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan, Settings
from acumen.runner.protocols import PROTOCOLS, Ask, Body
from acumen.runner.record import Record
from acumen.runner.refusals import LARGEST_ERROR_BODY, EndpointRefusal, refusal
from acumen.runner.wire import (
    TOO_LARGE,
    Answer,
    TransportFailure,
    largest_body,
    read_body,
    read_document,
    read_vectors,
    retry_after,
)

UNREACHED: Final = "unreachable"
T = TypeVar("T")
_LIBRARIES: Final = ("httpx2", "httpcore2", "anyio", "h11")
_CLIENTS: Final = 16
"""Pools that share the questions: a pool looks at all its connections at every request."""
_SILENCE: Final = "cannot be reached: is it running, and is --base-url right?"
"""Nobody there, from the first question to its last retry: the next fares no better."""
_SIMPLER: Final[Mapping[ReplyFormat, tuple[ReplyFormat, ...]]] = {
    "schema": ("json", "text"),
    "json": ("text",),
    "text": (),
}
_FORMAT_REFUSED: Final = frozenset({400, 415, 422, 500, 501})
"""How servers answer a format of replies that they do not know."""


class Stopped(Exception):  # noqa: N818  (a decision, not a fault)
    """The run ends: a question that waits for its next attempt is dropped."""


class Watcher:
    """Hears how a run goes; one that inherits from it overrides what it wants to hear."""

    def begin(self, plan: Plan, journal: Journal) -> None:
        """The journal is open; it holds what an earlier run settled."""

    def report(self, record: Record) -> None:
        """A question ended, and its record is on disk."""

    def retry(self, reason: str, seconds: float) -> None:
        """An attempt failed; the next comes after so many seconds."""

    def fall_back(self, reply_format: ReplyFormat) -> None:
        """The endpoint takes no schema: replies are asked for in a simpler format."""

    def stop(self) -> None:
        """The first Ctrl-C came: nothing new is asked."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try; none of it shapes an answer."""

    timeout: float = 120.0
    retries: int = 5
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    backoff: float = 0.5
    longest_wait: float = 300.0
    """Seconds that the pauses of one question may take together."""


@dataclass(slots=True)
class Pace:
    """When the next request may go, by requests and by tokens a minute."""

    patience: Patience
    _next: float = 0.0
    _tokens_paid: float = 0.0

    def turn(self) -> float:
        """Seconds to wait before the next request, which this one is."""
        now = time.monotonic()
        rate = self.patience.requests_per_minute
        at = max(now, self._next, self._tokens_paid)
        self._next = at + (60 / rate if rate else 0.0)
        return at - now

    def spend(self, answer: Answer) -> None:
        """Put the next request off for the tokens of an answer."""
        if rate := self.patience.tokens_per_minute:
            tokens = answer.prompt_tokens + answer.completion_tokens
            self._tokens_paid = max(time.monotonic(), self._tokens_paid) + 60 * tokens / rate


class Endpoint:
    """A client of one endpoint; use it as an async context manager."""

    def __init__(
        self, access: Access, settings: Settings, patience: Patience, watcher: Watcher
    ) -> None:
        self.host = access.host
        self.reply_format: ReplyFormat = settings.reply_format
        self._access, self._patience, self._watcher = access, patience, watcher
        self._protocol = PROTOCOLS[settings.api]
        self._headers = access.headers()
        self._largest = largest_body(
            None if "max_tokens" in settings.omit else settings.max_tokens, settings.top_logprobs
        )
        self.advice: str | None = None
        """What to do about the last refusal that another case may meet as well."""
        self._key = access.key()
        self._answers = self._format_works = False
        self._pace = Pace(patience)
        self._stopping = asyncio.Event()
        self._format_trial = asyncio.Lock()
        self._random = random.Random()  # noqa: S311  (spreads retries in time, nothing secret)
        self._clients = _clients(access, patience)
        self._next_client = itertools.cycle(self._clients)

    async def __aenter__(self) -> Endpoint:
        self._levels = {name: logging.getLogger(name).level for name in _LIBRARIES}
        for name in _LIBRARIES:  # they would log addresses
            logging.getLogger(name).setLevel(logging.CRITICAL)
        return self

    async def __aexit__(self, *_: object) -> None:
        for client in self._clients:
            await client.aclose()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    @property
    def is_stopping(self) -> bool:
        """Whether nothing more is to be asked."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """No more attempts: what waits for its next one is dropped, what is asked is finished."""
        self._stopping.set()

    async def ask(self, question: Ask) -> Answer:
        """The answer to one conversation; :class:`TransportFailure` after the last retry."""

        async def attempt() -> Answer:
            return await self._answer(question, self.reply_format)

        answer, retries = await self._until_it_works(attempt, question)
        if self._key and self._key in (answer.served_model or ""):
            answer = replace(answer, served_model=None)
        return replace(answer, retries=retries)

    async def embed(self, texts: Sequence[str], model: str) -> list[list[float]]:
        """The embedding of each text, in order."""
        body = {"model": model, "input": list(texts), "encoding_format": "float"}

        async def attempt() -> list[list[float]]:
            return read_vectors(await self._once("/embeddings", body), len(texts))

        return (await self._until_it_works(attempt))[0]

    async def _answer(self, question: Ask, reply_format: ReplyFormat) -> Answer:
        body = await self._once(self._protocol.path, question.body(reply_format))
        answer = replace(self._protocol.read(body), reply_format=reply_format)
        self._pace.spend(answer)
        self._format_works = self._format_works or reply_format == self.reply_format
        return answer

    async def _until_it_works(
        self, attempt: Callable[[], Awaitable[T]], question: Ask | None = None
    ) -> tuple[T, int]:
        """What an attempt gives in the end, and how many failed before it."""
        waited = 0.0
        for number in itertools.count():
            reply_format = self.reply_format
            try:
                return await attempt(), number
            except TransportFailure as failure:
                failure.retries = number
                if question and await self._finds_simpler_format(question, reply_format, failure):
                    continue
                is_last = number >= self._patience.retries or waited >= self._patience.longest_wait
                if not failure.again or is_last:
                    if failure.reason == UNREACHED and not self._answers:
                        raise EndpointRefusal(f"{printable(self.host)} {_SILENCE}") from None
                    raise
                longest = min(self._patience.backoff * 2.0**number, 30.0)
                pause = longest * (0.5 + 0.5 * self._random.random())
                pause = pause if failure.wait is None else failure.wait
                seconds = min(pause, self._patience.longest_wait - waited)
                waited += seconds
                self._watcher.retry(failure.reason, seconds)
                await self._sleep(seconds)
        raise AssertionError("an attempt ends in an answer or a failure")

    async def _sleep(self, seconds: float) -> None:
        """Wait, as long as nobody stops the run."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return
        raise Stopped

    async def _finds_simpler_format(
        self, question: Ask, reply_format: ReplyFormat, failure: TransportFailure
    ) -> bool:
        """Whether the format was to blame and another works; then the run goes on with that.

        Only before any reply came in this format. A fault that passes is none of the format:
        the simpler one must work, and the first must then fail again.
        """
        if failure.status not in _FORMAT_REFUSED or failure.retries > 0:
            return False
        async with self._format_trial:
            if self.reply_format != reply_format:
                return True  # another question learned it meanwhile
            for simpler in () if self._format_works else _SIMPLER[reply_format]:
                try:
                    await self._answer(question, simpler)
                except TransportFailure:
                    continue
                try:
                    await self._answer(question, reply_format)
                except TransportFailure:
                    self.reply_format = simpler
                    self._watcher.fall_back(simpler)
                return True
        return False

    async def _once(self, path: str, body: Body) -> Body:
        """One attempt: the body as a JSON object, or what went wrong in one word."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        client = next(self._next_client)
        if (seconds := self._pace.turn()) > 0:
            await self._sleep(seconds)
        try:
            async with (
                asyncio.timeout(self._patience.timeout),
                client.stream(
                    "POST", self._access.url(path), content=content, headers=self._headers
                ) as response,
            ):
                return await self._document(response)
        except TimeoutError:
            raise TransportFailure("timeout") from None
        except Exception as error:
            library, name = type(error).__module__.partition(".")[0], type(error).__name__
            if library not in _LIBRARIES and not isinstance(error, OSError):
                raise
            # no connection was made, or one was lost: a prompt may be to blame for the second
            lost = UNREACHED if name == "ConnectError" else "connection"
            raise TransportFailure("timeout" if name.endswith("Timeout") else lost) from None

    async def _document(self, response: Any) -> Body:
        """The body of a response whose head is sound; nothing else gets into memory."""
        self._answers = True
        status, headers = response.status_code, response.headers
        if 300 <= status < 400:
            raise TransportFailure("redirect", again=False, status=status)
        encoding = headers.get("content-encoding", "")
        if status >= 400:
            data, wait = b"", retry_after(headers.get("retry-after"))
            with contextlib.suppress(Exception):  # a bad body makes the error no other
                async with asyncio.timeout(5):
                    data = await read_body(response.aiter_raw(), LARGEST_ERROR_BODY, encoding)
            raise self._refused(status, data, wait)
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > self._largest:
            raise TransportFailure(TOO_LARGE, again=False)
        return read_document(await read_body(response.aiter_raw(), self._largest, encoding))

    def _refused(self, status: int, data: bytes, wait: float | None) -> Exception:
        error = refusal(status, data, wait, self._access.variable, has_key=bool(self._key))
        if isinstance(error, EndpointRefusal):
            return EndpointRefusal(f"{printable(self.host)} {error}")
        self.advice = error.advice
        return error


def http_library() -> Any:
    """The ``httpx2`` package, or how to get it."""
    need("run", "asking a model")
    import httpx2

    return httpx2


def _clients(access: Access, patience: Patience) -> list[Any]:
    httpx2 = http_library()
    is_here = access.host.partition(":")[0] in ("127.0.0.1", "localhost", "::1")
    options = {
        "follow_redirects": False,
        "trust_env": not is_here,  # a proxy has no business on loopback
        "timeout": patience.timeout,
        "limits": httpx2.Limits(max_connections=None, max_keepalive_connections=0),
        "verify": httpx2.create_ssl_context(),
    }
    return [httpx2.AsyncClient(**options) for _ in range(_CLIENTS)]
