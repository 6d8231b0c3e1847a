"""Charts of a verdict study: scores, process components, ranking by threshold, paired deltas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.intervals import UNDECIDED, differences, interval_plot, row
from acumen.charts.tables import confusion_plot, precision_recall_plot
from acumen.defaults import PROCESS_WEIGHTS, TARGET
from acumen.metrics import METRICS, Metric, kin_of
from acumen.results.verdicts import (
    SCORES,
    ComparisonDocument,
    ResultsDocument,
    method_names,
)

Documents = Sequence[ResultsDocument]
PERCENT: Final = [0, 100]


def _rows(
    documents: Documents, metrics: Iterable[tuple[str, str]], factor: float = 1.0
) -> list[dict[str, Any]]:
    """A row for each (metric, title) and method that has a value."""
    methods = list(zip(method_names(documents), documents, strict=True))
    return [
        row(title, method, measured.value, measured)
        for key, title in metrics
        for method, document in methods
        if (measured := document.measured(key).times(factor)).value is not None
    ]


def _titled(metrics: Iterable[Metric]) -> list[tuple[str, str]]:
    return [(metric.name, metric.title) for metric in metrics]


def scores(documents: Documents) -> theme.Figure | None:
    """The three scores in percent, against the target."""
    return interval_plot(
        _rows(documents, _titled(METRICS[key] for key in SCORES), 100.0),
        "percent",
        group="method",
        groups=method_names(documents),
        line=TARGET,
        line_name="target",
        scale=alt.Scale(domain=PERCENT),
    )


def components(documents: Documents) -> theme.Figure | None:
    """The components of the process score."""
    parts = (*PROCESS_WEIGHTS, "evidence_recall")
    return interval_plot(
        _rows(documents, _titled(METRICS[key] for key in parts), 100.0),
        "percent right",
        group="method",
        groups=method_names(documents),
        scale=alt.Scale(domain=PERCENT),
    )


def thresholds(documents: Documents) -> theme.Figure | None:
    """Average precision of "at least this level"."""
    levels = {at.threshold: at.at_least for d in documents for at in d.auprc.thresholds}
    metrics = [
        (METRICS["auprc_ge"].at(level=k).name, f"≥ {theme.name(level)}")
        for k, level in sorted(levels.items())
    ]
    return interval_plot(
        _rows(documents, metrics, 100.0),
        "average precision, percent",
        group="method",
        groups=method_names(documents),
        scale=alt.Scale(domain=PERCENT),
    )


def agreement(documents: Documents) -> theme.Figure | None:
    """How far the verdicts agree with the truth, measure by measure."""
    return interval_plot(
        _rows(documents, _titled(m for m in kin_of("total_accuracy") if m.better == "higher")),
        "agreement (1 is perfect)",
        group="method",
        groups=method_names(documents),
        scale=alt.Scale(zero=True, domainMax=1),
    )


def confusion(documents: Documents) -> theme.Figure | None:
    """Truth against verdict, abstentions in a column of their own."""
    pairs = zip(method_names(documents), documents, strict=True)
    return confusion_plot(
        [(m, d.summary.levels, d.summary.confusion) for m, d in pairs if d.summary is not None]
    )


def precision_recall(documents: Documents) -> theme.Figure | None:
    """Precision against recall down the severity ranking."""
    pairs = zip(method_names(documents), documents, strict=True)
    return precision_recall_plot(
        {m: d.summary.precision_recall for m, d in pairs if d.summary is not None}
    )


def comparison(pair: ComparisonDocument) -> theme.Figure | None:
    """Paired differences in points, right minus left, beside the zero line."""
    left, right = theme.name(pair.left), theme.name(pair.right)
    groups = {"left": f"better: {left}", "right": f"better: {right}", None: UNDECIDED}
    rows = []
    for key in (*SCORES, *PROCESS_WEIGHTS, "total_accuracy"):
        delta = pair.deltas.get(key)
        if delta is not None and delta.delta is not None:
            points = delta.times(100.0)
            rows.append(row(METRICS[key].title, groups[delta.favours], points.delta, points))
    return differences(rows, f"difference in points, {right} minus {left}", groups.values())


VERDICT_CHARTS: Final[Mapping[str, Callable[[Documents], theme.Figure | None]]] = {
    "scores": scores,
    "components": components,
    "thresholds": thresholds,
    "precision-recall": precision_recall,
    "agreement": agreement,
    "confusion": confusion,
}
"""Name of a chart of verdict studies -> what draws it."""
