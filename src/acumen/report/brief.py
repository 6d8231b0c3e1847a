"""Any document in brief, as blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from acumen.report import calibration, decisions, estimates, raters
from acumen.report.blocks import Block, Section
from acumen.report.selective import brief as selective
from acumen.report.verdicts import brief as verdicts
from acumen.results.calibration import CalibrationDocument
from acumen.results.decisions import Decision
from acumen.results.files import Document
from acumen.results.metrics import MetricsArtifact
from acumen.results.raters import EstimateDocument, RatingsDocument


def brief(
    document: Document, *, full: bool = False, metrics: Collection[str] = ()
) -> Iterator[Section | Block]:
    """What a terminal shows of a document; ``full`` adds every metric.

    Of an evaluation, ``metrics`` are shown instead of it all.
    """
    match document:
        case MetricsArtifact():
            return selective.brief(document, full=full, metrics=metrics)
        case CalibrationDocument():
            return calibration.brief(document, full=full)
        case RatingsDocument():
            return raters.pages(document, full=full).brief()
        case EstimateDocument():
            return estimates.pages(document).brief()
        case Decision():
            return decisions.brief(document, full=full)
        case _:
            return verdicts.brief(document, full=full)


def kind(document: Document) -> str:
    """What a document is."""
    if isinstance(document, Decision):
        return f"{document.kind} of acumen {document.kind}"
    kinds: dict[type, str] = {
        MetricsArtifact: "metrics of acumen evaluate",
        CalibrationDocument: "calibration of acumen calibrate",
        RatingsDocument: "ratings of acumen rate",
        EstimateDocument: "estimates of acumen estimate",
    }
    return kinds.get(type(document), "results of acumen score")
