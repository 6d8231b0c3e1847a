"""Compile the few hot loops with Numba: cached on disk, and the first wait announced.

The cache lies beside the source where that folder is writable, else in the user's cache folder (or
``NUMBA_CACHE_DIR``). Where none can be written the loops are compiled in memory, each time, and a
line on standard error says so. With ``NUMBA_DISABLE_JIT=1`` the same source runs as plain Python.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

_announced = False


def compiled(function: F) -> F:
    """A loop compiled on first use, without the interpreter lock."""
    if numba.config.DISABLE_JIT:
        return function
    try:
        dispatcher = _jit(function, cache=True)
    except RuntimeError:  # Numba's way to say that no cache folder can be written
        dispatcher = _jit(function, cache=False)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        _announce(dispatcher)
        return dispatcher(*arguments)

    call.dispatcher = dispatcher  # type: ignore[attr-defined]  # for loops that call loops
    return call  # type: ignore[return-value]  # the same signature, as a wrapper


def inlined(function: F) -> F:
    """A small function that compiled loops call."""
    if numba.config.DISABLE_JIT:
        return function
    return numba.njit(nogil=True, error_model="numpy")(function)  # type: ignore[no-any-return]


def _jit(function: F, *, cache: bool) -> Any:
    return numba.njit(nogil=True, error_model="numpy", cache=cache)(function)


def _announce(dispatcher: Any) -> None:
    """Say once that a compilation is coming, unless a stamp beside the cache tells it is done."""
    global _announced
    if _announced:
        return
    _announced = True
    folder = dispatcher.stats.cache_path
    if folder is None:
        print(
            "acumen: no cache folder can be written; compiling in memory, this time and each time "
            "(set NUMBA_CACHE_DIR to a writable folder to wait only once)",
            file=sys.stderr,
        )
        return
    stamp = Path(folder) / f"acumen-{_fingerprint()}.stamp"
    if stamp.exists():
        return
    print("acumen: compiling its loops, once (some seconds)", file=sys.stderr)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        return  # the notice will come again; nothing else depends on the stamp


def _fingerprint() -> str:
    """Changes whenever Numba would compile anew: source, versions, processor."""
    source = Path(__file__).with_name("kernels.py").stat()
    parts = (
        numba.__version__,
        sys.version,
        numba.config.CPU_NAME or _processor(),
        source.st_mtime_ns,
        source.st_size,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _processor() -> str:
    import llvmlite.binding

    return f"{llvmlite.binding.get_host_cpu_name()} {os.uname().machine}"
