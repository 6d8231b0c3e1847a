"""Text as it is compared, and text that can be stored."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a whole pair: kept
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\.",
    re.DOTALL,
)
_RAW_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """A word as it is compared: case, outer quotes and the mark between words don't matter.

    >>> folded(" First_Hand ")
    'first hand'
    """
    return re.sub(r"[\s_-]+", " ", text.strip().strip("'\"").strip()).casefold()


def mend_surrogates(text: str) -> str:
    r"""Half a surrogate pair becomes U+FFFD: it can be stored, and no place in the text moves.

    >>> mend_surrogates('"\\ud83d" "\\ud83d\\ude00" "\\\\ud83d"')
    '"\\ufffd" "\\ud83d\\ude00" "\\\\ud83d"'
    """
    text = _ESCAPE.sub(lambda m: "\\ufffd" if m["lone"] else m[0], text)
    return _RAW_SURROGATE.sub("\ufffd", text)
