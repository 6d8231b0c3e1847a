"""The record of one question, whatever came of it: made when it ends, a line of the journal after.

:class:`Record` is the one shape: :func:`as_line` writes it, :func:`read_record` reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from acumen.files.json import to_json
from acumen.runner.choices import ReplyFormat
from acumen.types import CaseId

Mode = Literal["zero_shot", "few_shot"]
Key = tuple[CaseId, Mode, int]
Level = int | float | str
Signals = Mapping[str, int | float | None]


CUT_OFF: Final = "cut_off"
"""The reply met the token limit: another limit may hold it."""


class Outcome(StrEnum):
    """How a question ended."""

    answered = "answered"
    abstained = "abstained"
    refused = "refused"
    invalid_reply = "invalid_reply"
    transport_failure = "transport_failure"


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """One item's level (None: abstained), its signals, and why tokens gave none."""

    level: Level | None
    signals: Signals
    flaws: Sequence[str]
    no_tokens_because: str | None
    distribution: Sequence[float] | None = None
    """Probabilities of the levels, lowest first: a decision model's, or of the score's tokens."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What a verdict rests on, as the reply has it."""

    evidences: Sequence[Mapping[str, str]]
    justification: Mapping[str, Any] | None
    risk_score: int | float | None
    flaws: Sequence[str]


@dataclass(frozen=True, slots=True)
class Record:
    """A case, a mode, a sample: what came of asking, and what it cost.

    ``items`` is there when the outcome is usable, ``parsed`` for a verdict. ``reply`` is the raw
    text; only the journal's line keeps it, and it is not read back.
    """

    case: CaseId
    mode: Mode
    sample: int
    outcome: Outcome
    reason: str | None = None
    prompt_hash: str | None = None
    items: Mapping[str, ItemAnswer] = field(default_factory=dict)
    reply: Annotated[str | None, BeforeValidator(lambda _: None)] = None
    parsed: Reasons | None = None
    repairs: int = 0
    problems: Sequence[str] = ()
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    served_model: str | None = None
    seconds: float = 0.0
    reply_format: ReplyFormat | None = None
    case_hash: str | None = None
    max_tokens: int | None = None
    """The longest reply that was asked for."""
    request_id: str | None = None
    """What the endpoint calls the last attempt."""
    left_out: tuple[str, ...] = ()
    """Options of the request that the endpoint had refused."""

    @property
    def key(self) -> Key:
        """Which question it answers."""
        return self.case, self.mode, self.sample

    @property
    def is_usable(self) -> bool:
        """Whether it holds an answer or an abstention."""
        return self.outcome in (Outcome.answered, Outcome.abstained)

    @property
    def is_final(self) -> bool:
        """Whether it settles its question: no reply, or half of one, is asked for again."""
        return self.outcome is not Outcome.transport_failure and self.reason != CUT_OFF


def as_line(record: Record) -> bytes:
    """The record as a line of the journal; what it does not have is left out."""
    parts = _shallow(record)
    parts["items"] = {item: _shallow(answer) for item, answer in record.items.items()}
    parts["parsed"] = None if record.parsed is None else _shallow(record.parsed)
    gaps = [name for name in ("items", "reply", "parsed") if parts[name] in (None, {})]
    parts = {name: part for name, part in parts.items() if name not in gaps}
    return to_json(parts, indent=None).encode("utf-8")


def _shallow(part: Any) -> dict[str, Any]:
    """The fields of a dataclass as they are: ``asdict`` would copy every number."""
    return {entry.name: getattr(part, entry.name) for entry in fields(part)}


def read_record(line: bytes) -> Record | None:
    """The record in a line of the journal; None when the line holds something else."""
    try:
        record = _reader().validate_json(line, strict=True)
    except ValidationError:
        return None
    return None if record.is_usable and not record.items else record


@cache
def _reader() -> TypeAdapter[Record]:
    return TypeAdapter(Record)
