"""Values with their intervals, one row a name: functions, paired deltas, groups, components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.apart import panels
from acumen.metrics import Metric, kin_of
from acumen.results.charted import GroupRisk
from acumen.results.metrics import Best, MetricsArtifact
from acumen.results.verdicts import PairDocument
from acumen.values.measured import Delta, Measured

Rows = Sequence[Mapping[str, Any]]
MANY_ROWS: Final = 12
"""Of more names the rows stand closer."""


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
    cases: Mapping[str, str] | None = None,
) -> theme.Figure | None:
    """A forest plot of rows ``{name, value, low, high, group}``; rows stand as they come."""
    if not rows:
        return None
    names = list(dict.fromkeys(r["name"] for r in rows))
    several = len(groups) > 1 or known is not None
    # as many names as stand in a line
    columns = alt.ExprRef(f"max(1, floor(width / {8 * (4 + max(map(len, groups), default=0))}))")
    color = alt.Color(
        "group:N",
        title=group,
        scale=theme.colours(groups, known),
        legend=alt.Legend(
            orient="bottom", title=None, columns=columns, labelExpr=theme.IN_LEGEND, labelLimit=1000
        )
        if several
        else None,
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
        if not min(ends) < line < max(ends):  # on the edge of the frame no one would see it
            x["scale"] = scale or alt.Scale(zero=False, nice=False, padding=12)
        layers = [*_line(sets, line, line_name, leftwards=beyond), *layers]
    each = theme.ROW if len(names) <= MANY_ROWS else theme.LOW_ROW
    height = each * len(names) * (1 if per_name == 1 else per_name * 0.75)
    return theme.finish(alt.layer(*layers), sets, height=max(60, round(height)), cases=cases)


def worst_first(rows: Iterable[dict[str, Any]], *, better: str) -> list[dict[str, Any]]:
    """Rows by the worst that any group has of their name, those of a name together."""
    rows, sign = list(rows), 1 if better == "higher" else -1
    worst: dict[str, float] = {}
    for entry in rows:
        value = sign * entry["value"]
        worst[entry["name"]] = min(value, worst.get(entry["name"], value))
    return sorted(rows, key=lambda entry: (worst[entry["name"]], entry["name"]))


def _line(sets: theme.Sets, at: float, called: str, *, leftwards: bool) -> list[alt.Chart]:
    """A line with its name above it, on the side where there is room."""
    side: dict[str, Any] = {"align": "right", "dx": -4} if leftwards else {"align": "left", "dx": 4}
    chart = alt.Chart(sets.add([{"value": theme.drawn(at), "label": called}]))
    rule = chart.mark_rule(strokeDash=[5, 4], strokeWidth=1.3, opacity=0.7).encode(alt.X("value:Q"))
    text = chart.mark_text(baseline="bottom", fontSize=11, color=theme.GREY, **side)
    return [rule, text.encode(alt.X("value:Q"), alt.Text("label:N"), y=alt.value(-3))]


def forest(artifact: MetricsArtifact) -> theme.Figure | None:
    """AUGRC of every function with its interval, best first."""
    names = artifact.input_names
    best = artifact.best
    rows = []
    for function in artifact.functions:
        for side, variant in zip(names, artifact.sides[function], strict=True):
            area = variant.metrics.get("augrc")
            if area is not None and area.value is not None:
                group = side if best is None else _standing(function, best)
                rows.append(row(theme.name(function), group, area.value, area))
    if len(names) > 1:  # an area to what one answers says nothing of another that answers more
        return _by_system(rows)
    groups = names if best is None else [BEST, NEAR, WORSE]
    optimum = next((v[0].augrc_optimal for v in artifact.sides.values()), None)
    return interval_plot(
        rows,
        AUGRC,
        group="input" if best is None else "standing",
        groups=[g for g in groups if any(r["group"] == g for r in rows)],
        known=None if best is None else STANDING,
        line=optimum if not artifact.comparison.enabled else None,
        line_name="optimum",
    )


def _by_system(rows: Rows) -> theme.Figure | None:
    """A small chart a system, each with an axis of its own, so that none invites to compare."""
    if len({entry["name"] for entry in rows}) < 2:
        return None
    turned = [dict(entry) | {"name": entry["group"], "group": entry["name"]} for entry in rows]
    functions = list(dict.fromkeys(entry["group"] for entry in turned))
    return panels(turned, [], functions, [theme.INK] * len(functions), AUGRC)


AUGRC: Final = "AUGRC (lower is better)"
BEST, NEAR, WORSE = "lowest", "perhaps as low", "higher"
STANDING: Final = {BEST: theme.BLUE, NEAR: theme.GREY, WORSE: theme.INK}


def _standing(function: str, best: Best) -> str:
    if best.is_above(function):
        return WORSE
    return NEAR if function in best.indistinguishable else BEST


def row(name: str, group: str, value: float | None, of: Measured | Delta) -> dict[str, Any]:
    """A row of a forest plot: a value, and the ends of the interval it has."""
    low, high = map(theme.drawn, of.ends)
    return {"name": name, "group": group, "value": theme.drawn(value), "low": low, "high": high}


UNDECIDED: Final = "no difference shown"


def deltas(artifact: MetricsArtifact) -> theme.Figure | None:
    """The paired difference of every function, or of every pair, beside the zero line."""
    if not artifact.comparison.enabled:
        return None
    if len(artifact.inputs) > 2:
        return _pairs(artifact)
    left, right = artifact.input_names
    short = [theme.in_words(name) for name in (left, right)]
    sides = short if len({*short}) > 1 else [left, right]
    groups = {"left": f"better: {sides[0]}", "right": f"better: {sides[1]}", None: UNDECIDED}
    rows = []
    for function, matched in artifact.comparison.matched.items():
        delta = matched.difference.times(artifact.distance or 1.0)
        if delta.delta is not None:
            rows.append(row(theme.name(function), groups[matched.favours], delta.delta, delta))
    rows.sort(key=lambda row: row["value"])
    risk = "risk" if artifact.distance is None else "mean error"
    return differences(rows, f"{risk} at equal coverage, {right} minus {left}", groups.values())


def _pairs(artifact: MetricsArtifact) -> theme.Figure | None:
    groups = ["difference shown", UNDECIDED]
    rows = [
        row(f"{theme.name(p.right)} − {theme.name(p.left)}", groups[not d.favours], d.delta, d)
        for p in artifact.ranked[1]
        if (d := p.difference).delta is not None
    ]
    rows.sort(key=lambda row: row["value"])
    return differences(rows, "first minus second", groups, (theme.INK, theme.GREY))


def differences(
    rows: Rows,
    title: str,
    groups: Iterable[str],
    colours: Iterable[str] = (theme.BLUE, theme.ORANGE, theme.GREY),
) -> theme.Figure | None:
    """Paired differences beside the zero line; the groups say which side each favours."""
    known = dict(zip(groups, colours, strict=True))
    return interval_plot(
        rows,
        title,
        group="paired interval",
        groups=[g for g in known if any(r["group"] == g for r in rows)],
        known=known,
        line=0.0,
        line_name="no difference",
    )


def leaderboard(document: MetricsArtifact | PairDocument) -> theme.Figure | None:
    """Every system with its interval, best first, by how it stands to the first or a baseline."""
    if isinstance(document, PairDocument):
        board, systems = document.leaderboard, document.names
    else:
        board, systems = document.ranked[0], document.input_names
    if board is None:
        return None
    first = board.baseline or board.standings[0].system
    called = theme.name(first)
    words = theme.in_words(called)
    groups = [called, f"not shown to differ from {words}", f"differs from {words}"]
    rows = [
        row(theme.name(s.system), groups[place], value, s.measured)
        for s in board.standings
        if (value := s.measured.value) is not None
        for place in [0 if s.system == first else 1 + (first in (*s.beaten_by, *s.beats))]
    ]
    return interval_plot(
        rows,
        f"{board.metric} ({board.better} is better)",
        group="standing",
        groups=[g for g in groups if any(r["group"] == g for r in rows)],
        known=dict(
            zip(groups, (theme.colour_of(systems)[first], theme.GREY, theme.INK), strict=True)
        ),
    )


def calibration(artifact: MetricsArtifact) -> theme.Figure | None:
    """Expected calibration error of every function whose confidence is a probability."""
    names = artifact.input_names
    rows = [
        row(theme.name(function), side, ece.value, ece)
        for function, variants in artifact.sides.items()
        for side, variant in zip(names, variants, strict=True)
        if (ece := variant.metrics.get("ece")) is not None and ece.value is not None
    ]
    rows.sort(key=lambda row: row["value"])
    return interval_plot(
        rows,
        "expected calibration error (0 is honest)",
        group="input",
        groups=names,
        scale=alt.Scale(zero=True),
    )


def agreement_metrics() -> list[Metric]:
    """Measures of agreement that share a scale, on which 1 is perfect."""
    levels = [m for m in kin_of("total_accuracy") if m.better == "higher"]
    return levels + [m for m in kin_of("ordinal_auprc") if not m.parameters]


def agreement(artifact: MetricsArtifact) -> theme.Figure | None:
    """How far the predicted levels agree with the truth, measure by measure."""
    names = artifact.input_names
    rows = [
        row(metric.title, side, measured.value, measured)
        for metric in agreement_metrics()
        for side, by_metric in zip(names, artifact.overall_by_input, strict=False)
        if (measured := by_metric.get(metric.name)) is not None and measured.value is not None
    ]
    return interval_plot(
        rows,
        "agreement (1 is perfect)",
        group="input",
        groups=names,
        scale=alt.Scale(zero=True, domainMax=1),
    )


def risk_by_item(artifact: MetricsArtifact) -> theme.Figure | None:
    """Mean loss of the answered rows of every item, the worst item first."""
    return _groups(artifact, [summary.by_item for summary in artifact.summaries], "item")


def risk_by_level(artifact: MetricsArtifact) -> theme.Figure | None:
    """Mean loss of the answered rows by the level of the truth."""
    return _groups(artifact, [summary.by_level for summary in artifact.summaries], "truth")


def _groups(
    artifact: MetricsArtifact, parts: Sequence[Sequence[GroupRisk]], kind: str
) -> theme.Figure | None:
    names = artifact.input_names
    rows = [
        row(theme.name(group.name), side, group.risk.value, group.risk) | {"n": group.answered}
        for side, groups in zip(names, parts, strict=False)
        for group in groups
        if group.risk.value is not None
    ]
    if kind == "item":  # levels have an order of their own
        rows = worst_first(rows, better="lower")
    return interval_plot(
        rows,
        f"risk of the answered rows ({theme.name(artifact.loss.name)})",
        group="input",
        groups=names,
        counts="answered rows",
        scale=alt.Scale(zero=True),
        cases={"name": kind, "group": "system"},
    )
