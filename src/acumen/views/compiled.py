"""Compile the few hot loops with Numba: cached on disk, and the first wait announced.

The cache lies beside the source where that folder is writable, else in the user's cache folder (or
``NUMBA_CACHE_DIR``). Where none can be written the loops are compiled in memory, each time, and a
line on standard error says so. With ``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from threading import Lock
from typing import Any, Final, TypeVar

import numba
from llvmlite import binding
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime import _nrt_python as runtime
from numba.core.runtime import rtsys

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

    dispatchers: list[Any] = []  # made on first use: most commands need a few of the loops

    @wraps(function)
    def call(*arguments: Any) -> Any:
        with _LOCK:
            if not dispatchers:
                dispatchers.append(_dispatcher(function))
        try:
            return dispatchers[0](*arguments)
        except OSError:
            # The cache could not be saved: a full disk, a folder gone since. What was compiled is
            # in memory by then, and no loop touches a file of its own.
            return dispatchers[0](*arguments)

    return call  # type: ignore[return-value]  # the same signature, as a wrapper


def inlined(function: F) -> F:
    """A small function that compiled loops call."""
    return function if numba.config.DISABLE_JIT else _jit(function)


def _dispatcher(function: F) -> Any:
    dispatcher = _jit(function)
    with suppress(RuntimeError):  # Numba's way to say that no cache folder can be written
        dispatcher._cache = _Cache(function)
    _notice.loops.add(id(dispatcher))
    return dispatcher


def _jit(function: F) -> Any:
    return numba.njit(nogil=True, error_model="numpy")(function)


class _Entry(CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
    """Its machine code, without what another loop would need to call it: half the loading time."""

    def reduce(self, cres: Any) -> Any:
        """The parts that are written."""
        whole = super().reduce(cres)
        try:
            (name, kind, (code, _)), loop, *facts, _, begin, _ = whole
            # looked for by name alone: where the name leads is in the machine code
            text = f'define void @"{loop.llvm_cpython_wrapper_name}"() {{ ret void }}'
            names = binding.parse_assembly(text).as_bitcode()
        except (AttributeError, TypeError, ValueError):  # a Numba that keeps other parts
            return whole
        return ((name, kind, (code, names)), loop, *facts, "", begin, ())


class _Cache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache, read without importing what only compiling needs: 0.2 s of a short command."""

    _impl_class = _Entry

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The loop for these types, or None; compiling then imports the rest by itself."""
        if not hasattr(runtime, "c_helpers"):  # a Numba that has them elsewhere
            rtsys.initialize(target_context)
        _name_helpers()
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  (a power failure may leave a file empty, or half of it)
            self.flush()
            return None


@cache
def _name_helpers() -> None:
    """Tell the linker where Numba's own functions lie."""
    for name, address in getattr(runtime, "c_helpers", {}).items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


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
