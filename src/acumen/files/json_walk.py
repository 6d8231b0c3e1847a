"""One slow, plain pass over a JSON text that says where everything stands.

The standard parser gives values without places. This walk gives the places of a sound text, to
which log-probabilities belong, and the first fault of one that is not. It keeps its own stack, so
no depth of nesting can exhaust Python's, and remembers the ids of the records it is in, so that a
message can name the participant and not only a byte.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from acumen.errors import label, printable

Path = tuple[str | int, ...]
Span = tuple[int, int]

DEEPEST: Final = 100
LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BLANK: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_ESCAPE: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD: Final = re.compile(r"-?[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, at which character, and under which path."""

    offset: int
    message: str
    where: str


def value_spans(text: str) -> dict[Path, Span]:
    """The span of every value of a sound text, containers included, by its path.

    >>> value_spans('{"Sleep": {"score": 2}}')[("Sleep", "score")]
    (20, 21)
    """
    return {path: (start, end) for path, start, end in _Walk(text).values()}


def first_fault(text: str) -> Fault | None:
    """The first thing wrong with ``text``, or None when it is sound.

    >>> first_fault('{"id": 7, "x": [1, NaN]}')
    Fault(offset=19, message='NaN is not JSON: a number must be finite', where='x[1] (id 7)')
    """
    walk = _Walk(text)
    try:
        for _ in walk.values():
            pass
    except _Stop as stop:
        return Fault(stop.offset, stop.message, walk.place())
    return None


class _Stop(Exception):  # noqa: N818  (control flow inside this file, never seen outside)
    def __init__(self, offset: int, message: str) -> None:
        self.offset = offset
        self.message = message


@dataclass(slots=True)
class _Open:
    """An object or a list whose end has not come yet."""

    start: int
    end: str
    key: str | int = -1
    keys: set[str] = field(default_factory=set)
    identity: str = ""

    def step(self) -> str:
        return f".{printable(self.key)}" if isinstance(self.key, str) else f"[{self.key}]"


class _Walk:
    """A place in a text, and the containers that are open there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.stack: list[_Open] = []

    def values(self) -> Iterator[tuple[Path, int, int]]:
        """Path, start and end of each value, a container after what it holds."""
        self._skip(0)
        while True:
            start = self.at
            if self._mark() in ("{", "["):
                self._open()
                if self._mark() != self.stack[-1].end:
                    self._next_key()
                    continue
            else:
                self._scalar()
                yield self._path(), start, self.at
                self._skip(self.at)
            yield from self._closed()
            if not self.stack:
                break
        if self.at < len(self.text):
            raise _Stop(self.at, "trailing data after the document")

    def place(self) -> str:
        """The path to where the walk stands, with the innermost id on it, as messages show it."""
        steps = "".join(container.step() for container in self.stack if container.key != -1)
        identities = [container.identity for container in self.stack if container.identity]
        suffix = f" ({identities[-1]})" if identities else ""
        if len(steps) > 160:
            steps = f"{steps[:40]}…{steps[-40:]}"
        return f"{steps.lstrip('.')}{suffix}"

    def _path(self) -> Path:
        return tuple(container.key for container in self.stack)

    def _mark(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, at: int) -> None:
        blank = _BLANK.match(self.text, at)
        self.at = blank.end() if blank else at

    def _open(self) -> None:
        if len(self.stack) >= DEEPEST:
            raise _Stop(self.at, f"nesting deeper than {DEEPEST}")
        self.stack.append(_Open(self.at, "}" if self._mark() == "{" else "]"))
        self._skip(self.at + 1)

    def _next_key(self) -> None:
        """Step to the next element of the innermost container: an index, or a key and its colon."""
        top = self.stack[-1]
        if not isinstance(top.key, str) and top.end == "]":
            top.key += 1
            return
        start = self.at
        key = self._string("a key in double quotes is expected")
        if key in top.keys:
            raise _Stop(start, f"duplicate key '{printable(key)}'")
        top.keys.add(key)
        top.key = key
        self._skip(self.at)
        if self._mark() != ":":
            raise self._unexpected("':' is expected after a key")
        self._skip(self.at + 1)

    def _closed(self) -> Iterator[tuple[Path, int, int]]:
        """After a value: the containers that end here; or step to the next element."""
        while self.stack:
            top = self.stack[-1]
            if self._mark() == ",":
                self._skip(self.at + 1)
                self._next_key()
                return
            if self._mark() != top.end:
                raise self._unexpected(f"',' or '{top.end}' is expected")
            self.stack.pop()
            yield self._path(), top.start, self.at + 1
            self._skip(self.at + 1)

    def _scalar(self) -> None:
        if self._mark() == '"':
            self._remember(self._string(""))
            return
        word = _WORD.match(self.text, self.at)
        if word and word[0] in ("true", "false", "null"):
            self.at = word.end()
            return
        if word and word[0] in ("NaN", "Infinity", "-Infinity"):
            raise _Stop(self.at, f"{word[0]} is not JSON: a number must be finite")
        number = _NUMBER.match(self.text, self.at)
        if not number:
            raise self._unexpected("a value is expected")
        if len(number[0]) > 4000 or not math.isfinite(float(number[0])):
            message = f"the number {printable(number[0])} is too large: it must be finite"
            raise _Stop(self.at, message)
        self._remember(number[0])
        self.at = number.end()

    def _remember(self, value: str) -> None:
        top = self.stack[-1] if self.stack else None
        if top and isinstance(top.key, str) and top.key.endswith("id"):
            top.identity = f"{printable(top.key)} {label(value)}"

    def _string(self, expected: str) -> str:
        match = _STRING.match(self.text, self.at)
        if not match:
            raise self._broken_string() if self._mark() == '"' else self._unexpected(expected)
        value: str = json.loads(match[0])
        if LONE_SURROGATE.search(value):
            raise _Stop(self.at, "text holds half of a surrogate pair (not valid Unicode)")
        self.at = match.end()
        return value

    def _broken_string(self) -> _Stop:
        """Why this is not a string: a raw control character, a bad escape, no end."""
        text, at = self.text, self.at + 1
        while at < len(text):
            if text[at] < " ":
                return _Stop(at, f"control character {printable(text[at])} in a text")
            if text[at] == "\\":
                if not _ESCAPE.match(text, at):
                    return _Stop(at, "invalid escape in a text")
                at += 1
            at += 1
        return _Stop(len(text), "the document ends inside a text: was its writer interrupted?")

    def _unexpected(self, expected: str) -> _Stop:
        if self.at >= len(self.text):
            return _Stop(self.at, "the document ends too early: was its writer interrupted?")
        return _Stop(self.at, f"{expected}, found '{printable(self._mark())}'")
