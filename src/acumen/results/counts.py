"""Counts and sums over cases as sites exchange them, and what is measured from them."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from acumen.files.documents import Document
from acumen.results.measured import Delta, Measured, Model, Number

Whole = Annotated[int, Field(ge=0, le=2**53)]
NEAR = 1e-9
"""How far sums of floats may be apart that are the same."""


class CountsDocument(Document):
    """Counts of one site, or of several: what ``acumen count`` writes, without a row or an id."""

    noun: ClassVar[str] = "file of counts"
    kind: Literal["acumen counts"]
    version: Literal[1]
    levels: list[str | int | float] = Field(min_length=2, description="lowest first")
    bits: Annotated[int, Field(ge=1, le=23)] | None = Field(
        description="leading bits of the mantissa that make a bin; null: a bin is a confidence"
    )
    cells: dict[str, list[float]] = Field(
        description="by column: ranks of truth and prediction (-1 is none), rows, bin, weight, "
        "weight × confidence and × its square, least and largest confidence"
    )
    outcomes: dict[str, Whole] = Field(description="how many rows came to what")
    ranked: bool = Field(default=True, description="whether there is a confidence")
    fewest: Whole = Field(default=0, description="cells of fewer rows were left out")
    hidden_rows: Whole = 0
    hidden_weight: Annotated[float, Field(ge=0.0)] = 0.0
    sites: Annotated[int, Field(ge=1)] = 1
    salt: str | None = Field(default=None, description="what tells whether two sites used one salt")
    case_hashes: list[str] | None = Field(default=None, description="of the salted ids of cases")


class MomentsDocument(Document):
    """Sums over the cases of a site under pooled counts: what ``acumen count --against`` writes."""

    noun: ClassVar[str] = "file of sums"
    kind: Literal["acumen moments"]
    version: Literal[1]
    pooled: str = Field(description="hash of the pooled counts that they belong to")
    loss: str
    sums: dict[str, float] = Field(description="by part, system and power")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        cases = self.sums.get("cases", -1.0)
        if cases < 0 or cases != math.floor(cases):
            raise ValueError("the number of cases is missing, or none")
        for name, value in self.sums.items():
            part, _, power = name.rpartition("_")
            square, fourth = (self.sums.get(f"{part}_{p}", math.inf) for p in ("2", "4"))
            is_negative = power in ("2", "4", "most", "above") and value < 0
            is_many = power == "above" and value > cases
            if is_negative or is_many or square * square > fourth * cases * (1 + NEAR):
                raise ValueError(f"no {cases:g} cases have the sums of {part}")
        return self


class Certified(Measured):
    """A value from counts; ``bounds`` are the least and the most that the rows themselves have."""

    bounds: tuple[Number, Number] | None = None


class LargeSystem(Model):
    """One system, or one slice of it, measured from counts."""

    cases: int | None = None
    outcomes: dict[str, int] = Field(default_factory=dict)
    metrics: dict[str, Certified]
    deltas: dict[str, Delta] = Field(
        default_factory=dict, description="minus the first system, paired by case"
    )


class LargeArtifact(Model):
    """What ``acumen evaluate --engine`` and ``acumen merge`` measure without a row in memory."""

    kind: Literal["acumen large"] = "acumen large"
    source: str
    engine: str | None = None
    rows: int
    bits: int | None = Field(default=None, description="null: every number is exact")
    cells: int
    loss: str
    levels: list[Any]
    confidence_level: float
    systems: dict[str, LargeSystem]
    slices: dict[str, dict[str, LargeSystem]] = Field(default_factory=dict)
    suppressed_rows: int = 0
    suppressed_weight: float = 0.0
    sites: int = 1
    are_cases_apart: bool | None = Field(
        default=None, description="whether no case is at two sites; null: not checked"
    )
