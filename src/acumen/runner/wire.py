"""What comes over the wire, judged before it is believed: bodies, headers, vectors, streams.

Servers differ in shape, and a shape alone costs no answer: a body may be compressed, begin with a
byte order mark or come as an event stream, and a number that is none (NaN, a log-probability of
-1e400) is read as missing.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import zlib
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from acumen.errors import DataError
from acumen.files.json import parse_json, unique_keys
from acumen.files.text import mend_surrogates
from acumen.runner.choices import ReplyFormat
from acumen.runner.endings import Ending

CONTENT_FILTER: Final = "content_filter"
FAULT: Final = "model_fault"
"""The provider broke off: a word of its own for an error, in place of a reply or below half one."""
TOO_LONG: Final = "context_too_long"
TOO_LARGE: Final = "body_too_large"
ABOUT_THE_CASE: Final = frozenset({CONTENT_FILTER, TOO_LONG, TOO_LARGE})
"""Reasons that speak of one prompt or one reply: another case may fare better, a retry will not."""
_SMALLEST_LIMIT: Final = 8 << 20
_LARGEST_LIMIT: Final = 256 << 20
_ALTERNATIVE_BYTES: Final = 200
"""What servers write for one alternative of one token, twice over: llama.cpp writes about 95."""
_ZLIB: Final = {"gzip": 31, "x-gzip": 31, "deflate": 47}
_EVENTS: Final = re.compile(r"\s*(data|event|id|retry)?:")
_MODEL_NAME: Final = re.compile(r"[\w./:@+-]{1,120}")  # no blank: never a sentence


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question."""

    text: str
    ending: Ending
    logprobs: object
    refused: bool
    served_model: str | None
    prompt_tokens: int
    completion_tokens: int
    retries: int = 0
    reply_format: ReplyFormat | None = None
    request_id: str | None = None
    left_out: tuple[str, ...] = ()
    decisions: tuple[Mapping[str, Any], ...] | None = None
    """Of a decision model, what it answered to each item; the text is the same as JSON."""


