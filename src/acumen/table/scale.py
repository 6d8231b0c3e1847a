"""An ordinal scale: its levels, lowest first. PHQ-8 and the risk scale are data files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError, OffScaleError, Problem, UsageError, printable, what_came
from acumen.files.json import source_name
from acumen.files.text import folded
from acumen.files.toml import Lines, parse_toml, shipped, shipped_text, toml_text
from acumen.table.coded import plain
from acumen.table.levels import MOST_LEVELS as MOST_LEVELS
from acumen.table.levels import (
    Level,
    allowed,
    levels_seen,
    parse_levels,
    spell,
    step_of,
    whole_where_whole,
    wrong_items,
    wrong_levels,
)
from acumen.table.totals import Total, of_tables, wrong_totals

if TYPE_CHECKING:
    from acumen.table.scale_file import ScaleTable

_SHIPPED: Final = "acumen.scales"
_UNNAMED: Final = "levels"
"""The name of a scale of which nothing but the levels was said."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Ordered levels, lowest first, and the items that are judged on them.

    A level is a number, evenly spaced from the next, or a label. Inside acumen a level is its
    *rank*, 0 for the lowest; the distance between two levels is the number of rungs between them.

    >>> Scale("stars", (1, 2, 3, 4, 5)).rank(4)
    3
    >>> Scale.named("risk").rank("HIGH_RISK")
    1
    """

    name: str
    levels: tuple[Level, ...]
    items: tuple[str, ...] = ()
    title: str = ""
    case: str = "case"
    file: str | None = field(default=None, compare=False, repr=False)
    """The file it was read from, as it was named; the same levels are the same scale anywhere."""
    inferred: bool = field(default=False, compare=False)
    """Whether nobody named the levels: they are the range of the numbers in the data."""
    totals: tuple[Total, ...] = field(default=(), compare=False, repr=False)
    """What its items add up to, where that is declared."""
    by_items: bool = field(default=False, compare=False, repr=False)
    """Of one that ships: whether rows that name no scale are on it where all items are its own."""

    def __post_init__(self) -> None:
        # a list may be given; as a tuple it can be compared, hashed and remembered
        object.__setattr__(self, "levels", whole_where_whole(self.levels))
        object.__setattr__(self, "items", tuple(self.items))
        problems = [Problem(m, field="levels") for m in wrong_levels(self.levels)]
        problems += [Problem(m, field="items") for m in wrong_items(self.items)]
        if not problems:
            wrong = wrong_totals(self.totals, self.levels, self.items)
            problems = [Problem(m, field=f"totals, entry {at + 1}, {key}") for at, key, m in wrong]
        if problems:
            raise DataError(problems, source=f"scale {self.name}")

    @staticmethod
    @cache
    def named(name: str) -> Scale:
        """A scale that ships with acumen, by its name."""
        if name not in builtin_scales():
            known = ", ".join(builtin_scales())
            raise UsageError(f"no scale '{printable(name)}'; there are {known}; or 1-5, low,high")
        table = parse_toml(shipped_text(_SHIPPED, name), f"{name}.toml")
        return Scale(**{**table, "totals": of_tables(table.get("totals", ()))})

    @classmethod
    def read(cls, path: str | Path) -> Scale:
        """A scale from a TOML file with ``name``, ``levels`` and optionally ``items``."""
        name = source_name(path)
        text = toml_text(path)
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

        return cls.of_table(validated(data, ScaleTable, source, lines=lines, at=at))

    @classmethod
    def of_table(cls, table: ScaleTable) -> Scale:
        """A scale from what its file holds."""
        totals = of_tables(total.model_dump() for total in table.totals)
        return cls(
            table.name,
            tuple(table.levels),
            tuple(table.items),
            table.title,
            table.case,
            totals=totals,
            by_items=table.by_items,
        )

    @classmethod
    def of(cls, levels: Iterable[Any], *, inferred: bool = False) -> Scale:
        """A scale of which only the levels are said, lowest first.

        >>> Scale.of(range(1, 6)).range, Scale.of(["poor", "good"]).rank("Good")
        (4, 1)
        """
        names = (plain(level) for level in levels)
        texts = (str(n).lower() if isinstance(n, bool) else n for n in names)
        return cls(_UNNAMED, tuple(texts), inferred=inferred)

    @classmethod
    def numbered(cls, lowest: int, highest: int, name: str = _UNNAMED) -> Scale:
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
        """Whether the levels are numbers rather than labels."""
        return not isinstance(self.levels[0], str)

    @property
    def step(self) -> float | None:
        """The distance from one level to the next in the scale's own unit; None for labels."""
        return step_of(self.levels) if self.is_numeric else None

    @property
    def allowed(self) -> str:
        """The levels as a message names them."""
        return allowed(self.levels)

    @property
    def foreign(self) -> str:
        """What a message says of an item that the scale does not have."""
        return f"is not an item of {self.title or self.name}"

    def hint(
        self, problems: Sequence[Problem], numbers: Sequence[int | float] = ()
    ) -> list[Problem]:
        """The problems; the first one that another scale may solve says so.

        ``numbers`` are those in the data: the levels they look like are the likely intent.
        """
        first = next((problem for problem in problems if problem.off_scale), None)
        if first is None:
            return list(problems)
        likely, amends = levels_seen(numbers), first.amends
        hint = f"if the data are on another scale than {self.name}, give it with --scale"
        if len(likely) > 1 and likely != self.levels:
            span = spell(likely)
            hint = f"these look like levels {span.replace('-', '–')}: add --levels {span}"
            amends = (("--levels", span),)
        message = f"{first.message}; {hint} (scale= in Python)"
        hinted = replace(first, message=message, amends=amends)
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
        lowest, highest = self.levels[0], self.levels[-1]
        assert not isinstance(lowest, str)
        assert not isinstance(highest, str)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{what_came(value)} is not a level of {self.allowed}")
        if not lowest <= value <= highest:
            raise OffScaleError(f"{what_came(value)} is outside {self.allowed}")
        rungs = (value - lowest) / step_of(self.levels)
        if abs(rungs - round(rungs)) > 1e-6:
            raise OffScaleError(f"{what_came(value)} is not a level of {self.allowed}")
        return round(rungs)


