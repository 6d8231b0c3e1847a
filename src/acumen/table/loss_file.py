"""A loss as a TOML file holds it: costs by truth and prediction, or by the level of the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from acumen.errors import label
from acumen.files.documents import Document, Text
from acumen.files.json import source_name
from acumen.files.problems import refusal, validated
from acumen.files.toml import Lines, parse_toml, toml_text
from acumen.table.scale import Scale

Cost = Annotated[float, Field(ge=0)]


class LossTable(Document):
    """What a wrong level costs: a matrix, or the cost of a rung by the level of the truth."""

    noun = "loss"
    name: Text = "costs"
    matrix: list[list[Cost]] | None = Field(
        default=None, description="rows by truth, columns by prediction, lowest level first"
    )
    levels: dict[str, Cost] | None = Field(
        default=None, description="what one rung off costs at each level of the truth"
    )

    @model_validator(mode="after")
    def _is_one_of_them(self) -> LossTable:
        if (self.matrix is None) == (self.levels is None):
            raise refusal([((), "needs exactly one of matrix and levels")])
        return self

    @property
    def definition(self) -> str:
        """What a row costs."""
        of_rungs = "abs(pred - gt) × the cost of a rung at gt"
        return "a cost for each gt and pred" if self.levels is None else of_rungs

    def costs(self, scale: Scale) -> list[list[float]]:
        """The costs on a scale, by truth and prediction."""
        if self.levels is None:
            return self.matrix or []
        names = list(map(str, scale.levels))
        if set(names) != set(self.levels):
            there = f"there are {', '.join(map(label, self.levels)) or 'none'}"
            raise ValueError(f"levels: each of {scale.allowed} needs a cost; {there}")
        by_rank = [self.levels[name] for name in names]
        ranks = range(len(names))
        return [[by_rank[truth] * abs(truth - other) for other in ranks] for truth in ranks]


def read_costs(path: str | Path) -> LossTable:
    """What is in a TOML file; whether it fits is asked of each scale."""
    name = source_name(path)
    text = toml_text(path)
    return validated(parse_toml(text, name), LossTable, name, lines=Lines(text))
