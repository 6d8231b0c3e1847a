"""The one TOML reader: whatever is wrong with a text ends in one line that says where.

The standard library parses; :class:`Lines` only finds where each key stands. Scales, tasks and
policies that ship are TOML files in a package of their own, known by name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any, Final

from acumen.errors import DataError, Problem, printable
from acumen.files.json import decode_text, read_bytes, source_name

Path = tuple[str | int, ...]
LARGEST: Final = 1 << 20
"""Characters of a TOML text: people write these."""
_TOO_LARGE: Final = f"is larger than the {LARGEST >> 20} MiB that a TOML file may have"
DEEPEST: Final = 50
"""Tables within tables."""
_MOST_KEYS: Final = 20_000

_PIECE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_PIECE}(?:\s*\.\s*{_PIECE})*"
_LONG_KEY = re.compile(
    r"(?:^|[\[{,])[ \t]*+"
    r"(?:(?:[A-Za-z0-9_-]++|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}",
    re.MULTILINE,
)
_HEADER = re.compile(rf"\s*\[(?P<many>\[)?\s*(?P<key>{_KEY})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*(?P<key>{_KEY})\s*=")
_QUOTED_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')
_TOO_DEEP: Final = "is nested too deep"
_LONG_QUOTE = re.compile(r'"""|\'\'\'')


def toml_bytes(path: str | FilePath) -> bytes:
    """What a TOML file holds; one that is too large is not read."""
    return read_bytes(path, 4 * LARGEST, _TOO_LARGE)  # a character has four bytes at most


def toml_text(path: str | FilePath) -> str:
    """The text of a TOML file."""
    return decode_text(toml_bytes(path), source_name(path))


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text.

    >>> parse_toml("levels = [1, 2", "stars.toml")
    Traceback (most recent call last):
    acumen.errors.DataError: stars.toml: Unclosed array (at end of document)
    """
    if len(text) > LARGEST:
        raise DataError([_TOO_LARGE], source=source)
    try:
        if _LONG_KEY.search(text):  # the library takes the square of its length to read it
            raise RecursionError
        document = tomllib.loads(text)
    except RecursionError:
        raise DataError([_TOO_DEEP], source=source) from None
    except ValueError as error:  # bad syntax; or a whole number of too many digits for Python
        raise DataError([_problem(error)], source=source) from None
    _check(document, source)
    return document


def _check(document: dict[str, Any], source: str) -> None:
    """Refuse what syntax allows and nobody writes: it would take minutes to say what is wrong."""
    keys, level = 0, [document]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for node in level:
            values: Any = node
            if isinstance(node, dict):
                keys, values = keys + len(node), node.values()
            below += [value for value in values if isinstance(value, dict | list)]
        if keys > _MOST_KEYS:
            raise DataError([f"holds more than {_MOST_KEYS:,} keys"], source=source)
        if not below:
            return
        level = below
    raise DataError([_TOO_DEEP], source=source)


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
        self._text = text

    @cached_property
    def _lines(self) -> dict[Path, int]:
        lines: dict[Path, int] = {}
        for path, line in _keys(self._text):
            lines.setdefault(path, line)
        return lines

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
