"""The journal: every finished question on disk before anyone hears of it.

Beside the output stands ``OUTPUT.journal``: a first line that says what the run is, then one line a
finished (case, mode, sample). Lines are appended and fsynced in a thread, all that wait in one go,
so the event loop never blocks on the disk and a thousand answers cost a few dozen syncs.

A process killed at any moment leaves at worst a torn last line, which the next one cuts off. The
kernel holds the lock (``flock``) and drops it with the process, so nothing stale is left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import parse_json, sync_folder, to_json
from acumen.runner.record import Key, Record, as_line, read_record

VERSION: Final = 1


@dataclass(slots=True)
class Journal:
    """An open, locked journal. Make one with :func:`open_journal`; close it when done."""

    path: Path
    header: dict[str, Any]
    records: dict[Key, Record]
    repaired: bool
    _handle: int
    syncs: int = 0
    _lines: list[bytes] = field(default_factory=list)
    """Those that wait for the disk."""
    _appended: int = 0
    _synced: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _disk: threading.Lock = field(default_factory=threading.Lock)
    _failure: str | None = None

    async def append(self, record: Record) -> None:
        """Write one finished question; returns when it is on disk and not before."""
        self._lines.append(as_line(record))
        self._appended += 1
        number = self._appended
        async with self._turn:
            if self._synced < number:  # else the one before wrote this line with its own
                await asyncio.to_thread(self._commit)
        self.records[record.key] = replace(record, reply=None)

    def _commit(self) -> None:
        with self._disk:  # the thread of one that was cancelled may still write
            lines = self._lines.copy()  # the loop may append meanwhile
            # after a failure nothing more: half a line may stand there, and only a last is mended
            if lines and self._failure is None:
                try:
                    _write_all(self._handle, b"".join(lines))
                    os.fsync(self._handle)
                except OSError as error:
                    self._failure = error.strerror or str(error)
                else:
                    self.syncs += 1
                    self._synced += len(lines)
                    del self._lines[: len(lines)]
            if self._failure is not None:
                raise DataError([f"cannot be written: {self._failure}"], self.path.name)

    def close(self) -> None:
        """Finish what waits, drop the lock."""
        with contextlib.suppress(DataError):  # nobody waits for it any more
            self._commit()
        os.close(self._handle)


def open_journal(output: Path, header: Mapping[str, Any], *, resume: bool) -> Journal:
    """Lock the journal beside ``output``; start it, or check it and take up its records.

    ``header["plan"]`` names what must not change between a run and its resumption.
    """
    path = journal_of(output)
    handle = _open(path, os.O_CREAT)
    try:
        _lock(handle, path, fcntl.LOCK_EX)
        os.fchmod(handle, 0o600)
        data = _read_all(handle)
        try:
            first, records, good = _continuation(output, data, header, resume=resume)
        except UsageError:
            if not data:  # made just now, for nothing
                path.unlink()
            raise
        if good < len(data):
            os.ftruncate(handle, good)
            os.fsync(handle)
        if first is None:
            _write_all(handle, to_json(header, indent=None).encode("utf-8"))
            os.fsync(handle)
            sync_folder(path.parent)
        return Journal(path, first or dict(header), records, resume and good < len(data), handle)
    except BaseException:
        os.close(handle)
        raise


def check_journal(output: Path, header: Mapping[str, Any], *, resume: bool) -> None:
    """Refuse whatever :func:`open_journal` would refuse, and leave the disk as it is."""
    path = journal_of(output)
    if not os.path.lexists(path):
        _refuse_folder(path)
        _continuation(output, b"", header, resume=resume)
        return
    handle = _open(path)
    try:
        _lock(handle, path, fcntl.LOCK_SH)
        _continuation(output, _read_all(handle), header, resume=resume)
    finally:
        os.close(handle)


def _continuation(
    output: Path, data: bytes, header: Mapping[str, Any], *, resume: bool
) -> tuple[dict[str, Any] | None, dict[Key, Record], int]:
    """First line, records and length of what is continued; None and nothing for a new run.

    Refuses to write over an old run, or to continue one as something else.
    """
    name = journal_of(output).name
    lines, good = _read_lines(data, name)
    if lines and (resume or len(lines) > 1):
        changes = _changes(lines[0], header, name)
        if resume and not changes:
            return lines[0], _records(lines[1:], name), good
        if resume:
            names = ", ".join(change.field or "" for change in changes)
            changes.append(Problem(f"a run is continued as it was begun; changed: {names}"))
            raise DataError(changes, source=name)
        run, advice = "a run that was started before", "add --resume to continue it, or choose"
        if changes:
            run, advice = f"another run ({'; '.join(map(str, changes))})", "choose"
        raise UsageError(f"{label(name)} holds {run}: {advice} another --output")
    if output.exists():
        raise UsageError(f"{label(output.name)} is there already: choose another --output")
    return None, {}, 0  # what was begun and never answered begins again


def journal_of(output: Path) -> Path:
    """Where the journal of a run file stands: beside it."""
    return output.with_name(output.name + ".journal")


def _records(lines: Sequence[dict[str, Any]], source: str) -> dict[Key, Record]:
    """The lines after the first, by what they answer; the raw replies stay on disk."""
    records: dict[Key, Record] = {}
    for number, line in enumerate(lines, start=2):
        record = read_record(line)
        if record is None:
            raise DataError([Problem("is not a record of a run", line=number)], source)
        if record.key in records and records[record.key].is_final:
            raise DataError([Problem("a question is recorded twice", line=number)], source)
        records[record.key] = replace(record, reply=None)
    return records


def _open(path: Path, create: int = 0) -> int:
    try:
        return os.open(path, os.O_RDWR | create | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _cannot_open(path, error.strerror) from None


def _cannot_open(path: Path, why: str | None) -> DataError:
    return DataError([f"cannot be opened: {why}"], source=path.name)


def _refuse_folder(path: Path) -> None:
    """Refuse a folder in which no journal can be made."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        why = errno.EACCES if path.parent.exists() else errno.ENOENT
        raise _cannot_open(path, os.strerror(why))
    if not path.parent.is_dir():
        raise _cannot_open(path, os.strerror(errno.ENOTDIR))


