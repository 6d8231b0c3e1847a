"""Where each key of a TOML text stands. The standard library parses; this only finds lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_PIECE = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_PIECE}(?:\s*\.\s*{_PIECE})*"
_HEADER = re.compile(rf"\s*\[(?P<many>\[)?\s*(?P<key>{_KEY})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*(?P<key>{_KEY})\s*=")
_QUOTED_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')
_LONG_QUOTE = re.compile(r'"""|\'\'\'')


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
                table = _opened(_pieces(header["key"]), bool(header["many"]), tables)
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


def _opened(pieces: tuple[str, ...], many: bool, tables: dict[tuple[str, ...], int]) -> Path:
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
