"""The sections on predicted levels, whatever the confidence: do they agree, where do they err."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from acumen.charts import CHARTS
from acumen.charts.intervals import AGREEMENT
from acumen.charts.tables import ABSTAINED
from acumen.errors import counted
from acumen.report.plots import plot, section, value_and_interval
from acumen.report.sections import Section, Table, number, percent, reach, shown, text
from acumen.report.words import why_missing
from acumen.results.charted import Summary
from acumen.results.metrics import MetricsArtifact
from acumen.results.parts import input_names, name

_OTHER_MEASURES: Final[Mapping[str, str]] = {
    "level_mae": "Mean error in levels",
    "macro_mae": "Mean error in levels, every level alike",
    "severity_ordering_ap": "Average precision of the top level among those above the lowest",
    "auprc_ge": "Average precision",
    "nap_ge": "Average precision above chance",
    "auroc_ge": "AUROC",
}
"""Measures of agreement that stand in the table alone: another scale, or one threshold."""


def _common_rows(artifact: MetricsArtifact) -> str:
    """What the differences in the table are of."""
    rows = artifact.comparison.both_answered
    if rows is None:
        return ""
    return f" Differences are of the {counted(rows, 'row')} that both answered, of accuracy of all."


def _measure(key: str, levels: Sequence[object]) -> str:
    """A measure of agreement as the table names it, with its threshold where it has one."""
    measure, _, rank = key.partition("@")
    title = AGREEMENT.get(measure) or _OTHER_MEASURES.get(measure) or name(key)
    if rank.isdecimal() and int(rank) < len(levels):
        return f"{title}, truth ≥ {name(levels[int(rank)])}"
    return title


def agreement(artifact: MetricsArtifact, study: str) -> Section | None:
    """Kappa and its kin, of each input and of their difference."""
    levels = artifact.scale.get("levels", [])
    names = input_names(artifact)
    rows = []
    for key in dict.fromkeys(key for found in artifact.agreement for key in found):
        title = text(_measure(key, levels))
        for side, found in zip(names, artifact.agreement, strict=False):
            if key in found:
                rows.append((title, text(side), *value_and_interval(found[key])))
        if key in artifact.comparison.agreement:
            d = artifact.comparison.agreement[key]
            change = number(d.delta, "+.4f", d.reason)
            told = text(f"{names[-1]} minus {names[0]}")
            rows.append((title, told, change, reach(*d.ends, "+.4f", why_missing(d))))
    drawn = plot(
        study,
        "agreement",
        CHARTS["agreement"](artifact),
        "Agreement of prediction and truth",
        "Whatever the confidence: 1 is perfect, and for kappa, tau, alpha and what is above chance "
        "0 is no better than guessing. An abstention is wrong in the accuracy; the rest look at "
        "answered rows alone, so read them beside the coverage." + _common_rows(artifact),
        Table("Agreement", ("measure", "input", "value", "interval"), tuple(rows)),
    )
    return section("agreement", "Does it agree with the truth", [drawn])


def errors(artifact: MetricsArtifact, study: str) -> Section | None:
    """Which levels are taken for which, and where the risk is."""
    if not artifact.summaries:
        return None
    groups = _group_table(artifact)
    ranked_by = shown(artifact.summaries[0].ranked_by)
    drawn = [
        plot(
            study,
            "confusion",
            CHARTS["confusion"](artifact),
            "Truth and prediction",
            "Rows by true and predicted level; abstentions are a column of their own.",
            _confusion_table(artifact),
        ),
        plot(
            study,
            "risk-by-item",
            CHARTS["risk-by-item"](artifact),
            "Risk by item",
            "Mean loss of the answered rows of each item, with its interval.",
            groups,
        ),
        plot(
            study,
            "risk-by-level",
            CHARTS["risk-by-level"](artifact),
            "Risk by level of truth",
            "Mean loss of the answered rows at each true level.",
            groups,
        ),
        plot(
            study,
            "precision-recall",
            CHARTS["precision-recall"](artifact),
            "Precision and recall by threshold",
            f"Rows ranked by {ranked_by}, all items together; dotted is the prevalence.",
            _precision_table(artifact),
        ),
    ]
    return section("errors", "Where it errs", drawn)


def _sides(artifact: MetricsArtifact) -> Iterator[tuple[str, Summary]]:
    return zip(input_names(artifact), artifact.summaries, strict=False)


def _confusion_table(artifact: MetricsArtifact) -> Table:
    rows = [
        (text(side), text(name(level)), *(number(n) for n in row))
        for side, summary in _sides(artifact)
        for level, row in zip(summary.levels, summary.confusion, strict=True)
    ]
    predicted = [f"predicted {name(level)}" for level in artifact.summaries[0].levels]
    return Table("Confusion", ("input", "truth", *predicted, ABSTAINED), tuple(rows))


def _group_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for side, summary in _sides(artifact):
        for kind, found in (("item", summary.by_item), ("truth", summary.by_level)):
            for g in found:
                first = (text(side), text(kind), text(name(g.name)))
                risk = number(g.risk.value, reason=g.risk.reason)
                interval = reach(*g.risk.ends, why=why_missing(g.risk))
                rows.append((*first, number(g.n), number(g.answered), risk, interval))
    columns = ("input", "by", "group", "rows", "answered", "risk", "interval")
    return Table("Risk by group", columns, tuple(rows))


def _precision_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for side, summary in _sides(artifact):
        for curve in summary.precision_recall:
            found = curve.average_precision
            first = (text(side), text(name(curve.at_least)), number(curve.n_positive))
            precision = (number(found.value), reach(*found.ends, why=why_missing(found)))
            rows.append((*first, percent(curve.prevalence), *precision))
    columns = ("input", "truth at least", "rows", "prevalence", "average precision", "interval")
    return Table("Average precision", columns, tuple(rows))
