"""Regular expressions from a mapping file, and why those that could run away are refused.

Python's engine backtracks, so some patterns take time without end on some texts. A pattern is let
in only if each place of a text costs at most the text's length: every repeat without an upper
bound repeats one character or set, and two such repeats share no character unless something that
the first cannot match must stand between them. As texts are of bounded length, so is the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

# the standard library has no public door to the structure of a pattern
from re import _compiler as compiler  # type: ignore[attr-defined]  # isort: skip
from re import _parser as sre  # type: ignore[attr-defined]  # isort: skip

LONGEST_PATTERN: Final = 500
LONGEST_TEXT: Final = 20_000
"""Characters of a text that are looked at; a longer one is not matched at all."""
MOST_TRIES: Final = 100
"""How often the bounded repeats of a pattern may multiply the work."""
_SAMPLE: Final = frozenset([*range(0x250), 0x2028, 0x4E00, 0x1F600])
"""Characters by which two sets are compared, beside those that the pattern names."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One character or set of a pattern, how often it may stand, and in which optional parts."""

    characters: frozenset[int]
    least: int
    is_open: bool
    """Whether nothing bounds how often it repeats."""
    scope: tuple[tuple[int, int], ...]
    """Each part that may be left out, or alternative, that it stands in: its number and branch."""


def checked_pattern(text: str, groups: int | None = None) -> re.Pattern[str]:
    """A pattern, compiled; ``ValueError`` says why it is refused.

    >>> checked_pattern(r"rating: (\\d)").search("My rating: 4")[1]
    '4'
    >>> checked_pattern(r"(a+)+b")
    Traceback (most recent call last):
    ValueError: a repeat inside a repeat can take time without end
    """
    if len(text) > LONGEST_PATTERN:
        raise ValueError(f"is longer than {LONGEST_PATTERN} characters")
    try:
        pattern = re.compile(text)
        tree = sre.parse(text)
        pieces = list(_Walk(text, tree.state).pieces(tree))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"is no regular expression: {error}") from None
    if groups is not None and pattern.groups != groups:
        count = f"{groups} group in brackets" if groups == 1 else f"{groups} groups"
        raise ValueError(f"must have {count}, has {pattern.groups}")
    _refuse_overlaps(pieces)
    return pattern


def search(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Where a pattern stands in a text; nowhere in one that is too long."""
    return pattern.search(text) if len(text) <= LONGEST_TEXT else None


def _refuse_overlaps(pieces: Sequence[_Piece]) -> None:
    """Two open repeats that share characters, with nothing sure between them."""
    opens = [at for at, piece in enumerate(pieces) if piece.is_open]
    for a, b in combinations(opens, 2):
        first, second = pieces[a], pieces[b]
        if not first.characters & second.characters or _apart(first, second):
            continue
        if not any(_divides(piece, first, second) for piece in pieces[a + 1 : b]):
            raise ValueError(
                "two repeats without an upper bound can match the same characters with nothing "
                "sure between them, which can take time without end; the pattern is searched for, "
                "so .* at its ends can go"
            )


def _apart(a: _Piece, b: _Piece) -> bool:
    """Whether two pieces stand in different alternatives, so that no text meets both."""
    branches = dict(a.scope)
    return any(branches.get(number, branch) != branch for number, branch in b.scope)


def _divides(piece: _Piece, first: _Piece, second: _Piece) -> bool:
    """Whether a piece must stand before the second repeat and ends the first for sure."""
    must = piece.least > 0 and piece.scope == second.scope[: len(piece.scope)]
    return must and not piece.characters & first.characters


def _only(body: Any) -> Any:
    """The one character or set that a repeat without an upper bound repeats."""
    while len(body) == 1 and str(body[0][0]) == "SUBPATTERN":
        body = body[0][1][-1]
    kind = str(body[0][0]) if len(body) == 1 else ""
    if "REPEAT" in kind:
        raise ValueError("a repeat inside a repeat can take time without end")
    if kind not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        raise ValueError("a repeat without an upper bound may repeat one character or set only")
    return body[0]


class _Walk:
    """The pieces of a pattern in order; refuses what can't be bounded."""

    def __init__(self, text: str, state: Any) -> None:
        named = {ord(c) for c in (*text, *text.swapcase())}
        self._every, self._state = _SAMPLE | named, state
        self._tries = 1
        self._scopes = 0

    def pieces(
        self, items: Any, scope: tuple[tuple[int, int], ...] = (), repeats: bool = False
    ) -> Iterator[_Piece]:
        for kind, value in items:
            match str(kind):
                case "AT":
                    continue
                case "SUBPATTERN":
                    yield from self.pieces(value[-1], scope, repeats)
                case "BRANCH":
                    self._scopes += 1
                    number = self._scopes
                    self._multiply(len(value[1]))
                    for branch, part in enumerate(value[1]):
                        yield from self.pieces(part, (*scope, (number, branch)), repeats)
                case "MAX_REPEAT" | "MIN_REPEAT":
                    least, most, body = value
                    yield from self._repeat(least, most, body, scope, repeats)
                case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
                    yield _Piece(self._characters((kind, value)), 1, False, scope)
                case _:
                    name = str(kind).lower().replace("_", " ")
                    raise ValueError(f"look-around, back-references and the like ({name}) are out")

    def _repeat(
        self, least: int, most: Any, body: Any, scope: tuple[tuple[int, int], ...], repeats: bool
    ) -> Iterator[_Piece]:
        is_open = most is sre.MAXREPEAT or most > LONGEST_PATTERN
        if is_open and repeats:
            raise ValueError("a repeat inside a repeat can take time without end")
        if is_open:
            yield _Piece(self._characters(_only(body)), least, True, scope)
            return
        if least == 0:
            self._scopes += 1
            scope = (*scope, (self._scopes, 0))
        before = self._tries
        inner = list(self.pieces(body, scope, repeats or most > 1))
        times = min(int(most), MOST_TRIES)  # what varies inside varies anew each time
        self._multiply((int(most) - least + 1) * (self._tries // before) ** max(0, times - 1))
        yield from inner

    def _multiply(self, factor: int) -> None:
        self._tries *= factor
        if self._tries > MOST_TRIES:
            raise ValueError(f"its repeats and choices make more than {MOST_TRIES} tries a place")

    def _characters(self, node: Any) -> frozenset[int]:
        """The characters that one node matches, as the pattern's own flags have it."""
        part = sre.SubPattern(self._state, [node])
        matches = compiler.compile(part).fullmatch
        return frozenset(c for c in self._every if matches(chr(c)))