def builtin_scales() -> tuple[str, ...]:
    """Names of the scales that ship with acumen."""
    return shipped(_SHIPPED)


@cache
def scales_by_items() -> tuple[Scale, ...]:
    """The scales that ship and are known by the names of their items; most names say too little.

    >>> [scale.name for scale in scales_by_items()]
    ['phq8', 'risk']
    """
    return tuple(scale for scale in map(Scale.named, builtin_scales()) if scale.by_items)


def scale_option(scale: Scale) -> str | None:
    """What ``--scale`` is given to have this scale: its file, its name where it ships, its levels.

    >>> scale_option(Scale.named("risk")), scale_option(Scale("risk", (0, 1)))
    ('risk', None)
    >>> scale_option(Scale.of([1, 1.5, 2]))
    '1-2:0.5'
    """
    if scale.file is None and scale.name in builtin_scales():
        return scale.name if scale == Scale.named(scale.name) else None
    if scale.file is None and scale.name == _UNNAMED:
        return spell(scale.levels)
    return scale.file


def find_scale(name: str | Path | Scale | Iterable[Any]) -> Scale:
    """A scale as it is, by name, from a TOML file, or of levels: a list, a range, a text.

    >>> find_scale("1-5").levels, find_scale(["poor", "good"]).levels
    ((1, 2, 3, 4, 5), ('poor', 'good'))
    """
    if isinstance(name, Scale):
        return name
    if not isinstance(name, str | Path):
        return Scale.of(name)
    if isinstance(name, Path) or name.endswith(".toml"):
        return Scale.read(name)
    levels = None if name in builtin_scales() else parse_levels(name)
    return Scale.named(name) if levels is None else Scale.of(levels)


@cache
def _ranks_by_label(levels: tuple[Level, ...]) -> dict[str, int]:
    return {folded(str(level)): rank for rank, level in enumerate(levels)}
