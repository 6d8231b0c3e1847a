"""One endpoint: a question out, an answer or a classified failure back.

Retries are counted here, obey a ``Retry-After``, can be watched and stopped, and an *attempt* is
bounded as a whole: a server that drips one byte a second holds nobody for ever. Redirects are not
followed: the key and the case's text go to the host that was named and to no other.

What carries them are the :mod:`~acumen.runner.connections`; how they are written is a
:class:`~acumen.runner.adaptation.Shape`, which learns from refusals.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from acumen.errors import printable
from acumen.runner.access import Access
from acumen.runner.adaptation import FORMAT, REFUSING, SIMPLER, Shape
from acumen.runner.choices import ReplyFormat
from acumen.runner.connections import (
    BROKEN_OFF,
    LIBRARIES,
    Connections,
    is_broken_off,
    tls_advice,
)
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan, Settings
from acumen.runner.protocols import PROTOCOLS, Ask, Body
from acumen.runner.record import Record
from acumen.runner.refusals import (
    LARGEST_ERROR_BODY,
    EndpointRefusal,
    refusal,
    rejected_reply,
    stated_status,
)
from acumen.runner.streams import is_reset, is_unread
from acumen.runner.wire import (
    ABOUT_THE_CASE,
    FAULT,
    TOO_LARGE,
    Answer,
    TransportFailure,
    largest_body,
    read_body,
    read_document,
    read_vectors,
    request_id_of,
    retry_after,
)

UNREACHED: Final = "unreachable"
_SECRET_LENGTH: Final = 8
"""Characters from which on a header's value may be a secret: shorter ones stand in many names."""
_KEY_LENGTH: Final = 16
"""Characters from which on a key is no word of a reply: servers that want none take any word."""
T = TypeVar("T")
_SILENCE: Final = "cannot be reached: is it running, and is --base-url right?"
"""Nobody there, from the first question to its last retry: the next fares no better."""


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

    def leave_out(self, options: Sequence[str]) -> None:
        """The endpoint does not take these options of a request: the run goes on without them."""

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
        self,
        access: Access,
        settings: Settings,
        patience: Patience,
        watcher: Watcher,
        shape: Shape | None = None,
    ) -> None:
        self.host = access.host
        self.shape = shape or Shape(settings.reply_format)
        self._access, self._patience, self._watcher = access, patience, watcher
        self._settings, self._protocol = settings, PROTOCOLS[settings.api]
        self._headers = access.headers()
        self._largest = largest_body(
            None if "max_tokens" in settings.omit else settings.max_tokens, settings.top_logprobs
        )
        self.advice: str | None = None
        """What to do about the last refusal that another case may meet as well."""
        self._key = access.key()
        self._answers, self._shape_works = 0, False
        self._pace = Pace(patience)
        self._stopping = asyncio.Event()
        self._trial, self._renewal = asyncio.Lock(), asyncio.Lock()
        self._random = random.Random()  # noqa: S311  (spreads retries in time, nothing secret)
        self._connections = Connections(access, patience.timeout)

    async def __aenter__(self) -> Endpoint:
        self._levels = {name: logging.getLogger(name).level for name in LIBRARIES}
        for name in LIBRARIES:  # they would log addresses
            logging.getLogger(name).setLevel(logging.CRITICAL)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connections.aclose()
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
            return await self._answer(question, self.shape)

        answer, retries = await self._until_it_works(attempt, question)
        if self._holds_secret(answer.served_model):
            answer = replace(answer, served_model=None)
        if len(self._key) >= _KEY_LENGTH:  # as long as before: tokens are found by their places
            text = answer.text.replace(self._key, "*" * len(self._key))
            answer = replace(answer, text=text)
        return replace(answer, retries=retries)

    async def embed(self, texts: Sequence[str], model: str) -> list[list[float]]:
        """The embedding of each text, in order."""
        body = {"model": model, "input": list(texts), "encoding_format": "float"}

        async def attempt() -> list[list[float]]:
            return read_vectors((await self._once("/embeddings", body))[0], len(texts))

        return (await self._until_it_works(attempt))[0]

    async def _answer(self, question: Ask, shape: Shape) -> Answer:
        body, request_id = await self._once(self._protocol.path, question.body(shape))
        try:
            answer = self._protocol.read(body)
        except TransportFailure as failure:
            failure.request_id = request_id
            raise
        self._pace.spend(answer)
        self._shape_works = self._shape_works or shape == self.shape
        return replace(
            answer,
            reply_format=shape.reply_format,
            left_out=shape.refused,
            request_id=request_id,
        )

    async def _until_it_works(
        self, attempt: Callable[[], Awaitable[T]], question: Ask | None = None
    ) -> tuple[T, int]:
        """What an attempt gives in the end, and how many failed before it."""
        number, waited, answers = 0, 0.0, self._answers
        while True:
            shape = self.shape
            try:
                return await attempt(), number
            except TransportFailure as failure:
                # what was not looked at costs no try, as long as others are answered
                is_free = failure.is_unread and self._answers > answers
                failure.retries, answers = number, self._answers
                if question and await self._adapts(question, shape, failure):
                    number += 1
                    continue
                is_last = number >= self._patience.retries and not is_free
                if not failure.again or is_last or waited >= self._patience.longest_wait:
                    if failure.reason == UNREACHED and not self._answers:
                        silence = failure.advice or _SILENCE
                        raise EndpointRefusal(f"{printable(self.host)} {silence}") from None
                    raise
                longest = min(self._patience.backoff * 2.0**number, 30.0)
                least = 0.0 if failure.is_unread else 0.5
                pause = longest * (least + (1 - least) * self._random.random())
                pause = pause if failure.wait is None else failure.wait
                seconds = min(pause, self._patience.longest_wait - waited)
                waited += seconds
                self._watcher.retry(failure.reason, seconds)
                await self._sleep(seconds)
                number += not is_free

    async def _sleep(self, seconds: float) -> None:
        """Wait, as long as nobody stops the run."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return
        raise Stopped

    async def _adapts(self, question: Ask, shape: Shape, failure: TransportFailure) -> bool:
        """Whether the request was to blame and another shape works; the run goes on with that.

        Only before any reply came in this shape. A prompt that is filtered or too long, and a
        refusal that speaks of the key or the model, are none of the request's options.
        """
        is_explained = failure.reason in ABOUT_THE_CASE or (failure.advice and not failure.option)
        if failure.status not in REFUSING or failure.retries > 0 or is_explained:
            return False
        async with self._trial:
            if self.shape != shape:
                return True  # another question learned it meanwhile
            fitting = None if self._shape_works else await self._fitting(question, shape, failure)
            if fitting is None:
                return False
            self.shape = fitting
            if left_out := fitting.refused[len(shape.refused) :]:
                self._watcher.leave_out(left_out)
            if fitting.reply_format != shape.reply_format:
                self._watcher.fall_back(fitting.reply_format)
            return True

    async def _fitting(
        self, question: Ask, shape: Shape, failure: TransportFailure | None
    ) -> Shape | None:
        """The shape that is answered, with as little left out as may be; None where none is.

        An option that is named is left out at once. Of the format of replies a fault that passes
        is recognised: the simpler one must work, and the first must then fail again.
        """
        while failure is not None and (less := shape.without(failure.option, self._settings)):
            shape, failure = less, await self._failure(question, less)
        if failure is None:
            return shape
        if failure.status not in REFUSING or failure.option not in (None, FORMAT):
            return None
        for simpler in SIMPLER[shape.reply_format]:
            other = replace(shape, reply_format=simpler)
            if await self._failure(question, other) is None:
                return other if await self._failure(question, shape) else shape
        return None

    async def _failure(self, question: Ask, shape: Shape) -> TransportFailure | None:
        """What goes wrong with a question in a shape; None where it is answered."""
        try:
            await self._answer(question, shape)
        except TransportFailure as failure:
            return failure
        return None

    async def _once(self, path: str, body: Body) -> tuple[Body, str | None]:
        """One attempt: the body as a JSON object and the request's id, or what went wrong."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        if (seconds := self._pace.turn()) > 0:
            await self._sleep(seconds)
        headers = self._headers
        async with self._connections.lane() as lane:
            try:
                async with (
                    asyncio.timeout(self._patience.timeout),
                    lane.client.stream(
                        "POST", self._access.url(path), content=content, headers=headers
                    ) as response,
                ):
                    return await self._document(response, headers)
            except TransportFailure as failure:
                if failure.status is None:
                    self._connections.retire(lane)
                raise
            except EndpointRefusal:
                raise
            except TimeoutError:
                self._connections.retire(lane)
                raise TransportFailure("timeout") from None
            except Exception as error:  # noqa: BLE001  (raised again, if it is not the wire's)
                if not is_reset(error):
                    self._connections.retire(lane)
                raise self._lost(error) from None

    def _lost(self, error: Exception) -> Exception:
        """What a failure of the connection means: none was made, one was lost, TLS failed."""
        library, name = type(error).__module__.partition(".")[0], type(error).__name__
        if library not in LIBRARIES and not isinstance(error, OSError):
            return error
        if advice := tls_advice(error):
            if not self._answers:
                return EndpointRefusal(f"{printable(self.host)} {advice}")
            return TransportFailure("tls")
        if is_unread(error):
            return TransportFailure("connection", is_unread=True)
        if name == "InvalidURL":
            return EndpointRefusal(f"{printable(self.host)} is no host that can be asked")
        # a prompt may be to blame for a connection that was lost
        lost = UNREACHED if name == "ConnectError" else "connection"
        advice = BROKEN_OFF if is_broken_off(error) else None
        return TransportFailure("timeout" if name.endswith("Timeout") else lost, advice=advice)

    async def _document(self, response: Any, sent: Mapping[str, str]) -> tuple[Body, str | None]:
        """The body of a response whose head is sound; nothing else gets into memory."""
        self._answers += 1
        self._connections.learn(response.http_version)
        status, headers = response.status_code, response.headers
        request_id = self._named(headers)
        try:
            if 300 <= status < 400:
                raise TransportFailure("redirect", again=False, status=status)
            encoding = headers.get("content-encoding", "")
            if status >= 400:
                data, wait = b"", retry_after(headers.get("retry-after"))
                with contextlib.suppress(Exception):  # a bad body makes the error no other
                    async with asyncio.timeout(5):
                        data = await read_body(response.aiter_raw(), LARGEST_ERROR_BODY, encoding)
                if (reply := rejected_reply(data)) is not None:
                    return dict(reply), request_id
                if status == 401 and await self._renews(sent):
                    raise TransportFailure("http_401", wait=0.0, status=status)
                raise self._refused(status, data, wait)
            length = headers.get("content-length", "")
            if length.isascii() and length.isdigit() and int(length) > self._largest:
                raise TransportFailure(TOO_LARGE, again=False)
            data = await read_body(response.aiter_raw(), self._largest, encoding)
            body = read_document(data)
            if (stated := stated_status(body)) is not None:
                raise self._refused(stated, data, None) if stated else TransportFailure(FAULT)
        except TransportFailure as failure:
            failure.request_id = request_id
            raise
        return body, request_id or self._named({}, body)

    def _named(self, headers: Mapping[str, str], body: Body | None = None) -> str | None:
        name = request_id_of(headers, body)
        return None if self._holds_secret(name) else name

    def _holds_secret(self, text: str | None) -> bool:
        """Whether an endpoint says back a key, or what the user's own headers hold."""
        values = [value for value in self._access.header.values() if len(value) >= _SECRET_LENGTH]
        return any(secret in (text or "") for secret in (self._key, *values) if secret)

    async def _renews(self, sent: Mapping[str, str]) -> bool:
        """Whether another key can be had than the one that was refused."""
        async with self._renewal:
            if sent is self._headers and await asyncio.to_thread(self._access.renew):
                self._headers, self._key = self._access.headers(), self._access.key()
            return sent is not self._headers

    def _refused(self, status: int, data: bytes, wait: float | None) -> Exception:
        error = refusal(status, data, wait, self._access.variable, has_key=bool(self._key))
        if isinstance(error, EndpointRefusal):
            return EndpointRefusal(f"{printable(self.host)} {error}")
        self.advice = error.advice
        return error
