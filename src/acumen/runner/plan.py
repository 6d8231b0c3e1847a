"""What will be asked: every (case, mode, sample), and the names of what must not change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from acumen.errors import UsageError
from acumen.runner import prompts
from acumen.runner.cases import Case, Cases, References
from acumen.runner.record import Key, Mode
from acumen.runner.schema import reply_schema
from acumen.runner.task import Task

ReplyFormat = Literal["schema", "json", "text"]
Option = Literal["temperature", "seed", "max_tokens"]
"""An option of a request that some endpoint does not take."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that shapes an answer. A resumed run must have the same; see the journal."""

    model: str
    endpoint: str
    modes: tuple[Mode, ...] = ("zero_shot",)
    samples: int = 1
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 1000
    top_logprobs: int | None = 20
    reply_format: ReplyFormat = "schema"
    references_per_item: int = 2
    least_similarity: float = 0.1
    embedding_model: str | None = None
    omit: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A case asked once: in which mode, as which sample."""

    case: Case
    mode: Mode
    sample: int

    @property
    def key(self) -> Key:
        """What its record is found by."""
        return self.case.id, self.mode, self.sample


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, its cases and references, and the settings: all that decides what is asked."""

    task: Task
    cases: Cases
    references: References | None
    settings: Settings
    limit: int | None = None

    def __post_init__(self) -> None:
        if "few_shot" in self.settings.modes:
            if self.references is None:
                raise UsageError("few-shot needs --references FILE")
            if not self.task.takes_references:
                raise UsageError(f"the prompt of task {self.task.name} has no place for references")

    @property
    def asked_cases(self) -> tuple[Case, ...]:
        """The cases of this run, after ``--limit``."""
        return self.cases.all[: self.limit]

    def questions(self) -> Iterator[Question]:
        """Every question, case by case, so that a stopped run has whole cases."""
        for case in self.asked_cases:
            for mode in self.settings.modes:
                for sample in range(self.settings.samples):
                    yield Question(case, mode, sample)

    @property
    def size(self) -> int:
        """How many questions there are."""
        return len(self.asked_cases) * len(self.settings.modes) * self.settings.samples

    def identity(self) -> dict[str, Any]:
        """By name, everything a resumed run must share with the run it continues."""
        return {
            "task": self.task.hash,
            "prompt": self.prompt_hash(),
            "cases": self.cases.hash,
            "references": self.references.hash if self.references else None,
            **asdict(self.settings),
            "modes": list(self.settings.modes),
            "omit": list(self.settings.omit),
        }

    def prompt_hash(self) -> str:
        """Hash of every case's zero-shot prompt, the way to ask again, and the reply's schema."""
        parts = [
            prompts.prompt_hash(prompts.zero_or_few_shot(self.task, c)) for c in self.cases.all
        ]
        parts += [self.task.prompt.repair, json.dumps(reply_schema(self.task), sort_keys=True)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
