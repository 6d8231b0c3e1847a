"""Work shared among threads, so that Ctrl-C ends it at once.

A signal may be delivered to any thread, but only the main one acts on it, and not while it waits
for a lock without end. So no other thread takes Ctrl-C, where the system lets one say so, and
whoever waits here looks up now and then. What Ctrl-C or an error leaves undone is not begun.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Thread
from typing import Final, TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

SLICE: Final = 0.05
"""Seconds of waiting until a signal is heard of, where another thread took it."""


class _Over(BaseException):
    """The result of this work is not needed any more."""


@dataclass(slots=True)
class _Crew:
    """Threads that share tasks; those of a thread that belongs to a crew end with it."""

    around: _Crew | None
    is_over: bool = False
    errors: list[BaseException] = field(default_factory=list)

    def look_up(self) -> None:
        """Raise where the work of this crew, or of one around it, is over."""
        if self.is_over:
            raise _Over
        if self.around is not None:
            self.around.look_up()


_current: ContextVar[_Crew | None] = ContextVar("crew", default=None)
"""Of this thread: a new one belongs to none."""


@contextmanager
def deaf() -> Iterator[None]:
    """Threads that begin within take no Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows hands signals to the main thread alone
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin(work: Callable[[], object]) -> Thread:
    """Do work beside; a process that ends does not wait for it."""
    thread = Thread(target=work, daemon=True)
    with deaf():
        thread.start()
    return thread


def finish(thread: Thread) -> None:
    """Wait for a thread, and hear of Ctrl-C meanwhile."""
    while thread.is_alive():
        thread.join(SLICE)


def share(work: Callable[[Task], Outcome], tasks: Iterable[Task], threads: int) -> list[Outcome]:
    """What the work makes of each task, in their order; whichever thread is free takes the next.

    The first error ends all of it. Ctrl-C does not wait long for tasks that are being done.

    >>> share(lambda number: number**2, range(5), threads=2)
    [0, 1, 4, 9, 16]
    """
    crew, outcomes = _Crew(_current.get()), dict[int, Outcome]()
    numbered = [*enumerate(tasks)]
    rest, team = iter(numbered), list[Thread]()

    def take() -> None:
        for at, task in rest:
            crew.look_up()
            outcomes[at] = work(task)

    def take_in_thread() -> None:
        _current.set(crew)
        try:
            take()
        except BaseException as error:  # noqa: BLE001  (raised by who waits)
            crew.errors.append(error)
            crew.is_over = True

    try:
        if threads <= 1:
            take()
        else:
            team += (begin(take_in_thread) for _ in range(min(threads, len(numbered))))
            for thread in team:
                finish(thread)
    finally:
        crew.is_over = True
        for thread in team:
            thread.join(SLICE)
    if crew.errors:
        raise crew.errors[0]
    return [outcomes[at] for at, _ in numbered]
