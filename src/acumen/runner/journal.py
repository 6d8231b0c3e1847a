"""The journal: every finished question on disk before anyone hears of it.

Beside the output stands ``OUTPUT.journal``: a first line that says what the run is, then one line
a finished (case, mode, sample). Lines are appended and fsynced by one thread, all that wait in one
go, so the event loop never blocks on the disk and a thousand answers cost a few dozen syncs.

A process killed at any moment leaves at worst a torn last line, which the next one cuts off. The
kernel holds the lock (``flock``) and drops it with the process, so nothing stale is left behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import parse_json, sync_folder, to_json

VERSION: Final = 1
Key = tuple[int | str, str, int]
_STOP: Final = None


@dataclass(slots=True)
class Journal:
    """An open, locked journal. Make one with :func:`open_journal`; close it when done."""

    path: Path
    header: dict[str, Any]
    records: dict[Key, dict[str, Any]]
    repaired: bool
    _handle: int
    _queue: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = field(
        default_factory=queue.SimpleQueue
    )
    _thread: threading.Thread | None = None
    _failure: OSError | None = None
    syncs: int = 0

    async def append(self, record: dict[str, Any]) -> None:
        """Write one finished question; returns when it is on disk and not before."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="journal", daemon=True)
            self._thread.start()
        done = asyncio.get_running_loop().create_future()
        self._queue.put((_line(record), done))
        await done
        self.records[key_of(record)] = _without_text(record)

    def _write(self) -> None:
        while (first := self._queue.get()) is not _STOP:
            waiting = [first]
            stop = False
            while not self._queue.empty():
                entry = self._queue.get()
                if entry is _STOP:
                    stop = True
                    break
                waiting.append(entry)
            error = self._commit(b"".join(line for line, _ in waiting))
            for _, done in waiting:
                _settle(done, error, self.path.name)
            if stop:
                return

    def _commit(self, data: bytes) -> OSError | None:
        # after a failure nothing more: half a line may stand there, and only a last one is mended
        if self._failure is None:
            try:
                _write_all(self._handle, data)
                os.fsync(self._handle)
                self.syncs += 1
            except OSError as error:
                self._failure = error
        return self._failure

    def close(self) -> None:
        """Finish what waits, drop the lock."""
        if self._thread is not None:
            self._queue.put(_STOP)
            self._thread.join()
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
            first, records, good = _taken_up(output, data, header, resume=resume)
        except UsageError:
            if not data:  # made just now, for nothing
                path.unlink()
            raise
        if good < len(data):
            os.ftruncate(handle, good)
            os.fsync(handle)
        if first is None:
            _write_all(handle, _line(header))
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
        _taken_up(output, b"", header, resume=resume)
        return
    handle = _open(path)
    try:
        _lock(handle, path, fcntl.LOCK_SH)
        _taken_up(output, _read_all(handle), header, resume=resume)
    finally:
        os.close(handle)


def _taken_up(
    output: Path, data: bytes, header: Mapping[str, Any], *, resume: bool
) -> tuple[dict[str, Any] | None, dict[Key, dict[str, Any]], int]:
    """First line, records and length of what is continued; None and nothing for a new run.

    Refuses to write over an old run, or to continue one as something else.
    """
    name = journal_of(output).name
    lines, good = _read_lines(data, name)
    if resume and lines:
        _refuse_changes(lines[0], header, name)
        return lines[0], _records(lines[1:], name), good
    if len(lines) > 1:
        changed = "; ".join(str(change) for change in _changes(lines[0], header, name))
        if changed:
            raise UsageError(
                f"{label(name)} holds another run ({changed}): choose another --output"
            )
        raise UsageError(
            f"{label(name)} holds a run that was started before: "
            "add --resume to continue it, or choose another --output"
        )
    if output.exists():
        raise UsageError(f"{label(output.name)} is there already: choose another --output")
    return None, {}, 0  # what was begun and never answered begins again


