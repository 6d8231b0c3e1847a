"""Several judges, one after another: what ``acumen cascade`` decides and promises."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from acumen.results.decisions import Above0, Decision, Natural, Part, ScalePart, Share

Price = Annotated[float, Field(ge=0)]
OfRows = Annotated[float, Field(ge=0, le=1)]


class StagePart(Part):
    """One judge of a cascade."""

    name: str
    price: Price = Field(description="of a row that it is asked")
    confidence: str
    is_asked: bool = Field(description="false: the cascade is better without it")
    threshold: float | None = Field(description="answers above it are accepted; null: every one")
    asked: OfRows = Field(description="share of all rows that reach it")
    accepted: OfRows = Field(description="share of all rows that it answers")


class Operation(Part):
    """What some way of answering costs and risks, on the cases that it was tested on."""

    name: str
    certified: bool
    price: Price = Field(description="of a row, people's part in it")
    referred: OfRows = Field(description="share of all rows that people answer")
    risk: float | None = Field(description="of what is answered without people")


class CascadeDocument(Decision):
    """What ``acumen cascade`` writes."""

    noun = "cascade"
    kind: Literal["cascade"] = "cascade"
    alpha: Above0 = Field(description="the largest risk allowed, in units of the loss")
    delta: Share
    certified: bool
    stages: list[StagePart]
    cascade: Operation
    alone: list[Operation] = Field(description="each stage by itself, with a promise of its own")
    person_price: Price
    frontier: list[Operation] = Field(description="what was tested, safest first")
    cases: Natural
    cases_apart: Natural = Field(description="those that chose what is tested, and in which order")
    cases_tested: Natural
    scale: ScalePart
