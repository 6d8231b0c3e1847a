"""A progress bar for long work: on standard error, on a terminal only, and not for short waits."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE: Final = 1.0
"""Seconds of work before a bar is shown."""


class Bar:
    """Counts what is done from any thread; shows itself once the work has lasted a while."""

    def __init__(self, title: str, total: int, stream: TextIO, patience: float) -> None:
        self.done = 0
        self._title, self._total, self._stream = title, total, stream
        self._show_at = time.monotonic() + patience
        self._lock = threading.Lock()
        self._shown: Progress | None = None
        self._task: Any = None

    def advance(self, steps: int = 1) -> None:
        """So many more steps are done."""
        with self._lock:
            self.done += steps
            if self._shown is None and time.monotonic() >= self._show_at:
                self._show()
            if self._shown is not None:
                self._shown.update(self._task, completed=self.done)

    @property
    def is_shown(self) -> bool:
        """Whether the bar has come up."""
        return self._shown is not None

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._shown = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:,} of {task.total:,}", markup=False),
            TimeRemainingColumn(),
            console=Console(file=self._stream),
            transient=True,
        )
        self._task = self._shown.add_task(self._title, total=self._total)
        self._shown.start()

    def close(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._shown is not None:
                self._shown.stop()


@contextmanager
def progress(
    title: str, total: int, *, stream: TextIO | None = None, patience: float = PATIENCE
) -> Iterator[Callable[[int], None] | None]:
    """What to hand to ``advance=``: None where nobody watches, so that the work pays nothing.

    >>> import io
    >>> with progress("resampling", 10_000, stream=io.StringIO()) as advance:
    ...     print(advance)
    None
    """
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield None
        return
    bar = Bar(title, total, stream, patience)
    try:
        yield bar.advance
    finally:
        bar.close()
