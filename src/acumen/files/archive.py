"""A zip archive held in memory: its members by name, bounded, never written to disk.

Some tools compress members with Zstandard (method 93), which the standard library does not know
before Python 3.14. The standard library reads the directory; a member's bytes are taken apart here.
A member's name is only ever compared, so a name that climbs out of a folder reaches nothing.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Final

from acumen.errors import DataError, Problem, UsageError, printable
from acumen.extras import need

MOST_MEMBERS: Final = 250_000
FREE_BYTES: Final = 64 << 20
LARGEST_RATIO: Final = 250
"""All members together may be this many times as large as the archive, beyond the free bytes."""
LARGEST_WINDOW: Final = 128 << 20
"""The memory that a Zstandard stream may ask for, in bytes."""
_ZSTANDARD: Final = 93
_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")


class Archive:
    """The members of a zip archive. What they hold together is bounded by the archive's size."""

    def __init__(
        self, data: bytes, source: str, free: int | None = None, ratio: int | None = None
    ) -> None:
        self.source = source
        self._data = data
        free = FREE_BYTES if free is None else free
        ratio = LARGEST_RATIO if ratio is None else ratio
        self._limit = f"{free >> 20} MiB and {ratio} times the file's size"
        self._room = free + ratio * len(data)
        # every entry of the directory begins with this mark: counted before any is made an object
        if data.count(b"PK\x01\x02") > MOST_MEMBERS:
            raise DataError([f"holds more than {MOST_MEMBERS:,} members"], source=source)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, struct.error, NotImplementedError):
            message = "is no whole zip archive: was its writer interrupted, or the copy cut short?"
            raise DataError([message], source=source) from None
        self.names: tuple[str, ...] = tuple(self._zip.NameToInfo)

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """The bytes of a member; refuses what is damaged or larger than the bound."""
        info = self._zip.getinfo(name)
        if info.flag_bits & 1:
            raise self._error(name, "is encrypted")
        try:
            content = self._content(info)
        except (DataError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001  (zipfile and zlib fail in a dozen ways on bad bytes)
            raise self._error(name, f"is damaged ({type(error).__name__})") from None
        if len(content) > self._room:
            raise self._error(name, f"swells beyond {self._limit}: is it a zip bomb?")
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise self._error(name, "is damaged: its size or checksum is not what the archive says")
        self._room -= len(content)
        return content

    def _content(self, info: zipfile.ZipInfo) -> bytes:
        most = self._room + 1
        if info.compress_type != _ZSTANDARD:
            with self._zip.open(info) as member:
                return member.read(most)
        need("logs", "a log whose members are compressed with Zstandard")
        import zstandard

        mark, name_size, extra_size = _LOCAL_HEADER.unpack_from(self._data, info.header_offset)
        if mark != b"PK\x03\x04":
            raise self._error(info.filename, "does not stand where the archive says")
        start = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
        packed = self._data[start : start + info.compress_size]
        reader = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(packed)
        pieces: list[bytes] = []
        while most > 0 and (piece := reader.read(min(most, 1 << 20))):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)

    def _error(self, name: str, message: str) -> DataError:
        return DataError([Problem(message, field=f"member {printable(name)}")], source=self.source)
