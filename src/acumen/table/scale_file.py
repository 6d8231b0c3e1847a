"""A scale as a file holds it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator

from acumen.errors import what_came
from acumen.files.documents import Document, Text
from acumen.files.problems import refusal
from acumen.table.levels import MOST_LEVELS, wrong_items, wrong_levels


def _sound(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """A list with nothing wrong in it; everything that is wrong is told, not the first."""
    if not isinstance(value, list):
        raise refusal([((), f"must be a list, not {what_came(value)}")])
    messages = (wrong_levels if info.field_name == "levels" else wrong_items)(value)
    if messages:
        raise refusal(((), message) for message in messages)
    return handler(value)


Levels = Annotated[
    list[int | float | str], Field(min_length=2, max_length=MOST_LEVELS), WrapValidator(_sound)
]
Items = Annotated[list[str], WrapValidator(_sound)]


class ScaleTable(Document):
    """An ordinal scale: its levels, lowest first, and the items that are judged on them."""

    noun = "scale"
    name: Text
    levels: Levels = Field(description="evenly spaced numbers, lowest first, or labels")
    items: Items = Field(default_factory=list)
    title: str = ""
    case: Text = Field("case", description="what a case is called")
