"""Everything acumen raises on purpose, and how one problem in the data is told.

::

    AcumenError
    ├── UsageError      a call or a command line that is wrong          exit code 2
    └── DataError       data that cannot be read as what it should be          exit code 3

A :class:`DataError` carries *all* the problems found, not the first one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

PARTIAL: Final = 4
INTERRUPTED: Final = 130
"""What a command ends with whose run has questions left, and one that Ctrl-C ended."""
SHOWN_PROBLEMS: Final = 20
SHOWN_CHARACTERS: Final = 40
MOST_PROBLEMS: Final = 20_000
"""Of one file: where there are more, reading stops."""
MOST_ALIKE: Final = 3
"""Problems of one cause that are told one by one; more of them become one line."""
_VALUES: Final = re.compile(r"'[^']*'|-?\d+(?:\.\d+)?")
"""What differs between problems of one cause: the values they name."""


Options = tuple[tuple[str, str], ...]
"""Options of a command, each with its value."""


class AcumenError(Exception):
    """Base of every error acumen raises on purpose."""

    exit_code = 1
    amends: Options = ()
    """Options with which the same command may go on."""


class UsageError(AcumenError, ValueError):
    """A call that is wrong: an unknown name, two options that exclude each other."""

    exit_code = 2

    def __init__(self, message: str = "", amends: Options = ()) -> None:
        super().__init__(message)
        self.amends = amends


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the data: where it stands, what came, what is allowed."""

    message: str
    case: object = None
    item: str | None = None
    field: str | None = None
    line: int | None = None
    column: int | None = None
    noun: str = "case"
    off_scale: bool = False
    """Whether a scale other than the one in use may solve it."""
    rows: int = 1
    """How many rows have it; the place is that of the first."""
    is_twice: bool = False
    """Whether another row is of the same judgment."""
    is_unknown: bool = False
    """Whether it names a column that is not there."""
    columns: tuple[str, ...] = ()
    """Those there are, where none is known to have a role."""
    amends: Options = ()
    """Options that may mend it."""

    @property
    def cause(self) -> tuple[str, str]:
        """What it has in common with others like it: all but the place, the value and the hint."""
        return _VALUES.sub("#", self.field or ""), _VALUES.sub("#", self.message.split("; ")[0])

    @property
    def place(self) -> str:
        """Where it stands, in short."""
        if self.line is not None:
            return f"line {self.line}"
        if self.case is not None:
            return f"{self.noun} {label(self.case)}"
        return self.field if self.field is not None and "[" in self.field else ""

    def __str__(self) -> str:
        where = []
        if self.line is not None:
            column = "" if self.column is None else f", column {self.column}"
            where.append(f"line {self.line}{column}")
        if self.case is not None:
            where.append(f"{self.noun} {label(self.case)}")
        if self.item is not None:
            where.append(f"item {label(self.item)}")
        if self.field is not None:
            where.append(self.field)
        fault, mark, hint = self.message.partition("; ")
        more = f" (and in {counted(self.rows - 1, 'more row')})" if self.rows > 1 else ""
        message = f"{fault}{more}{mark}{hint}"
        return f"{', '.join(where)}: {message}" if where else message


class OffScaleError(ValueError):
    """A level or an item that the scale in use does not have; another scale may have it."""


class DataError(AcumenError, ValueError):
    """Data that cannot be read as what it should be, with every problem found in it.

    >>> print(DataError([Problem("4 is outside 0..3", case=102, item="Sleep")], source="run.json"))
    run.json: case 102, item Sleep: 4 is outside 0..3
    """

    exit_code = 3

    def __init__(self, problems: Iterable[Problem | str], source: str | None = None) -> None:
        self.problems = tuple(Problem(p) if isinstance(p, str) else p for p in problems)
        self.source = source
        self.amends = next((p.amends for p in self.problems if p.amends), ())
        super().__init__(self._text())

    def _text(self) -> str:
        prefix = "" if self.source is None else f"{printable(self.source, limit=400)}: "
        lines = [f"{prefix}{line}" for line in _by_cause(self.problems)]
        more = len(lines) - SHOWN_PROBLEMS
        if more > 0:
            lines[SHOWN_PROBLEMS:] = [f"{prefix}and {counted(more, 'more problem')}"]
        return "\n".join(lines)


