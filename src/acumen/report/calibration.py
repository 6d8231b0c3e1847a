"""A calibration document as blocks: what was fitted on what, and how good it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from acumen.errors import counted
from acumen.report.blocks import (
    UNDEFINED,
    Cell,
    Detail,
    Fact,
    Facts,
    Folded,
    Head,
    Paragraph,
    Plot,
    Section,
    Table,
)
from acumen.report.cells import measured_cell, number, plain, settings, title_of
from acumen.report.plots import plot, plots
from acumen.report.sections import Ask, Family, remarks
from acumen.results.calibration import (
    CalibrationDocument,
    Measures,
    MetricsPart,
    Steps,
    Weights,
)
from acumen.values.measured import Measured

FIRST: Final = ("ece", "brier", "nll", "auroc")
"""Metrics that are shown first."""
CHANGED: Final = "Before and after"


def _head(document: CalibrationDocument) -> Head:
    definitions = ("selective", "intervals")
    return Head(_title(document), "a calibrator, before and after", definitions)


def _title(document: CalibrationDocument) -> str:
    inputs = document.confidence or ", ".join(document.features or []) or UNDEFINED
    return f"{document.method.replace('_', ' ')} of {plain(inputs)} for {document.target}"


def _main(document: CalibrationDocument, _: Ask) -> Iterator[Section]:
    """What was fitted on what, and the measures that come first, before and after."""
    lines, training = [_title(document)], document.training
    if training is not None and training.n is not None:
        share = UNDEFINED if (p := training.positive_rate) is None else f"{100 * p:.1f}%"
        cases = counted(training.n_cases or 0, "case")
        lines.append(f"n = {counted(training.n, 'answered row')} of {cases}, {share} positive")
    model = () if document.model is None else (_parameters(document),)
    yield Section("fitted", "What was fitted", (Paragraph("\n".join(lines)), *model))
    metrics, finding = _measures(document), "It holds no measures of acumen."
    finding = finding if metrics is None else _change(document)
    measures = () if metrics is None else (_table(_ways(document), FIRST),)
    yield Section("measures", CHANGED, measures, Detail.ANSWER, finding)
    parts = () if metrics is None else (metrics.in_sample.before, metrics.cross_fitted)
    yield remarks([f"{plain(part.reason)}." for part in parts if part.reason], document.warnings)


def _rest(document: CalibrationDocument, ask: Ask) -> Iterator[Section]:
    """Its reliability as a chart, every measure, and what it was made from."""
    facts = Facts(tuple(_facts(document)))
    yield Section("measures", CHANGED, (facts, *plots(_reliability(document, ask.study))))
    columns = _ways(document)
    keys = dict.fromkeys(key for measures in columns.values() for key in _metrics(measures))
    every = _table(columns, keys)
    yield Section("metrics", "Every metric", (Folded(every),) if every.rows else ())
    origin = [("command", ask.command or document.command), ("made at", document.created_at)]
    yield Section("provenance", "Provenance", (settings(origin),))


def _facts(document: CalibrationDocument) -> Iterator[Fact]:
    for when, measures in _ways(document).items():
        yield Fact(f"{title_of('ece')} {when}", measured_cell(_metrics(measures).get("ece")))


def _change(document: CalibrationDocument) -> str:
    """What the calibrator does to the error."""
    cells = [fact.cell for fact in _facts(document)]
    ends = (cell.interval if cell.ends != (None, None) else "" for cell in cells)
    before, _, after = (f"{c.text} {end}".strip() for c, end in zip(cells, ends, strict=True))
    if cells[0].value is None:
        return f"On cases left out of the fit, its calibration error is {after}."
    error, crossed = cells[0].value, cells[2].value
    helps = crossed is None or crossed < error  # on cases that it saw, any calibrator helps
    lead = "The" if helps else "It does not help: the"
    fair = f"on cases left out of the fit it is {after} after."
    return f"{lead} calibration error was {before}; {fair}"


def _reliability(document: CalibrationDocument, key: str) -> Plot | None:
    from acumen.charts.reliability import calibration_plot

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
        lambda: calibration_plot(curves),
        "Reliability before and after",
        "Stated confidence and share of right answers, in ten bins of equal width; on the dashed "
        "line confidence is a probability. Rely on the cross-fitted numbers: each case is "
        "measured with a calibrator that was fitted without it.",
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
    """What was fitted: of several features a row each, of steps a row each."""
    if isinstance(document.model, Weights):
        return _weights(document.model, _inputs(document))
    if isinstance(document.model, Steps):
        points = zip(document.model.x_thresholds, document.model.y_thresholds, strict=True)
        rows = tuple((number(x, ".6g"), number(y, ".6g")) for x, y in points)
        return Table("Parameters", ("from a confidence of", "it becomes"), rows)
    parameters = {} if document.model is None else document.model.model_dump(exclude_none=True)
    rows = tuple(
        (Cell(key), number(value, ".6g") if isinstance(value, float) else Cell(plain(value)))
        for key, value in parameters.items()
    )
    return Table("Parameters", ("parameter", "value"), rows)


def _weights(model: Weights, inputs: list[str]) -> Table:
    """Each feature with its coefficient, and how it is standardised; then the intercept."""
    columns = (model.coefficients, model.scaler.mean, model.scaler.std)
    names = (
        inputs
        if len(inputs) == len(model.coefficients)
        else map(str, range(1, 1 + len(columns[0])))
    )
    rows = [
        (Cell(plain(feature)), *(number(value, ".6g") for value in values))
        for feature, *values in zip(names, *columns, strict=True)
    ]
    rows.append((Cell("intercept"), number(model.intercept, ".6g"), Cell(""), Cell("")))
    return Table("Parameters", ("feature", "coefficient", "mean", "SD"), tuple(rows))


def _inputs(document: CalibrationDocument) -> list[str]:
    return [document.confidence] if document.confidence else list(document.features or [])


def _metrics(measures: Measures | None) -> Mapping[str, Measured]:
    return {} if measures is None else measures.metrics


def _table(columns: Mapping[str, Measures | None], keys: Iterable[str]) -> Table:
    """A row for each metric, a column for each way it was measured."""
    rows = tuple(
        (Cell(_named(key)), *(measured_cell(_metrics(m).get(key)) for m in columns.values()))
        for key in keys
    )
    return Table("", ("metric", *columns), rows)


def _named(key: str) -> str:
    return title_of("failure_auroc" if key == "auroc" else key)


CALIBRATION: Final = Family(_head, (_main,), (_rest,))
