"""An ordinal scale: its levels, lowest first. PHQ-8 and the risk scale are data files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError, OffScaleError, Problem, UsageError, printable, what_came
from acumen.files.json import decode_text, read_bytes, source_name
from acumen.files.text import folded
from acumen.files.toml import Lines, parse_toml, shipped, shipped_text

MOST_LEVELS: Final = 1000
DEFAULT_SCALE: Final = "phq8"
_SHIPPED: Final = "acumen.scales"


@dataclass(frozen=True, slots=True)
class Scale:
    """Ordered levels, lowest first, and the items that are judged on them.

    A level is a whole number or a label. Inside acumen a level is its *rank*, 0 for the lowest;
    the distance between two levels is the number of rungs between them.

    >>> Scale("stars", (1, 2, 3, 4, 5)).rank(4)
    3
    >>> Scale.named("risk").rank("HIGH_RISK")
    1
    """

    name: str
    levels: tuple[int | str, ...]
    items: tuple[str, ...] = ()
    title: str = ""
    case: str = "case"
    file: str | None = field(default=None, compare=False, repr=False)
    """The file it was read from, as it was named; the same levels are the same scale anywhere."""

    def __post_init__(self) -> None:
        # a list may be given; as a tuple it can be compared, hashed and remembered
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "items", tuple(self.items))
        problems = [Problem(m, field="levels") for m in wrong_levels(self.levels)]
        problems += [Problem(m, field="items") for m in wrong_items(self.items)]
        if problems:
            raise DataError(problems, source=f"scale {self.name}")

    @staticmethod
    @cache
    def named(name: str) -> Scale:
        """A scale that ships with acumen, by its name."""
        if name not in builtin_scales():
            raise UsageError(f"no scale '{name}'; there are {', '.join(builtin_scales())}")
        return Scale(**parse_toml(shipped_text(_SHIPPED, name), f"{name}.toml"))

    @classmethod
    def read(cls, path: str | Path) -> Scale:
        """A scale from a TOML file with ``name``, ``levels`` and optionally ``items``."""
        name = source_name(path)
        text = decode_text(read_bytes(path), name)
        return replace(cls.parse(parse_toml(text, name), name, lines=Lines(text)), file=str(path))

    @classmethod
    def parse(
        cls, data: Mapping[str, Any], source: str, at: str = "", lines: Lines | None = None
    ) -> Scale:
        """A scale from the keys of a file; ``at`` is where in ``source`` they stand.

        >>> Scale.parse({"name": "stars", "levels": [1, 2, 3]}, "run.json").range
        2
        """
        from acumen.files.problems import validated  # pydantic: not for the scales that ship
        from acumen.table.scale_file import ScaleTable

        return validated(data, ScaleTable, source, lines=lines, at=at).scale

    @classmethod
    def numbered(cls, lowest: int, highest: int, name: str = "levels") -> Scale:
        """The whole numbers from ``lowest`` to ``highest``.

        >>> Scale.numbered(0, 10).range
        10
        """
        return cls(name, tuple(range(lowest, highest + 1)))

    @property
    def range(self) -> int:
        """Rungs between the lowest and the highest level: the largest possible error."""
        return len(self.levels) - 1

    @property
    def is_numeric(self) -> bool:
        """Whether the levels are whole numbers rather than labels."""
        return isinstance(self.levels[0], int)

    @property
    def allowed(self) -> str:
        """The levels as a message names them."""
        if self.is_numeric:
            return f"{self.levels[0]}..{self.levels[-1]}"
        return ", ".join(f"'{printable(str(level))}'" for level in self.levels)

    @property
    def foreign(self) -> str:
        """What a message says of an item that the scale does not have."""
        return f"is not an item of {self.title or self.name}"

    def hint(self, problems: Sequence[Problem]) -> list[Problem]:
        """The problems; the first one that another scale may solve says so."""
        first = next((problem for problem in problems if problem.off_scale), None)
        if first is None:
            return list(problems)
        hint = f"if the data are on another scale than {self.name}, give it with --scale"
        hinted = replace(first, message=f"{first.message}; {hint} (scale= in Python)")
        return [hinted if problem is first else problem for problem in problems]

    def rank(self, value: object) -> int:
        """The rank of a level, 0 for the lowest; ``ValueError`` says what is wrong with it.

        2.0 is 2; 1.5, a boolean, a text on a numeric scale are not levels. Labels are matched
        without regard to case, outer quotes and the mark between words.
        """
        if self.is_numeric:
            return self._numeric_rank(value)
        if isinstance(value, str):
            rank = _ranks_by_label(self.levels).get(folded(value))
            if rank is not None:
                return rank
        raise OffScaleError(f"{what_came(value)} is not one of {self.allowed}")

    def _numeric_rank(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{what_came(value)} where a level {self.allowed} is expected")
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"{what_came(value)} is not a level of {self.allowed}")
        lowest = self.levels[0]
        assert isinstance(lowest, int)
        rank = int(value) - lowest
        if not 0 <= rank <= self.range:
            raise OffScaleError(f"{what_came(value)} is outside {self.allowed}")
        return rank


def builtin_scales() -> tuple[str, ...]:
    """Names of the scales that ship with acumen."""
    return shipped(_SHIPPED)


def scale_option(scale: Scale) -> str | None:
    """What ``--scale`` is given to have this scale: its file, or its name where it ships.

    >>> scale_option(Scale.named("risk")), scale_option(Scale("risk", (0, 1)))
    ('risk', None)
    """
    if scale.file is None and scale.name in builtin_scales():
        return scale.name if scale == Scale.named(scale.name) else None
    return scale.file


def find_scale(name: str | Path | Scale) -> Scale:
    """A scale as it is, by name, or from a TOML file."""
    if isinstance(name, Scale):
        return name
    if isinstance(name, Path) or name.endswith(".toml"):
        return Scale.read(name)
    return Scale.named(name)


def wrong_levels(levels: Sequence[object]) -> list[str]:
    """What is wrong with the levels of a scale, if anything."""
    if not 2 <= len(levels) <= MOST_LEVELS:
        return [f"needs 2 to {MOST_LEVELS} levels, has {len(levels)}"]
    if all(type(level) is int for level in levels):
        rising = all(b == a + 1 for a, b in pairwise(levels))  # type: ignore[operator]  # all int
        return [] if rising else ["must be consecutive whole numbers"]
    if all(isinstance(level, str) for level in levels):
        return _wrong_names([folded(str(x)) for x in levels], "a label must not be empty")
    return ["must be all whole numbers or all text"]


def wrong_items(items: Sequence[object]) -> list[str]:
    """What is wrong with the items of a scale, if anything."""
    odd = [item for item in items if not isinstance(item, str)]
    if odd:
        return [f"must be text, not {what_came(odd[0])}"]
    return _wrong_names(items, "an item must not be empty")


def _wrong_names(names: Sequence[object], if_blank: str) -> list[str]:
    faults = {if_blank: not all(names), "must differ from each other": len(set(names)) < len(names)}
    return [message for message, is_fault in faults.items() if is_fault]


@cache
def _ranks_by_label(levels: tuple[int | str, ...]) -> dict[str, int]:
    return {folded(str(level)): rank for rank, level in enumerate(levels)}
