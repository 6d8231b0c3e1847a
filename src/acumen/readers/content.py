"""What a file holds: its bytes, unpacked where they are compressed, and what its beginning shows.

What cannot be read twice (standard input, a pipe) or lies there compressed goes to a temporary file
first, in memory while it is small. Compressed files are given up as soon as they swell beyond what
tables do: a bomb never gets to fill the disk.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from io import SEEK_CUR, SEEK_END, BufferedReader
from pathlib import Path, PurePath
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, Final
from weakref import finalize

from acumen.errors import DataError, UsageError, printable, source_name
from acumen.extras import need
from acumen.files.json import LARGEST_FILE, TOO_LARGE, decode_text, parse_json, readable
from acumen.threads import begin, finish

if TYPE_CHECKING:
    from acumen.table.judgments import Source

BOM: Final = b"\xef\xbb\xbf"
GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
HEAD: Final = 64 << 10
"""Bytes of a file's beginning by which its format is told."""
BLOCK = 32 << 20
"""Bytes of a text that are turned into columns at once."""
FREE: Final = 16 << 20
MOST_SWELL: Final = 40
"""Up to ``FREE`` bytes a file may unpack as it likes; from there to so many times its size."""
_IN_MEMORY: Final = 64 << 20
_PIECE: Final = 1 << 20
_FEED: Final = 1 << 9
"""Bytes that are unpacked at once: so few may be megabytes."""
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""How a frame of Zstandard goes on that holds no data, after its first byte."""
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"\s*(:)?|\\?\Z)|[\[{]|[\]}]', re.DOTALL)
"""A text that does not end is one to the end: else each of its quotes would be a beginning."""
_HEAD_OF_KEYS: Final = 1 << 20
"""Of a line that is longer, the keys of its beginning are looked at."""


AGGREGATES: Final = frozenset(
    {"item_mae_weighted", "item_mae_by_item", "item_mae_by_subject", "per_item"}
    | {"prediction_coverage", "total_metrics", "aggregates", "metrics", "summary"}
)
"""Keys of a run that sum its rows up; nothing is computed from them."""


@dataclass(frozen=True)
class Head:
    """The beginning of a file, as a format is recognised by."""

    start: bytes
    """The first bytes, without a byte order mark and blanks."""
    suffix: str = ""
    """The file's ending, a last hint where the content says nothing."""

    @property
    def line(self) -> bytes:
        """The first line."""
        return self.start.split(b"\n", 1)[0]

    @cached_property
    def first(self) -> Mapping[str, Any]:
        """The object that is the whole first line, as JSON Lines have them; else nothing."""
        try:
            value = json.loads(self.line) if self.start[:1] == b"{" else None
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def has_lines(self) -> bool:
        """Whether it is JSON Lines: an object fills the first line, and another begins below."""
        rest = self.start.partition(b"\n")[2].lstrip()
        return bool(self.first) and (rest[:1] == b"{" or self.suffix in (".jsonl", ".ndjson"))

    @property
    def is_delimited(self) -> bool:
        """Whether its first line is one of names with marks between."""
        return any(m in self.line for m in b",;\t|") and not {*b":\0"} & {*self.line}

    @property
    def is_json(self) -> bool:
        """Whether it begins as a JSON object or list does."""
        return self.start[:1] in (b"{", b"[")

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the document's object, or of the first in its list, as far as they show."""
        if not self.is_json:
            return frozenset()
        text, keys, depth = self.start[:_HEAD_OF_KEYS].decode("utf-8", "replace"), set(), 0
        outer = 1 if text[0] == "{" else 2
        for token in _TOKEN.finditer(text):
            if token[2] and depth == outer:
                keys.add(token[1])
            elif token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth -= 1
                if depth < outer:
                    break
        return frozenset(keys)


