"""How a run of questions to a model ended: what ``acumen run`` says when it is done."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acumen.errors import INTERRUPTED, PARTIAL
from acumen.values.measured import Count, Model

Stop = Literal[
    "interrupted", "no_replies", "failure_limit", "time_limit", "token_limit", "cost_limit"
]
"""Why a run ended with questions left."""


class RunSummary(Model):
    """How a run ended; its answers are in the run file, and every reply in the journal beside it.

    >>> facts = {"model": "m", "endpoint": "local", "output": "r.json", "questions": 5}
    >>> RunSummary(**facts, stop="time_limit").exit_code
    4
    """

    kind: Literal["run_summary"] = "run_summary"
    command: str | None = Field(default=None, description="what makes it again")
    model: str
    endpoint: str
    output: str = Field(description="the run file, or where a rehearsal would write it")
    is_rehearsal: bool = Field(default=False, description="whether nothing was asked")
    questions: Count
    left: Count = Field(default=0, description="of a rehearsal: questions that are not answered")
    max_tokens: Count | None = None
    failures: dict[str, Any] | None = Field(
        default=None,
        description="outcomes, reasons, failed cases; null without a run file",
    )
    stop: Stop | None = Field(default=None, description="why questions are left")
    reason: str | None = Field(default=None, description="why the last one got no reply")

    @property
    def failed_cases(self) -> int:
        """Cases without one usable answer."""
        return len(self.failures["failed_cases"]) if self.failures else 0

    @property
    def exit_code(self) -> int:
        """4 where questions are left or cases failed, 130 where it was interrupted."""
        if self.stop == "interrupted":
            return INTERRUPTED
        return PARTIAL if self.stop or self.failed_cases else 0
