"""The time that artifacts carry; ``SOURCE_DATE_EPOCH`` fixes it, so that builds repeat."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from acumen.errors import UsageError


def created_at() -> str:
    """Now, or the time ``SOURCE_DATE_EPOCH`` names, as ISO 8601 in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        raise UsageError("SOURCE_DATE_EPOCH must be a whole number of seconds") from None