class TransportFailure(Exception):  # noqa: N818  (an outcome of a question, not a fault of the program)
    """No answer came. ``reason`` is a fixed word, never text from the wire.

    ``advice`` says what to do where every case may be refused alike; ``status`` is HTTP's;
    ``option`` is the field of the request that is refused, where one is named; ``is_unread`` says
    that the server did not look at the request at all.
    """

    def __init__(
        self,
        reason: str,
        *,
        again: bool = True,
        wait: float | None = None,
        advice: str | None = None,
        status: int | None = None,
        option: str | None = None,
        is_unread: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.wait = wait
        self.advice = advice
        self.status = status
        self.option = option
        self.is_unread = is_unread
        self.retries = 0
        self.request_id: str | None = None


def largest_body(max_tokens: int | None, top_logprobs: int | None) -> int:
    """How many bytes a reply may have: enough for every token with its alternatives.

    >>> largest_body(1000, None) >> 20, largest_body(10_000, 20) >> 20, largest_body(None, 20) >> 20
    (8, 48, 256)
    """
    if max_tokens is None:
        return _LARGEST_LIMIT
    size = _SMALLEST_LIMIT + max_tokens * ((top_logprobs or 0) + 1) * _ALTERNATIVE_BYTES
    return min(size, _LARGEST_LIMIT)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait by a ``Retry-After`` header: a number of seconds, or a date.

    >>> retry_after("7"), retry_after("soon"), retry_after(None)
    (7.0, None, None)
    """
    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value, re.ASCII):
        return float(value)
    with contextlib.suppress(ValueError, TypeError):
        date = parsedate_to_datetime(value)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
    return None


async def read_body(chunks: AsyncIterable[bytes], largest: int, encoding: str = "") -> bytes:
    """A body read up to a limit and unpacked up to it; more is a failure, and not in memory."""
    packing = encoding.strip().lower()
    if packing not in ("", "identity", *_ZLIB):
        raise TransportFailure("compressed", again=False)
    unpacked = zlib.decompressobj(_ZLIB[packing]) if packing in _ZLIB else None
    body = bytearray()
    async for chunk in chunks:
        try:
            body += unpacked.decompress(chunk, largest + 1 - len(body)) if unpacked else chunk
        except zlib.error:
            raise TransportFailure("malformed_response") from None
        if len(body) > largest:
            raise TransportFailure(TOO_LARGE, again=False)
    return bytes(body)


def read_document(data: bytes) -> dict[str, Any]:
    """The JSON object in a body, or the one that an event stream adds up to."""
    text = mend_surrogates(data.decode("utf-8-sig", "replace"))
    if _EVENTS.match(text):
        return _streamed(text)
    document = _parsed(text)
    if not isinstance(document, dict):
        raise TransportFailure("malformed_response")
    return document


def _parsed(text: str) -> object:
    """The document; numbers that JSON does not have are null, so that they cost no answer."""
    try:
        return parse_json(text, source="response")
    except DataError:
        pass
    try:
        return json.loads(
            text,
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 20 else None,
            parse_float=lambda digits: n if math.isfinite(n := float(digits)) else None,
            object_pairs_hook=unique_keys,
        )
    except (ValueError, RecursionError):
        raise TransportFailure("malformed_response") from None


def _streamed(text: str) -> dict[str, Any]:
    """What the chunks of a chat completion add up to, from a server that streams unasked."""
    content, refusal, tokens = "", "", []
    whole: dict[str, Any] = {}
    finish = None
    for line in text.split("\n"):  # not at U+2028, which a text may hold
        payload = line.removeprefix("data:").strip()
        if not line.startswith("data:") or payload == "[DONE]":
            continue
        chunk = _parsed(payload)
        if not isinstance(chunk, dict):
            raise TransportFailure("malformed_response")
        whole |= {key: chunk[key] for key in ("model", "usage") if chunk.get(key)}
        match chunk.get("choices"):
            case [{"delta": {**delta}} as choice, *_]:
                content += str(delta.get("content") or "")
                refusal += str(delta.get("refusal") or "")
                finish = choice.get("finish_reason") or finish
                match choice.get("logprobs"):
                    case {"content": [*more]}:
                        tokens += more
    if finish is None:
        raise TransportFailure("connection")  # it ended before the model did
    message = {"content": content} | ({"refusal": refusal} if refusal else {})
    choice = {"message": message, "finish_reason": finish}
    return whole | {"choices": [choice | {"logprobs": {"content": tokens} if tokens else None}]}


def read_vectors(body: dict[str, Any], count: int) -> list[list[float]]:
    """The vectors of an embeddings response, in the order of the texts."""
    rows = body.get("data")
    if not isinstance(rows, list) or len(rows) != count:
        raise TransportFailure("malformed_response")
    vectors: dict[int, list[float]] = {}
    for position, row in enumerate(rows):
        match {"index": position} | row if isinstance(row, dict) else None:
            case {"index": int(index), "embedding": [*numbers]} if type(index) is int:
                if all(isinstance(x, int | float) for x in numbers):
                    vectors[index] = [float(x) for x in numbers]
    lengths = {len(vector) for vector in vectors.values()}
    if sorted(vectors) != list(range(count)) or len(lengths) != 1 or 0 in lengths:
        raise TransportFailure("malformed_response")
    return [vectors[index] for index in range(count)]


_REQUEST_IDS: Final = (
    *("x-request-id", "request-id", "apim-request-id", "x-ms-request-id"),
    *("x-amzn-requestid", "x-goog-request-id", "cf-ray"),
)
_REQUEST_ID: Final = re.compile(r"[\w.:/+=-]{1,100}")


def request_id_of(headers: Mapping[str, str], body: Mapping[str, Any] | None = None) -> str | None:
    """What the endpoint calls a request, by which its provider finds it again.

    >>> request_id_of({"x-request-id": "req_1"}), request_id_of({}, {"id": "chatcmpl-7"})
    ('req_1', 'chatcmpl-7')
    """
    names = [*map(headers.get, _REQUEST_IDS), (body or {}).get("id")]
    return next((n for n in names if isinstance(n, str) and _REQUEST_ID.fullmatch(n)), None)


def count_of(value: object) -> int:
    """A count of tokens, 0 when the endpoint gives none that makes sense."""
    return value if type(value) is int and 0 <= value < 1 << 53 else 0


def model_name(value: object) -> str | None:
    """The name of the model that answered; of a path on the server's disk only the last part.

    >>> model_name("org/model-7b"), model_name("/home/me/model.gguf"), model_name("a sentence")
    ('org/model-7b', 'model.gguf', None)
    """
    if not isinstance(value, str) or not _MODEL_NAME.fullmatch(value):
        return None
    return value.rpartition("/")[2] if value.startswith(("/", ".", "~")) else value
