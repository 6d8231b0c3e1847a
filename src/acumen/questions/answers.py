"""The result of ``run``: how it ended, and the run file that was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from acumen.questions.result import Result, with_command
from acumen.results.runs import RunSummary

if TYPE_CHECKING:
    from acumen.runner.execute import Run


class Answers(Result[RunSummary]):
    """How a run ended. What the model answered is in the run file, which :func:`evaluate` reads."""

    def __init__(self, document: RunSummary, run: Run, command: str | None = None) -> None:
        super().__init__(document, command)
        self.run = run
        """What was planned, and where it is written."""

    @classmethod
    def of(cls, run: Run, *, is_rehearsal: bool) -> Self:
        """The answers of a run that has ended, or was only rehearsed."""
        settings = run.plan.settings
        summary = RunSummary(
            model=settings.model,
            endpoint=settings.endpoint,
            output=str(run.output),
            is_rehearsal=is_rehearsal,
            questions=run.plan.size,
            left=run.left,
            max_tokens=settings.max_tokens,
            failures=None if run.failures is None else dict(run.failures),
            stop=None if run.stop is None else run.stop.value,
            reason=run.reason,
        )
        return cls(summary, run)

    def made_by(self, command: str | None) -> Self:
        """The same, with the command that makes it again in its document."""
        return type(self)(with_command(self.document, command), self.run, command)

    @property
    def output(self) -> Path:
        """The run file."""
        return self.run.output

    @property
    def content(self) -> dict[str, Any] | None:
        """What is in the run file, of all cases that are whole; None where there is none."""
        return self.run.artifact
