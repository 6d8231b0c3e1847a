"""One writer a file: the system's own lock where it has one, else a file that stands beside it.

Both end with the process: Windows deletes such a file (``O_TEMPORARY``) with its last handle.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from acumen.errors import UsageError, label

try:
    fcntl: ModuleType | None = import_module("fcntl")
except ImportError:  # Windows
    fcntl = None


@contextlib.contextmanager
def locked(handle: int, path: Path, *, alone: bool) -> Iterator[None]:
    """Hold an open file, ``alone`` or beside others who read; refused where another has it."""
    busy = f"another run is writing {label(path.name)}: wait for it to end"
    if fcntl is not None:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(busy) from None
        yield  # closing the file drops the lock
        return
    beside = path.with_name(f"{path.name}.lock")
    try:
        own = os.open(beside, os.O_CREAT | os.O_EXCL | getattr(os, "O_TEMPORARY", 0), 0o600)
    except OSError:
        raise UsageError(f"{busy}, or delete {label(beside.name)} if none does") from None
    try:
        yield
    finally:
        os.close(own)
        beside.unlink(missing_ok=True)
