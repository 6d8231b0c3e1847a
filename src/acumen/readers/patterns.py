"""Regular expressions from a mapping file, and why those that could run away are refused.

Python's engine backtracks, so some patterns take time without end on some texts. A pattern is let
in only if each place of a text costs at most the text's length: every repeat without an upper
bound repeats one character or set, and two such repeats share no character unless something that
the first cannot match must stand between them. As texts are of bounded length, so is the time.

What is let in is a part of Python's syntax: characters, sets, groups, choices, repeats, anchors and
flags for the whole pattern. Python compiles it first, so what is read here is well formed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

LONGEST_PATTERN: Final = 500
LONGEST_TEXT: Final = 20_000
"""Characters of a text that are looked at; a longer one is not matched at all."""
MOST_TRIES: Final = 100
"""How often the bounded repeats of a pattern may multiply the work."""
_SAMPLE: Final = frozenset([*range(0x250), 0x2028, 0x4E00, 0x1F600])
"""Characters by which two sets are compared, beside those that the pattern names."""
_FLAGS: Final = re.compile(r"(?:\(\?[aims]+\))+")
_OPENING: Final = re.compile(r"\((?!\?)|\(\?:|\(\?P<\w+>")
_ANCHOR: Final = re.compile(r"[\^$]|\\[AbBZ]")
_ONE: Final = re.compile(
    r"\[\^?\]?(?:\\.|[^\\\]])*\]|\\[dDsSwWntrfva]|\\(?:x..|u.{4}|U.{8})|\\[^0-9A-Za-z]|[^\\\[()|]",
    re.DOTALL,
)
"""One character or set."""
_TIMES: Final = re.compile(r"[*+?]|\{(?:\d+(?:,\d*)?|,\d*)\}")
_BY_NUMBER: Final = re.compile(r"\\(?:x(..)|u(.{4})|U(.{8}))")
_OUT: Final = "look-around, back-references and the like are out"


@dataclass(frozen=True, slots=True)
class _One:
    """A character or a set, as the pattern writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class _Choice:
    """What stands in brackets, or the whole: one sequence or several."""

    branches: list[list[_Node]]


@dataclass(frozen=True, slots=True)
class _Repeat:
    """A part of a pattern that is repeated, or may be left out."""

    least: int
    most: int | None
    body: _Node


_Node = _One | _Choice | _Repeat


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
        reading = _Reading(text)
        pieces = list(_Walk(text, reading.flags).pieces([reading.choice()]))
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


class _Reading:
    """The parts of a pattern that compiles; refuses those that are not let in."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self.flags = self._take(_FLAGS) or ""

    def _take(self, what: re.Pattern[str]) -> str | None:
        match = what.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        return match[0]

    def choice(self) -> _Choice:
        """To the end, or to the bracket that closes it."""
        branches: list[list[_Node]] = [[]]
        while self._at < len(self._text) and self._text[self._at] != ")":
            if self._text[self._at] == "|":
                self._at += 1
                branches.append([])
            elif not self._take(_ANCHOR):
                branches[-1].append(self._repeated(self._part()))
        return _Choice(branches)

    def _part(self) -> _Node:
        if self._take(_OPENING):
            inner = self.choice()
            self._at += 1
            return inner
        token = self._take(_ONE)
        if token is None:
            raise ValueError(_OUT)
        return _One(token)

    def _repeated(self, part: _Node) -> _Node:
        times = self._take(_TIMES)
        if times is None:
            return part
        if self._text[self._at : self._at + 1] == "+":  # it would give nothing back
            raise ValueError(_OUT)
        self._at += self._text[self._at : self._at + 1] == "?"
        if times in "*+?":
            return _Repeat(int(times == "+"), 1 if times == "?" else None, part)
        least, comma, most = times[1:-1].partition(",")
        return _Repeat(int(least or 0), int(most) if most else None if comma else int(least), part)


class _Walk:
    """The pieces of a pattern in order; refuses what can't be bounded."""

    def __init__(self, text: str, flags: str) -> None:
        numbers = [int("".join(match), 16) for match in _BY_NUMBER.findall(text)]
        named = {*(ord(c) for c in (*text, *text.swapcase())), *numbers}
        self._every, self._flags = _SAMPLE | named, flags
        self._tries = 1
        self._scopes = 0

    def pieces(
        self, nodes: Sequence[_Node], scope: tuple[tuple[int, int], ...] = (), repeats: bool = False
    ) -> Iterator[_Piece]:
        for node in nodes:
            match node:
                case _Repeat():
                    yield from self._repeat(node, scope, repeats)
                case _Choice(branches=[only]):
                    yield from self.pieces(only, scope, repeats)
                case _ if (characters := self._set_of(node)) is not None:
                    yield _Piece(characters, 1, False, scope)
                case _Choice(branches=branches):
                    self._scopes += 1
                    number = self._scopes
                    self._multiply(len(branches))
                    for branch, part in enumerate(branches):
                        yield from self.pieces(part, (*scope, (number, branch)), repeats)

    def _repeat(
        self, node: _Repeat, scope: tuple[tuple[int, int], ...], repeats: bool
    ) -> Iterator[_Piece]:
        least, most = node.least, node.most
        if most is None or most > LONGEST_PATTERN:
            characters = self._set_of(node.body)
            if repeats or (characters is None and _repeats(node.body)):
                raise ValueError("a repeat inside a repeat can take time without end")
            if characters is None:
                message = "a repeat without an upper bound may repeat one character or set only"
                raise ValueError(message)
            yield _Piece(characters, least, True, scope)
            return
        if least == 0:
            self._scopes += 1
            scope = (*scope, (self._scopes, 0))
        before = self._tries
        inner = list(self.pieces([node.body], scope, repeats or most > 1))
        times = min(most, MOST_TRIES)  # what varies inside varies anew each time
        self._multiply((most - least + 1) * (self._tries // before) ** max(0, times - 1))
        yield from inner

    def _multiply(self, factor: int) -> None:
        self._tries *= factor
        if self._tries > MOST_TRIES:
            raise ValueError(f"its repeats and choices make more than {MOST_TRIES} tries a place")

    def _set_of(self, node: _Node) -> frozenset[int] | None:
        """The characters of one character or set, or of a choice among such that share none."""
        if isinstance(node, _One):
            matches = re.compile(self._flags + node.text).fullmatch
            return frozenset(c for c in self._every if matches(chr(c)))
        if isinstance(node, _Repeat) or not all(len(branch) == 1 for branch in node.branches):
            return None
        sets = [self._set_of(branch[0]) for branch in node.branches]
        every = frozenset(c for each in sets for c in each or ())
        is_one = None not in sets and len(every) == sum(len(each or ()) for each in sets)
        return every if is_one else None


def _repeats(node: _Node) -> bool:
    """Whether a part of a pattern has repeats in it."""
    if isinstance(node, _Choice):
        return any(_repeats(part) for branch in node.branches for part in branch)
    return isinstance(node, _Repeat)
