"""The sections on predicted levels, whatever the confidence: do they agree, where do they err."""

from __future__ import annotations

from collections.abc import Iterator

from acumen.charts.tables import ABSTAINED
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Section, Table
from acumen.report.cells import (
    is_signed,
    measured_cell,
    number,
    percent,
    plain,
    text,
    title_of,
    unit_of,
)
from acumen.report.plots import drawing, plots
from acumen.report.sections import Ask
from acumen.report.selective.compared import listed
from acumen.results.charted import Summary
from acumen.results.metrics import MetricsArtifact, name


def _common_rows(artifact: MetricsArtifact) -> str:
    """What the differences in the table are of."""
    rows = artifact.comparison.both_answered
    if rows is None:
        return ""
    return f" Differences are of the {counted(rows, 'row')} that both answered, of accuracy of all."


def agreement(artifact: MetricsArtifact, ask: Ask) -> Section:
    """Kappa and its kin, of each input and of their difference."""
    levels = artifact.scale.get("levels", [])
    names = artifact.input_names
    rows = []
    for key in dict.fromkeys(key for metrics in artifact.overall_by_input for key in metrics):
        title = text(title_of(key, levels))
        for side, metrics in zip(names, artifact.overall_by_input, strict=False):
            if key in metrics:
                value = measured_cell(metrics[key], unit_of(key), signed=is_signed(key))
                rows.append((title, text(side), value))
        if (d := artifact.comparison.agreement.get(key)) is not None:
            sides = text(f"{names[-1]} minus {names[0]}")
            rows.append((title, sides, measured_cell(d, unit_of(key), signed=True)))
    draw = drawing(ask, artifact)
    figure = draw(
        "agreement",
        "Agreement of prediction and truth",
        "Whatever the confidence: 1 is perfect, and for kappa, tau, alpha and what is above chance "
        "0 is no better than guessing. An abstention is wrong in the accuracy; the rest look at "
        "answered rows alone, so read them beside the coverage." + _common_rows(artifact),
        Table("Agreement", ("measure", "input", "value"), tuple(rows)),
    )
    return Section("agreement", "Does it agree with the truth", plots(figure))


def errors(artifact: MetricsArtifact, ask: Ask) -> Section:
    """Which levels are taken for which, and where the risk is."""
    if not artifact.summaries:
        return Section("errors", "Where it errs")
    items, truths = (_group_table(artifact, kind) for kind in ("item", "truth"))
    ranked_by = plain(artifact.summaries[0].ranked_by)
    draw = drawing(ask, artifact)
    figures = [
        draw(
            "confusion",
            "Truth and prediction",
            "Rows by true and predicted level, with their share of the rows of that truth; "
            "abstentions are a column of their own.",
            _confusion_table(artifact),
        ),
        draw(
            "risk-by-item",
            "Risk by item",
            f"Mean loss of the answered rows of each item, with its interval{_worst(artifact)}.",
            items,
        ),
        draw(
            "risk-by-level",
            "Risk by level of truth",
            "Mean loss of the answered rows at each true level.",
            truths,
        ),
        draw(
            "precision-recall",
            "Precision and recall by threshold",
            f"Rows ranked by {ranked_by}, all items together; dotted is the prevalence.",
            _precision_table(artifact),
        ),
    ]
    return Section("errors", "Where it errs", plots(*figures))


def _sides(artifact: MetricsArtifact) -> Iterator[tuple[str, Summary]]:
    return zip(artifact.input_names, artifact.summaries, strict=False)


def _confusion_table(artifact: MetricsArtifact) -> Table:
    rows = [
        (text(side), text(name(level)), *(number(n) for n in row))
        for side, summary in _sides(artifact)
        for level, row in zip(summary.levels, summary.confusion, strict=True)
    ]
    predicted = [f"predicted {name(level)}" for level in artifact.summaries[0].levels]
    return Table("Confusion", ("input", "truth", *predicted, ABSTAINED), tuple(rows))


def _group_table(artifact: MetricsArtifact, kind: str) -> Table:
    """The risk by item, or by level of truth."""
    has_floor = any(g.noise_floor for _, summary in _sides(artifact) for g in summary.by_item)
    rows = []
    for side, summary in _sides(artifact):
        for g in summary.by_item if kind == "item" else summary.by_level:
            counts = (number(g.n), number(g.answered))
            floors = [measured_cell(g.noise_floor)] if has_floor else []
            risk = measured_cell(g.risk)
            rows.append((text(side), text(name(g.name)), *counts, risk, *floors))
    floor = ("noise floor",) if has_floor else ()
    columns = ("input", kind, "rows", "answered", "mean loss", *floor)
    return Table(f"Risk by {kind}", columns, tuple(rows))


def _worst(artifact: MetricsArtifact) -> str:
    """The item that each input errs most on."""
    worst = {}
    for side, summary in _sides(artifact):
        risks = {g.name: g.risk.value for g in summary.by_item if g.risk.value is not None}
        if len(risks) > 1:
            worst[plain(side)] = name(max(risks, key=lambda item: risks[item]))
    if len({*worst.values()}) == 1:
        return f", the worst first: {next(iter(worst.values()))}"
    return f", the worst first: {listed([f'{i} ({s})' for s, i in worst.items()])}" * bool(worst)


def _precision_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for side, summary in _sides(artifact):
        for curve in summary.precision_recall:
            first = (text(side), text(name(curve.at_least)), number(curve.n_positive))
            area = measured_cell(curve.average_precision, Unit.SHARE)
            rows.append((*first, percent(curve.prevalence), area))
    columns = ("input", "truth at least", "rows", "prevalence", "average precision")
    return Table("Average precision", columns, tuple(rows))
