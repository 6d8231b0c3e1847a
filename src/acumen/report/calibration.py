"""A calibration document as blocks: what was fitted on what, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from acumen.errors import counted
from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Cell,
    Fact,
    Facts,
    Note,
    Notes,
    Paragraph,
    Plot,
    Section,
    Study,
    Table,
    Tone,
    Warnings,
)
from acumen.report.cells import measured_cell, number, plain, title_of
from acumen.report.plots import plot, plots
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
            f"n = {counted(training.n, 'answered row')} of "
            f"{counted(training.n_cases or 0, 'case')}, {share} positive"
        )
    if document.model is not None:
        yield _parameters(document)
    metrics = _measures(document)
    if metrics is None:
        yield Paragraph("It holds no measures of acumen.", Tone.QUIET)
        return
    columns = _ways(document)
    yield _table(columns, FIRST)
    if full:
        keys = dict.fromkeys(key for measures in columns.values() for key in _metrics(measures))
        yield Section("metrics", "Every metric", (_table(columns, keys),))
    reasons = (metrics.in_sample.before.reason, metrics.cross_fitted.reason)
    if notes := tuple(Note(f"{plain(reason)}.") for reason in reasons if reason):
        yield Notes(notes)


def study_of(document: CalibrationDocument, key: str, command: str | None = None) -> Study:
    """Everything a page tells of a calibration."""
    lead, *blocks = brief(document, full=True)
    assert isinstance(lead, Paragraph)
    once = [b for b in blocks if not isinstance(b, Table) or b.caption != "Measures"]
    parts = [b.blocks if isinstance(b, Section) else (b,) for b in once]
    facts = tuple(
        Fact(f"{title_of('ece')} {when}", measured_cell(_metrics(measures).get("ece")))
        for when, measures in _ways(document).items()
    )
    settings = [("command", command), ("made at", document.created_at)]
    rows = tuple((Cell(name), Cell(plain(value or UNDEFINED))) for name, value in settings)
    origin = Table("Made from", ("setting", "value"), rows)
    return Study(
        key=key,
        title=lead.text,
        subtitle="a calibrator, before and after",
        answers=(("", _changes(facts)),),
        facts=Facts(facts),
        warnings=Warnings(()),
        sections=(
            Section("reliability", "Before and after", plots(_reliability(document, key))),
            Section("numbers", "Every number", tuple(block for part in parts for block in part)),
            Section("provenance", "Provenance", (origin,)),
        ),
        definitions=("selective", "intervals"),
    )


def _changes(facts: Sequence[Fact]) -> tuple[str, ...]:
    """What the calibrator does to the error, where that was measured."""
    if len(facts) < 3:
        return ()
    before, _, after = (f"{fact.cell.text} (interval {fact.cell.interval})" for fact in facts)
    return (f"The calibration error was {before}; on cases it never saw it is {after} after.",)


def _reliability(document: CalibrationDocument, key: str) -> Plot | None:
    from acumen.charts.tables import calibration_plot

    curves = {
        when: measures.reliability
        for when, measures in _ways(document).items()
        if measures is not None and measures.reliability is not None
    }
    rows = tuple(
        (Cell(when), number(said), number(share), number(n, ",.12g"))
        for when, part in curves.items()
        for said, share, n in zip(part.confidence, part.accuracy, part.n, strict=True)
    )
    return plot(
        key,
        "reliability",
        calibration_plot(curves),
        "Reliability before and after",
        "Said against true, in ten bins of equal width; on the dashed line confidence is a "
        "probability. Cross-fitted is the honest one: each case is measured by a calibrator that "
        "never saw it.",
        Table("Reliability bins", ("measured", "mean confidence", "share right", "rows"), rows),
    )


def _ways(document: CalibrationDocument) -> dict[str, Measures | None]:
    """How the calibrator was measured; nothing where the measures are not acumen's."""
    metrics = _measures(document)
    if metrics is None:
        return {}
    return {
        "before": metrics.in_sample.before,
        "after, in-sample": metrics.in_sample.after,
        "after, cross-fitted": metrics.cross_fitted.after,
    }


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
    rows = tuple(
        (Cell(key), number(value, ".6g") if isinstance(value, float) else Cell(plain(value)))
        for key, value in parameters.items()
    )
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
