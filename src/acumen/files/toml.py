"""The one TOML reader: whatever is wrong with a text ends in one line that says where.

The standard library parses; :class:`Lines` only finds where each key stands. Scales, tasks and
policies that ship are TOML files in a package of their own, known by name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from acumen.errors import DataError, Problem, printable

Path = tuple[str | int, ...]

_PIECE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_PIECE}(?:\s*\.\s*{_PIECE})*"
_HEADER = re.compile(rf"\s*\[(?P<many>\[)?\s*(?P<key>{_KEY})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*(?P<key>{_KEY})\s*=")
_QUOTED_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')
_LONG_QUOTE = re.compile(r'"""|\'\'\'')


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

    >>> {"phq8", "risk"} <= {*shipped("acumen.scales")}
    True
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
    place = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", message, re.DOTALL)
    if not place:
        return Problem(printable(message, limit=200))
    return Problem(printable(place[1], limit=200), line=int(place[2]), column=int(place[3]))


class Lines:
    """Line numbers of the keys of a well-formed TOML text.

    >>> lines = Lines('name = "toy"\\n[[rules]]\\nverdict = "High"\\n')
    >>> lines.find(("rules", 0, "verdict")), lines.find(("rules", 0, "verdict", "deeper"))
    (3, 3)
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        for path, line in _keys(text):
            self._lines.setdefault(path, line)

    def find(self, path: Path) -> int | None:
        """The line of a key, or of the nearest key above it that has a line of its own."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return None


def _keys(text: str) -> Iterator[tuple[Path, int]]:
    table: Path = ()
    tables: dict[tuple[str, ...], int] = {}
    depth, quote = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if quote:
            quote = "" if quote in line else quote
            continue
        if depth == 0:
            header, assignment = _HEADER.match(line), _ASSIGNMENT.match(line)
            if header:
                table = _table_path(_pieces(header["key"]), bool(header["many"]), tables)
                yield table, number
                continue
            if assignment:
                path = (*table, *_pieces(assignment["key"]))
                for end in range(len(table) + 1, len(path) + 1):
                    yield path[:end], number
        opening = _LONG_QUOTE.search(line)
        if opening and line.count(opening[0]) % 2:
            quote = opening[0]
            continue
        bare = _QUOTED_OR_COMMENT.sub("", line)
        depth = max(0, depth + sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}"))


def _table_path(pieces: tuple[str, ...], many: bool, tables: dict[tuple[str, ...], int]) -> Path:
    if many:
        tables[pieces] = tables.get(pieces, -1) + 1
    path: list[str | int] = []
    for end, piece in enumerate(pieces, start=1):
        path.append(piece)
        if pieces[:end] in tables:
            path.append(tables[pieces[:end]])
    return tuple(path)


def _pieces(key: str) -> tuple[str, ...]:
    return tuple(piece.strip("\"'") for piece in re.findall(_PIECE, key))


def to_toml(document: Mapping[str, Any]) -> str:
    """Scalars, lists of them and tables as TOML text.

    >>> print(to_toml({"format": "csv", "columns": {"truth": "gold rating"}}), end="")
    format = "csv"
    <BLANKLINE>
    [columns]
    truth = "gold rating"
    """
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in document.items() if key not in tables}
    lines = [f"{_key(key)} = {_toml_value(value)}" for key, value in plain.items()]
    for name, table in tables.items():
        entries = [f"{_key(key)} = {_toml_value(value)}" for key, value in table.items()]
        lines += ["", f"[{_key(name)}]", *entries]
    return "\n".join(lines).lstrip("\n") + "\n"


def _key(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else _toml_value(text)


def _toml_value(value: Any) -> str:
    """A value as TOML writes it: JSON does so too, where nothing is null or nested."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