def _lock(handle: int, path: Path, kind: int) -> None:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"another run is writing {label(path.name)}: wait for it to end") from None


def _read_all(handle: int) -> bytes:
    with os.fdopen(os.dup(handle), "rb") as file:
        file.seek(0)
        return file.read()


def _read_lines(data: bytes, source: str) -> tuple[list[dict[str, Any]], int]:
    """The lines, and the length of the sound part. Only the tail may be torn.

    Lines end with ``\\n`` alone: ``splitlines`` would cut a text at U+2028.
    """
    lines: list[dict[str, Any]] = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        line = _object(data[at:end]) if end >= 0 else None
        if line is None:
            if end >= 0 and any(map(_object, data[end + 1 :].split(b"\n"))):
                problem = Problem("is damaged, and records follow it", line=len(lines) + 1)
                raise DataError([problem], source)
            break
        lines.append(line)
        at = end + 1
    return lines, at


def _object(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line; None for anything else."""
    try:
        document = parse_json(line)
    except DataError:
        return None
    return document if isinstance(document, dict) else None


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], source: str) -> list[Problem]:
    """What a run names otherwise than the one in the journal."""
    if old.get("journal") != VERSION or not isinstance(old.get("plan"), dict):
        raise DataError(["is not a journal this version can continue"], source=source)
    before, now = old["plan"], new["plan"]
    return [
        Problem(f"was {_short(before.get(name))}, is now {_short(now.get(name))}", field=name)
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]


def _short(value: object) -> str:
    """A value for a message; of a hash the first letters."""
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else label(text)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
