"""What ``acumen label`` writes: which cases to label, and with what chance each was drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from acumen.types import CaseId
from acumen.values.measured import Count, Model, Number

EVEN: Final = 1e-9
"""Chances that differ by less are the same."""
Assumption = Literal["correlation", "errors", "agreement"]


class Expected(Model):
    """The precision to expect of so many labelled cases, if what is assumed holds."""

    cases: Count
    assumption: Assumption = Field(
        description="correlation of judge and people by case; share of accepted answers that are "
        "wrong; share on which two people agree"
    )
    at: Number
    reach: Number = Field(
        description="half the width of the interval; of errors, the risk that can be promised"
    )


class DrawnCase(Model):
    """A case to label."""

    case: CaseId
    inclusion: Annotated[Number, Field(gt=0, le=1)]
    rows: Count


class Drawn(Model):
    """How labelled cases were drawn, and whether they may be those that were."""

    least_inclusion: Number = Field(description="least chance of a labelled case")
    most_inclusion: Number
    stands_for: Number = Field(description="how many cases they stand for by their chances")
    cases: Count = Field(description="how many there are")
    fits: bool = Field(description="whether these may be the same number")

    @property
    def constant(self) -> bool:
        """Whether all chances are the same."""
        return self.most_inclusion - self.least_inclusion <= EVEN


class SampleDocument(Model):
    """The cases that are to be labelled, in the order in which they are."""

    kind: Literal["sample"] = "sample"
    acumen_version: str
    command: str | None = Field(default=None, description="what makes it again")
    judged_in: str | None
    purpose: Literal["estimate", "threshold", "rate"]
    seed: Count
    fingerprint: str = Field(description="of the cases and their chances: labels carry it")
    levels: list[Any]
    columns: dict[str, str] = Field(description="role -> its column in the rows")
    prediction: str | None = Field(default=None, description="the judge's column")
    confidence: str | None = Field(default=None, description="that of its confidence, where named")
    cases: Count
    rows: Count
    budget: Count
    rows_drawn: Count
    constant: bool = Field(description="whether every case had the same chance")
    largest_weight: Number = Field(description="of a drawn case, against the mean of all")
    confidence_level: Number
    delta: Number
    expected: list[Expected]
    drawn: list[DrawnCase]
    warnings: list[str]

    @property
    def own_fingerprint(self) -> str:
        """What its fingerprint must be, if nobody changed its cases and chances."""
        pairs = [(case.case, case.inclusion) for case in self.drawn]
        return fingerprint(self.seed, self.purpose, pairs)


def fingerprint(seed: int, purpose: str, drawn: Sequence[tuple[CaseId, float]]) -> str:
    """What tells one sample from every other: of its cases and chances, in any order.

    >>> fingerprint(1, "rate", [("a", 0.5), ("b", 0.5)]) == fingerprint(1, "rate", [("b", 0.5)])
    False
    """
    parts = sorted(f"{type(case).__name__}|{case}|{chance!r}" for case, chance in drawn)
    text = "\n".join([f"{seed}|{purpose}", *parts])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
