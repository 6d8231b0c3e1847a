"""What a gate asks: requirements from the options of a call, or from a gate file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from acumen.errors import UsageError
from acumen.files.documents import Document, Text
from acumen.files.json import decode_text, read_bytes, source_name
from acumen.files.problems import refusal, validated
from acumen.files.toml import Lines, parse_toml
from acumen.results.decisions import Rule


class Requirement(Document):
    """One thing that a gate asks of a metric: a margin, superiority, or a bound."""

    noun = "requirement"
    metric: Text
    margin: Annotated[float, Field(gt=0)] | None = None
    equivalence: bool = Field(default=False, description="the margin holds both ways")
    superiority: bool = Field(default=False, description="better than the baseline")
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Requirement:
        bounds = (self.margin, self.superiority or None, self.at_least, self.at_most)
        if sum(bound is not None for bound in bounds) != 1:
            kinds = "margin, superiority, at_least and at_most"
            raise refusal([((), f"needs exactly one of {kinds}")])
        if self.equivalence and self.margin is None:
            raise refusal([(("equivalence",), "needs a margin")])
        return self

    @property
    def rule(self) -> Rule:
        """Which test it is."""
        if not self.is_of_two:
            return "at-least" if self.at_most is None else "at-most"
        margin: Rule = "equivalence" if self.equivalence else "non-inferiority"
        return "superiority" if self.superiority else margin

    @property
    def bound(self) -> float:
        """What is held against the ends."""
        bounds = (self.margin, self.at_least, self.at_most, 0.0)
        return next(bound for bound in bounds if bound is not None)

    @property
    def is_of_two(self) -> bool:
        """Whether it needs a baseline."""
        return self.at_least is None and self.at_most is None


class GateTable(Document):
    """A gate file: what is asked of a run, all of which must hold."""

    noun = "gate"
    require: list[Requirement] = Field(min_length=1, description="a list of [[require]] tables")
    confidence: Text | None = None
    loss: Text | None = None
    by: list[Text] = Field(default_factory=list)
    least_cases: Annotated[int, Field(ge=0)] = 0
    undecided: Literal["pass", "fail"] | None = None


def gate_of(path: str | Path | None, metrics: Sequence[str], **asked: Any) -> GateTable:
    """What a call asks of each metric, beside what its gate file asks."""
    options = {name: value for name, value in asked.items() if value not in (None, False)}
    if bool(options) != bool(metrics):
        raise UsageError(
            "a metric and what is asked of it (margin, superiority, at_least, at_most)"
        )
    more = [{"metric": metric, **options} for metric in metrics]
    if path is None:
        if not more:
            raise UsageError("what is asked? give a metric, or a gate file")
        return validated({"require": more}, GateTable, "gate")
    name = source_name(path)
    text = decode_text(read_bytes(path), name)
    table = validated(parse_toml(text, name), GateTable, name, lines=Lines(text))
    beside = [validated(entry, Requirement, "gate") for entry in more]
    return table.model_copy(update={"require": [*table.require, *beside]})
