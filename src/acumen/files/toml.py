"""The one TOML reader: whatever is wrong with a text ends in one line that says where."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from acumen.errors import DataError, Problem, printable


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text.

    >>> parse_toml("levels = [1, 2", "stars.toml")
    Traceback (most recent call last):
    acumen.errors.DataError: stars.toml: Unclosed array (at end of document)
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DataError(["is nested too deep"], source=source) from None
    except ValueError as error:  # bad syntax; or a whole number of too many digits for Python
        raise DataError([_told(error)], source=source) from None


def _told(error: ValueError) -> Problem:
    if not isinstance(error, tomllib.TOMLDecodeError):
        return Problem("holds a number of too many digits")
    message = str(error).replace("Cannot overwrite a value", "the key is given twice")
    found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", message, re.DOTALL)
    if not found:
        return Problem(printable(message, limit=200))
    return Problem(printable(found[1], limit=200), line=int(found[2]), column=int(found[3]))
