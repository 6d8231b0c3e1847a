"""A scale as a file holds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from acumen.errors import what_came
from acumen.files.documents import Document, Text
from acumen.files.problems import refusal
from acumen.table.levels import MOST_LEVELS, wrong_items, wrong_levels


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


class ScaleTable(Document):
    """An ordinal scale: its levels, lowest first, and the items that are judged on them."""

    noun = "scale"
    name: Text
    levels: Levels = Field(description="evenly spaced numbers, lowest first, or labels")
    items: Items = Field(default_factory=list)
    title: str = ""
    case: Text = Field("case", description="what a case is called")
