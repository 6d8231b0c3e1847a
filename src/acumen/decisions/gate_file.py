"""What a gate asks: requirements from the options of a call, or from a gate file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from acumen.errors import UsageError
from acumen.files.documents import Document, Text
from acumen.files.json import source_name
from acumen.files.problems import refusal, validated
from acumen.files.toml import Lines, parse_toml, toml_text
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

    @property
    def asked(self) -> list[tuple[Rule, float]]:
        """Each rule with what is compared with the ends; one, where the requirement is sound."""
        margin: Rule = "equivalence" if self.equivalence else "non-inferiority"
        bounds: dict[Rule, float | None] = {margin: self.margin, "at-least": self.at_least}
        bounds |= {"at-most": self.at_most, "superiority": 0.0 if self.superiority else None}
        return [(rule, bound) for rule, bound in bounds.items() if bound is not None]

    @model_validator(mode="after")
    def _asks_one_thing(self) -> Requirement:
        if len(self.asked) != 1 or (self.equivalence and self.margin is None):
            kinds = "margin (with or without equivalence), superiority, at_least and at_most"
            raise refusal([((), f"needs exactly one of {kinds}")])
        return self

    @property
    def is_of_two(self) -> bool:
        """Whether it needs a baseline."""
        return not self.asked[0][0].startswith("at-")


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
        kinds = "margin, superiority, at_least, at_most"
        raise UsageError(f"a metric and what is asked of it ({kinds})")
    more = [{"metric": metric, **options} for metric in metrics]
    if path is None:
        if not more:
            raise UsageError(
                "nothing to check: name a metric and a bound, such as "
                "--metric accuracy --at-least 0.8 (metric=, at_least= in Python), or a gate file"
            )
        return validated({"require": more}, GateTable, "gate")
    name = source_name(path)
    text = toml_text(path)
    table = validated(parse_toml(text, name), GateTable, name, lines=Lines(text))
    beside = [validated(entry, Requirement, "gate") for entry in more]
    return table.model_copy(update={"require": [*table.require, *beside]})
