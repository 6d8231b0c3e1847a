"""The journal: every finished question on disk before anyone hears of it.

Beside the output stands ``OUTPUT.journal``: a first line that says what the run is, then one line a
finished (case, mode, sample). Lines are appended and fsynced in a thread, all that wait in one go,
so the event loop never blocks on the disk and a thousand answers cost a few dozen syncs.

Every line ends with a seal, a checksum of the rest of it: a line that a disk or a hand changed is
named and never read. A process killed at any moment leaves at worst a torn last line, which the
next one cuts off.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import parse_json, sync_folder, to_json
from acumen.runner.lock import locked
from acumen.runner.ownership import is_replaceable, is_torn, refuse_odd
from acumen.runner.record import Key, Record, as_line, read_record

VERSION: Final = 2
_SEAL: Final = re.compile(rb', "seal": "([0-9a-f]{8})"\}\n?')
_HOLE: Final = b"\0\0"
_SEAL_LENGTH: Final = len(b', "seal": "01234567"}\n')


_FREE: Final = frozenset({"max_tokens", "newer_token_field"})
"""What a run may be continued with otherwise; journals of before name it."""

Fault = Callable[[Record], str | None]
"""Why a record cannot be one of a run; None when it can."""


@dataclass(slots=True)
class Journal:
    """An open, locked journal. Make one with :func:`open_journal`; close it when done."""

    path: Path
    header: dict[str, Any]
    records: dict[Key, Record]
    repaired: bool
    _handle: int
    _hold: contextlib.ExitStack
    """The open file and its lock."""
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
        self._lines.append(sealed(as_line(record)))
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
        self._hold.close()


def open_journal(
    output: Path, header: Mapping[str, Any], fault: Fault = lambda _: None, *, resume: bool
) -> Journal:
    """Lock the journal beside ``output``; start it, or check it and take up its records.

    ``header["plan"]`` names what must not change between a run and its resumption; ``fault`` says
    why a record cannot be one of this run, or None.
    """
    path = journal_of(output)
    with contextlib.ExitStack() as hold:
        is_new = not os.path.lexists(path)
        handle = hold.enter_context(_opened(path, os.O_CREAT, alone=True))
        size = os.fstat(handle).st_size
        try:
            old = _continuation(output, handle, header, fault, resume=resume)
        except UsageError:
            if is_new and not size:  # made just now, for nothing
                with contextlib.suppress(PermissionError):  # Windows keeps what is open
                    path.unlink()
            raise
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o600)
        if old.length < size:
            os.ftruncate(handle, old.length)
            os.fsync(handle)
        if old.header is None:
            _write_all(handle, sealed(to_json(header, indent=None).encode("utf-8")))
            os.fsync(handle)
            sync_folder(path.parent)
        is_repaired = resume and old.length < size
        journal_header = old.header or dict(header)
        return Journal(path, journal_header, old.records, is_repaired, handle, hold.pop_all())


def check_journal(
    output: Path, header: Mapping[str, Any], fault: Fault = lambda _: None, *, resume: bool
) -> dict[Key, Record]:
    """Refuse whatever :func:`open_journal` would refuse; its records. The disk stays as it is."""
    path = journal_of(output)
    if not os.path.lexists(path):
        _refuse_folder(path)
        return _continuation(output, None, header, fault, resume=resume).records
    with _opened(path, 0, alone=False) as handle:
        return _continuation(output, handle, header, fault, resume=resume).records


@dataclass(slots=True)
class _Contents:
    """What a journal holds: its first line, its records, and the length of the sound part."""

    header: dict[str, Any] | None = None
    records: dict[Key, Record] = field(default_factory=dict)
    length: int = 0


def _continuation(
    output: Path, handle: int | None, header: Mapping[str, Any], fault: Fault, *, resume: bool
) -> _Contents:
    """What is continued; nothing for a new run.

    Refuses to write over an old run, or to continue one as something else.
    """
    name = journal_of(output).name
    old = _Contents()
    changes: list[Problem] = []
    if handle is not None:
        with os.fdopen(os.dup(handle), "rb") as file:
            file.seek(0)
            first = _object(_unsealed(file.readline()) or b"")
            if first is not None:
                changes = _changes(first, header, name)
            old = _read(file, first, name, (lambda _: None) if changes else fault)
    if old.header is not None and (resume or old.records):
        if resume and not changes:
            if not is_replaceable(output, old.header.get("run_id")):
                message = "is there and is not what this run wrote: move it, and resume then"
                raise UsageError(f"{label(output.name)} {message}")
            return old
        if resume:
            names = ", ".join(change.field or "" for change in changes)
            changes.append(Problem(f"a run is continued as it was begun; changed: {names}"))
            raise DataError(changes, source=name)
        run, advice = "a run that was started before", "add --resume to continue it, or choose"
        if changes:
            run, advice = f"another run ({'; '.join(map(str, changes))})", "choose"
        raise UsageError(f"{label(name)} holds {run}: {advice} another --output")
    if os.path.lexists(output):
        raise UsageError(f"{label(output.name)} is there already: choose another --output")
    return _Contents()  # what was begun and never answered begins again


def journal_of(output: Path) -> Path:
    """Where the journal of a run file stands: beside it."""
    if not output.name or output.is_dir():
        raise UsageError("--output must name a file, not a folder")
    return output.with_name(output.name + ".journal")


def sealed(line: bytes) -> bytes:
    """A line of JSON with its checksum as the last key.

    >>> sealed(b'{"case": 7}\\n')
    b'{"case": 7, "seal": "e01b5d39"}\\n'
    """
    body = line[: line.rindex(b"}")]
    return b'%b, "seal": "%08x"}\n' % (body, zlib.crc32(body))


def _unsealed(line: bytes) -> bytes | None:
    """The line without its seal; None where the seal is missing or not its own."""
    match = _SEAL.fullmatch(line, max(0, len(line) - _SEAL_LENGTH))
    body = line[: match.start()] if match else b""
    return body + b"}" if match and int(match[1], 16) == zlib.crc32(body) else None


@contextlib.contextmanager
def _opened(path: Path, create: int, *, alone: bool) -> Iterator[int]:
    """The journal's file, open and locked."""
    # Windows knows no such links, and ends lines in its own way
    system = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    try:
        handle = os.open(path, os.O_RDWR | create | os.O_APPEND | system, 0o600)
    except OSError as error:
        raise _cannot_open(path, error.strerror) from None
    try:
        refuse_odd(path, os.fstat(handle))
        with locked(path, alone=alone):
            yield handle
    finally:
        os.close(handle)


