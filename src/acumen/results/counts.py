"""Counts and sums over cases as sites exchange them, and what is measured from them."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from acumen.files.documents import Document
from acumen.results.older import of_counts
from acumen.values.measured import Delta, Measured, Model, Number

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
    powers: ClassVar = ("1", "2", "3", "4", "above", "most")
    """What is summed of each part: four powers, the cases above 0, and its largest size."""
    kind: Literal["acumen moments"]
    version: Literal[2]
    pooled: str = Field(description="hash of the pooled counts that they belong to")
    loss: str
    costs: str = Field(description="hash of what the loss charges on the pooled levels")
    sums: dict[str, float] = Field(description="by part, system and power")

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        cases = self.sums.get("cases", 0.0)
        if cases < 1 or cases != math.floor(cases):
            raise ValueError("the number of cases is missing, or none")
        for part in dict.fromkeys(name.rpartition("_")[0] for name in self.sums if name != "cases"):
            values = (self.sums.get(f"{part}_{power}", math.nan) for power in self.powers)
            one, two, three, four, above, most = values
            no_more_than = [(0.0, above), (above, cases), (0.0, most), (most * most, two)]
            no_more_than += [(two, cases * most * most), (four, two * most * most)]
            # Cauchy and Schwarz; what is not above 0 adds nothing to a sum
            no_more_than += [(one * one, cases * two), (one * abs(one), above * two)]
            no_more_than += [(two * two, cases * four), (three * three, two * four)]
            # below 1e-300 floats have lost their digits
            if above % 1 or not all(a <= b * (1 + NEAR) + 1e-300 for a, b in no_more_than):
                raise ValueError(f"no {cases:g} cases have the sums of {part}, or some are missing")
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
    command: str | None = Field(default=None, description="what makes it again")
    pooled: CountsDocument | None = Field(default=None, exclude=True)
    """Of merged sites: the counts of all, which are kept in a file of their own."""

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        return of_counts(content) if isinstance(content, dict) else content
