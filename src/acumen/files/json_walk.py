"""One slow, plain pass over a JSON text that says where everything stands.

The standard parser gives values without places. This walk gives the places of a sound text, to
which log-probabilities belong, and the first fault of one that is not. A fault learns on its way
out the path it stands at and the id of its record, so that a message can name the participant and
not only a byte.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass
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
_ENDS: Final = {"{": "}", "[": "]"}


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


def first_fault(text: str, nan_below: Collection[str] = ()) -> Fault | None:
    """The first thing wrong with ``text``, or None when it is sound.

    A bare ``NaN`` below one of the keys ``nan_below`` is not wrong.

    >>> first_fault('{"id": 7, "x": [1, NaN]}')
    Fault(offset=19, message='NaN is not JSON: a number must be finite', where='x[1] (id 7)')
    """
    try:
        for _ in _Walk(text, nan_below).values():
            pass
    except _Stop as stop:
        return Fault(stop.offset, stop.message, stop.place())
    return None


class _Stop(Exception):  # noqa: N818  (control flow inside this file, never seen outside)
    def __init__(self, offset: int, message: str) -> None:
        self.offset = offset
        self.message = message
        self.steps: list[str] = []
        self.identity = ""

    def leave(self, key: str | int, identity: str) -> None:
        """Note the step from a container to the fault, and its id unless a nearer one is known."""
        if key != -1:
            self.steps.append(f".{printable(key)}" if isinstance(key, str) else f"[{key}]")
        self.identity = self.identity or identity

    def place(self) -> str:
        """The path to the fault, with the innermost id on it, as messages show it."""
        steps = "".join(reversed(self.steps))
        if len(steps) > 160:
            steps = f"{steps[:40]}…{steps[-40:]}"
        return steps.lstrip(".") + (f" ({self.identity})" if self.identity else "")


class _Walk:
    """A place in a text, which the walk moves on."""

    def __init__(self, text: str, nan_below: Collection[str] = ()) -> None:
        self.text = text
        self.nan_below = nan_below
        self.at = 0

    def values(self) -> Iterator[tuple[Path, int, int]]:
        """Path, start and end of each value, a container after what it holds."""
        self._skip(0)
        yield from self._value(())
        self._skip(self.at)
        if self.at < len(self.text):
            raise _Stop(self.at, "trailing data after the document")

    def _mark(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self, at: int) -> None:
        blank = _BLANK.match(self.text, at)
        self.at = blank.end() if blank else at

    def _value(self, path: Path) -> Generator[tuple[Path, int, int], None, str | None]:
        """One value and all within; returns a text or a number as it may serve for an id."""
        start, end = self.at, _ENDS.get(self._mark())
        scalar = None
        if end:
            yield from self._container(path, end)
        elif self.text.startswith("NaN", start) and any(k in self.nan_below for k in path):
            self.at += len("NaN")
        else:
            scalar = self._scalar()
        yield path, start, self.at
        return scalar

    def _container(self, path: Path, end: str) -> Iterator[tuple[Path, int, int]]:
        if len(path) >= DEEPEST:
            raise _Stop(self.at, f"nesting deeper than {DEEPEST}")
        key: str | int = -1
        keys: set[str] = set()
        identity = ""
        self._skip(self.at + 1)
        try:
            while self._mark() != end or key != -1:
                key = key + 1 if isinstance(key, int) and end == "]" else self._key(keys)
                if end == "}":
                    self._expect(":", "':' is expected after a key")
                scalar = yield from self._value((*path, key))
                if scalar is not None and isinstance(key, str) and key.endswith("id"):
                    identity = f"{printable(key)} {label(scalar)}"
                self._skip(self.at)
                if self._mark() == end:
                    break
                self._expect(",", f"',' or '{end}' is expected")
        except _Stop as stop:
            stop.leave(key, identity)
            raise
        self.at += 1

    def _expect(self, mark: str, expected: str) -> None:
        self._skip(self.at)
        if self._mark() != mark:
            raise self._unexpected(expected)
        self._skip(self.at + 1)

    def _key(self, keys: set[str]) -> str:
        start = self.at
        key = self._string("a key in double quotes is expected")
        if key in keys:
            raise _Stop(start, f"duplicate key '{printable(key)}'")
        keys.add(key)
        return key

    def _scalar(self) -> str | None:
        if self._mark() == '"':
            return self._string("")
        word = _WORD.match(self.text, self.at)
        if word and word[0] in ("true", "false", "null"):
            self.at = word.end()
            return None
        if word and word[0] in ("NaN", "Infinity", "-Infinity"):
            raise _Stop(self.at, f"{word[0]} is not JSON: a number must be finite")
        number = _NUMBER.match(self.text, self.at)
        if not number:
            raise self._unexpected("a value is expected")
        if len(number[0]) > 4000 or not math.isfinite(float(number[0])):
            message = f"the number {printable(number[0])} is too large: it must be finite"
            raise _Stop(self.at, message)
        self.at = number.end()
        return number[0]

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
