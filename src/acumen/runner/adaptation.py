"""What an endpoint takes of a request, by its refusals: the rest is left out, which is said once.

Reasoning models refuse a temperature and the older name of the token limit; some servers know no
seed, no log-probabilities, no schema. Each refusal names one option, and all of them are learned in
one go, before the first reply, by the first question that meets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from acumen.runner.choices import ReplyFormat

if TYPE_CHECKING:
    from acumen.runner.plan import Settings
    from acumen.runner.record import Key, Record

FORMAT: Final = "response_format"
FEWER: Final = 5
"""Alternatives a token where 20 are too many: what older servers give at most."""
SIMPLER: Final[Mapping[ReplyFormat, tuple[ReplyFormat, ...]]] = {
    "schema": ("json", "text"),
    "json": ("text",),
    "text": (),
}
REFUSING: Final = frozenset({400, 415, 422, 500, 501})
"""How servers answer a format of replies that they do not know."""
_OPTIONS: Final = ("temperature", "seed", "max_tokens", "max_completion_tokens")
_LOGPROBS: Final = ("top_logprobs", "logprobs")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a request is written: its format of replies, and the options that were refused."""

    reply_format: ReplyFormat
    refused: tuple[str, ...] = ()

    def without(self, option: str | None, settings: Settings) -> Shape | None:
        """The same with an option left out or given otherwise; None where that changes nothing."""
        if option in _LOGPROBS:
            is_less = (settings.top_logprobs or 0) > FEWER and option == "top_logprobs"
            option = "top_logprobs" if is_less and option not in self.refused else "logprobs"
        elif option not in _OPTIONS:
            return None
        if option in self.refused:
            return None
        return replace(self, refused=(*self.refused, option))

    def top_logprobs(self, asked: int | None) -> int | None:
        """How many alternatives to ask for."""
        if asked is None or "logprobs" in self.refused:
            return None
        return min(asked, FEWER) if "top_logprobs" in self.refused else asked

    def takes(self, name: str) -> bool:
        """Whether a field of a request is sent."""
        return name not in self.refused


def shape_of(records: Mapping[Key, Record], settings: Settings) -> Shape:
    """What an earlier part of the run had learned."""
    usable = [record for record in records.values() if record.is_usable and record.reply_format]
    if not usable:
        return Shape(settings.reply_format)
    return Shape(usable[-1].reply_format or settings.reply_format, usable[-1].left_out)
