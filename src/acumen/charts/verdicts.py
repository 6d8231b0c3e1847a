"""Charts of a verdict study: scores, process components, ranking by threshold, paired deltas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import altair as alt

from acumen.charts import theme
from acumen.charts.intervals import interval_plot
from acumen.charts.tables import confusion_plot, precision_recall_plot
from acumen.defaults import PROCESS_WEIGHTS
from acumen.results.charted import ThresholdCurve

Documents = Sequence[Mapping[str, Any]]
SHARE: Final = alt.Scale(domain=[0, 1])
TARGET: Final = 75.0
SCORES: Final = (
    ("ordinal_auprc", "AUPRC", 100.0),
    ("process_score", "Process", 1.0),
    ("consistency_score", "Consistency", 1.0),
)
"""Key of a score, its name, and what brings it to percent."""


def title_of(component: str) -> str:
    """A component as readers know it.

    >>> title_of("verdict_support_rate")
    'Verdict support'
    """
    return component.removesuffix("_rate").replace("_", " ").capitalize()


def method_names(documents: Documents) -> list[str]:
    """The methods by name, made distinct."""
    names = [theme.name(d.get("method") or d.get("run_id") or "this method") for d in documents]
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({at})" for at, name in enumerate(names, start=1)]


def _rows(documents: Documents, keys: Sequence[tuple[str, str, float]]) -> list[dict[str, Any]]:
    rows = []
    for key, title, factor in keys:
        for method, document in zip(method_names(documents), documents, strict=True):
            entry = document["intervals"].get(key) or {}
            if entry.get("value") is None:
                continue
            ends = {end: entry.get(end) for end in ("value", "low", "high")}
            row = {k: None if v is None else theme.drawn(factor * v) for k, v in ends.items()}
            rows.append({"name": title, "group": method, **row})
    return rows


def scores(documents: Documents) -> theme.Figure | None:
    """The three scores in percent, against the target."""
    return interval_plot(
        _rows(documents, SCORES),
        "percent",
        group="method",
        groups=method_names(documents),
        line=TARGET,
        line_name="target",
        scale=alt.Scale(domain=[0, 100]),
    )


def components(documents: Documents) -> theme.Figure | None:
    """The components of the process score."""
    keys = [(key, title_of(key), 1.0) for key in (*PROCESS_WEIGHTS, "evidence_recall")]
    return interval_plot(
        _rows(documents, keys),
        "share right",
        group="method",
        groups=method_names(documents),
        scale=SHARE,
    )


def thresholds(documents: Documents) -> theme.Figure | None:
    """Average precision of "at least this level"."""
    found = {
        row["threshold"]: row["at_least"] for d in documents for row in d["auprc"]["thresholds"]
    }
    keys = [(f"auprc_ge_{k}", f"≥ {theme.name(level)}", 1.0) for k, level in sorted(found.items())]
    return interval_plot(
        _rows(documents, keys),
        "average precision",
        group="method",
        groups=method_names(documents),
        scale=SHARE,
    )


AGREEMENT: Final = (
    ("accuracy", "Accuracy of all cases"),
    ("off_by_one_accuracy", "At most one level off"),
    ("macro_f1", "Macro F1"),
    ("quadratic_kappa", "Kappa, quadratic"),
    ("linear_kappa", "Kappa, linear"),
    ("kendall_tau_b", "Kendall's tau-b"),
    ("krippendorff_alpha", "Krippendorff's alpha"),
)
"""Measures of agreement that share a scale, on which 1 is perfect, and how they are called."""


def agreement(documents: Documents) -> theme.Figure | None:
    """How far the verdicts agree with the truth, measure by measure."""
    return interval_plot(
        _rows(documents, [(key, title, 1.0) for key, title in AGREEMENT]),
        "agreement (1 is perfect)",
        group="method",
        groups=method_names(documents),
        scale=alt.Scale(zero=True, domainMax=1),
    )


def confusion(documents: Documents) -> theme.Figure | None:
    """Truth against verdict, abstentions in a column of their own."""
    pairs = zip(method_names(documents), documents, strict=True)
    found = [
        (m, d["summary"]["levels"], d["summary"]["confusion"]) for m, d in pairs if d["summary"]
    ]
    return confusion_plot(found)


def precision_recall(documents: Documents) -> theme.Figure | None:
    """Precision against recall down the severity ranking."""
    pairs = zip(method_names(documents), documents, strict=True)
    return precision_recall_plot(
        {
            m: [ThresholdCurve.model_validate(c) for c in d["summary"]["precision_recall"]]
            for m, d in pairs
            if d["summary"]
        }
    )


def comparison(found: Mapping[str, Any]) -> theme.Figure | None:
    """Paired differences in points, right minus left, beside the zero line."""
    left, right = theme.name(found["left"]), theme.name(found["right"])
    told = {"left": f"better: {left}", "right": f"better: {right}"}
    keys = [
        *SCORES,
        *((key, title_of(key), 100.0) for key in PROCESS_WEIGHTS),
        ("accuracy", "Accuracy", 100.0),
    ]
    rows = []
    for key, title, factor in keys:
        delta = found["deltas"].get(key)
        if delta is None or delta.get("delta") is None:
            continue
        ends = {"value": delta["delta"], "low": delta.get("low"), "high": delta.get("high")}
        row = {k: None if v is None else theme.drawn(factor * v) for k, v in ends.items()}
        rows.append({"name": title, "group": told.get(delta.get("favours"), UNDECIDED), **row})
    groups = [*told.values(), UNDECIDED]
    return interval_plot(
        rows,
        f"difference in points, {right} minus {left}",
        group="paired interval",
        groups=[g for g in groups if any(row["group"] == g for row in rows)],
        known=dict(zip(groups, (theme.BLUE, theme.ORANGE, theme.GREY), strict=True)),
        line=0.0,
        line_name="no difference",
    )


UNDECIDED: Final = "cannot be told"

VERDICT_CHARTS: Final[Mapping[str, Callable[[Documents], theme.Figure | None]]] = {
    "scores": scores,
    "components": components,
    "thresholds": thresholds,
    "precision-recall": precision_recall,
    "agreement": agreement,
    "confusion": confusion,
}
"""Name of a chart of verdict studies -> what draws it."""
