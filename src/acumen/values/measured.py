"""A measured value, its interval, and a difference of two: the only shapes there are.

What a reader must know of an interval is a flag on it, and why there is none is a code with its
counts. Sentences are made of them at the very end, by :mod:`acumen.report.words`.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    Strict,
    WithJsonSchema,
)

from acumen.defaults import CONFIDENCE_LEVEL

Side = Literal["left", "right"]
Number = Annotated[float, Strict()]
"""A number, and not a text that looks like one."""
Count = Annotated[int, Strict()]


def finite(value: float | None) -> float | None:
    """The number, or null where there is none that JSON could hold."""
    return None if value is None or not math.isfinite(value) else float(value)


_END = (
    Field(allow_inf_nan=True),
    PlainSerializer(finite, return_type=float | None),
    WithJsonSchema(
        {"anyOf": [{"type": "number"}, {"type": "null"}], "description": "null: without a bound"}
    ),
)
LowEnd = Annotated[Number, *_END, BeforeValidator(lambda end: -math.inf if end is None else end)]
HighEnd = Annotated[Number, *_END, BeforeValidator(lambda end: math.inf if end is None else end)]


class Model(BaseModel):
    """Anything on disk: numbers are finite, and a field it does not know is kept."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False, defer_build=True)


class Value(Model):
    """A part of a document that does not change once it is made."""

    model_config = ConfigDict(frozen=True)


class Flag(StrEnum):
    """What to know before using an interval."""

    FEW_CASES = "few_cases"
    """It rests on fewer cases than it takes to rely on an interval."""
    FEW_ITEMS = "few_items"
    """The items are a sample, and of few."""
    DOMINATED = "dominated"
    """A few cases hold most of the weight."""
    ONE_CASE = "one_case"
    """One case carries more than half of the variance."""
    ONE_ROW = "one_row"
    """The value may depend on the single surest row."""
    HULL = "hull"
    """The best thresholds are those of these very rows, which looks a little too good."""
    RARE_LEVEL = "rare_level"
    """It rests on a few cases of a level, or of another kind: see ``rests_on``."""
    FEW_ERRORS = "few_errors"
    """Only one or two cases err: see ``erring_cases``."""
    NO_ERRORS = "no_errors"
    """No case errs; it assumes that one that does loses one level a row, on average."""
    NOISE_RAISES = "noise_raises"
    """Noise raises the estimate, most where rows are few; both ends allow for it."""
    FALLBACK = "fallback"
    """The method that was asked for does not exist here, so another took its place."""
    TEST_DECIDES = "test_decides"
    """Of a difference: alone it says otherwise than the test of all differences together, which
    decides."""


UNRELIABLE: Final = frozenset({Flag.FEW_CASES, Flag.FEW_ITEMS, Flag.DOMINATED, Flag.RARE_LEVEL})
"""Flags of an interval on which no difference is claimed."""
MARKED: Final = UNRELIABLE | {Flag.TEST_DECIDES}
"""Flags of an interval that is never shown without its note."""


class RestsOn(Value):
    """The smallest group of cases that an interval cannot do without."""

    cases: Count
    where: Literal[
        "at",
        "at_least",
        "below",
        "between",
        "right",
        "wrong",
        "certain",
        "answerable",
        "unanswerable",
        "open",
    ]
    level: str | int | float = Field(
        default=0, description="of 'between', the lower of the two levels"
    )
    upper: str | int | float | None = Field(
        default=None, description="of 'between', the upper level"
    )


class Interval(Value):
    """Two ends, the method that made them, and what to know before using them."""

    low: LowEnd
    high: HighEnd
    method: str
    confidence_level: float = CONFIDENCE_LEVEL
    standard_error: float | None = None
    flags: tuple[Flag, ...] = ()
    erring_cases: int | None = None
    largest_case_share: float | None = Field(
        default=None, description="share of the variance that one case carries"
    )
    rests_on: RestsOn | None = None

    @property
    def is_reliable(self) -> bool:
        """Whether a difference may be claimed on it."""
        return UNRELIABLE.isdisjoint(self.flags)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Low and high; None for one without a bound."""
        return finite(self.low), finite(self.high)

    @property
    def has_zero(self) -> bool:
        """Whether 0 lies within it."""
        return self.low <= 0.0 <= self.high

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The same interval cut to the values the metric may take."""
        low, high = bounds
        if low <= self.low <= self.high <= high:
            return self
        ends = {"low": min(max(self.low, low), high), "high": max(min(self.high, high), low)}
        return self.model_copy(update=ends)

    def with_flag(self, flag: Flag, rests_on: RestsOn | None = None) -> Interval:
        """The same interval with one thing more to know of it."""
        flags = tuple(dict.fromkeys((*self.flags, flag)))
        return self.model_copy(update={"flags": flags, "rests_on": rests_on or self.rests_on})

    def times(self, factor: float) -> Interval:
        """The interval of a value in another unit, such as percent."""
        error = None if self.standard_error is None else self.standard_error * factor
        ends = {"low": self.low * factor, "high": self.high * factor, "standard_error": error}
        return self.model_copy(update=ends)


