"""One writer a file: a lock that stands beside it and ends with the process.

The lock's file stays: whoever took it away could leave two writers, each with a lock of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from acumen.errors import UsageError, label
from acumen.extras import need
from acumen.runner.ownership import refuse_lock


@contextlib.contextmanager
def locked(path: Path, *, alone: bool) -> Iterator[None]:
    """Hold a file for its writer, or look that there is none; refused where another has it.

    The look makes no file: where no lock stands, nobody writes.
    """
    beside = path.with_name(f"{path.name}.lock")
    if not alone and not beside.exists():
        yield
        return
    refuse_lock(beside)  # opening it would empty it
    need("run", "writing a run file")
    import filelock

    lock = filelock.FileLock(beside, timeout=0, mode=0o600, thread_local=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        message = f"another run is writing {label(path.name)}: wait for it to end"
        raise UsageError(message) from None
    try:
        yield
    finally:
        lock.release()