def journal_of(output: Path) -> Path:
    """Where the journal of a run file stands: beside it."""
    return output.with_name(output.name + ".journal")


def _records(lines: Sequence[dict[str, Any]], source: str) -> dict[Key, dict[str, Any]]:
    """The lines after the first, by what they answer."""
    records: dict[Key, dict[str, Any]] = {}
    for number, record in enumerate(lines, start=2):
        key = _checked_key(record, number, source)
        if key in records and is_final(records[key]):
            raise DataError([Problem("a question is recorded twice", line=number)], source)
        records[key] = _without_text(record)
    return records


def is_final(record: Mapping[str, Any]) -> bool:
    """Whether a record settles its question. No answer came to a transport failure: ask again."""
    return record.get("outcome") != "transport_failure"


def key_of(record: Mapping[str, Any]) -> Key:
    """(case, mode, sample) of a record."""
    return record["case"], record["mode"], record["sample"]


def _without_text(record: dict[str, Any]) -> dict[str, Any]:
    """A record as it is kept in memory: the raw reply stays on disk."""
    return {name: value for name, value in record.items() if name != "reply"}


def _line(record: Mapping[str, Any]) -> bytes:
    return to_json(record, indent=None).encode("utf-8")


def _open(path: Path, create: int = 0) -> int:
    try:
        return os.open(path, os.O_RDWR | create | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unopened(path, error.strerror) from None


def _unopened(path: Path, why: str | None) -> DataError:
    return DataError([f"cannot be opened: {why}"], source=path.name)


def _refuse_folder(path: Path) -> None:
    """Refuse a folder in which no journal can be made."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        why = errno.EACCES if path.parent.exists() else errno.ENOENT
        raise _unopened(path, os.strerror(why))
    if not path.parent.is_dir():
        raise _unopened(path, os.strerror(errno.ENOTDIR))


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
    """The records, and the length of the sound part. Only the tail may be torn.

    Lines end with ``\\n`` alone: ``splitlines`` would cut a text at U+2028.
    """
    found: list[dict[str, Any]] = []
    at, number = 0, 0
    while at < len(data):
        number += 1
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        record = _record(line) if end >= 0 else None
        if record is None:
            if end >= 0 and _any_record(data[end + 1 :]):
                raise DataError([Problem("is damaged, and records follow it", line=number)], source)
            return found, at
        found.append(record)
        at = end + 1
    return found, at


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = parse_json(line)
    except DataError:
        return None
    return record if isinstance(record, dict) else None


def _any_record(data: bytes) -> bool:
    return any(_record(line) is not None for line in data.split(b"\n"))


def _checked_key(record: dict[str, Any], number: int, source: str) -> Key:
    match record:
        case {"case": int() | str(), "mode": str(), "sample": int(), "outcome": str()}:
            return key_of(record)
    raise DataError([Problem("is not a record of a run", line=number)], source)


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], source: str) -> list[Problem]:
    """What a run names otherwise than the one in the journal."""
    if old.get("journal") != VERSION or not isinstance(old.get("plan"), dict):
        raise DataError(["is not a journal this version can continue"], source=source)
    before, now = old["plan"], new["plan"]
    return [
        Problem(f"was {_shown(before.get(name))}, is now {_shown(now.get(name))}", field=name)
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]


def _refuse_changes(old: Mapping[str, Any], new: Mapping[str, Any], source: str) -> None:
    problems = _changes(old, new, source)
    if problems:
        names = ", ".join(p.field or "" for p in problems)
        problems.append(Problem(f"a run is continued as it was begun; changed: {names}"))
        raise DataError(problems, source=source)


def _shown(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else label(text)


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _settle(done: asyncio.Future[None], error: OSError | None, name: str) -> None:
    def tell() -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(DataError([f"cannot be written: {error.strerror}"], name))

    with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
        done.get_loop().call_soon_threadsafe(tell)
