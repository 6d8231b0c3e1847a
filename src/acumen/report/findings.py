"""A document that shows itself: in a terminal, in a notebook, as a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from acumen.files.json import to_json, write_bytes
from acumen.report.brief import brief
from acumen.results.raters import EstimateDocument, RatingsDocument
from acumen.results.verdicts import PairDocument

D = TypeVar("D", PairDocument, RatingsDocument, EstimateDocument)


@dataclass(frozen=True, repr=False)
class Findings(Generic[D]):
    """What was found, as a document that shows itself."""

    results: D

    @property
    def document(self) -> dict[str, Any]:
        """All of it as one document, as ``--output`` writes it."""
        return self.results.on_disk()

    def to_json(self) -> str:
        """The document as strict JSON."""
        return to_json(self.document)

    def write(self, path: str | Path) -> None:
        """Save the document, atomically."""
        write_bytes(path, self.to_json().encode("utf-8"))

    def __repr__(self) -> str:
        from acumen.report.terminal import render

        return render(brief(self.results))

    def _repr_html_(self) -> str:
        from acumen.report.notebook import html

        return html(brief(self.results))
