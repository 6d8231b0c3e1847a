"""The one TOML reader: whatever is wrong with a text ends in one line that says where.

Scales, tasks and policies that ship are TOML files in a package of their own, known by name.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
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
        raise DataError([_problem(error)], source=source) from None


def shipped(package: str) -> tuple[str, ...]:
    """The names of the files that ship in a package.

    >>> shipped("acumen.scales")
    ('phq8', 'risk')
    """
    names = (entry.name for entry in files(package).iterdir())
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml")))


def shipped_text(package: str, name: str) -> str:
    """The text of a file that ships."""
    return files(package).joinpath(f"{name}.toml").read_text("utf-8")


def _problem(error: ValueError) -> Problem:
    if not isinstance(error, tomllib.TOMLDecodeError):
        return Problem("holds a number of too many digits")
    # before Python 3.14 the place stands in the message alone
    message = str(error).replace("Cannot overwrite a value", "the key is given twice")
    placed = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", message, re.DOTALL)
    if not placed:
        return Problem(printable(message, limit=200))
    return Problem(printable(placed[1], limit=200), line=int(placed[2]), column=int(placed[3]))
