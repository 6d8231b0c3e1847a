"""A scale as a file holds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from acumen.errors import what_came
from acumen.files.documents import Document, Text
from acumen.files.problems import refusal
from acumen.table.levels import MOST_LEVELS, wrong_items, wrong_levels
from acumen.table.totals import Side, of_tables, wrong_totals


def _sound(wrong: Callable[[Sequence[Any]], list[str]]) -> BeforeValidator:
    """A list with nothing wrong in it; everything that is wrong is told, not the first."""

    def check(value: object) -> object:
        if not isinstance(value, list):
            raise refusal([((), f"must be a list, not {what_came(value)}")])
        if messages := wrong(value):
            raise refusal(((), message) for message in messages)
        return value

    return BeforeValidator(check)


Levels = Annotated[
    list[int | float | str], Field(min_length=2, max_length=MOST_LEVELS), _sound(wrong_levels)
]
Items = Annotated[list[str], _sound(wrong_items)]


class TotalTable(Document):
    """A total: a sum of items, weighted where that is said, with its cut and its bands."""

    noun = "total"
    name: Text = Field("total", description="what it is chosen by, where a scale has several")
    title: str = ""
    items: Items = Field(default_factory=list, description="none: all items of the scale")
    reversed: Items = Field(
        default_factory=list, description="items whose lowest level has the most points"
    )
    weights: dict[str, float] = Field(
        default_factory=dict, description="of items that do not count once"
    )
    times: float = Field(1, description="what the sum is multiplied by")
    cut: float | None = None
    positive: Side = Field(
        "high", description="the side that is looked for: high is at the cut or above"
    )
    bands: list[float] = Field(
        default_factory=list, description="the lowest total of each band but the first"
    )
    band_names: list[str] = Field(default_factory=list, description="one more than bands")
    reference: str = ""


class ScaleTable(Document):
    """An ordinal scale: its levels, lowest first, and the items that are judged on them."""

    noun = "scale"
    name: Text
    levels: Levels = Field(description="evenly spaced numbers, lowest first, or labels")
    items: Items = Field(default_factory=list)
    title: str = ""
    case: Text = Field("case", description="what a case is called")
    totals: list[TotalTable] = Field(default_factory=list)
    by_items: bool = Field(
        False, description="of one that ships: rows that name no scale are on it by their items"
    )

    @model_validator(mode="after")
    def _totals_can_be(self) -> ScaleTable:
        totals = of_tables(total.model_dump() for total in self.totals)
        wrong = wrong_totals(totals, self.levels, self.items)
        if wrong:
            raise refusal((("totals", at, key), message) for at, key, message in wrong)
        return self
