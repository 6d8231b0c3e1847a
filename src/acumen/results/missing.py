"""What missing rows leave open, as parts of a document: bounds, and how many of them it takes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acumen.values.measured import Count, Interval, Measured, Model, Number


class Bounded(Measured):
    """A number of the rows that are there, and what it may be with those that are missing.

    ``value`` is of the rows that are there. ``interval`` covers the number of all rows, whatever
    the missing ones are.
    """

    metric: str
    function: str | None = Field(default=None, description="the confidence that it goes by")
    low: Number | None = Field(default=None, description="least over all completions")
    high: Number | None = Field(default=None, description="largest over all completions")
    without: Interval | None = Field(
        default=None, description="the interval of the rows that are there alone"
    )
    why: str | None = Field(default=None, description="why there are no bounds")
    claim: Number | None = Field(
        default=None, description="what the interval of the rows that are there leaves out"
    )
    tipping: Count | None = Field(
        default=None,
        description="so many missing rows, those that matter most first and the others at their "
        "best, take the claim away; null: it stands whatever they are, or makes none",
    )
    tried: bool = Field(default=False, description="whether it was tried how many it takes")

    @property
    def stands(self) -> bool:
        """Whether the claim stands whatever the missing rows are."""
        if self.claim is None or self.value is None or self.interval is None:
            return False
        low, high = self.interval.low, self.interval.high
        return self.claim < low if self.value > self.claim else high < self.claim


class MissingRows(Model):
    """The missing rows of one input; raters of one judgment share a row."""

    failed: Count = 0
    unparseable: Count = 0
    unscored: Count = 0
    of: Count = Field(description="rows in all")
    cases: Count = Field(description="cases with such a row")
    unknown_cases: Count = Field(
        default=0, description="cases that failed and whose truth is not known: in no bound"
    )
    bounds: list[Bounded] = Field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many are missing."""
        return self.failed + self.unparseable + self.unscored


class MissingPart(Model):
    """What became of the missing rows."""

    treated_as: Literal["wrong", "bound"]
    inputs: list[MissingRows]
    coverage: Number | None = Field(
        default=None, description="of two: what both reach whatever their missing rows are"
    )
    differences: list[Bounded] = Field(
        default_factory=list, description="of two: right minus left, rows missing on either side"
    )

    @property
    def is_any(self) -> bool:
        """Whether anything is missing."""
        return any(m.rows or m.unknown_cases for m in self.inputs)
