"""The one JSON reader and the one JSON writer of the project, both strict.

Reading refuses what other readers let pass in silence: a key given twice, NaN and Infinity, numbers
that overflow, data after the document, text that is not UTF-8, half of a surrogate pair, nesting
deeper than 100. The standard library parses; only when something is wrong does a second, slower
pass (:mod:`acumen.files.json_walk`) find the line, the column and the path.

Writing is atomic: a temporary file beside the target, flushed to disk, then renamed over it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, Final, Never

from acumen.errors import DataError, Problem, UsageError, label
from acumen.errors import source_name as source_name  # read by those who read files
from acumen.files.json_walk import DEEPEST, LONE_SURROGATE, first_fault

LARGEST_FILE: Final = 2 << 30
TOO_LARGE: Final = f"is larger than {LARGEST_FILE >> 30} GiB"
LARGEST_SCAN: Final = 4 << 20
MOST_PARTS: Final = 1_000_000
"""Values of a text that may be as short as they like; more of them must be longer."""
SHORTEST: Final = {"lists and objects": ("[{", 16), "values": (",", 4)}
"""What each takes in the memory, however little it holds: by the marks they have, and how many
characters one of them has on average where there are many."""
_BRACE: Final = re.compile("[{}]")
_SMALL: Final = re.compile(rf"\{{[^{{}}]{{0,{MOST_PARTS}}}\}}")
_PIECE: Final = 1 << 20
_UNLIKE: Final = f"nesting deeper than {DEEPEST}, a number too large or half of a surrogate pair"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: str | Path) -> object:
    """The document in a file; ``-`` is standard input. Refuses with file, line and column."""
    return parse_json(read_bytes(path), source=source_name(path))


_CANNOT_READ: Final[Mapping[type[OSError], str]] = {
    FileNotFoundError: "there is no such file",
    IsADirectoryError: "is a folder, not a file",
    PermissionError: "may not be read (permission denied)",
}


@contextlib.contextmanager
def readable(path: str | Path) -> Iterator[None]:
    """One clear line where a file cannot be read."""
    try:
        yield
    except OSError as error:
        reason = _CANNOT_READ.get(type(error), f"cannot be read: {error.strerror}")
        raise DataError([reason], source=str(path)) from error


def read_bytes(path: str | Path, most: int | None = None, reason: str = TOO_LARGE) -> bytes:
    """A file's bytes, ``most`` of them; with one clear line when it cannot be read or has more."""
    most = LARGEST_FILE if most is None else most
    with readable(path):
        is_input = str(path) == "-"
        with (
            contextlib.nullcontext(sys.stdin.buffer) if is_input else Path(path).open("rb") as file
        ):
            data = file.read(most + 1)
    if len(data) > most:
        raise DataError([reason], source=source_name(path))
    return data


def decode_text(data: bytes, source: str, hint: str = "") -> str:
    """UTF-8 text without its byte order mark; anything else refused by what it looks like."""
    if data.startswith(b"\x1f\x8b"):
        raise DataError(["is gzip-compressed; decompress it first"], source=source)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(["is not UTF-8 (it looks like UTF-16)"], source=source)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 text (byte {error.start}, 0x{data[error.start]:02x}){hint}"
        raise DataError([Problem(message, line=line)], source=source) from None


def parse_json(
    data: bytes | str, source: str = "JSON", *, nan_below: Collection[str] = ()
) -> object:
    """The document in ``data``; refuses with line, column and path.

    ``nan_below`` are the keys below which a bare ``NaN`` is admitted: some tools write it.

    >>> parse_json('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    acumen.errors.DataError: JSON: line 1, column 10, a: duplicate key 'a'
    """
    text = decode_text(data, source) if isinstance(data, bytes) else data
    if not text.strip():
        raise DataError(["is empty"], source=source)
    _refuse_hollow(text, source)
    try:
        document = json.loads(
            text,
            object_pairs_hook=unique_keys,
            parse_constant=lambda c: math.nan if nan_below and c == "NaN" else no_constant(c),
        )
    except (RecursionError, ValueError) as error:
        raise DataError([_located(text, error, nan_below)], source=source) from None
    if not _is_sound(document, text, nan_below):
        raise DataError([_located(text, None, nan_below)], source=source)
    return document


def _refuse_hollow(text: str, source: str) -> None:
    """Refuse what is mostly brackets and commas: it takes the memory thirty times its length."""
    for what, (marks, shortest) in SHORTEST.items():
        count = sum(map(text.count, marks)) if len(text) > MOST_PARTS else 0
        if count > MOST_PARTS and count * shortest > len(text):
            message = (
                f"holds {count:,} {what} in {len(text):,} characters: they hold next to nothing"
            )
            raise DataError([message], source=source)
    if text.count(":") > MOST_PARTS and _most_keys(_between_strings(text)) > MOST_PARTS:
        raise DataError([f"has an object of more than {MOST_PARTS:,} keys"], source=source)


def _between_strings(text: str) -> str:
    """What no string holds: there a colon is a key's and a brace an object's."""
    parts, start, inside = [], 0, False
    while start < len(text):
        end = start + _PIECE
        while text[end - 1 : end] == "\\":  # what it escapes belongs to it
            end += 1
        pieces = text[start:end].replace("\\\\", "").replace('\\"', "").split('"')
        parts.append("".join(pieces[inside::2]))
        start, inside = end, inside ^ (len(pieces) % 2 == 0)
    return "".join(parts)


