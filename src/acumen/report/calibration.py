"""A calibration document as blocks: what was fitted on what, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Cell,
    Note,
    Notes,
    Paragraph,
    Section,
    Table,
    Tone,
)
from acumen.report.cells import measured_cell, plain, title_of
from acumen.results.calibration import CalibrationDocument, Measures, MetricsPart
from acumen.results.measured import Measured

FIRST: Final = ("ece", "brier", "nll", "auroc")
"""Metrics that are shown first."""


def brief(document: CalibrationDocument, *, full: bool = False) -> Iterator[Section | Block]:
    """The fit in a few lines, then its measures before and after; ``full`` adds every one."""
    inputs = document.confidence or ", ".join(document.features or []) or UNDEFINED
    yield Paragraph(
        f"{document.method.replace('_', ' ')} of {plain(inputs)} for {document.target}", Tone.STRONG
    )
    training = document.training
    if training is not None and training.n is not None:
        share = UNDEFINED if (p := training.positive_rate) is None else f"{100 * p:.1f}%"
        yield Paragraph(
            f"n = {training.n} answered rows of {training.n_cases} cases, {share} positive"
        )
    if document.model is not None:
        yield _parameters(document)
    metrics = _measures(document)
    if metrics is None:
        yield Paragraph("It holds no measures of acumen.", Tone.QUIET)
        return
    columns = {
        "before": metrics.in_sample.before,
        "after, in-sample": metrics.in_sample.after,
        "after, cross-fitted": metrics.cross_fitted.after,
    }
    yield _table(columns, FIRST)
    if full:
        keys = dict.fromkeys(key for measures in columns.values() for key in _metrics(measures))
        yield Section("metrics", "Every metric", (_table(columns, keys),))
    reasons = (metrics.in_sample.before.reason, metrics.cross_fitted.reason)
    if notes := tuple(Note(f"{plain(reason)}.") for reason in reasons if reason):
        yield Notes(notes)


def _measures(document: CalibrationDocument) -> MetricsPart | None:
    """The measures, where they are acumen's."""
    if isinstance(document.metrics, MetricsPart):
        return document.metrics
    try:
        return MetricsPart.model_validate(document.metrics)
    except ValidationError:
        return None


def _parameters(document: CalibrationDocument) -> Table:
    parameters = {} if document.model is None else document.model.model_dump(exclude_none=True)
    rows = tuple((Cell(key), Cell(plain(value))) for key, value in parameters.items())
    return Table("Parameters", ("parameter", "value"), rows)


def _metrics(measures: Measures | None) -> Mapping[str, Measured]:
    return {} if measures is None else measures.metrics


def _table(columns: Mapping[str, Measures | None], keys: Iterable[str]) -> Table:
    """A row for each metric, a column for each way it was measured."""
    rows = tuple(
        (Cell(_title(key)), *(measured_cell(_metrics(m).get(key)) for m in columns.values()))
        for key in keys
    )
    return Table("Measures", ("metric", *columns), rows)


def _title(key: str) -> str:
    return title_of("failure_auroc" if key == "auroc" else key)
