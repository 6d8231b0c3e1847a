"""One OpenAI-compatible endpoint: a question out, an answer or a classified failure back.

The ``openai`` SDK makes the call; its own retries are off, because this file must count them, obey
a ``Retry-After`` of any length, and bound an *attempt* as a whole (the SDK bounds each read, so a
server that drips one byte a second would hold it for ever). Redirects are not followed: the key
and the case's text go to the host that was named and to no other. A body is read up to a limit and
never decompressed. Error bodies may repeat the prompt or the key: only short code words of them are
kept.

A connection carries one attempt and is closed. A broken server or proxy may send more than its
answer, and on a connection that is kept alive nothing tells a late second response from the answer
to the next question. A handshake costs little beside the time a model thinks.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from acumen.errors import AcumenError, UsageError, printable
from acumen.runner.wire import (
    CONTENT_FILTER,
    LARGEST_BODY,
    Answer,
    TransportFailure,
    error_words,
    read_answer,
    read_body,
    read_document,
    read_vectors,
    retry_after,
)

UNREACHED: Final = "unreachable"
OPENAI_URL: Final = "https://api.openai.com/v1"
T = TypeVar("T")
Call = Callable[[], Any]
_HTTP_LIBRARIES: Final = ("httpx", "httpx2", "httpcore", "httpcore2", "anyio")
_NEVER_MENDS: Final = {
    401: "refused the key: is OPENAI_API_KEY set, and right for this endpoint?",
    402: "asks for payment: the key's account has no credit left",
    # OpenAI says so of log-probabilities that a model does not give
    403: "does not allow this key to use the model, or an option of it: try --top-logprobs 0",
    404: "knows no such model or address: check --model and --base-url",
}
_SILENCE: Final = "cannot be reached: is it running, and is --base-url right?"
"""Nobody there, from the first question to its last retry: the next fares no better."""
_NO_QUOTA: Final = "has no quota left for this key: see the account's plan and billing"
_ABOUT_THE_CASE: Final = {
    "content_filter": CONTENT_FILTER,
    "content_policy_violation": CONTENT_FILTER,
    "context_length_exceeded": "context_too_long",
    "exceed_context_size_error": "context_too_long",
}
"""Codes of a refused request that speak of this one prompt, and the reason they become."""
_WITHOUT: Final = {
    "temperature": "--omit temperature",
    "seed": "--omit seed",
    "max_tokens": "--omit max_tokens",
    "max_completion_tokens": "--omit max_tokens",
    "logprobs": "--top-logprobs 0",
    "top_logprobs": "a smaller --top-logprobs, or 0",
    "response_format": "--reply-format json, or text",
}


class EndpointRefusal(AcumenError):  # noqa: N818  (it is the endpoint that refuses)
    """The endpoint answers no question at all: asking the next case would change nothing."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try; none of it shapes an answer."""

    timeout: float = 120.0
    retries: int = 5
    backoff: float = 0.5
    longest_wait: float = 300.0


class Endpoint:
    """A client of one endpoint; use it as an async context manager."""

    def __init__(
        self, base_url: str, model: str, patience: Patience, *, key: str | None = None
    ) -> None:
        self.host = host_of(base_url)
        self.model = model
        self._patience = patience
        self._answers = False
        self._random = random.Random()  # noqa: S311  (spreads retries in time, nothing secret)
        self._client = _client(base_url, key, patience, self._on_response)

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def ask(self, messages: Sequence[dict[str, str]], **options: Any) -> Answer:
        """The answer to one conversation; :class:`TransportFailure` after the last retry."""
        chat = self._client.chat.completions.with_streaming_response
        # options go as they are: the SDK would walk through the whole schema at every question
        answer, retries = await self._until_it_works(
            lambda: chat.create(model=self.model, messages=list(messages), extra_body=options),
            read_answer,
        )
        if self._client.api_key in (answer.served_model or ""):
            answer = replace(answer, served_model=None)
        return replace(answer, retries=retries)

    async def embed(self, texts: Sequence[str], model: str) -> list[list[float]]:
        """The embedding of each text, in order."""
        embeddings = self._client.embeddings.with_streaming_response
        vectors, _ = await self._until_it_works(
            lambda: embeddings.create(model=model, input=list(texts), encoding_format="float"),
            lambda body: read_vectors(body, len(texts)),
        )
        return vectors

    async def _until_it_works(
        self, call: Call, read: Callable[[dict[str, Any]], T]
    ) -> tuple[T, int]:
        attempt = 0
        while True:
            try:
                return read(await self._once(call)), attempt
            except TransportFailure as failure:
                failure.retries = attempt
                if not failure.again or attempt == self._patience.retries:
                    if failure.reason == UNREACHED and not self._answers:
                        raise self._refusal(_SILENCE) from None
                    raise
                await asyncio.sleep(self._wait(attempt, failure.wait))
                attempt += 1

    def _refusal(self, advice: str) -> EndpointRefusal:
        return EndpointRefusal(f"{printable(self.host)} {advice}")

    def _wait(self, attempt: int, seconds: float | None) -> float:
        if seconds is not None:
            return min(seconds, self._patience.longest_wait)
        longest: float = min(self._patience.backoff * 2.0**attempt, 30.0)
        return longest * (0.5 + 0.5 * self._random.random())

    async def _once(self, call: Call) -> dict[str, Any]:
        """One attempt: the body as a JSON object, or what went wrong in one word."""
        import openai

        try:
            async with asyncio.timeout(self._patience.timeout), call() as response:
                return read_document(await read_body(response.iter_bytes(), LARGEST_BODY))
        except (TimeoutError, openai.APITimeoutError):
            raise TransportFailure("timeout") from None
        except openai.OpenAIError as error:
            # older SDKs wrap what a response hook raises
            if isinstance(error.__cause__, TransportFailure | EndpointRefusal):
                raise error.__cause__ from None
            raise _lost(error.__cause__) from None
        except Exception as error:
            library = type(error).__module__.partition(".")[0]
            if library in _HTTP_LIBRARIES or isinstance(error, OSError):
                raise _lost(error) from None
            raise

    async def _on_response(self, response: Any) -> None:
        """Look at the head of a response, before any of its body is in memory."""
        self._answers = True
        status = response.status_code
        if 300 <= status < 400:
            raise TransportFailure("redirect", again=False)
        if status >= 400:
            code, option = await error_words(response)
            if status in (400, 413) and code in _ABOUT_THE_CASE:
                raise TransportFailure(_ABOUT_THE_CASE[code], again=False)
            if advice := _advice(status, code, option):
                word = f" ({code})" if code else ""
                raise self._refusal(f"{advice} (HTTP {status}){word}")
            again = status in (408, 409, 425, 429) or status >= 500
            wait = retry_after(response.headers.get("retry-after"))
            raise TransportFailure(f"http_{status}", again=again, wait=wait)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise TransportFailure("compressed", again=False)
        length = response.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > LARGEST_BODY:
            raise TransportFailure("body_too_large", again=False)


