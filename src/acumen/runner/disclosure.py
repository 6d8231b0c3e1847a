"""What of the fields that a user adds to requests is written down: enough to compare, no secret.

Numbers, switches and plain words stand as they are. Any other text is a fingerprint: a key has
digits or capitals in odd places, and a run that is resumed must still see that a text was changed.
What goes under the name of a secret or of headers is left out altogether, so that a key may be
replaced.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

HIDDEN: Final = "…"
_PLAIN: Final = re.compile(  # no digit, nor capitals inside of a word but one: never a key
    r"(?=.{1,40}$)[A-Z]?[a-z]{1,20}([A-Z][a-z]{1,20})?([_./ -][A-Z]?[a-z]{1,20})*"
)
_NAME: Final = re.compile(r"(?!(.*\d){5})[A-Za-z_][\w.-]{0,39}", re.ASCII)
_SECRET: Final = re.compile(
    r"key|token$|secret|passw|auth|credential|cookie|session|signature|bearer|header|\bpin$",
    re.IGNORECASE,
)


def disclosed(value: Any, name: str = "") -> Any:
    """A field's value as documents hold it.

    >>> disclosed({"effort": "low", "user": "anna@example.org", "auth": {"id": 7}, "top_p": 0.9})
    {'effort': 'low', 'user': 'sha256:a3bf86238a1c', 'auth': '…', 'top_p': 0.9}
    """
    if _SECRET.search(name) and not isinstance(value, bool | None):
        return HIDDEN  # whatever it holds: a secret may be a number or lie deeper
    if isinstance(value, dict):
        return {_key(key): disclosed(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [disclosed(part, name) for part in value]
    return _word(value) if isinstance(value, str) else value


def _key(name: str) -> str:
    """A field's name; one that nobody would give a field may be a secret itself."""
    return name if _NAME.fullmatch(name) else _word(name)


def _word(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
