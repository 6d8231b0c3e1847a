"""Drives a model over cases, captures every signal, and writes a run file; durable, resumable.

The way of one question, file by file::

    task, cases -> prompts -> endpoint -> reply -> tokens, signals -> record -> journal -> artifact
                      ^ retrieval (few-shot)                     drive: who asks, and when

Nothing a model or a file says is executed, followed as a path, or shown in a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acumen.runner.api import run as run


def __getattr__(name: str) -> Any:
    """``run``, imported when it is asked for: ``acumen task`` needs none of what drives a model."""
    if name != "run":
        raise AttributeError(f"module 'acumen.runner' has no attribute '{name}'")
    from acumen.runner import api

    return api.run
