"""A task: what a model is asked about a case and how its reply is read; the tables of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator

from acumen.errors import label
from acumen.files.documents import Document, Part, Text
from acumen.runner import prompts
from acumen.table.scale import Scale, builtin_scales
from acumen.table.scale_file import Items, ScaleTable

InputKind = Literal["text", "optional text", "reviews"]
EvidenceKind = Literal["quotes", "rows"]
Layout = Literal["by_item", "flat"]
Role = Literal["user", "assistant"]
_LONGEST_QUOTE: Final = 1999  # llama.cpp makes no grammar of a text of 2,000 characters
_LONGEST_TEMPLATE: Final = 100_000
_Key = Annotated[Text, Field(max_length=100)]
_Template = Annotated[Text, Field(max_length=_LONGEST_TEMPLATE)]
DEFAULT_REPAIR: Final = (
    "Your reply cannot be used: {{ problems | join('; ') }}. "
    "Reply again with one JSON object and nothing else, matching this schema: {{ schema }}"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a reply gives its reasons: quotes from a text, or rows that cite reviews."""

    key: str
    kind: EvidenceKind
    source: str
    most: int
    longest: int
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplyShape:
    """Which key of a reply means what. ``by_item`` nests one answer under each item's name."""

    layout: Layout
    score: str
    abstain: tuple[str, ...] = ()
    confidence: str | None = None
    evidence: Evidence | None = None
    risk_score: str | None = None
    justification: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """A template of what was said before the question, and who said it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Templates: the role, earlier turns, the question, and how to ask again."""

    user: str
    system: str = ""
    repair: str = DEFAULT_REPAIR
    turns: tuple[Turn, ...] = ()

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Every message of the first ask, by who speaks; an empty one is left out."""
        turns = [(turn.role, turn.content) for turn in self.turns]
        parts = [("system", self.system), *turns, ("user", self.user)]
        return [(role, template) for role, template in parts if template]


@dataclass(frozen=True, slots=True)
class Task:
    """A task, read and checked."""

    name: str
    title: str
    scale: Scale
    inputs: Mapping[str, InputKind]
    questions: Mapping[str, str]
    reply: ReplyShape
    prompt: Prompt
    max_tokens: int
    repairs: int
    hash: str
    policy: str | None = None
    domain: str | None = None
    swap: tuple[str, ...] = ()
    """Two inputs that every second sample sees exchanged, its level turned round."""

    @property
    def is_verdict(self) -> bool:
        """Whether a case gets one verdict with evidence rows, rather than a score per item."""
        return self.reply.evidence is not None and self.reply.evidence.kind == "rows"

    @property
    def takes_references(self) -> bool:
        """Whether its prompt has a place for few-shot references."""
        return any("references" in prompts.names_used(text) for _, text in self.prompt.parts)


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
    key: Part[_Key]
    kind: Part[EvidenceKind] = Field(description="quotes or rows")
    source: Part[Text] = Field(alias="from", description="the input it is taken from")
    most: Part[Annotated[int, Field(ge=1, le=100)]] = 5
    longest: Part[Annotated[int, Field(ge=1, le=_LONGEST_QUOTE)]] = 300
    fields: Part[dict[str, Part[list[_Key]]]] = Field(default_factory=dict)


class ReplyTable(Document):
    """Which key of a reply means what."""

    noun = "reply"
    layout: Part[Layout] = Field(description="by_item or flat")
    score: Part[_Key]
    abstain: Part[list[_Key]] = Field(default_factory=lambda: ["N/A"])
    confidence: Part[_Key] = None
    evidence: Part[EvidenceTable] = None
    risk_score: Part[_Key] = None
    justification: Part[_Key] = None


class TurnTable(Document):
    """What was said before the question, and who said it."""

    noun = "turn"
    role: Part[Role] = Field(description="user or assistant")
    content: Part[_Template]


class PromptTable(Document):
    """Templates: the role, earlier turns, the question, and how to ask again."""

    noun = "prompt"
    user: Part[_Template]
    system: Part[Annotated[str, Field(max_length=_LONGEST_TEMPLATE)]] = ""
    repair: Part[_Template] = DEFAULT_REPAIR
    turns: Part[list[Part[TurnTable]]] = Field(default_factory=list)


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
    swap: Part[Annotated[list[Text], Field(min_length=2, max_length=2)]] = Field(
        default_factory=list, description="two inputs that are asked in both orders"
    )
