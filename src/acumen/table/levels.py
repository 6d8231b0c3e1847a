"""Levels as people write them: ``1-5``, ``0-1:0.25``, ``poor,fair,good``; and what numbers say."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from acumen.errors import UsageError, printable, what_came
from acumen.files.text import folded

Level = int | float | str
MOST_LEVELS: Final = 1000
STEPS: Final = (1.0, 0.5, 0.25, 0.1)
"""Distances of levels that numbers are tried on when nobody named the levels."""
_SPAN: Final = r"\s*({0})\s*(?:-|–|\.\.)\s*({0})(?:\s*:\s*({0}))?\s*"
_NUMBER: Final = re.compile(
    r"\s*[+-]?(?:\d{1,15}\.?\d{0,15}|\.\d{1,15})(?:[eE][+-]?\d{1,2})?\s*", re.ASCII
)
_RANGE: Final = re.compile(_SPAN.format(r"[+-]?\d{1,9}(?:\.\d{1,9})?"), re.ASCII)


def number_in(value: object) -> int | float | None:
    """A finite number, also one written as text; whole where it is whole.

    >>> number_in(2.0), number_in(" 4.5 "), number_in("4 or 5"), number_in(True)
    (2, 4.5, None, None)
    """
    if isinstance(value, str):
        value = float(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return None if not math.isfinite(value) else int(value) if value.is_integer() else value
    return value


def parse_levels(text: str) -> tuple[Level, ...] | None:
    """The levels a text spells, None where it spells none.

    >>> parse_levels("1-5"), parse_levels("0-1:0.25"), parse_levels("poor, fair")
    ((1, 2, 3, 4, 5), (0, 0.25, 0.5, 0.75, 1), ('poor', 'fair'))
    """
    span = _RANGE.fullmatch(text)
    if span is not None:
        low, high, step = (float(end) for end in span.groups("1"))
        if low > high:
            raise UsageError(f"levels run from the lowest to the highest: {high:g}-{low:g}")
        return spaced(low, high, step)
    words = [word.strip() for word in text.split(",")]
    if len(words) < 2:
        return None
    numbers = [number for word in words if (number := number_in(word)) is not None]
    return tuple(numbers) if len(numbers) == len(words) else tuple(words)


def spaced(low: float, high: float, step: float) -> tuple[Level, ...]:
    """Numbers from the lowest to the highest; empty where the step does not lead there."""
    rungs = (high - low) / step if step else 0.0
    if not 0 < rungs <= MOST_LEVELS or abs(rungs - round(rungs)) > 1e-6:
        return ()
    return whole_where_whole(round(low + rung * step, 9) for rung in range(round(rungs) + 1))


def whole_where_whole(levels: Iterable[Any]) -> tuple[Any, ...]:
    """2.0 as 2: one level is written in one way."""
    return tuple(int(x) if isinstance(x, float) and x.is_integer() else x for x in levels)


def spell(levels: Sequence[Level]) -> str:
    """Levels as an option takes them.

    >>> spell((1, 2, 3)), spell((0, 0.5, 1)), spell(("poor", "fair"))
    ('1-3', '0-1:0.5', 'poor,fair')
    """
    if isinstance(levels[0], str):
        return ",".join(str(level) for level in levels)
    step = step_of(levels)
    return f"{levels[0]}-{levels[-1]}" + ("" if step == 1 else f":{step:g}")


def step_of(levels: Sequence[Any]) -> float:
    """The distance from a number to the next one."""
    return float(round((levels[-1] - levels[0]) / (len(levels) - 1), 9))


def levels_seen(numbers: Sequence[int | float]) -> tuple[Level, ...]:
    """The evenly spaced levels, lowest to highest, that hold all these numbers; else none.

    >>> levels_seen([5, 1]), levels_seen([1, 2.5]), levels_seen([0.137, 1])
    ((1, 2, 3, 4, 5), (1, 1.5, 2, 2.5), ())
    """
    if not numbers:
        return ()
    low, high = min(numbers), max(numbers)
    for step in STEPS:
        if abs(low / step - round(low / step)) > 1e-9:
            continue  # half points lie on halves: 0.2, 0.7 are not they
        if all(abs((x - low) / step - round((x - low) / step)) < 1e-6 for x in numbers):
            return spaced(low, high, step)
    return ()


def wrong_levels(levels: Sequence[object]) -> list[str]:
    """What is wrong with the levels of a scale, if anything."""
    if not 2 <= len(levels) <= MOST_LEVELS:
        return [f"needs 2 to {MOST_LEVELS} levels, has {len(levels)}"]
    if all(isinstance(level, str) for level in levels):
        return wrong_names([folded(str(x)) for x in levels], "a label must not be empty")
    if all(type(level) in (int, float) for level in levels):
        steps = [b - a for a, b in pairwise(levels)]  # type: ignore[operator]  # all are numbers
        even = steps[0] > 0 and all(abs(s - steps[0]) <= 1e-6 * steps[0] for s in steps)
        return [] if even else ["must be evenly spaced numbers, lowest first"]
    return ["must be all numbers or all text"]


def wrong_names(names: Sequence[object], if_blank: str) -> list[str]:
    """Names that are empty or there twice."""
    faults = {if_blank: not all(names), "must differ from each other": len(set(names)) < len(names)}
    return [message for message, is_fault in faults.items() if is_fault]


def allowed(levels: Sequence[Level]) -> str:
    """The levels as a message names them."""
    if isinstance(levels[0], str):
        return ", ".join(f"'{printable(str(level))}'" for level in levels)
    step = step_of(levels)
    return f"{levels[0]}..{levels[-1]}" + ("" if step == 1 else f" in steps of {step:g}")


def inferred_note(levels: Sequence[Any], inferred: object) -> str | None:
    """That nobody named the levels, and how to; None where somebody did."""
    if not inferred:
        return None
    span = spell(levels)
    if isinstance(levels[0], str):
        return (
            f"levels inferred: {span.replace(',', ' < ')}, the words in the data in their usual "
            f"order; if the scale has others, name them: --levels {span} (scale= in Python)"
        )
    first, *_, last = levels
    words = span.replace("-", "–") if first >= 0 else f"{first} to {last}"
    return (
        f"levels inferred: {words}, the range of the numbers in the data; "
        f"if the scale has others, name them: --levels {span} (scale= in Python)"
    )


def wrong_items(items: Sequence[object]) -> list[str]:
    """What is wrong with the items of a scale, if anything."""
    odd = [item for item in items if not isinstance(item, str)]
    if odd:
        return [f"must be text, not {what_came(odd[0])}"]
    return wrong_names(items, "an item must not be empty")
