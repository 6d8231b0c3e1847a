"""What the pages of a Parquet file say of themselves: how many values, and how long unpacked.

The end of such a file says it too, and whoever writes a bomb can write anything there. A page is
unpacked into as much memory as its own header says, so it is the headers that bind. They are
structs of Thrift's compact protocol (Apache Parquet, parquet.thrift: ``PageHeader``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Final, NamedTuple

_HEAD: Final = 1 << 14
"""Bytes that are read for a header; those of long statistics are read again, whole."""
_LONGEST: Final = 1 << 20
_DEEPEST: Final = 10
_VALUES_IN: Final = (5, 7, 8)
"""Fields of a header that are the header of a page of data, of a dictionary, of data again."""


class Page(NamedTuple):
    """A page as its header has it."""

    values: int
    unpacked: int
    end: int
    """Where the next begins."""


def pages(file: IO[bytes], start: int, end: int) -> Iterator[Page]:
    """The pages between two places of a file; ``ValueError`` where there are none."""
    while start < end:
        file.seek(start)
        try:
            page = _page(file.read(min(_HEAD, end - start)), start)
        except IndexError:
            file.seek(start)
            page = _page(file.read(min(_LONGEST, end - start)), start)
        yield page
        start = page.end


def _page(data: bytes, start: int) -> Page:
    reader = _Compact(data)
    header = reader.struct()
    unpacked, packed = header.get(2), header.get(3)
    if not (isinstance(unpacked, int) and isinstance(packed, int) and min(unpacked, packed) >= 0):
        raise ValueError("a page without its length")
    inner = [header[field] for field in _VALUES_IN if isinstance(header.get(field), dict)]
    values = [number for page in inner if isinstance(number := page.get(1), int)]
    return Page(max(values, default=0), unpacked, start + reader.at + packed)


@dataclass(slots=True)
class _Compact:
    """A place in bytes of Thrift's compact protocol."""

    data: bytes
    at: int = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Its fields by their numbers; texts and lists are ignored."""
        fields: dict[int, Any] = {}
        number = 0
        while kind := self._byte():
            delta, kind = kind >> 4, kind & 15
            number = number + delta if delta else self._number()
            fields[number] = self._value(kind, depth)
        return fields

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _length(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value, shift = value | (byte & 127) << shift, shift + 7
            if shift > 63:
                raise ValueError("a number that is too long")
        return value | byte << shift

    def _number(self) -> int:
        value = self._length()
        return value >> 1 ^ -(value & 1)

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("nested too deep")
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._number()
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (7, 8):
            length = 8 if kind == 7 else self._length()  # which moves on itself
            self.at += length
            return None
        if kind not in (9, 10):
            raise ValueError("no page header")
        size = self._byte()
        length, inner = size >> 4, size & 15
        for _ in range(self._length() if length == 15 else length):
            if inner in (1, 2):
                self.at += 1
            else:
                self._value(inner, depth + 1)
        return None
