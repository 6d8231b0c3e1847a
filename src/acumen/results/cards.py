"""A card: all that a promise rests on, in one file that shows if somebody changed it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, Literal

from pydantic import Field, model_validator

from acumen.files.problems import refusal
from acumen.results.decisions import Check, Decision, Natural, Part, ThresholdDocument, Verdict
from acumen.values.measured import Measured

UNSEALED: Final = ("digest", "command")
"""What the digest does not cover: itself, and how the file can be made again."""


def digest_of(content: dict[str, Any]) -> str:
    """SHA-256 of what a card says, however the file is laid out.

    >>> digest_of({"b": 1, "a": [0.5], "command": "x"}) == digest_of({"a": [0.5], "b": 1})
    True
    """
    sealed = {key: value for key, value in content.items() if key not in UNSEALED}
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class PromptPart(Part):
    """The prompt that the judge was asked with, by its bytes; its words stay where they are."""

    name: str
    sha256: str


class DataPart(Part):
    """What the card was made from."""

    name: str | None
    sha256: str | None = Field(description="of the file")
    mode: str | None = None
    cases: Natural
    rows: Natural
    answered: Natural


class Agreement(Part):
    """How far the judge agrees with the labels, or leans from them."""

    metric: str
    answered: Measured = Field(description="on all answers")
    accepted: Measured = Field(description="on those that the threshold accepts")


class CardDocument(Decision):
    """What ``acumen card make`` writes."""

    noun = "card"
    kind: Literal["card"] = "card"
    judge: str
    prompt: PromptPart | None = None
    labelled_by: str = Field(description="whose labels are the truth")
    data: DataPart
    of_promise: Natural = Field(description="cases of the data that the promise was made from")
    threshold: ThresholdDocument
    agreement: list[Agreement]
    digest: str | None = Field(default=None, description="SHA-256 of all but this and the command")

    @model_validator(mode="before")
    @classmethod
    def _is_as_it_was_made(cls, content: Any) -> Any:
        is_file = isinstance(content, dict) and isinstance(content.get("threshold"), dict)
        if is_file and content.get("digest") != digest_of(content):
            fault = "does not fit: the card was changed after it was made; make it again"
            raise refusal([(("digest",), fault)])
        return content

    def sealed(self) -> CardDocument:
        """The card with its digest."""
        return self.model_copy(update={"digest": digest_of(self.model_dump(mode="json"))})


class Borne(Check):
    """One part of a promise, compared with other data."""

    metric: Literal["risk", "coverage"]
    rule: Literal["at-most", "at-least"]


class CardCheckDocument(Decision):
    """What ``acumen card check`` writes: whether other data bear a card out."""

    noun = "check"
    kind: Literal["card_check"] = "card_check"
    judge: str
    digest: str = Field(description="of the card")
    verdict: Verdict
    checks: list[Borne]
    agreement: list[Agreement]
    before: list[Agreement] = Field(description="the same on the card")
    cases: Natural
    shared: Natural = Field(description="ids that the promise was made from")

    @model_validator(mode="after")
    def _is_of_both_parts(self) -> CardCheckDocument:
        if [check.metric for check in self.checks] != ["risk", "coverage"]:
            raise refusal([(("checks",), "are of the risk and then of the coverage")])
        return self

    @property
    def exit_code(self) -> int:
        """0 where the promise holds here, 1 where it is broken, 5 where that is undecided."""
        return {"pass": 0, "fail": 1, "undecided": 5}[self.verdict]
