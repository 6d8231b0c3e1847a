"""What will be asked: every (case, mode, sample), and the names of what must not change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from acumen.errors import UsageError, label
from acumen.runner.cases import Case, Cases, References
from acumen.runner.choices import Api, Option, ReplyFormat
from acumen.runner.disclosure import disclosed
from acumen.runner.record import Key, Mode, Record
from acumen.runner.schema import reply_schema
from acumen.runner.task import Task
from acumen.types import CaseId


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
    api: Api = "chat"
    newer_token_field: bool = False
    """Whether the limit goes out as ``max_completion_tokens`` whatever the host."""
    extra_body: Mapping[str, Any] | None = None
    address: str | None = None
    """A hash of the endpoint's whole address."""


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

    def is_swapped(self, task: Task) -> bool:
        """Whether it shows the two inputs of a pairwise task in the other order."""
        return bool(task.swap) and self.sample % 2 == 1

    def presented(self, task: Task) -> Case:
        """The case as the model sees it."""
        if not self.is_swapped(task):
            return self.case
        first, second = task.swap
        inputs = self.case.inputs
        other = {first: inputs[second], second: inputs[first]}
        return replace(self.case, inputs={**inputs, **other})


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, its cases and references, and the settings: all that decides what is asked."""

    task: Task
    cases: Cases
    references: References | None
    settings: Settings
    limit: int | None = None
    only: frozenset[CaseId] | None = None
    """Of a later stage of a cascade, the cases that are left."""

    def __post_init__(self) -> None:
        if "few_shot" in self.settings.modes:
            if self.references is None:
                raise UsageError("few-shot needs --references FILE")
            if not self.task.takes_references:
                raise UsageError(f"the prompt of task {self.task.name} has no place for references")
        if self.settings.api == "decisions" and self.task.is_verdict:
            raise UsageError(f"a decision model cites no evidence, which {self.task.name} asks for")

    @property
    def asked_cases(self) -> tuple[Case, ...]:
        """The cases of this run, after ``--limit``."""
        cases = self.cases.all[: self.limit]
        return cases if self.only is None else tuple(c for c in cases if c.id in self.only)

    def questions(self) -> Iterator[Question]:
        """Every question, case by case, so that a stopped run has whole cases."""
        samples = range(self.settings.samples)
        for case, mode, sample in product(self.asked_cases, self.settings.modes, samples):
            yield Question(case, mode, sample)

    @property
    def size(self) -> int:
        """How many questions there are."""
        return len(self.asked_cases) * len(self.settings.modes) * self.settings.samples

    def identity(self) -> dict[str, Any]:
        """By name, everything a resumed run must share with the run it continues.

        Not the cases, the samples and the longest reply: a record names its own, so that they can
        become more. A reply that was not cut off is what it is under any limit.
        """
        settings = asdict(self.settings)
        for name in ("max_tokens", "newer_token_field"):
            del settings[name]
        return {
            "task": self.task.hash,
            "references": self.references.hash if self.references else None,
            **{name: value for name, value in settings.items() if name != "samples"},
            "modes": list(self.settings.modes),
            "extra_body": disclosed(self.settings.extra_body),
            "omit": list(self.settings.omit),
        }

    def faults(self) -> Callable[[Record], str | None]:
        """What says why a record cannot be one of this run: another text, another scale."""
        digests = {case.id: case.digest for case in self.cases.all}
        items, levels = set(self.task.scale.items), {None, *self.task.scale.levels}

        def fault(record: Record) -> str | None:
            if record.case in digests and record.case_hash != digests[record.case]:
                return f"{self.task.scale.case} {label(record.case)} was asked with another text"
            own = {answer.level for answer in record.items.values()} <= levels
            if record.items and not (own and record.items.keys() == items):
                return "holds no answers of this task"
            return None

        return fault

    def prompt_hash(self) -> str:
        """Hash of the prompt's templates, the way to ask again, and the reply's schema."""
        prompt = self.task.prompt
        schema = json.dumps(reply_schema(self.task), sort_keys=True)
        parts = json.dumps([prompt.parts, prompt.repair, schema])
        return hashlib.sha256(parts.encode()).hexdigest()