class Absence(StrEnum):
    """Why there is no interval."""

    NO_VALUE = "no_value"
    """The value itself is undefined."""
    TOO_FEW_CASES = "too_few_cases"
    TOO_FEW_ITEMS = "too_few_items"
    """Of items that are a sample."""
    NO_RESAMPLES = "no_resamples"
    """No resamples were asked for."""
    TOO_FEW_RESAMPLES = "too_few_resamples"
    """``of`` resamples, where ``count`` are needed."""
    UNDEFINED_IN_RESAMPLES = "undefined_in_resamples"
    """Undefined in a ``share`` of the resamples that is too large."""
    UNDEFINED_WITHOUT_CASES = "undefined_without_cases"
    """Undefined when leaving out any of ``count`` cases (of ``of``)."""
    UNDEFINED_WITHOUT_GROUPS = "undefined_without_groups"
    """The same, where groups of cases are left out."""
    NO_VARIATION = "no_variation"
    """Leaving out any one case changes nothing."""
    SIDES_DIFFER = "sides_differ"
    """Leaving out some case makes one side undefined and not the other."""
    NEEDS_ROWS = "needs_rows"
    """It takes every row at hand, and they stayed where they are."""


class NoInterval(Value):
    """Why there is none."""

    why: Absence
    count: int | None = None
    of: int | None = None
    share: float | None = None
    side: Side | None = Field(default=None, description="of a difference: the side that has none")
    rests_on: RestsOn | None = None


class Measured(Value):
    """A value or why there is none, its interval or why there is none."""

    value: Number | None
    reason: str | None = Field(default=None, description="why there is no value")
    better: Literal["lower", "higher"] | None = None
    interval: Interval | None = None
    no_interval: NoInterval | None = None
    drop_rate: float | None = Field(
        default=None, description="share of resamples that have no value"
    )

    def __float__(self) -> float:
        """The value; NaN where there is none.

        >>> float(Measured(value=0.75)), float(Measured(value=None))
        (0.75, nan)
        """
        return math.nan if self.value is None else self.value

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Of its interval; None twice where there is none."""
        return (None, None) if self.interval is None else self.interval.ends

    def times(self, factor: float) -> Measured:
        """The same in another unit, such as percent."""
        return self.model_copy(
            update={
                "value": None if self.value is None else self.value * factor,
                "interval": None if self.interval is None else self.interval.times(factor),
            }
        )


class Description(StrEnum):
    """Why a difference is described and never a verdict, whatever its interval."""

    COVERAGE_DIFFERS = "coverage_differs"
    """It is of the rows each side answered, and one answered more than the other."""
    NOT_IN_FAMILY = "not_in_family"
    """It is not among the differences that are tested together."""


class RightOf(Value):
    """What a share is counted over, on each side: how many are right, of how many."""

    left: tuple[Count, Count]
    right: tuple[Count, Count]


class Delta(Value):
    """Right minus left, paired by case."""

    delta: Number | None
    reason: str | None = Field(default=None, description="why there is no difference")
    left: Number | None = None
    right: Number | None = None
    better: Literal["lower", "higher"] | None = None
    interval: Interval | None = None
    no_interval: NoInterval | None = None
    ci95: tuple[float | None, float | None] | None = Field(
        default=None, description="the 95% percentile interval of the bootstrap"
    )
    p_value: float | None = Field(default=None, description="of this difference alone")
    p_adjusted: float | None = Field(
        default=None, description="when all differences of its family are tested together"
    )
    drop_rate: float | None = None
    favours: Side | None = Field(default=None, description="the better side, where that is shown")
    description: Description | None = Field(
        default=None, description="why no side is favoured, whatever the numbers"
    )
    counts: RightOf | None = None

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Of its interval; None twice where there is none."""
        return (None, None) if self.interval is None else self.interval.ends

    def times(self, factor: float) -> Delta:
        """The same in another unit, such as percent."""
        numbers = {
            name: None if (value := getattr(self, name)) is None else value * factor
            for name in ("delta", "left", "right")
        }
        interval = None if self.interval is None else self.interval.times(factor)
        return self.model_copy(update={**numbers, "interval": interval})


class Fragility(Value):
    """How little would undo a claim, and what the cases behind it cannot show."""

    undone_by: int | None = Field(
        description="fewest further cases, each as bad as one can be, that would undo it"
    )
    unseen: Number = Field(
        description="largest share of a kind of failure that need not be among them, about 3/n"
    )


def better_side(difference: float, better: str) -> Side:
    """The better side of a difference, right − left.

    >>> better_side(-0.2, "lower"), better_side(-0.2, "higher")
    ('right', 'left')
    """
    return "right" if (difference < 0.0) == (better == "lower") else "left"
