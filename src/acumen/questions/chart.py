"""One chart by its name, of anything that was or can be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from acumen.defaults import CONFIDENCE
from acumen.extras import need
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.charts.theme import Figure
    from acumen.evaluation.inputs import Confidence


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

    ``document`` is a :class:`Result` of :func:`evaluate` or :func:`score`, its document, or the
    file of either; any other input is evaluated first, with ``mode``, ``confidence`` and what says
    how rows are read (:func:`evaluate`). ``functions`` are the confidence functions to draw, by
    default all that it holds. The command ``acumen plot`` lists the names.

    >>> import acumen
    >>> table = acumen.from_columns(case=[1, 2, 3], truth=[2, 1, 0], prediction=[2, 3, 0],
    ...                             confidence=[0.9, 0.5, 0.7])
    >>> figure = acumen.chart("risk-coverage", acumen.evaluate(table, resamples=0))
    >>> figure.to_dict()["layer"][-1]["mark"]["type"]
    'point'
    """
    from pydantic import BaseModel

    need("report", "a chart")
    from acumen.charts import chart as draw
    from acumen.questions.evaluate import evaluate
    from acumen.questions.result import Result
    from acumen.results.kinds import document_of, kind_of

    if isinstance(document, str | Path):
        document = _content(document, mode, reading)
        mode, reading = None, {}
    if isinstance(document, dict) and kind_of(document) is not None:
        document = document_of(document, "document")
    if isinstance(document, Result):
        document = document.document
    if not isinstance(document, BaseModel):
        document = evaluate(document, mode=mode, confidence=confidence, **reading).document
    return draw(name, document, functions)


def _content(path: str | Path, mode: str | None, reading: Reading) -> Any:
    """A document, or the table of a run; a file is read once: a pipe cannot be read again."""
    from acumen.readers import read_content
    from acumen.readers.content import load
    from acumen.readers.formats import format_of
    from acumen.results.kinds import document_of, kind_of

    content = load(path)
    if format_of(content.head) in ("json", "run") and kind_of(content.document) is not None:
        return document_of(content.document, content.name)
    return read_content(content, mode=mode, **reading)
