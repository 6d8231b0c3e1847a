"""A task as its file holds it: the tables of the TOML text, each by its keys."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator

from acumen.errors import label
from acumen.files.documents import Document, Part, Text
from acumen.runner.task import DEFAULT_REPAIR, EvidenceKind, InputKind, Layout
from acumen.table.scale import builtin_scales
from acumen.table.scale_file import Items, ScaleTable

_LONGEST_QUOTE: Final = 1999  # llama.cpp makes no grammar of a text of 2,000 characters
_LONGEST_TEMPLATE: Final = 100_000

Key = Annotated[Text, Field(max_length=100)]
Template = Annotated[Text, Field(max_length=_LONGEST_TEMPLATE)]


class OwnScale(ScaleTable):
    """A scale written into its task."""

    name: Text = "own"
    items: Annotated[Items, Field(min_length=1)]


def _named_or_own(value: object, _: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    if not isinstance(value, str):
        return OwnScale.model_validate(value, context=info.context)
    if value not in builtin_scales():
        raise ValueError(f"no scale {label(value)}; there are {', '.join(builtin_scales())}")
    return value


class EvidenceTable(Document):
    """Where a reply gives its reasons: quotes from a text, or rows that cite reviews."""

    noun = "reply's evidence"
    key: Part[Key]
    kind: Part[EvidenceKind] = Field(description="quotes or rows")
    source: Part[Text] = Field(alias="from", description="the input it is taken from")
    most: Part[Annotated[int, Field(ge=1, le=100)]] = 5
    longest: Part[Annotated[int, Field(ge=1, le=_LONGEST_QUOTE)]] = 300
    fields: Part[dict[str, Part[list[Key]]]] = Field(default_factory=dict)


class ReplyTable(Document):
    """Which key of a reply means what."""

    noun = "reply"
    layout: Part[Layout] = Field(description="by_item or flat")
    score: Part[Key]
    abstain: Part[list[Key]] = Field(default_factory=lambda: ["N/A"])
    confidence: Part[Key] = None
    evidence: Part[EvidenceTable] = None
    risk_score: Part[Key] = None
    justification: Part[Key] = None


class PromptTable(Document):
    """Three templates: the role, the question, and how to ask again after an unusable reply."""

    noun = "prompt"
    user: Part[Template]
    system: Part[Annotated[str, Field(max_length=_LONGEST_TEMPLATE)]] = ""
    repair: Part[Template] = DEFAULT_REPAIR


class TaskTable(Document):
    """A task: what a model is asked about a case, and how its reply is read."""

    noun = "task"
    name: Part[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$")]] = Field(
        description="letters, digits, '-' and '_', 60 of them at most"
    )
    scale: Part[Annotated[str | OwnScale, WrapValidator(_named_or_own)]]
    inputs: Part[Annotated[dict[str, Part[InputKind]], Field(min_length=1)]] = Field(
        description='what a case has, as { note = "text" }'
    )
    reply: Part[ReplyTable]
    prompt: Part[PromptTable]
    questions: Part[dict[str, Part[str]]] = Field(default_factory=dict)
    max_tokens: Part[Annotated[int, Field(ge=1, le=100_000)]] = 1000
    repairs: Part[Annotated[int, Field(ge=0, le=5)]] = 1
    title: Part[str] = None
    policy: Part[str] = None
    domain: Part[str] = None