def _most_keys(text: str) -> int:
    """How many keys the object has that has most of them, by what is between the strings.

    Rows are too short to have so many, and are not looked at one by one.
    """
    for _ in range(2):
        text = _SMALL.sub("", text)
    most, at, open_objects = 0, 0, [0]
    for brace in _BRACE.finditer(text):
        open_objects[-1] += text.count(":", at, brace.start())
        at = brace.start()
        if brace[0] == "{":
            open_objects.append(0)
        elif len(open_objects) > 1:
            most = max(most, open_objects.pop())
    return max(most, *open_objects)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A hook of the parser's: an object that has each key once; the scan says where it is not."""
    if len(record := dict(pairs)) != len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"duplicate key {label(twice)}")
    return record


def no_constant(name: str) -> Never:
    """A hook of the parser's: NaN and Infinity are no numbers."""
    raise ValueError(f"{name} is not JSON: a number must be finite")


def _is_sound(document: object, text: str, nan_below: Collection[str]) -> bool:
    """Finite numbers and depth, one generation of containers at a time; then surrogates."""
    largest = sys.float_info.max
    level: list[Any] = [[document]]
    free: set[int] = set()  # containers that may hold NaN; all are alive, so an id is one of them
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for node in level:
            is_free = id(node) in free
            for key, child in node.items() if type(node) is dict else enumerate(node):
                kind = type(child)
                if kind is dict or kind is list:
                    below.append(child)
                    if nan_below and (is_free or key in nan_below):
                        free.add(id(child))
                elif (kind is float or kind is int) and not -largest <= child <= largest:
                    # only a float is asked: a whole number may be too large to be one
                    is_nan = kind is float and math.isnan(child)
                    if not (is_nan and (is_free or key in nan_below)):
                        return False
        if not below:
            return "\\u" not in text or not _has_lone_surrogate(document, text)
        level = below
    return False


def _has_lone_surrogate(document: object, text: str) -> bool:
    if not _SURROGATE_ESCAPE.search(text):
        return False
    pieces = json.JSONEncoder(ensure_ascii=False).iterencode(document)
    return any(map(LONE_SURROGATE.search, pieces))


def _located(text: str, error: Exception | None, nan_below: Collection[str]) -> Problem:
    fault = first_fault(text, nan_below) if len(text) <= LARGEST_SCAN else None
    if fault is not None:
        line_start = text.rfind("\n", 0, fault.offset) + 1
        line, column = text.count("\n", 0, line_start) + 1, fault.offset - line_start + 1
        return Problem(fault.message, line=line, column=column, field=fault.where or None)
    if isinstance(error, json.JSONDecodeError):
        return Problem(error.msg, line=error.lineno, column=error.colno)
    if isinstance(error, RecursionError):
        return Problem(f"nesting deeper than {DEEPEST}")
    if "int_max_str_digits" in str(error):  # what Python says to those who program
        return Problem("holds a number of too many digits")
    return Problem(str(error) if error else _UNLIKE)


def to_json(document: object, *, indent: int | None = 1, compact: bool = False) -> str:
    """Strict JSON text: never NaN or Infinity, a newline at the end; ``compact`` has no blanks."""
    return _encoder(None if compact else indent, compact).encode(document) + "\n"


@cache
def _encoder(indent: int | None, compact: bool) -> json.JSONEncoder:
    """One encoder a layout: ``json.dumps`` makes one a call, a fifth of the time of a short row."""
    marks = (",", ":") if compact else None
    return json.JSONEncoder(allow_nan=False, ensure_ascii=False, indent=indent, separators=marks)


def created_at() -> str:
    """Now, as documents carry it in UTC; ``SOURCE_DATE_EPOCH`` fixes it, so that builds repeat."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError("SOURCE_DATE_EPOCH must be a whole number of seconds") from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def write_json(path: str | Path, document: object, *, private: bool = False) -> None:
    """Write a document atomically; on any failure the target is as it was."""
    write_bytes(path, to_json(document).encode("utf-8"), private=private)


def write_bytes(path: str | Path, data: bytes | Iterable[bytes], *, private: bool = False) -> None:
    """Write a file, whole or in pieces, atomically: temporary file beside it, fsync, rename.

    ``private`` makes it readable by its owner alone.
    """
    write_files({path: data}, private=private)


def write_files(
    files: Mapping[str | Path, bytes | Iterable[bytes]], *, private: bool = False
) -> None:
    """Write several files, all or none: every one lies ready beside its target before any moves."""
    at: str | Path = ""
    try:
        with contextlib.ExitStack() as ready:
            moves: list[tuple[Path, Path]] = []
            for at, data in files.items():
                path, pieces = Path(at), [data] if isinstance(data, bytes) else data
                if path.is_char_device() or path.is_fifo():
                    path.write_bytes(b"".join(pieces))
                    continue
                if path.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
                temporary, file = ready.enter_context(_temporary_beside(path, private=private))
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
                file.close()  # Windows moves no open file
                moves.append((temporary, path))
            for temporary, at in moves:
                temporary.replace(at)
        for folder in {path.parent for _, path in moves}:
            with contextlib.suppress(OSError):  # the files are whole: some disks sync no folder
                sync_folder(folder)
    except OSError as error:
        raise DataError([f"cannot be written: {error.strerror}"], source=str(at)) from error


@contextlib.contextmanager
def _temporary_beside(path: Path, *, private: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """An open file in the target's folder, gone afterwards unless it was renamed."""
    temporary = path.with_name(f".{path.name[:100]}.{token_hex(8)}.tmp")
    system = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | system
    handle = os.open(temporary, flags, 0o600 if private else 0o666)  # less what the system takes
    try:
        with os.fdopen(handle, "wb") as file:
            yield temporary, file
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have a folder's entries on the disk: a file that was made or renamed stays so."""
    if os.name == "nt":  # Windows opens no folder
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