@dataclass(frozen=True)
class Content:
    """A file that was read once: a pipe cannot be read again."""

    path: str
    file: IO[bytes]
    """Unpacked; it can be read again from any place."""
    digest: Callable[[], str | None] = lambda: None
    """The SHA-256 of the file as it lies there."""
    length: int | None = None
    """Bytes of the file when it was opened: what another program adds meanwhile is not read."""

    @cached_property
    def sha256(self) -> str | None:
        """Its digest, where it is known."""
        return self.digest()

    @cached_property
    def size(self) -> int:
        """In bytes."""
        return self.file.seek(0, SEEK_END) if self.length is None else self.length

    @cached_property
    def start(self) -> bytes:
        """Its first bytes, as they are."""
        self.file.seek(0)
        return self.file.read(HEAD * 2)

    @cached_property
    def data(self) -> bytes:
        """All of it at once."""
        size = self.size
        self.file.seek(0)
        return self.file.read(size)

    def blocks(self, start: int = 0, size: int | None = None) -> Iterator[bytes]:
        """Whole lines from a byte on, about ``BLOCK`` bytes of them at a time, or ``size``."""
        while start < self.size:
            self.file.seek(start)
            block = self.file.read(min(size or BLOCK, self.size - start))
            if not block.endswith(b"\n"):
                block += self.file.readline(self.size - start - len(block))
            if not block:
                raise DataError(["it became shorter while it was read"], self.name)
            start += len(block)
            yield block

    @property
    def name(self) -> str:
        """How messages name it."""
        return source_name(self.path)

    @cached_property
    def head(self) -> Head:
        """Its beginning; the first line is whole, however long it is."""
        start = self.start.removeprefix(BOM).lstrip()
        if start[:1] == b"{" and b"\n" not in start[:HEAD]:
            end = self.data.find(b"\n", HEAD)
            start = self.data[: end + HEAD].removeprefix(BOM).lstrip() if end > 0 else start
        suffixes = [s.lower() for s in PurePath(self.path).suffixes]
        own = [s for s in suffixes if s not in (".gz", ".zst")]
        return Head(start, own[-1] if own else "")

    @cached_property
    def text(self) -> str:
        """As UTF-8 text."""
        hint = "; if a program on Windows wrote it: --encoding cp1252"
        return decode_text(self.data, self.name, hint)

    @cached_property
    def document(self) -> object:
        """As one strict JSON document; a run may have NaN for a mean of nothing."""
        is_run = b'"experiments"' in self.data and b"NaN" in self.data
        below = AGGREGATES if is_run else ()
        return parse_json(self.data, source=self.name, nan_below=below)

    @property
    def source(self) -> Source:
        """Where a table of it came from."""
        from acumen.table.judgments import Source  # NumPy: not for telling a format

        return Source(path=self.path, sha256=self.sha256)


def load(path: str | Path, encoding: str | None = None) -> Content:
    """A file's content; ``-`` is standard input. Text in another encoding is made UTF-8."""
    known = None if encoding is None else _known_encoding(encoding)
    name, is_input = source_name(path), str(path) == "-"
    with readable(path):
        file: IO[bytes] = sys.stdin.buffer if is_input else Path(path).open("rb")  # noqa: SIM115  (below)
        if is_input or not file.seekable() or Path(path).is_char_device():
            pieces = iter(partial(file.read, _PIECE), b"")
            pipe, file = file, _spooled(pieces, LARGEST_FILE, TOO_LARGE, name)
            is_input or pipe.close()
        length: int | None = file.seek(0, SEEK_END)
        digest = _digest(file, length or 0)
        file.seek(0)
        if (start := file.read(4)).startswith((GZIP, ZSTD)):
            file, length = _unpacked(file, start, name), None
        if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            known = "utf-16"  # as its first bytes say, whatever else is said
        if known is not None:
            file, length = _in_utf8(file, known, name), None
    content = Content(str(path), file, digest, length)
    finalize(content, file.close)
    is_packed = content.start.startswith((GZIP, ZSTD))
    if is_packed or content.size > LARGEST_FILE:
        raise DataError(["is compressed twice; unpack it once" if is_packed else TOO_LARGE], name)
    return content


