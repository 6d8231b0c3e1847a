"""What long work is busy with, and how much of it is done: named stages that somebody may watch.

Work says ``with stage("reading rows", share=0.2):``, wherever it stands; who waits says
``with watched(watcher):`` around all of it. Where nobody watches, a stage costs nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, float], None]
"""Told what is being done, and the share of the whole work that is done: from 0 to 1."""
Advance = Callable[[int], None]
"""Told how many more steps of a stage are done, from any thread."""


class _Stage:
    def __init__(self, watcher: Watcher, what: str, start: float, end: float, steps: int) -> None:
        self.watcher, self.what, self.end = watcher, what, end
        self.step = (end - start) / max(steps, 1)
        self.lock = threading.Lock()
        self.move_to(start)

    def move_to(self, at: float) -> None:
        self.at = min(at, self.end)  # steps may be guessed too low
        self.watcher(self.what, self.at)

    def advance(self, steps: int) -> None:
        with self.lock:
            self.move_to(self.at + self.step * steps)


_current: ContextVar[_Stage | None] = ContextVar("stage", default=None)
"""Of this thread: the others of a pool do steps, and begin no stage that is told of."""


@contextmanager
def watched(watcher: Watcher | None, what: str = "") -> Iterator[None]:
    """Tell ``watcher`` of the stages within; without one, whoever watched before still does."""
    current = _current.get() if watcher is None else _Stage(watcher, what, 0.0, 1.0, 0)
    token = _current.set(current)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def stage(what: str = "", share: float = 1.0, steps: int = 0) -> Iterator[Advance]:
    """Do a part of the work: ``share`` of what is left of the stage around it, in so many steps.

    A part without a name goes by that of the stage around it.

    >>> with watched(lambda what, done: print(f"{done:.0%} {what}"), "beginning"):
    ...     with stage("reading", share=0.5):
    ...         pass
    ...     with stage("measuring", steps=2) as advance:
    ...         advance(1)
    0% beginning
    0% reading
    50% beginning
    50% measuring
    75% measuring
    100% beginning
    """
    around = _current.get()
    if around is None:
        yield lambda _: None
        return
    end = around.at + share * (around.end - around.at)
    part = _Stage(around.watcher, what or around.what, around.at, end, steps)
    token = _current.set(part)
    try:
        yield part.advance
    finally:
        _current.reset(token)
        around.move_to(part.end)
