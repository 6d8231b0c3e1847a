"""An evaluation as a terminal shows it."""

from __future__ import annotations

from acumen.evaluation import Evaluation


def render(evaluation: Evaluation, width: int = 80, *, color: bool = False) -> str:
    """The evaluation as text."""
    return evaluation.artifact.created_at