def _known_encoding(encoding: str) -> str:
    """The name of an encoding of text; one of bytes, or none, is refused."""
    try:
        known = codecs.lookup(encoding)
        "".encode(known.name)  # not what makes bytes of bytes, such as zip
    except (LookupError, ValueError, TypeError):
        some = "cp1252 (Windows), latin-1, mac-roman, utf-16, gb18030, shift_jis"
        raise UsageError(f"no encoding '{printable(encoding)}'; there are {some}, …") from None
    return known.name


def _in_utf8(file: IO[bytes], encoding: str, name: str) -> IO[bytes]:
    """A file of text in UTF-8, whatever it is written in."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder(encoding)()

    def pieces() -> Iterator[bytes]:
        while piece := file.read(_PIECE):
            yield decoder.decode(piece).encode("utf-8")
        yield decoder.decode(b"", final=True).encode("utf-8")

    try:
        with file:
            return _spooled(pieces(), LARGEST_FILE, TOO_LARGE, name)
    except UnicodeError:
        message = f"is no whole text in {encoding}: is it damaged, or another encoding?"
        raise DataError([message], name) from None


def _digest(file: IO[bytes], length: int) -> Callable[[], str | None]:
    """The SHA-256 of a file; of a large one it is worked out while the file is read."""
    file.seek(0)
    is_large = isinstance(file, BufferedReader) and length >= _PIECE
    if not is_large or not hasattr(os, "pread"):
        return hashlib.file_digest(file, "sha256").hexdigest  # type: ignore[arg-type]  # readinto
    handle, digest, results = os.dup(file.fileno()), hashlib.sha256(), list[str]()

    def work() -> None:
        with os.fdopen(handle, "rb", 0):
            for start in range(0, length, _PIECE):
                digest.update(os.pread(handle, min(_PIECE, length - start), start))
            results.append(digest.hexdigest())

    def result() -> str | None:
        finish(thread)
        return results[0] if results else None

    thread = begin(work)
    return result


def _spooled(pieces: Iterable[bytes], most: int, reason: str, name: str) -> IO[bytes]:
    """Pieces in a temporary file, of so many bytes at most; in memory while it is small."""
    with ExitStack() as on_fault:
        file = on_fault.enter_context(SpooledTemporaryFile(max_size=_IN_MEMORY))
        for piece in pieces:
            file.write(piece)
            if file.tell() > most:
                raise DataError([reason], name)
        file.seek(0)
        on_fault.pop_all()
        return file


def _unpacked(packed: IO[bytes], start: bytes, name: str) -> IO[bytes]:
    size = packed.seek(0, SEEK_END)
    most = min(max(FREE, MOST_SWELL * size), LARGEST_FILE)
    reason = f"unpacks to more than {most >> 20} MiB from {size:,} bytes: refused"
    decoder, faults = (_gzip, zlib.error) if start.startswith(GZIP) else _zstd()
    try:
        with packed:
            pieces = _pieces(packed, start[:2], decoder)
            return _spooled(pieces, most, f"{reason}; unpack it yourself if you trust it", name)
    except (faults, EOFError) as error:
        raise DataError([f"cannot be unpacked: {error}"], source=name) from None


_gzip: Final = partial(zlib.decompressobj, wbits=31)


def _zstd() -> tuple[Callable[[], Any], type[Exception]]:
    need("logs", "reading .zst")
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return decoder.decompressobj, zstandard.ZstdError


def _pieces(packed: IO[bytes], magic: bytes, decoder: Callable[[], Any]) -> Iterator[bytes]:
    """What each part of a compressed file unpacks to, a piece at a time."""
    packed.seek(0)
    while (feed := packed.read(_FEED)).startswith(magic):
        part = decoder()
        while feed:
            yield part.decompress(feed)
            feed = b"" if part.eof else packed.read(_FEED)
        if not part.eof:
            raise EOFError("it ends in the middle (truncated?)")
        packed.seek(-len(part.unused_data), SEEK_CUR)
    feed += packed.read()
    if feed.strip(b"\0") and feed[1:4] != _SKIPPABLE:
        raise EOFError("bytes follow its end that are not compressed")