def _cannot_open(path: Path, why: str | None) -> DataError:
    return DataError([f"cannot be opened: {why}"], source=path.name)


def _refuse_folder(path: Path) -> None:
    """Refuse a folder in which no journal can be made."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        why = errno.EACCES if path.parent.exists() else errno.ENOENT
        raise _cannot_open(path, os.strerror(why))
    if not path.parent.is_dir():
        raise _cannot_open(path, os.strerror(errno.ENOTDIR))


def _read(file: BinaryIO, header: dict[str, Any] | None, source: str, fault: Fault) -> _Contents:
    """The lines after the first, one at a time. Only the tail may be torn, and is left out.

    Lines end with ``\\n`` alone: ``splitlines`` would cut a text at U+2028.
    """
    contents, torn = _Contents(header, length=file.tell() if header else 0), int(header is None)
    if header is None:
        file.seek(0)
        if (first := file.readline()) and (
            first.endswith(b"\n") or not is_torn(first, is_first=True)
        ):
            advice = "it is not a journal this version can continue"
            raise DataError([Problem(f"is damaged: {advice}", line=1)], source)
    for number, line in enumerate(file, start=2):
        body = _unsealed(line)
        if body is None:
            torn = torn or number
        # a kill leaves half a line, a lost page a hole: anything else was changed
        is_whole = body is not None or (line.endswith(b"\n") and _HOLE not in line)
        if torn and (is_whole or not is_torn(line, is_first=False)):
            advice = "without that line its question is asked again"
            raise DataError([Problem(f"is damaged: {advice}", line=torn)], source)
        if body is not None:
            _take(contents.records, body, Problem("", line=number), fault, source)
            contents.length += len(line)
    return contents


def _take(
    records: dict[Key, Record], line: bytes, where: Problem, fault: Fault, source: str
) -> None:
    """One more record."""
    record = read_record(line)
    if record is None:
        raise DataError([replace(where, message="is not a record of a run")], source)
    message, key = fault(record), record.key
    if key in records and records[key].is_final:
        message = "a question is recorded twice"
    if message is not None:
        raise DataError([replace(where, message=message)], source)
    records[key] = record


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
    keep = {"temperature": f"; --temperature {_short(before.get('temperature'))} keeps it"}
    return [
        Problem(
            f"was {_short(before.get(name))}, is now {_short(now.get(name))}{keep.get(name, '')}",
            field=name,
        )
        for name in sorted({*before, *now} - _FREE)
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
