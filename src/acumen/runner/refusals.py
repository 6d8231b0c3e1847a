"""What an error response means: this one prompt, an option, the model, the key, or a passing fault.

Error bodies may repeat the prompt or the key. Short code words of them are shown; of their
sentences only a known phrase is looked for, and no word of them is kept.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from typing import Any, Final

from acumen.errors import AcumenError
from acumen.runner.wire import CONTENT_FILTER, TOO_LONG, TransportFailure, read_document

LARGEST_ERROR_BODY: Final = 64 << 10
_CODE_WORD: Final = re.compile(r"[a-z]+(?:[._][a-z]+)*")  # no digit, no dash: never a key
_KEY, _MODEL, _QUOTA, _ROOM = "key", "model", "quota", "room"
_ADVICE: Final[Mapping[int | str, str]] = {
    _KEY: "refused the key: is {variable} set, and right for this endpoint?",
    _MODEL: "knows no such model or address: check --model and --base-url",
    _QUOTA: "has no quota left for this key: see the account's plan and billing",
    _ROOM: "has no room for the longest reply beside the prompt: give a smaller --max-tokens",
    402: "asks for payment: the key's account has no credit left",
    # OpenAI says so of log-probabilities that a model does not give
    403: "does not allow this key to use the model, or an option of it: try --top-logprobs 0",
}
_MEANING: Final[Mapping[int, int | str]] = {401: _KEY, 402: 402, 403: 403, 404: _MODEL}
_ANSWERS: Final = ("choices", "output", "content", "answers", "data")
_NO_KEY: Final = (
    "wants a key, and none was sent: a provider's key goes to that provider alone; "
    "--api-key-env {variable} sends the one in that variable here"
)
_CODES: Final = {
    "content_filter": CONTENT_FILTER,
    "data_inspection_failed": CONTENT_FILTER,
    "content_policy_violation": CONTENT_FILTER,
    "context_length_exceeded": TOO_LONG,
    "exceed_context_size_error": TOO_LONG,
    "insufficient_quota": _QUOTA,
    "invalid_api_key": _KEY,
    "model_not_found": _MODEL,
}
_TOO_LONG: Final = (
    r"(maximum|exceeds?\w*).{0,40}context|context (length|window|size)|is too long"
    r"|longer than the maximum model length|exceeds the maximum number of (input )?tokens"
    r"|`inputs` .{0,40}must (be <=|have less than)|request too large"
)
_FILTERED: Final = (
    r"(input|prompt|content)\b.{0,40}(flagged|high risk|inappropriate|unsafe|violat)"
    r"|content exists risk|content (management|filtering) policy"
)
"""Of a prompt, and not of an account that was flagged."""
_UNKNOWN: Final = (
    r"(unsupported|unknown|unrecogni[sz]ed|unexpected|not support).{0,40}(param|arg|field)"
)
_SHARES: Final = re.compile(r"length is (\d+) tokens.{0,80}\D(\d+) in the (?:messages|prompt)")
"""Of a prompt and the longest reply together, the room there is and what the prompt takes."""
_PHRASES: Final = (
    (CONTENT_FILTER, _FILTERED),
    (_QUOTA, r"credit balance is too low"),
    (_ROOM, r"max_(completion_|new_)?tokens.{0,40} is too large"),
    (TOO_LONG, _TOO_LONG),
    (_KEY, r"api[ _]key (is )?(not valid|invalid)|(invalid|incorrect) api[ _]key"),
    ("max_tokens", r"'max_tokens' is not supported|max_completion_tokens' instead"),
    ("temperature", r"unknown name .?.temperature|temperature.{0,40}(not support|deprecated|only)"),
    ("seed", r"unknown name .?.seed|seed.{0,40}not support"),
    (_MODEL, r"(invalid|unknown|no such) model|model\W.{0,80}(not found|does ?n[o']t exist)"),
    ("top_logprobs", r"logprobs"),
    ("response_format", r"response_format|json_schema|grammar"),
)
_WITHOUT: Final = {
    "temperature": "--omit temperature",
    "seed": "--omit seed",
    "max_tokens": "--max-completion-tokens N, or --omit max_tokens",
    "max_completion_tokens": "--omit max_tokens",
    "logprobs": "--top-logprobs 0",
    "top_logprobs": "a smaller --top-logprobs, or 0",
    "response_format": "--reply-format json, or text",
}
_AGAIN: Final = frozenset({408, 409, 425, 429, 498})
FATAL: Final = frozenset({401, 402})
"""What no other case mends, at whatever time it comes; 403 and 404 may be about one case."""

CLIENT_ERRORS: Final = frozenset(f"http_{status}" for status in range(400, 500))
"""Reasons of a record that lie in what was asked; see the end of :func:`refusal`."""


class EndpointRefusal(AcumenError):  # noqa: N818  (it is the endpoint that refuses)
    """The endpoint answers no question at all: asking the next case would change nothing."""

    exit_code = 2


def refusal(
    status: int, data: bytes, wait: float | None, variable: str, *, has_key: bool
) -> TransportFailure | EndpointRefusal:
    """What to raise for an error response; advice is without the host, which the caller knows."""
    error = _error(data)
    words = (error.get("code"), error.get("type"), str(error.get("status", "")).lower())
    word = next((word for each in words if (word := _word(each))), None)
    meaning = _meaning(status, word, error)
    if meaning in (CONTENT_FILTER, TOO_LONG):
        return TransportFailure(str(meaning), again=False, status=status)
    suffix = f" (HTTP {status})" + (f" ({word})" if word else "")
    advice = None
    if meaning is not None and meaning in _ADVICE:
        advice = _ADVICE[meaning] if has_key or meaning != _KEY else _NO_KEY
        advice = advice.format(variable=variable) + suffix
    elif meaning in _WITHOUT:
        advice = f"does not take the option {meaning}: try {_WITHOUT[str(meaning)]}{suffix}"
    if advice and (status in FATAL or meaning == _QUOTA):
        return EndpointRefusal(advice)
    again = (status in _AGAIN or status >= 500) and advice is None
    option = str(meaning) if meaning in _WITHOUT else None
    wait = _delay(error) if wait is None else wait
    more: dict[str, Any] = {"wait": wait, "advice": advice, "status": status, "option": option}
    return TransportFailure(f"http_{status}", again=again, **more)


def rejected_reply(data: bytes) -> Mapping[str, Any] | None:
    """The reply that an endpoint withheld since it broke the schema, as a body of its own.

    Groq answers 400 with the text beside the error: a bad reply, and no refusal of the question.
    """
    error = _error(data)
    text = error.get("failed_generation")
    if _word(error.get("code")) != "json_validate_failed" or not isinstance(text, str):
        return None
    is_cut = "max completion tokens reached" in str(error.get("message", "")).lower()
    choice = {"message": {"content": text}, "finish_reason": "length" if is_cut else "stop"}
    return {"choices": [choice]}


def stated_status(body: Mapping[str, Any]) -> int | None:
    """The status of an error that came in place of an answer under HTTP 200, as gateways send it.

    >>> stated_status({"error": {"code": 429}}), stated_status({"error": "x"}), stated_status({})
    (429, 0, None)
    """
    error = body.get("error")
    if not isinstance(error, dict | str) or any(map(body.get, _ANSWERS)):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    return code if type(code) is int and 400 <= code < 600 else 0


def _delay(error: Mapping[str, Any]) -> float | None:
    """Seconds to wait, where the body says so and no header: Google's ``RetryInfo``."""
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"\d{1,6}(\.\d{1,9})?s", delay, re.ASCII):
            return float(delay[:-1])
    return None


