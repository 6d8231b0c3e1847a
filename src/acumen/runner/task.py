"""A task: what a model is asked about a case, and how its reply is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from acumen.runner import prompts
from acumen.table.scale import Scale

InputKind = Literal["text", "reviews"]
EvidenceKind = Literal["quotes", "rows"]
Layout = Literal["by_item", "flat"]
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
class Prompt:
    """Three templates: the role, the question, and how to ask again after an unusable reply."""

    user: str
    system: str = ""
    repair: str = DEFAULT_REPAIR


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

    @property
    def is_verdict(self) -> bool:
        """Whether a case gets one verdict with evidence rows, rather than a score per item."""
        return self.reply.evidence is not None and self.reply.evidence.kind == "rows"

    @property
    def takes_references(self) -> bool:
        """Whether its prompt has a place for few-shot references."""
        return "references" in prompts.names_used(self.prompt.user + self.prompt.system)
