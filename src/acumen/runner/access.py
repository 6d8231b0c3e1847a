"""Where to ask and with which key: a key goes to the host it is meant for and to no other.

A provider's own variable (``OPENAI_API_KEY``, ``ANTHROPIC_API_KEY``) is sent to that provider, and
to the host of ``OPENAI_BASE_URL``, which stands beside it. Any other endpoint gets the key that
``--api-key-env`` names or ``--api-key-command`` prints, and none without. Nothing but the host is
ever shown or written.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import urlencode, urlsplit

from acumen.errors import UsageError, label
from acumen.runner.choices import Api
from acumen.runner.protocols import PROTOCOLS, is_openai

_ORGANISATION: Final = {
    "OpenAI-Organization": "OPENAI_ORG_ID",
    "OpenAI-Project": "OPENAI_PROJECT_ID",
}
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VISIBLE: Final = re.compile(r"[!-~]*")
_HOST: Final = re.compile(r"[\w.-]+|[0-9a-f:.]+(%[\w.-]+)?")
_FOUR_NUMBERS: Final = re.compile(r"\d+(\.\d+){3}", re.ASCII)
_SERVICES: Final = (
    *("/chat/completions", "/completions", "/responses", "/messages", "/decisions"),
    "/embeddings",
)
_PATIENCE: Final = 60.0
"""Seconds that a command for a key may take."""
_OURS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Access:
    """An endpoint's address, and what is sent with every request beside the question."""

    base_url: str
    api: Api = "chat"
    key_variable: str | None = None
    api_version: str | None = None
    header: Mapping[str, str] = field(default_factory=dict)
    key_command: str | None = None
    client_cert: Path | None = None

    def __post_init__(self) -> None:
        host_of(self.base_url)
        if self.key_variable and self.key_command:
            raise UsageError("give --api-key-env or --api-key-command, not both")
        for name, value in self.header.items():
            if not _HEADER_NAME.fullmatch(name) or not re.fullmatch(r"[ -~]*", value):
                raise UsageError("--header must be 'Name: value', in letters that a header has")
            if name.lower() in _OURS:
                raise UsageError(f"--header {label(name)} is not for you to set")

    @property
    def host(self) -> str:
        """Host and port."""
        return host_of(self.base_url)

    @property
    def digest(self) -> str:
        """A hash of the whole address: two deployments behind one host are two endpoints."""
        text = f"{self.base_url.rstrip('/')} {self.api_version}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def variable(self) -> str:
        """The variable that a key would come from."""
        return self.key_variable or PROTOCOLS[self.api].key_variable

    def url(self, path: str) -> str:
        """The address of one of the endpoint's services."""
        query = f"?{urlencode({'api-version': self.api_version})}" if self.api_version else ""
        return f"{self.base_url.rstrip('/')}{path}{query}"

    def key(self) -> str:
        """The key for this endpoint; empty where none is meant for it."""
        if self.key_command:
            return _printed_by(self.key_command)
        if not (self.key_variable or self._is_provider()):
            return ""
        key = os.environ.get(self.variable, "")
        if not key and (self.key_variable or self.host == host_of(PROTOCOLS[self.api].base_url)):
            other = "" if self.key_variable else ", or give --base-url or --model local"
            raise UsageError(f"set {label(self.variable)}{other}")
        if not _VISIBLE.fullmatch(key):
            message = "holds characters that no key has (a blank, a newline?)"
            raise UsageError(f"{label(self.variable)} {message}")
        return key

    def headers(self) -> dict[str, str]:
        """Every header of a request; the key's own, and the organisation's where it is known."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        if key := self.key():
            bearer = PROTOCOLS[self.api].key_headers(key)
            # Azure: a key has a header of its own, a token goes as everywhere
            is_azure_key = self.api_version and not self.key_command
            headers |= {"api-key": key} if is_azure_key else bearer
            if is_openai(self.host) and not (self.key_variable or self.key_command):
                ids = {name: os.environ.get(at, "") for name, at in _ORGANISATION.items()}
                headers |= {name: value for name, value in ids.items() if value}
        return headers | dict(self.header)

    def renew(self) -> bool:
        """Whether the command prints another key by now: a token lasts an hour, a run may not."""
        if not self.key_command:
            return False
        before = self.key()
        _printed_by.cache_clear()
        return self.key() != before

    def _is_provider(self) -> bool:
        """Whether the provider's own variable is meant for this host."""
        is_private = self.base_url.lower().startswith("https://")
        beside = os.environ.get("OPENAI_BASE_URL")
        if beside and self.api != "messages" and self.host == host_of(beside):
            return is_private or not beside.lower().startswith("https://")
        if not is_private:
            return False
        own = host_of(PROTOCOLS[self.api].base_url)
        return self.host == own or (self.api != "messages" and is_openai(self.host))


@lru_cache
def _printed_by(command: str) -> str:
    """The key that a command of the user's prints; what else it says goes to the terminal."""
    try:
        words = shlex.split(command, posix=os.name != "nt")
        done = subprocess.run(  # noqa: S603  (the user's own, from the command line)
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=_PATIENCE
        )
        key = done.stdout.decode("ascii").strip()
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        status = getattr(error, "returncode", None)
        why = type(error).__name__ if status is None else f"exit code {status}"
        raise UsageError(f"--api-key-command gives no key ({why})") from None
    if not key or not _VISIBLE.fullmatch(key):
        raise UsageError("--api-key-command must print one key and nothing else")
    return key


def host_of(url: str) -> str:
    """Host and port of an endpoint's address; refuses what is no plain http(s) address.

    >>> host_of("http://127.0.0.1:8080/v1"), host_of("http://[::1]:8080/v1")
    ('127.0.0.1:8080', '[::1]:8080')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise UsageError("--base-url is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("--base-url must begin with http:// or https:// and name a host")
    if parts.query.startswith("api-version="):
        raise UsageError("--base-url must have no query: give --api-version instead")
    if parts.username or parts.password or parts.query:
        raise UsageError("--base-url must hold no key: --api-key-env names the variable of one")
    if not url.isprintable() or {*" ?#\\"} & {*url} or not _HOST.fullmatch(parts.hostname):
        raise UsageError("--base-url must be a plain address: no blank, no ?, no #, no backslash")
    if _FOUR_NUMBERS.fullmatch(parts.hostname):
        try:
            ipaddress.IPv4Address(parts.hostname)
        except ValueError:
            message = "four numbers up to 255, without leading zeros (they may mean octal)"
            raise UsageError(f"--base-url names no IPv4 address: {message}") from None
    if port == 0:
        raise UsageError("--base-url names port 0, where nothing listens")
    if service := next((s for s in _SERVICES if parts.path.rstrip("/").endswith(s)), None):
        raise UsageError(f"--base-url must end before {service}: acumen adds it")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return host if port is None else f"{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether a host, with its port or without, is this machine, in whichever spelling.

    >>> [is_loopback(h) for h in ("127.1:80", "[::1]:80", "LOCALHOST.", "0x7f.1", "10.0.0.1")]
    [True, True, True, True, False]
    """
    name = host.lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    name = name.partition("%")[0].rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(OSError, ValueError):  # as the system reads it: octal, hexadecimal, one number
        name = socket.inet_ntoa(socket.inet_aton(name))
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified
