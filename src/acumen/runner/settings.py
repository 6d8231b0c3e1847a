"""The settings of a run: all that shapes an answer beside task and cases, and how long to wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["zero_shot", "few_shot"]
ReplyFormat = Literal["schema", "json", "text"]
Option = Literal["temperature", "seed", "max_tokens"]
"""An option of a request that some endpoint does not take."""

SAMPLING_TEMPERATURE: Final = 0.7


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
class Patience:
    """How long to wait and how often to try; none of it shapes an answer."""

    timeout: float = 120.0
    retries: int = 5
    backoff: float = 0.5
    longest_wait: float = 300.0
