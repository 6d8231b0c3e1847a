"""Where to ask and with which key: a key goes to the host it is meant for and to no other.

A provider's own variable (``OPENAI_API_KEY``, ``ANTHROPIC_API_KEY``) is sent to that provider, and
to the host of ``OPENAI_BASE_URL``, which stands beside it. Any other endpoint gets the key that
``--api-key-env`` names, and none without it. Nothing but the host is ever shown or written.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
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
_OURS: Final = frozenset({"host", "connection", "content-length", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Access:
    """An endpoint's address, and what is sent with every request beside the question."""

    base_url: str
    api: Api = "chat"
    key_variable: str | None = None
    api_version: str | None = None
    header: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        host_of(self.base_url)
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
            headers |= {"api-key": key} if self.api_version else bearer
            if is_openai(self.host) and not self.key_variable:
                ids = {name: os.environ.get(at, "") for name, at in _ORGANISATION.items()}
                headers |= {name: value for name, value in ids.items() if value}
        return headers | dict(self.header)

    def _is_provider(self) -> bool:
        """Whether the provider's own variable is meant for this host."""
        is_private = self.base_url.startswith("https://")
        beside = os.environ.get("OPENAI_BASE_URL")
        if beside and self.api != "messages" and self.host == host_of(beside):
            return is_private or not beside.lower().startswith("https://")
        if not is_private:
            return False
        own = host_of(PROTOCOLS[self.api].base_url)
        return self.host == own or (self.api != "messages" and is_openai(self.host))


def host_of(url: str) -> str:
    """Host and port of an endpoint's address; refuses what is no plain http(s) address.

    >>> host_of("http://127.0.0.1:8080/v1")
    '127.0.0.1:8080'
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
    return parts.hostname if port is None else f"{parts.hostname}:{port}"
