"""Find the first fault in a JSON text: where it is, and the path of keys that leads there.

A slow, plain pass, run only once a text is known to be wrong. It keeps its own stack, so no depth
of nesting can exhaust Python's, and remembers the ids of the records it is in, so that a message
can name the participant and not only a byte.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Final

from acumen.errors import label, printable

DEEPEST: Final = 100
_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"-?[A-Za-z]+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, at which character, and under which path."""

    offset: int
    message: str
    where: str


@dataclass(slots=True)
class _Open:
    """An object or a list whose end has not come yet."""

    is_object: bool
    key: str | int = -1
    keys: set[str] = field(default_factory=set)
    identity: str = ""

    def step(self) -> str:
        return f".{printable(self.key)}" if isinstance(self.key, str) else f"[{self.key}]"


class _Stop(Exception):  # noqa: N818  (control flow inside this file, never seen outside)
    def __init__(self, offset: int, message: str) -> None:
        self.offset = offset
        self.message = message


def first_fault(text: str) -> Fault | None:
    """The first thing wrong with ``text``, or None when it is sound.

    >>> first_fault('{"id": 7, "x": [1, NaN]}')
    Fault(offset=19, message='NaN is not JSON: a number must be finite', where='x[1] (id 7)')
    """
    stack: list[_Open] = []
    try:
        _scan(text, stack)
    except _Stop as stop:
        return Fault(stop.offset, stop.message, _path(stack))
    return None


def _path(stack: list[_Open]) -> str:
    steps = "".join(s.step() for s in stack if s.key != -1)
    identities = [s.identity for s in stack if s.identity]
    suffix = f" ({identities[-1]})" if identities else ""
    if len(steps) > 160:
        steps = f"{steps[:40]}…{steps[-40:]}"
    return f"{steps.lstrip('.')}{suffix}"


def _scan(text: str, stack: list[_Open]) -> None:
    at = _skip(text, 0)
    while True:
        at = _value(text, at, stack)
        at = _close(text, at, stack)
        if not stack:
            break
    if at < len(text):
        raise _Stop(at, "trailing data after the document")


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, stack: list[_Open]) -> int:
    """Read one value; an opened container that is not empty is left open, at its first value."""
    while at < len(text) and text[at] in "[{":
        if len(stack) >= DEEPEST:
            raise _Stop(at, f"nesting deeper than {DEEPEST}")
        stack.append(_Open(is_object=text[at] == "{"))
        at = _skip(text, at + 1)
        if text[at : at + 1] == ("}" if stack[-1].is_object else "]"):
            stack.pop()
            return _skip(text, at + 1)
        at = _next_key(text, at, stack)
    return _skip(text, _scalar(text, at, stack))


def _next_key(text: str, at: int, stack: list[_Open]) -> int:
    """Step to the next element of the innermost container: an index, or a key and its colon."""
    top = stack[-1]
    if not top.is_object:
        top.key = int(top.key) + 1
        return at
    start, (key, at) = at, _string(text, at, "a key in double quotes is expected")
    if key in top.keys:
        raise _Stop(start, f"duplicate key {_quoted(key)}")
    top.keys.add(key)
    top.key = key
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise _Stop(at, _unexpected(text, at, "':' is expected after a key"))
    return _skip(text, at + 1)


def _close(text: str, at: int, stack: list[_Open]) -> int:
    """After a value: close what ends here, or step to the next element."""
    while stack:
        mark = text[at : at + 1]
        if mark == ",":
            return _next_key(text, _skip(text, at + 1), stack)
        if mark != ("}" if stack[-1].is_object else "]"):
            end = "}" if stack[-1].is_object else "]"
            raise _Stop(at, _unexpected(text, at, f"',' or '{end}' is expected"))
        stack.pop()
        at = _skip(text, at + 1)
    return at


def _scalar(text: str, at: int, stack: list[_Open]) -> int:
    if text[at : at + 1] == '"':
        value, end = _string(text, at, "")
        _remember(stack, value)
        return end
    word = _WORD.match(text, at)
    if word:
        if word[0] in ("true", "false", "null"):
            return word.end()
        if word[0] in ("NaN", "Infinity", "-Infinity"):
            raise _Stop(at, f"{word[0]} is not JSON: a number must be finite")
    number = _NUMBER.match(text, at)
    if not number:
        raise _Stop(at, _unexpected(text, at, "a value is expected"))
    if len(number[0]) > 4000 or not math.isfinite(float(number[0])):
        raise _Stop(at, f"the number {printable(number[0])} is too large: it must be finite")
    _remember(stack, number[0])
    return number.end()


def _remember(stack: list[_Open], value: str) -> None:
    if stack and isinstance(stack[-1].key, str) and stack[-1].key.endswith("id"):
        stack[-1].identity = f"{printable(stack[-1].key)} {label(value)}"


def _string(text: str, at: int, otherwise: str) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if not match:
        if text[at : at + 1] != '"':
            raise _Stop(at, _unexpected(text, at, otherwise))
        raise _broken_string(text, at)
    value = json.loads(match[0])
    if _LONE_SURROGATE.search(value):
        raise _Stop(at, "text holds half of a surrogate pair (not valid Unicode)")
    return value, match.end()


def _broken_string(text: str, at: int) -> _Stop:
    """Why this is not a string: a raw control character, a bad escape, no end."""
    here = at + 1
    while here < len(text):
        if text[here] < " ":
            return _Stop(here, f"control character {printable(text[here])} in a text")
        if text[here] == "\\":
            if not re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})').match(text, here):
                return _Stop(here, "invalid escape in a text")
            here += 1
        here += 1
    return _Stop(len(text), "the document ends inside a text: was its writer interrupted?")


def _unexpected(text: str, at: int, expected: str) -> str:
    if at >= len(text):
        return "the document ends too early: was its writer interrupted?"
    return f"{expected}, found {_quoted(text[at])}"


def _quoted(text: str) -> str:
    return f"'{printable(text)}'"
