"""What a run may be asked to choose from; imports nothing heavy, for the help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from acumen.declare import say
from acumen.readers.reading import Located

Modes = Literal["zero_shot", "few_shot", "both"]
"""Which prompts: without references, with them, or both, paired."""
Api = Literal["chat", "responses", "messages", "decisions"]
"""Which kind of API an endpoint speaks: OpenAI's two, Anthropic's, or that of decision models."""
ReplyFormat = Literal["schema", "json", "text"]
Option = Literal["temperature", "seed", "max_tokens"]
"""An option of a request that some endpoint does not take."""

_TEXTS: Final = list[str] | None


class CaseReading(Located, total=False):
    """Keywords that say how rows are cases."""

    text_column: Annotated[
        str | Sequence[str] | None,
        say(
            "Of cases in rows, the column of the text; INPUT=COLUMN where there are several.",
            kind=_TEXTS,
        ),
    ]
