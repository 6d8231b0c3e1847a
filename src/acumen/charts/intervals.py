"""Values with their intervals, one row a name: functions, paired deltas, groups, components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from acumen.charts import theme
from acumen.results.charted import GroupRisk
from acumen.results.metrics import Best, MetricsArtifact
from acumen.results.parts import input_names, sides, sorted_functions

Rows = Sequence[Mapping[str, Any]]


def interval_plot(
    rows: Rows,
    title: str,
    *,
    group: str,
    groups: Sequence[str],
    known: Mapping[str, str] | None = None,
    line: float | None = None,
    line_name: str = "",
    counts: str | None = None,
    scale: alt.Scale | None = None,
) -> theme.Figure | None:
    """A forest plot of rows ``{name, value, low, high, group}``; rows stand as they come."""
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    several = len(groups) > 1 or known is not None
    color = alt.Color(
        "group:N",
        title=group,
        scale=theme.colours(groups, known),
        legend=alt.Legend(orient="bottom", title=None) if several else None,
    )
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(grid=False))
    per_name = len({row["group"] for row in rows if row["name"] == names[0]})
    apart: dict[str, Any] = (
        {"yOffset": alt.YOffset("group:N", sort=list(groups))} if per_name > 1 else {}
    )
    tooltip = [
        alt.Tooltip("name:N", title="name"),
        alt.Tooltip("group:N", title=group),
        # Vega makes an expression of a tooltip's titles: no word from the data among them
        alt.Tooltip("value:Q", title="value", format=".4f"),
        alt.Tooltip("low:Q", title="low end", format=".4f"),
        alt.Tooltip("high:Q", title="high end", format=".4f"),
        *([alt.Tooltip("n:Q", title=counts)] if counts else []),
    ]
    sets = theme.Sets()
    base = alt.Chart(sets.add(rows)).encode(y, color=color, tooltip=tooltip, **apart)
    x = alt.X("value:Q", title=title, scale=scale or alt.Scale(zero=False, nice=True))
    bars = base.mark_rule(strokeWidth=2.4).encode(alt.X("low:Q"), alt.X2("high"))
    dots = base.mark_circle(size=80, opacity=1).encode(x)
    bounded = any(row["low"] is not None and row["high"] is not None for row in rows)
    layers = [bars, dots] if bounded else [dots]
    if line is not None:
        drawn = [row[key] for row in rows for key in ("value", "low", "high")]
        ends = [end for end in drawn if end is not None]
        beyond = line > (min(ends) + max(ends)) / 2
        layers = [*_line(sets, line, line_name, leftwards=beyond), *layers]
    height = theme.ROW * len(names) * (1 if per_name == 1 else per_name * 0.75)
    return theme.dressed(alt.layer(*layers), sets, height=max(60, round(height)))


def _line(sets: theme.Sets, at: float, called: str, *, leftwards: bool) -> list[alt.Chart]:
    """A line with its name above it, on the side where there is room."""
    side: dict[str, Any] = {"align": "right", "dx": -4} if leftwards else {"align": "left", "dx": 4}
    chart = alt.Chart(sets.add([{"value": theme.drawn(at), "label": called}]))
    rule = chart.mark_rule(strokeDash=[5, 4], strokeWidth=1.3, opacity=0.7).encode(alt.X("value:Q"))
    text = chart.mark_text(baseline="bottom", fontSize=11, color=theme.GREY, **side)
    return [rule, text.encode(alt.X("value:Q"), alt.Text("label:N"), y=alt.value(-3))]


def forest(artifact: MetricsArtifact) -> theme.Figure | None:
    """AUGRC of every function with its interval, best first."""
    names = input_names(artifact)
    best = artifact.best
    rows = []
    for function in sorted_functions(artifact):
        for side, variant in zip(names, sides(artifact)[function], strict=True):
            found = variant.metrics.get("augrc")
            if found is None or found.value is None:
                continue
            told = side
            if best is not None:
                told = _standing(function, best)
            rows.append(_row(theme.name(function), told, found.value, found.interval))
    groups = names if best is None else [BEST, NEAR, WORSE]
    optimum = next((v[0].augrc_optimal for v in sides(artifact).values()), None)
    return interval_plot(
        rows,
        "AUGRC (lower is better)",
        group="input" if best is None else "standing",
        groups=[g for g in groups if any(row["group"] == g for row in rows)],
        known=None if best is None else STANDING,
        line=optimum if not artifact.comparison.enabled else None,
        line_name="optimum",
    )


BEST, NEAR, WORSE = "lowest", "perhaps as low", "higher"
STANDING: Final = {BEST: theme.BLUE, NEAR: theme.COLOURS[6], WORSE: theme.GREY}


def _standing(function: str, best: Best) -> str:
    if best.is_above(function):
        return WORSE
    return NEAR if function in best.indistinguishable else BEST


def _row(name: str, group: str, value: float | None, interval: Any) -> dict[str, Any]:
    row = {"name": name, "group": group, "value": theme.drawn(value)}
    ends = (None, None) if interval is None else interval.ends
    return row | {"low": theme.drawn(ends[0]), "high": theme.drawn(ends[1])}


def deltas(artifact: MetricsArtifact, metric: str = "augrc_full") -> theme.Figure | None:
    """The paired difference of every function, right minus left, beside the zero line."""
    left, right = input_names(artifact) if artifact.comparison.enabled else ("", "")
    groups = {"left": f"better: {left}", "right": f"better: {right}", None: "cannot be told"}
    rows = []
    favoured = artifact.comparison.favoured(metric, artifact.confidence_level)
    for function, found in (artifact.comparison.deltas or {}).items():
        delta = found.get(metric)
        if delta is not None and delta.delta is not None:
            told = groups.get(favoured[function], groups[None])
            rows.append(_row(theme.name(function), told, delta.delta, delta.interval))
    rows.sort(key=lambda row: row["value"])
    return interval_plot(
        rows,
        f"AUGRC, {right} minus {left}",
        group="paired interval",
        groups=[g for g in groups.values() if any(row["group"] == g for row in rows)],
        known=dict(zip(groups.values(), (theme.BLUE, theme.ORANGE, theme.GREY), strict=True)),
        line=0.0,
        line_name="no difference",
    )


def calibration(artifact: MetricsArtifact) -> theme.Figure | None:
    """Expected calibration error of every function whose confidence is a probability."""
    names = input_names(artifact)
    rows = [
        _row(theme.name(function), side, found.value, found.interval)
        for function, variants in sides(artifact).items()
        for side, variant in zip(names, variants, strict=True)
        if (found := variant.metrics.get("ece")) is not None and found.value is not None
    ]
    rows.sort(key=lambda row: row["value"])
    return interval_plot(
        rows,
        "expected calibration error (0 is honest)",
        group="input",
        groups=names,
        scale=alt.Scale(zero=True),
    )


AGREEMENT: Final[Mapping[str, str]] = {
    "total_accuracy": "Accuracy of all rows",
    "level_off_by_one": "At most one level off",
    "macro_f1": "Macro F1",
    "quadratic_kappa": "Kappa, quadratic",
    "linear_kappa": "Kappa, linear",
    "kendall_tau_b": "Kendall's tau-b",
    "krippendorff_alpha": "Krippendorff's alpha",
    "ordinal_auroc": "Ordinal AUROC",
    "ordinal_auprc": "Ordinal AUPRC",
    "ordinal_nap": "AUPRC above chance",
}
"""Measures of agreement that share a scale, on which 1 is perfect, and how they are called."""


def agreement(artifact: MetricsArtifact) -> theme.Figure | None:
    """How far the predicted levels agree with the truth, measure by measure."""
    names = input_names(artifact)
    rows = [
        _row(title, side, found[key].value, found[key].interval)
        for key, title in AGREEMENT.items()
        for side, found in zip(names, artifact.agreement, strict=False)
        if key in found and found[key].value is not None
    ]
    return interval_plot(
        rows,
        "agreement (1 is perfect)",
        group="input",
        groups=names,
        scale=alt.Scale(zero=True, domainMax=1),
    )


def risk_by_item(artifact: MetricsArtifact) -> theme.Figure | None:
    """Mean loss of the answered rows of every item."""
    return _groups(artifact, [summary.by_item for summary in artifact.summaries])


def risk_by_level(artifact: MetricsArtifact) -> theme.Figure | None:
    """Mean loss of the answered rows by the level of the truth."""
    return _groups(artifact, [summary.by_level for summary in artifact.summaries], "truth ")


def _groups(
    artifact: MetricsArtifact, found: Sequence[Sequence[GroupRisk]], prefix: str = ""
) -> theme.Figure | None:
    names = input_names(artifact)
    rows = [
        _row(prefix + theme.name(group.name), side, group.risk.value, group.risk)
        | {"n": group.answered}
        for side, groups in zip(names, found, strict=False)
        for group in groups
        if group.risk.value is not None
    ]
    return interval_plot(
        rows,
        f"risk of the answered rows ({theme.name(artifact.loss.name)})",
        group="input",
        groups=names,
        counts="answered rows",
        scale=alt.Scale(zero=True),
    )
