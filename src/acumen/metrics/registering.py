"""When a name is taken by the very definition that asks for it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def is_run_again(earlier: Callable[..., Any], later: Callable[..., Any]) -> bool:
    """Whether both come from the same place in the source, so that the later one replaces.

    A module is reloaded, a notebook's cell is run twice: neither is a clash of names. A lambda or
    a function made inside another has no place of its own, so it replaces itself alone.

    >>> is_run_again(len, len), is_run_again(len, max)
    (True, False)
    """
    place = _place(earlier)
    if place is None or "<" in place[1]:
        return earlier is later
    return place == _place(later)


def _place(function: Callable[..., Any]) -> tuple[str, str] | None:
    module, name = (getattr(function, key, None) for key in ("__module__", "__qualname__"))
    return None if module is None or name is None else (module, name)
