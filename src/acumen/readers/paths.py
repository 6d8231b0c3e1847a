"""Paths into nested rows: ``output.choices[0].text``, ``metrics[name="Tone"].score``, ``runs[]``.

A step is a key, a place in a list, the element of a list that has a key's value, or, where rows
are looked for, every element. Keys with dots or brackets are written in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from acumen.readers.records import ABSENT

MOST_STEPS: Final = 50
_STEP = re.compile(
    r"""\.?(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^.\[\]"']+))
    |\[(?P<index>\d{1,9})\]
    |\[(?P<key>[^=\[\]"']+)=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^"\]]*))\]
    |(?P<every>\[\])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Pick:
    """The element of a list whose key has a value, compared as text."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Every:
    """Every element of a list."""


Step = str | int | Pick | Every
Steps = tuple[Step, ...]


def parse_path(text: str, *, explodes: bool = False) -> Steps:
    """A path's steps; ``ValueError`` says what is wrong with it.

    >>> parse_path('a.b[0]."c.d"[name=x]')
    ('a', 'b', 0, 'c.d', Pick(key='name', value='x'))
    """
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None or (match[0][0] == ".") != (at > 0 and match.lastgroup in _KEYS):
            raise ValueError(f"is no path: it cannot be read from '{text[at : at + 20]}' on")
        steps.append(_step(match))
        at = match.end()
    if not steps:
        raise ValueError("is no path: it is empty")
    if len(steps) > MOST_STEPS:
        raise ValueError(f"has {len(steps)} steps, at most {MOST_STEPS} are followed")
    if not explodes and Every() in steps:
        raise ValueError("[] belongs in the path of the rows alone")
    return tuple(steps)


_KEYS: Final = ("double", "single", "bare")


def _step(match: re.Match[str]) -> Step:
    match match.lastgroup:
        case "double" | "single" | "bare":
            return match[match.lastgroup]
        case "index":
            return int(match["index"])
        case "every":
            return Every()
        case _:
            return Pick(match["key"].strip(), (match["quoted"] or match["plain"] or "").strip())


def value_at(value: Any, steps: Steps) -> Any:
    """What a path leads to; ABSENT where it leads nowhere.

    >>> value_at({"a": [{"n": 1, "x": 5}, {"n": 2, "x": 6}]}, parse_path("a[n=2].x"))
    6
    """
    for step in steps:
        if (value := _next(value, step)) is ABSENT:
            return ABSENT
    return value


def _next(value: Any, step: Step) -> Any:
    match step:
        case str():
            return value.get(step, ABSENT) if isinstance(value, Mapping) else ABSENT
        case int():
            return value[step] if isinstance(value, list) and step < len(value) else ABSENT
        case Pick():
            elements = value if isinstance(value, list) else ()
            objects = (element for element in elements if isinstance(element, Mapping))
            same = (o for o in objects if as_text(o.get(step.key, ABSENT)) == step.value)
            return next(same, ABSENT)
        case _:
            return ABSENT


def as_text(value: object) -> str:
    """A value as it is compared with text written down: true, null and 2 as JSON has them.

    >>> as_text(True), as_text(None), as_text(2.0), as_text("x")
    ('true', 'null', '2', 'x')
    """
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def rows_at(value: Any, steps: Steps, above: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """The rows that a path leads to; a row has the keys of the objects it lies in, below its own.

    >>> document = {"tests": [{"id": 1, "runs": [{"x": 5}, {"x": 6}]}]}
    >>> list(rows_at(document, parse_path("tests[].runs[]", explodes=True)))
    [{'id': 1, 'x': 5}, {'id': 1, 'x': 6}]
    """
    above = above or {}
    if not steps:
        yield {**above, **value} if isinstance(value, Mapping) else value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, Every):
        for element in value if isinstance(value, list) else ():
            below = element if isinstance(element, Mapping) and rest else {}
            inner = rest[0] if rest and isinstance(rest[0], str) else None
            outer = {k: v for k, v in below.items() if k != inner}
            yield from rows_at(element, rest, {**above, **outer})
        return
    following = _next(value, step)
    if following is not ABSENT:
        yield from rows_at(following, rest, above)
