"""Text as it is compared."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A word as it is compared: case, outer quotes and the mark between words don't matter.

    >>> folded(" First_Hand ")
    'first hand'
    """
    return re.sub(r"[\s_-]+", " ", text.strip().strip("'\"").strip()).casefold()
