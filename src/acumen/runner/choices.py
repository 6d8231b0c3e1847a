"""What a run may be asked to choose from; imports nothing, for the help of the command line."""

from __future__ import annotations

from typing import Literal

Modes = Literal["zero_shot", "few_shot", "both"]
"""Which prompts: without references, with them, or both, paired."""
Api = Literal["chat", "responses", "messages"]
"""Which kind of API an endpoint speaks: OpenAI's two, or Anthropic's."""
ReplyFormat = Literal["schema", "json", "text"]
Option = Literal["temperature", "seed", "max_tokens"]
"""An option of a request that some endpoint does not take."""
