"""A decision as a door returns it: its document, which can be written, printed and shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from acumen.files.json import to_json
from acumen.report.decisions import brief
from acumen.report.notebook import html
from acumen.report.terminal import render
from acumen.results.decisions import Decision
from acumen.results.metrics import write_artifact

D = TypeVar("D", bound=Decision)


@dataclass(frozen=True, repr=False)
class Decided(Generic[D]):
    """What was decided on what. All of it is in :attr:`artifact`."""

    artifact: D

    def write(self, path: str | Path) -> None:
        """Save the document, atomically."""
        write_artifact(path, self.artifact)

    def to_json(self) -> str:
        """The document as strict JSON."""
        return to_json(self.artifact.model_dump(mode="json"))

    def __repr__(self) -> str:
        return render(brief(self.artifact), width=100)

    def _repr_html_(self) -> str:
        return html(brief(self.artifact))
