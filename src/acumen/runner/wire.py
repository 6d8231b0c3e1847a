"""What comes over the wire, judged before it is believed: bodies, choices, vectors, headers."""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from acumen.errors import DataError
from acumen.files.json import parse_json
from acumen.files.text import mend_surrogates

CONTENT_FILTER: Final = "content_filter"
LARGEST_BODY: Final = 8 << 20
LARGEST_ERROR_BODY: Final = 64 << 10
_CODE_WORD: Final = re.compile(r"[a-z]+(?:[._][a-z]+)*")  # no digit, no dash: never a key
_MODEL_NAME: Final = re.compile(r"[\w./:@+-]{1,120}")  # no blank: never a sentence


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question."""

    text: str
    finish_reason: str | None
    logprobs: object
    refused: bool
    served_model: str | None
    prompt_tokens: int
    completion_tokens: int
    retries: int = 0


class TransportFailure(Exception):  # noqa: N818  (an outcome of a question, not a fault of the program)
    """No answer came. ``reason`` is a fixed word, never text from the wire."""

    def __init__(self, reason: str, *, again: bool = True, wait: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.wait = wait
        self.retries = 0


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


async def read_body(chunks: Any, largest: int) -> bytes:
    """A body read up to a limit; more than that is a failure, and not in memory."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > largest:
            raise TransportFailure("body_too_large", again=False)
    return bytes(body)


async def error_words(response: Any) -> tuple[str | None, str | None]:
    """The code and the option an error body names, if they cannot be anybody's text."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(5):
            document = read_document(await read_body(response.aiter_raw(), LARGEST_ERROR_BODY))
        error = document.get("error")
        if isinstance(error, dict):
            # llama.cpp and vLLM give the status as the code and the word as the type
            return _word(error.get("code")) or _word(error.get("type")), _word(error.get("param"))
    return None, None


def _word(value: object) -> str | None:
    is_word = isinstance(value, str) and len(value) <= 60 and _CODE_WORD.fullmatch(value)
    return str(value) if is_word else None


def read_document(data: bytes) -> dict[str, Any]:
    """The JSON object in a body."""
    try:
        document = parse_json(mend_surrogates(data.decode("utf-8", "replace")), source="response")
    except DataError:
        raise TransportFailure("malformed_response") from None
    if not isinstance(document, dict):
        raise TransportFailure("malformed_response")
    return document


def read_answer(body: dict[str, Any]) -> Answer:
    """The first choice of a completion, what it cost, and the name of the model that made it."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise TransportFailure("empty_choices")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        raise TransportFailure("malformed_response")
    finish, model, usage = choice.get("finish_reason"), body.get("model"), body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        text=message.get("content") or "",
        finish_reason=finish,
        logprobs=choice.get("logprobs"),
        refused=bool(message.get("refusal")) or finish == "content_filter",
        served_model=model if isinstance(model, str) and _MODEL_NAME.fullmatch(model) else None,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


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


def _count(value: object) -> int:
    """A count of tokens, 0 when the endpoint gives none that makes sense."""
    return value if type(value) is int and value >= 0 else 0
