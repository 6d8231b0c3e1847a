"""Vega, Vega-Lite and Vega-Embed as one script: bundled once a machine, as it takes 2 s.

It is kept in the user's cache folder under the versions it is made of, after the hash of its text:
what is damaged there is made anew.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from acumen.errors import AcumenError
from acumen.files.json import write_bytes


@cache
def chart_library() -> str:
    """The script that draws the charts of a page."""
    import altair as alt

    grammar = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    path = _folder() / f"charts-{version('vl-convert-python')}-{grammar}.js"
    with suppress(OSError, UnicodeError):
        digest, _, text = path.read_text("utf-8").partition("\n")
        if digest == _digest(text):
            return text
    text = _bundled(grammar)
    with suppress(OSError, AcumenError):  # a folder that cannot be written: bundled each time
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, f"{_digest(text)}\n{text}".encode())
    return text


def _bundled(grammar: str) -> str:
    import vl_convert

    begin = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
    bundle: str = vl_convert.javascript_bundle(begin, vl_version=grammar)
    return bundle


def _folder() -> Path:
    bases = (os.environ.get(name, "") for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"))
    base = next((base for base in bases if os.path.isabs(base)), os.path.expanduser("~/.cache"))
    return Path(base) / "acumen"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
