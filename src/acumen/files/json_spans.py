"""Where each value of a sound JSON text stands: path of keys -> (start, end) in characters.

The standard parser gives values without places; log-probabilities belong to places. Only used on
text that :mod:`acumen.files.json` has accepted, so this walk need not judge anything.
"""

from __future__ import annotations

import json
import re
from typing import Final

Path = tuple[str | int, ...]
Span = tuple[int, int]

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLAIN: Final = re.compile(r"[^\s,\]}]+")


def value_spans(text: str) -> dict[Path, Span]:
    """The span of every value, containers included, by its path.

    >>> value_spans('{"Sleep": {"score": 2}}')[("Sleep", "score")]
    (20, 21)
    """
    spans: dict[Path, Span] = {}
    _walk(text, _skip(text, 0), (), spans)
    return spans


def _walk(text: str, at: int, path: Path, spans: dict[Path, Span]) -> int:
    """Record the value at ``at`` and all inside it; returns the place after it."""
    match text[at]:
        case "{" | "[":
            end = _container(text, at, path, spans)
        case '"':
            end = _end(_STRING, text, at)
        case _:
            end = _end(_PLAIN, text, at)
    spans[path] = (at, end)
    return end


def _container(text: str, at: int, path: Path, spans: dict[Path, Span]) -> int:
    is_object = text[at] == "{"
    at, index = _skip(text, at + 1), 0
    while text[at] not in "]}":
        step: str | int = index
        if is_object:
            end = _end(_STRING, text, at)
            step = json.loads(text[at:end])
            at = _skip(text, _skip(text, end) + 1)
        at = _skip(text, _walk(text, at, (*path, step), spans))
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    return _end(_BLANK, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    if match is None:
        raise ValueError(f"not sound JSON at character {at}")
    return match.end()
