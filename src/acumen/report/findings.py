"""A document that shows itself: in a terminal, in a notebook, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from acumen.files.json import to_json, write_bytes
from acumen.report.brief import brief
from acumen.report.terminal import WIDTH, render
from acumen.results.decisions import Decision
from acumen.results.raters import EstimateDocument, RatingsDocument
from acumen.results.verdicts import PairDocument

D = TypeVar("D", bound=PairDocument | RatingsDocument | EstimateDocument | Decision)


@dataclass(frozen=True, repr=False)
class Findings(Generic[D]):
    """What was found. All of it is in :attr:`results`."""

    results: D
    width: ClassVar[int] = WIDTH

    @property
    def document(self) -> dict[str, Any]:
        """All of it as one document, as ``--output`` writes it."""
        return self.results.model_dump(mode="json")

    def to_json(self) -> str:
        """The document as strict JSON."""
        return to_json(self.document)

    def write(self, path: str | Path) -> None:
        """Save the document, atomically."""
        write_bytes(path, self.to_json().encode("utf-8"))

    def __repr__(self) -> str:
        return render(brief(self.results), width=self.width)

    def _repr_html_(self) -> str:
        from acumen.report.notebook import html

        return html(brief(self.results))


class Decided(Findings[D]):
    """What was decided, as wide as an evaluation. All of it is in :attr:`artifact`."""

    width = 100

    @property
    def artifact(self) -> D:
        """The document."""
        return self.results
