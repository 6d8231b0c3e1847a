"""What a file holds: its bytes, unpacked where they are compressed, and what its beginning shows.

Compressed files are unpacked a piece at a time and given up as soon as they swell beyond what
tables do: a bomb never gets to fill the memory.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePath
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError, UsageError
from acumen.files.json import LARGEST_FILE, decode_text, parse_json, read_bytes, source_name

if TYPE_CHECKING:
    from acumen.table.judgments import Source

BOM: Final = b"\xef\xbb\xbf"
GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
HEAD: Final = 64 << 10
"""Bytes of a file's beginning by which its format is told."""
FREE: Final = 64 << 20
MOST_SWELL: Final = 200
"""Up to ``FREE`` bytes a file may unpack as it likes; from there to so many times its size."""
_PIECE: Final = 1 << 20
_FEED: Final = 1 << 9
"""Bytes that are unpacked at once: so few may be megabytes."""
_SKIPPABLE: Final = b"\x2a\x4d\x18"
"""How a frame of Zstandard goes on that holds no data, after its first byte."""
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(:)?|[\[{]|[\]}]')


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
        text, keys, depth = self.start.decode("utf-8", "replace"), set(), 0
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
    data: bytes
    """Unpacked."""
    digest: Future[str] | None = None
    """The SHA-256 of the file as it lies there, counted beside the reading of it."""

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the file as it lies there."""
        return None if self.digest is None else self.digest.result()

    @property
    def name(self) -> str:
        """How messages name it."""
        return source_name(self.path)

    @cached_property
    def head(self) -> Head:
        """Its beginning; the first line is whole, however long it is."""
        start = self.data[: HEAD * 2].removeprefix(BOM).lstrip()
        end = self.data.find(b"\n", HEAD)
        if start[:1] == b"{" and b"\n" not in start[:HEAD] and end > 0:
            start = self.data[: end + HEAD].removeprefix(BOM).lstrip()
        suffixes = [s.lower() for s in PurePath(self.path).suffixes]
        own = [s for s in suffixes if s not in (".gz", ".zst")]
        return Head(start, own[-1] if own else "")

    @cached_property
    def text(self) -> str:
        """As UTF-8 text."""
        return decode_text(self.data, self.name)

    @cached_property
    def document(self) -> object:
        """As one strict JSON document."""
        return parse_json(self.data, source=self.name)

    @property
    def source(self) -> Source:
        """Where a table of it came from."""
        from acumen.table.judgments import Source  # NumPy: not for telling a format

        return Source(path=self.path, sha256=self.sha256)


def digest_of(data: bytes) -> Future[str]:
    """The SHA-256 of some bytes; of many, counted in a thread of its own."""
    digest: Future[str] = Future()
    count = Thread(target=lambda: digest.set_result(hashlib.sha256(data).hexdigest()), daemon=True)
    count.run() if len(data) < _PIECE else count.start()
    return digest


def load(path: str | Path) -> Content:
    """A file's content; ``-`` is standard input."""
    packed = read_bytes(path)
    digest = digest_of(packed)
    name = source_name(path)
    data = _unpacked(packed, name)
    if data.startswith((GZIP, ZSTD)):
        raise DataError(["is compressed twice; unpack it once"], source=name)
    return Content(str(path), data, digest)


def _unpacked(packed: bytes, name: str) -> bytes:
    if not packed.startswith((GZIP, ZSTD)):
        return packed
    out, size = [], 0
    most = min(max(FREE, MOST_SWELL * len(packed)), LARGEST_FILE)
    decoder, faults = (_gzip, zlib.error) if packed.startswith(GZIP) else _zstd()
    try:
        for piece in _pieces(packed, decoder):
            size += len(piece)
            if size > most:
                reason = f"unpacks to more than {most >> 20} MiB from {len(packed):,} bytes"
                raise DataError([f"{reason}: refused; unpack it yourself if you trust it"], name)
            out.append(piece)
    except (faults, EOFError) as error:
        raise DataError([f"cannot be unpacked: {error}"], source=name) from None
    return b"".join(out)


_gzip: Final = partial(zlib.decompressobj, wbits=31)


def _zstd() -> tuple[Callable[[], Any], type[Exception]]:
    try:
        import zstandard
    except ImportError:
        raise UsageError("reading .zst needs zstandard: pip install zstandard") from None
    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return decoder.decompressobj, zstandard.ZstdError


def _pieces(packed: bytes, decoder: Callable[[], Any]) -> Iterator[bytes]:
    """What each part of a compressed file unpacks to, a piece at a time."""
    at, magic = 0, packed[:2]
    while packed.startswith(magic, at):
        part = decoder()
        while not part.eof:
            feed = packed[at : at + _FEED]
            if not feed:
                raise EOFError("it ends in the middle (truncated?)")
            at += len(feed)
            yield part.decompress(feed)
        at -= len(part.unused_data)
    if packed[at:].strip(b"\0") and packed[at + 1 : at + 4] != _SKIPPABLE:
        raise EOFError("bytes follow its end that are not compressed")