def _lost(error: BaseException | None) -> TransportFailure:
    """No connection was made, or one was made and lost: a prompt may be to blame for the second."""
    return TransportFailure(UNREACHED if type(error).__name__ == "ConnectError" else "connection")


def _advice(status: int, code: str | None, option: str | None) -> str | None:
    """What to do where every case would be refused: no access, or an option it does not take."""
    if status == 429 and code == "insufficient_quota":
        return _NO_QUOTA
    option = (option or "").partition(".")[0]
    if status == 400 and option in _WITHOUT:
        return f"does not take the option {option}: try {_WITHOUT[option]}"
    return _NEVER_MENDS.get(status)


def host_of(url: str) -> str:
    """Host and port of an endpoint's address; refuses what is no plain http(s) address.

    >>> host_of("http://127.0.0.1:8080/v1")
    '127.0.0.1:8080'
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError("--base-url is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("--base-url must begin with http:// or https:// and name a host")
    if parts.username or parts.password or parts.query:
        raise UsageError("--base-url must hold no key: set OPENAI_API_KEY instead")
    return parts.hostname if port is None else f"{parts.hostname}:{port}"


def is_openai(host: str) -> bool:
    """Whether the host is OpenAI's own: it renamed the token limit and takes fewer schemas."""
    return host.partition(":")[0].endswith((".openai.com", ".openai.azure.com"))


def key_from_environment(base_url: str) -> str:
    """The key in ``OPENAI_API_KEY``; other endpoints than OpenAI's may need none."""
    key = os.environ.get("OPENAI_API_KEY", "")
    if not key and host_of(base_url) == host_of(OPENAI_URL):
        raise UsageError("set OPENAI_API_KEY, or give --base-url or --model local")
    if not re.fullmatch(r"[!-~]*", key):
        raise UsageError("OPENAI_API_KEY holds characters that no key has (a blank, a newline?)")
    return key or "none"


def sdk() -> Any:
    """The ``openai`` package, or how to get it."""
    try:
        import openai
    except ImportError:
        message = "the openai package is not installed: pip install 'acumen[run]'"
        raise UsageError(message) from None
    return openai


def _client(base_url: str, key: str | None, patience: Patience, hook: Any) -> Any:
    openai = sdk()
    # OPENAI_LOG=debug would print prompts and headers
    for name in ("openai", *_HTTP_LIBRARIES):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    make_http = getattr(openai, "DefaultAsyncHttpx2Client", None) or openai.DefaultAsyncHttpxClient
    is_here = (urlsplit(base_url).hostname or "") in ("127.0.0.1", "localhost", "::1")
    return openai.AsyncOpenAI(
        api_key=key or key_from_environment(base_url),
        base_url=base_url,
        max_retries=0,
        timeout=patience.timeout,
        default_headers={"Accept-Encoding": "identity", "Connection": "close"},
        http_client=make_http(
            follow_redirects=False,
            trust_env=not is_here,  # a proxy has no business on loopback
            event_hooks={"response": [hook]},
        ),
    )
