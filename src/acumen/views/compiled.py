"""Compile the few hot loops with Numba: cached on disk, and the first wait announced.

The cache lies beside the source where that folder is writable, else in the user's cache folder (or
``NUMBA_CACHE_DIR``). Where none can be written the loops are compiled in memory, each time, and a
line on standard error says so. With ``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

COMPILING: Final = "acumen: compiling its loops, once (some seconds)"
IN_MEMORY: Final = (
    "acumen: no cache folder can be written; compiling in memory, this time and each time "
    "(set NUMBA_CACHE_DIR to a writable folder to wait only once)"
)


def compiled(function: F) -> F:
    """A loop compiled on first use, without the interpreter lock."""
    if numba.config.DISABLE_JIT:
        return function

    loops: list[Any] = []  # made on first use: most commands need a few of the loops

    @wraps(function)
    def call(*arguments: Any) -> Any:
        with _LOCK:
            if not loops:
                loops.append(_loop(function))
        try:
            return loops[0](*arguments)
        except OSError:
            # The cache could not be saved: a full disk, a folder gone since. What was compiled is
            # in memory by then, and no loop touches a file of its own.
            return loops[0](*arguments)
        except Exception as error:
            cause: BaseException | None = error
            # what becomes of Ctrl-C while Numba hands over a result; each step on the way adds one
            while isinstance(cause, SystemError):
                cause = cause.__cause__
            if isinstance(cause, KeyboardInterrupt):
                raise cause from None
            if not _is_of_cache(error):
                raise
        # a power failure may leave a file empty, or half of it
        with _LOCK:
            loops[0] = _loop(function, anew=True)
        return loops[0](*arguments)

    return call  # type: ignore[return-value]  # the same signature, as a wrapper


def inlined(function: F) -> F:
    """A small function that compiled loops call."""
    return function if numba.config.DISABLE_JIT else _jit(function)


def _loop(function: F, *, anew: bool = False) -> Any:
    """The loop with its cache, emptied first where it is damaged; without one where none can be."""
    try:
        loop = _jit(function, cache=True)
        if anew:
            _forget(function, Path(loop.stats.cache_path))
    except (RuntimeError, OSError):  # no folder can be written
        loop = _jit(function)
    _notice.loops.add(id(loop))
    return loop


def _jit(function: F, *, cache: bool = False) -> Any:
    return numba.njit(nogil=True, error_model="numpy", cache=cache)(function)


def _forget(function: Callable[..., Any], folder: Path) -> None:
    """Take away what is cached of a loop, under the names that Numba gives."""
    code = function.__code__
    for path in folder.glob(
        f"{Path(code.co_filename).stem}.{function.__qualname__}-{code.co_firstlineno}.*"
    ):
        path.unlink(missing_ok=True)


def _is_of_cache(error: BaseException) -> bool:
    """Whether an error was raised while the cache was read, and by no loop."""
    frames = (
        frame.f_globals.get("__name__") for frame, _ in traceback.walk_tb(error.__traceback__)
    )
    return "numba.core.caching" in frames


class _Notice(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Says once that one of our loops is being compiled; a loop found in the cache says nothing."""

    def __init__(self) -> None:
        self.loops: set[int] = set()
        self._spoken = False

    def on_start(self, event: Any) -> None:
        """A compilation begins."""
        dispatcher = event.data["dispatcher"]
        if self._spoken or id(dispatcher) not in self.loops:
            return
        self._spoken = True
        in_memory = dispatcher.stats.cache_path is None
        print(IN_MEMORY if in_memory else COMPILING, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """A compilation is done; nothing to say."""


_LOCK: Final = Lock()
_notice: Final = _Notice()
event.register("numba:compile", _notice)
