"""The door to charts: one by its name, of anything that was or can be evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from acumen.charts import chart as draw
from acumen.charts.theme import Figure
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.defaults import CONFIDENCE
from acumen.errors import UsageError, printable
from acumen.evaluation.api import evaluate
from acumen.evaluation.inputs import Confidence
from acumen.readers import read_content
from acumen.readers.content import load
from acumen.readers.formats import format_of
from acumen.readers.reading import Reading
from acumen.report.brief import kind
from acumen.results.decisions import Decision
from acumen.results.files import Document, document_of, is_document
from acumen.results.metrics import Evaluated, MetricsArtifact
from acumen.results.verdicts import PairDocument


def chart(
    name: str,
    document: Any,
    *,
    mode: str | None = None,
    confidence: Confidence = CONFIDENCE,
    functions: Sequence[str] | None = None,
    **reading: Unpack[Reading],
) -> Figure:
    """One chart by its name: an Altair chart, which shows itself in a notebook.

    ``document`` is an :class:`Evaluation`, the :class:`Scores` of verdicts, or the file of either;
    any other input is evaluated first, with ``mode``, ``confidence`` and what
    says how rows are read (:func:`evaluate`). ``functions`` are the confidence functions to draw,
    by default all that it holds. The command ``acumen plot`` lists the names.

    >>> import acumen
    >>> table = acumen.from_columns(case=[1, 2, 3], truth=[2, 1, 0], prediction=[2, 3, 0],
    ...                             confidence=[0.9, 0.5, 0.7])
    >>> figure = acumen.chart("risk-coverage", acumen.evaluate(table, resamples=0))
    >>> figure.to_dict()["layer"][-1]["mark"]["type"]
    'circle'
    """
    if isinstance(document, str | Path):
        return _of_file(name, document, mode, confidence, functions, reading)
    document = document.artifact if isinstance(document, Evaluated) else document
    if isinstance(document, MetricsArtifact | Decision):
        return _of_document(name, document, functions)
    if isinstance(content := getattr(document, "document", document), Mapping):
        return _of_document(name, document_of(dict(content), "document"), functions)
    return draw(name, evaluate(document, mode=mode, confidence=confidence, **reading), functions)


def _of_file(
    name: str,
    path: str | Path,
    mode: str | None,
    confidence: Confidence,
    functions: Sequence[str] | None,
    reading: Reading,
) -> Figure:
    """A chart of a file, which is read once: a pipe cannot be read again."""
    content = load(path)
    if format_of(content.head) in ("json", "run") and is_document(content.document):
        return _of_document(name, document_of(content.document, content.name), functions)
    table = read_content(content, mode=mode, **reading)
    return draw(name, evaluate(table, confidence=confidence), functions)


def _of_document(name: str, document: Document, functions: Sequence[str] | None) -> Figure:
    """A chart of a metrics artifact or of results."""
    if isinstance(document, MetricsArtifact):
        return draw(name, document, functions)
    if not isinstance(document, PairDocument):
        raise UsageError(f"there is no single chart of {kind(document)}")
    if name not in VERDICT_CHARTS:
        raise UsageError(
            f"no chart '{printable(name)}' of results; there are {', '.join(VERDICT_CHARTS)}"
        )
    figure = VERDICT_CHARTS[name](document.systems)
    if figure is None:
        raise UsageError(f"the results hold nothing to draw for the chart '{name}'")
    return figure