def _meaning(status: int, word: str | None, error: Mapping[str, Any]) -> int | str | None:
    """What is refused: by code, by the option it names, by a phrase, by the status."""
    if status in (429, 500, 502, 503, 504) or status < 400:
        return _QUOTA if word == "insufficient_quota" else None
    text = str(error.get("message", ""))[:4000].lower()
    if (shares := _SHARES.search(text)) and int(shares[2]) < int(shares[1]):
        return _ROOM
    if word in _CODES:
        return _CODES[word]
    option = _named(error)
    if status in (400, 422) and option in _WITHOUT:
        return option
    if status in (400, 413, 422):
        names = (name for name, phrase in _PHRASES if re.search(phrase, text))
        options = re.findall(r"\w+", text) if re.search(_UNKNOWN, text) else ()
        return next(names, next((word for word in options if word in _WITHOUT), None))
    if status == 403 and re.search(_FILTERED, text):
        return CONTENT_FILTER
    return _MEANING.get(status)


def _error(data: bytes) -> Mapping[str, Any]:
    """The part of an error body that tells of the error, in whichever of the usual shapes."""
    with contextlib.suppress(TransportFailure):
        body = read_document(data if data.lstrip()[:1] != b"[" else data.strip()[1:-1])
        for part in (body.get("error"), body.get("detail"), body):
            if isinstance(part, dict | str):
                return part if isinstance(part, dict) else {"message": part}
            if isinstance(part, list) and part and isinstance(part[0], dict):
                return {"message": part[0].get("msg"), "loc": part[0].get("loc")}
    return {}


def _named(error: Mapping[str, Any]) -> str:
    """The field of the request that an error names: ``param``, or the end of a ``loc``."""
    location = error.get("loc")
    if isinstance(location, list) and len(location) > 1:
        return _word(location[1]) or ""
    return (_word(error.get("param")) or "").partition(".")[0]


def _word(value: object) -> str | None:
    is_word = isinstance(value, str) and len(value) <= 60 and _CODE_WORD.fullmatch(value)
    return str(value) if is_word else None
