"""The connections to an endpoint: TLS, proxies, one question on each or many on one.

Over HTTP/1.1 a connection carries one attempt and is closed: a broken server or proxy may send more
than its answer, and on a connection that is kept alive nothing tells a late second response from
the answer to the next question. Over HTTP/2, which a server offers while TLS is set up, every
answer bears the number of its question's stream, so that one connection serves many.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

from acumen.errors import UsageError, printable
from acumen.extras import need
from acumen.runner.access import Access, is_loopback
from acumen.runner.streams import watch

LIBRARIES: Final = ("httpx2", "httpcore2", "anyio", "h11", "h2", "hpack", "hyperframe")
_POOLS: Final = 16
"""Pools that share the questions: a pool looks at all its connections at every request."""
_STREAMS: Final = 100
"""Questions that one connection of HTTP/2 serves at a time; servers take about as many."""
_IDLE: Final = 30.0
_UNTRUSTED: Final = (
    "shows a certificate of an authority that is not known here: put that authority's certificate "
    "into a file and name the file in SSL_CERT_FILE"
)
BROKEN_OFF: Final = (
    "breaks off the TLS handshake: does it want a certificate of yours (--client-cert)?"
)
_TOO_OLD: Final = ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL")
_NOT_TLS: Final = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER")
_OWN: Final = ("CERTIFICATE_REQUIRED", "BAD_CERTIFICATE", "CERTIFICATE_UNKNOWN", "UNKNOWN_CA")
_OTHER_NAME: Final = frozenset({62, 64})
_DATES: Final = frozenset({9, 10})


@dataclass(slots=True, eq=False)
class Lane:
    """A client, and how many questions are on their way with it."""

    client: Any
    in_flight: int = 0
    is_retired: bool = False


class Connections:
    """Clients of one endpoint, chosen for each attempt."""

    def __init__(self, access: Access, timeout: float) -> None:
        httpx2 = http_library()
        has_streams = access.base_url.lower().startswith("https:") and find_spec("h2") is not None
        self._options = {
            "follow_redirects": False,
            "trust_env": not is_loopback(access.host),  # a proxy has no business on loopback
            "timeout": timeout,
            "http2": has_streams,
            "limits": httpx2.Limits(
                max_connections=None,
                max_keepalive_connections=int(has_streams),
                keepalive_expiry=_IDLE,
            ),
            "verify": _context(access),
        }
        self._make = httpx2.AsyncClient
        self._lanes = [self._lane() for _ in range(_POOLS)]
        self._turn, self._in_flight = 0, 0
        self._is_shared: bool | None = None if has_streams else False
        """Whether one connection serves many questions; None until an answer has shown it."""

    @asynccontextmanager
    async def lane(self) -> AsyncIterator[Lane]:
        """A client for one attempt."""
        count = 1 + self._in_flight // _STREAMS if self._is_shared is not False else _POOLS
        self._turn += 1
        lane = self._lanes[self._turn % min(count, _POOLS)]
        lane.in_flight, self._in_flight = lane.in_flight + 1, self._in_flight + 1
        try:
            yield lane
        finally:
            lane.in_flight, self._in_flight = lane.in_flight - 1, self._in_flight - 1
            if lane.is_retired and not lane.in_flight:
                await asyncio.shield(lane.client.aclose())

    def learn(self, version: str) -> None:
        """An answer came, over this version of HTTP."""
        self._is_shared = version == "HTTP/2"

    def retire(self, lane: Lane) -> None:
        """An attempt was given up: what still comes of it takes up room on a shared connection."""
        if self._is_shared is not False:
            self._replace(lane)

    async def aclose(self) -> None:
        """Close what is open."""
        for lane in self._lanes:
            await lane.client.aclose()

    def _lane(self) -> Lane:
        lane = Lane(self._make(**self._options))
        watch(lane.client, lambda: self._replace(lane))
        return lane

    def _replace(self, lane: Lane) -> None:
        """Ask nothing more with this lane; it is closed once the last answer is there."""
        if not lane.is_retired:
            lane.is_retired = True
            self._lanes[self._lanes.index(lane)] = self._lane()


def http_library() -> Any:
    """The ``httpx2`` package, or how to get it."""
    need("run", "asking a model")
    import httpx2

    return httpx2


def tls_advice(error: BaseException) -> str | None:
    """What to do about a failure of TLS; None where it is none, or one that may pass."""
    fault = next((cause for cause in _causes(error) if isinstance(cause, ssl.SSLError)), None)
    if isinstance(fault, ssl.SSLCertVerificationError):
        if fault.verify_code in _OTHER_NAME:
            return "shows a certificate for another name: is --base-url right?"
        if fault.verify_code in _DATES:
            return "shows a certificate that is not valid today: is this machine's clock right?"
        return _UNTRUSTED
    reason = str(fault.reason or "") if fault is not None else ""
    if any(word in reason for word in _NOT_TLS):
        return "does not speak TLS there: is http:// meant?"
    if any(word in reason for word in _TOO_OLD):
        return "offers no version of TLS that is still safe (1.2 or newer)"
    if any(word in reason for word in _OWN):
        return "wants a certificate of yours that it trusts: give its file as --client-cert"
    if "HANDSHAKE_FAILURE" in reason:
        return BROKEN_OFF
    return None


def is_broken_off(error: BaseException) -> bool:
    """Whether the other side hung up while TLS was set up; that may pass."""
    return any(isinstance(cause, ssl.SSLEOFError) for cause in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _context(access: Access) -> ssl.SSLContext:
    """Which authorities are trusted, and the certificate to show; both from files of the user's."""
    try:
        context: ssl.SSLContext = http_library().create_ssl_context()
    except OSError as error:
        message = f"SSL_CERT_FILE cannot be used: {_why(error)}"
        raise UsageError(message) from None
    if access.client_cert is not None:
        try:  # without a password OpenSSL would ask at the terminal
            context.load_cert_chain(access.client_cert, password="")
        except OSError as error:
            name = printable(access.client_cert.name)
            message = "must hold a certificate and its key without a password (PEM)"
            raise UsageError(f"--client-cert {name} {message}: {_why(error)}") from None
    return context


def _why(error: OSError) -> str:
    reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
    return printable(str(reason or "it cannot be read")).lower().replace("_", " ")
