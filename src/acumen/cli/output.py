"""Data for other programs on standard output."""

from __future__ import annotations

import sys


def emit(text: str) -> None:
    """Write data in UTF-8, whatever letters the terminal has: no id is ever changed on the way."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()
