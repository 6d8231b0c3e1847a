"""HTTP/2's GOAWAY, read as it is meant: what the server still answers is waited for.

A server that restarts or moves its load sends GOAWAY with the number of the last stream that it
serves, and goes on to answer those. The HTTP library takes the frame for the end of all streams, so
that answers which are on their way would be asked, and paid for, again. Here the frame is taken out
of what comes in, and each stream that the server will not look at gets what says so of one stream:
RST_STREAM with REFUSED_STREAM. New questions take another connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, Final

_HEAD: Final = 9
_HEADERS, _RESET, _GOAWAY = 1, 3, 7
_REFUSED: Final = 7
_NUMBER: Final = 0x7FFF_FFFF
"""What of four bytes is a stream's number; the bit before it is reserved."""
_LARGEST: Final = 1 << 14
"""Bytes that a frame may have, as long as nobody agreed on more."""
_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def watch(client: Any, leave: Callable[[], None]) -> None:
    """Have ``leave`` called when a server says that a connection of this client takes no more."""
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        if hasattr(pool, "_network_backend"):  # another library than ours loses this, and no more
            pool._network_backend = _Backend(pool._network_backend, leave)


def is_reset(error: BaseException | None) -> bool:
    """Whether one stream was ended, and not its connection."""
    return _reset_code(error) is not None


def is_unread(error: BaseException | None) -> bool:
    """Whether the server says that it did not look at the request: it may be sent again."""
    return _reset_code(error) == _REFUSED


def _reset_code(error: BaseException | None) -> int | None:
    while error is not None:
        event: Any = error.args[0] if error.args else None
        match type(event).__name__:
            case "StreamReset":
                return int(event.error_code)
            case "StreamClosedError":  # while it was sent: the server never had the whole of it
                return _REFUSED
        error = error.__cause__
    return None


class _Around:
    """Something of the library's with a method of our own; all others are its own."""

    def __init__(self, inner: Any, leave: Callable[[], None]) -> None:
        self._inner, self._leave = inner, leave

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Backend(_Around):
    async def connect_tcp(self, *where: Any, **how: Any) -> _Connection:
        return _Connection(await self._inner.connect_tcp(*where, **how), self._leave)


class _Connection(_Around):
    """A connection on which TLS may be set up, to a proxy first as well."""

    async def start_tls(self, *options: Any, **more: Any) -> _Around:
        stream = await self._inner.start_tls(*options, **more)
        layer = stream.get_extra_info("ssl_object")
        has_streams = layer is not None and layer.selected_alpn_protocol() == "h2"
        return (_Frames if has_streams else _Connection)(stream, self._leave)


class _Frames(_Around):
    """A connection of HTTP/2, whose frames are looked at as they come and go."""

    def __init__(self, inner: Any, leave: Callable[[], None]) -> None:
        super().__init__(inner, leave)
        self._part = self._ready = b""
        self._begun, self._last = 0, _NUMBER
        """The number of the last stream, and of the last that the server serves."""
        self._reading: asyncio.Task[bytes] | None = None
        self._refusal: asyncio.Future[None] | None = None
        """Where the server leaves: set when a stream began too late."""

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        """Send what it is told, and note the streams that begin."""
        for kind, number, _ in _frames(data.removeprefix(_PREFACE)):
            if kind == _HEADERS:
                self._begun = max(self._begun, number)
                if number > self._last:
                    self._ready += _refusal_of(number)
                    if self._refusal is not None and not self._refusal.done():
                        self._refusal.set_result(None)
        await self._inner.write(data, timeout)

    async def read(self, size: int, timeout: float | None = None) -> bytes:
        """Whole frames, none of them GOAWAY; nothing at the end."""
        while not self._ready:
            if self._refusal is None:
                data: bytes | None = await self._inner.read(size, timeout)
            else:
                data = await self._read_or_refusal(size)
            if data == b"":
                break
            self._sort(data or b"")
        ready, self._ready = self._ready, b""
        return ready

    async def aclose(self) -> None:
        """Close the connection."""
        if self._reading is not None:
            self._reading.cancel()
        await self._inner.aclose()

    async def _read_or_refusal(self, size: int) -> bytes | None:
        """What comes in, or None once a stream began that the server will not look at.

        A question that waited for room on the connection finds out at once, and does not wait for
        the last answer to the others.
        """
        if self._reading is None:
            self._reading = asyncio.create_task(self._inner.read(size))
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        refusal = self._refusal = asyncio.get_running_loop().create_future()
        await asyncio.wait({self._reading, refusal}, return_when=asyncio.FIRST_COMPLETED)
        if not self._reading.done():
            return None
        reading, self._reading = self._reading, None
        return reading.result()

    def _sort(self, data: bytes) -> None:
        self._part += data
        end = 0
        for kind, number, frame in _frames(self._part):
            end += len(frame)
            if kind == _GOAWAY and number == 0 and len(frame) >= _HEAD + 8:
                self._go(_number(frame[_HEAD : _HEAD + 4]))
            else:
                self._ready += frame
        self._part = self._part[end:]
        if _number(self._part[:3]) > _LARGEST:  # the library says what is wrong
            self._ready, self._part = self._ready + self._part, b""

    def _go(self, last: int) -> None:
        """The server serves no stream beyond ``last``; it may say so again of fewer."""
        for number in range(last + 1 | 1, min(self._begun, self._last) + 1, 2):
            self._ready += _refusal_of(number)
        self._last = min(self._last, last)
        if self._refusal is None:
            self._refusal = asyncio.get_running_loop().create_future()
            self._leave()


def _frames(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Kind, stream and bytes of each whole frame."""
    start = 0
    while (end := start + _HEAD + _number(data[start : start + 3])) <= len(data):
        yield data[start + 3], _number(data[start + 5 : start + _HEAD]), data[start:end]
        start = end


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big") & _NUMBER


def _refusal_of(number: int) -> bytes:
    return b"\0\0\4%c\0" % _RESET + number.to_bytes(4, "big") + _REFUSED.to_bytes(4, "big")