def refuse(problems: Collection[Problem | str], source: str | None = None) -> None:
    """Raise all problems at once, if there are any."""
    if problems:
        raise DataError(problems, source=source)


def refuse_many(problems: Collection[Problem | str], source: str | None = None) -> None:
    """Raise what there is once there are so many problems that more say nothing new."""
    if len(problems) >= MOST_PROBLEMS:
        end = f"reading stopped at {counted(len(problems), 'problem')}"
        raise DataError([*problems, end], source=source)


def _by_cause(problems: Iterable[Problem]) -> list[str]:
    """Problems as lines; many of one cause are one line, with their number and the first places."""
    causes: dict[object, list[Problem]] = {}
    for problem in problems:
        causes.setdefault(problem.cause, []).append(problem)
    lines = []
    for alike in causes.values():
        if len(alike) <= MOST_ALIKE:
            lines += [str(problem) for problem in alike]
            continue
        first, *others = alike
        more = sum(problem.rows for problem in alike) - 1
        places = ", ".join(place for p in others[:MOST_ALIKE] if (place := p.place))
        where = f": {places}, …" if places else ""
        lines.append(f"{replace(first, rows=1)}; and {more:,} more like it{where}")
    return lines


_JOINER: Final = re.compile("(?<=[^\\x00-\\x7f])[\\u200c\\u200d](?=[^\\x00-\\x7f])")
"""What joins or parts letters and pictures, between two of them; elsewhere it only hides."""


def printable(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    r"""Text safe to print: control, invisible and bidi characters escaped, cut at ``limit``.

    >>> printable("a\x1b[2Jb\u200b")
    'a\\x1b[2Jb\\u200b'
    >>> printable("x" * 50, limit=5)
    'xxxxx… (50 characters)'
    >>> printable("می\u200cخواهم") == "می\u200cخواهم"
    True
    """
    if not (shown := text[:limit]).isprintable():
        joins = {at.start(): at[0] for at in _JOINER.finditer(text)}
        shown = "".join(joins.get(at) or _escaped(c) for at, c in enumerate(shown))
    return shown if len(text) <= limit else f"{shown}… ({len(text)} characters)"


def source_name(path: str | PurePath) -> str:
    """How messages name an input: the file's own name, without the folders above it.

    >>> source_name("runs/run.json"), source_name("-")
    ('run.json', 'standard input')
    """
    return "standard input" if str(path) == "-" else PurePath(path).name


def is_invisible(character: str) -> bool:
    """Whether a character changes what is read without being seen (control, format, bidi)."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _escaped(character: str) -> str:
    if is_invisible(character):
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character


def label(value: object) -> str:
    r"""An id or a name as a message shows it: bare when plain, quoted when a blank would hide.

    >>> label(102), label("Sleep"), label("Sleep ")
    ('102', 'Sleep', "'Sleep '")
    """
    if not isinstance(value, str):
        return printable(str(value))
    shown = printable(value)
    return shown if value and value == value.strip() and shown == value else f"'{shown}'"


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the singular for one.

    >>> counted(1, "case"), counted(0, "case"), counted(1200, "question")
    ('1 case', '0 cases', '1,200 questions')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def what_came(value: object) -> str:
    """How a message shows a value that should not be there: its kind, and a little of it.

    >>> what_came("3"), what_came(True), what_came([1, 2]), what_came(None), what_came(1.5)
    ("the text '3'", 'the boolean true', 'a list', 'null', '1.5')
    """
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case str():
            return f"the text '{printable(value)}'"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case float():
            return repr(float(value))  # a NumPy float would name its type
        case int():
            return printable(str(value))
        case _ if getattr(getattr(value, "dtype", None), "kind", "") in ("b", "i", "u", "f"):
            plain = value.item() if getattr(value, "ndim", 1) == 0 else value  # type: ignore[attr-defined]
            if isinstance(plain, bool | int | float):
                return what_came(plain)
            return printable(f"the {type(value).__name__} {value}", SHOWN_CHARACTERS + 20)
        case _:
            return printable(f"the {type(value).__name__} {value}", SHOWN_CHARACTERS + 20)
