"""What is the runner's own among the files beside an output; nothing else is ever changed.

A journal, a lock, a run file and what a killed writer left behind stand under names that somebody
else's file may have as well. What is not plainly the runner's own is refused and stays as it is.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from acumen.errors import DataError, UsageError, label

HEAD: Final = 64 << 10
"""Bytes of a run file that hold its run's id."""
_HEADER: Final = b'{"journal": 2, "run_id": "'
_RECORD: Final = b'{"case": '
_HOLE: Final = b"\0\0"
_RUN_FILE: Final = (b'{\n "run_metadata": {', b'{\n "run_id": "')
"""How a run file begins; of verdicts it is the second."""
_TEMPORARY: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
_LONGEST: Final = 100
"""Characters of a name that the name of a temporary file begins with."""


def is_torn(line: bytes, *, is_first: bool) -> bool:
    """Whether a line may be what a kill or a lost page left of a line of a journal.

    >>> is_torn(b'{"case": 7, "mo', is_first=False), is_torn(b"my notes", is_first=False)
    (True, False)
    """
    start, text = _HEADER if is_first else _RECORD, line.partition(_HOLE)[0]
    if is_first and (line.rstrip(b"\0") != text or len(line) > HEAD):
        return False  # pages that a disk lost would be the end of a short line
    return text.startswith(start) or start.startswith(text)


def refuse_odd(path: Path, facts: os.stat_result) -> None:
    """Refuse what is no plain file with one name: a pipe, or a link to a file of somebody's."""
    if not stat.S_ISREG(facts.st_mode):
        raise DataError(["is no plain file: choose another --output"], path.name)
    if facts.st_nlink > 1:
        message = "has a second name (a hard link), whose file would change with it: make a copy"
        raise DataError([message], path.name)


def refuse_lock(path: Path) -> None:
    """Refuse what stands where the lock goes and is none: a lock is an empty file."""
    try:
        facts = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(facts.st_mode) or facts.st_size or facts.st_nlink > 1:
        raise UsageError(f"{label(path.name)} is no lock of a run: choose another --output")


def is_replaceable(output: Path, run_id: str | None) -> bool:
    """Whether a run may write its file there: nothing is there, or what this run wrote before."""
    if not os.path.lexists(output):
        return True
    if output.is_symlink() or not output.is_file() or run_id is None:
        return False
    head = _head(output) or b""
    return head.startswith(_RUN_FILE) and f'"run_id": "{run_id}"'.encode() in head


def leftovers(output: Path) -> Iterator[Path]:
    """What a writer of the run file that was killed left beside it, by its whole name."""
    start = f".{output.name}"
    for path in output.parent.iterdir() if len(output.name) <= _LONGEST else ():
        is_own = path.name.startswith(start) and _TEMPORARY.fullmatch(path.name, len(start))
        if is_own and path.is_file() and not path.is_symlink():
            head = _head(path)
            if head == b"" or (head and head.startswith(_RUN_FILE)):
                yield path


def _head(path: Path) -> bytes | None:
    """The beginning of a file; None where it may not be read."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return None
