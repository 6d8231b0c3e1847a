"""Totals of cases: against the truth with their ranges, and their differences by their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.decisions import curve
from acumen.results.totals import CaseTotal, ErrorPart, Selective, TotalPart


def scatter(rows: Sequence[CaseTotal], total: TotalPart) -> theme.Figure | None:
    """Each case's true total, and what its answers make of it: a point, or a range."""
    known = [row for row in rows if row.truth is not None]
    if not known:
        return None
    sets = theme.Sets()
    marks = sets.add([_mark(row) for row in known])
    ends = [{"t": end, "own": end} for end in (total.lowest, total.highest)]
    scale = alt.Scale(domain=[total.lowest, total.highest], nice=False)
    x, y = (
        alt.X("t:Q", title="true total", scale=scale),
        alt.Y("own:Q", title="total", scale=scale),
    )
    tooltip = [alt.Tooltip(f"{key}:N", title=title) for key, title in _FIELDS.items()]
    kinds = [kind for kind in COLOURS if any(_mark(row)["k"] == kind for row in known)]
    legend = alt.Legend(orient="bottom") if len(kinds) > 1 else None
    colour = alt.Color("k:N", title=None, scale=theme.colours(kinds, COLOURS), legend=legend)
    base = alt.Chart(marks)
    layers: list[Any] = [
        alt.Chart(sets.add(ends)).mark_line(strokeDash=[4, 4], color=theme.GREY).encode(x, y),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(
            x, alt.Y("lo:Q"), alt.Y2("hi:Q"), colour, tooltip=tooltip
        ),
        base.transform_filter("datum.own !== null")
        .mark_circle(size=60, opacity=0.6)
        .encode(x, y, colour, tooltip=tooltip),
    ]
    if total.cut is not None:
        cut = alt.Chart(sets.add([{"c": total.cut}])).mark_rule(strokeDash=[6, 4], color=theme.GREY)
        layers += [cut.encode(alt.Y("c:Q")), cut.encode(alt.X("c:Q"))]
    return theme.finish(alt.layer(*layers), sets)


COLOURS: Final = {"total": theme.BLUE, "range": theme.INK}
_FIELDS = {"n": "case", "t": "true total", "own": "total", "lo": "at least", "hi": "at most"}


def _mark(row: CaseTotal) -> dict[str, Any]:
    ends = {"lo": theme.drawn(row.low), "hi": theme.drawn(row.high)}
    kind = "range" if row.total is None else "total"
    own = {"n": theme.name(row.case), "t": theme.drawn(row.truth), "own": theme.drawn(row.total)}
    return {**own, **ends, "k": kind}


def bland_altman(rows: Sequence[CaseTotal], error: ErrorPart | None) -> theme.Figure | None:
    """Total minus truth by their mean, with the bias and the limits of agreement."""
    known = [(row, row.total, row.truth) for row in rows if row.total is not None]
    points = [
        {"n": theme.name(row.case), "m": theme.drawn((own + truth) / 2)}
        | {"d": theme.drawn(own - truth)}
        for row, own, truth in known
        if truth is not None
    ]
    if not points or error is None:
        return None
    sets = theme.Sets()
    lines = [
        {"d": theme.drawn(measured.value), "w": what}
        for what, measured in (
            ("bias", error.bias),
            ("limit of agreement", error.lower_limit),
            ("limit of agreement", error.upper_limit),
        )
        if measured.value is not None
    ]
    x = alt.X("m:Q", title="mean of total and truth")
    y = alt.Y("d:Q", title="total − truth, points")
    tooltip = [
        alt.Tooltip("n:N", title="case"),
        alt.Tooltip("m:Q", title="mean"),
        alt.Tooltip("d:Q", title="difference"),
    ]
    dots = alt.Chart(sets.add(points)).mark_circle(size=60, opacity=0.6, color=theme.BLUE)
    rule = alt.Chart(sets.add(lines)).mark_rule(strokeDash=[6, 4], color=theme.GREY)
    labels = [alt.Tooltip("w:N", title="line"), alt.Tooltip("d:Q", title="points")]
    layers = alt.layer(
        dots.encode(x, y, tooltip=tooltip), rule.encode(alt.Y("d:Q"), tooltip=labels)
    )
    return theme.finish(layers, sets)


def risk_coverage(part: Selective, risk: str) -> theme.Figure | None:
    """Risk against coverage over cases, surest first."""
    points = [(point.coverage, point.risk) for point in part.curve]
    return curve(points, "share of the cases", risk)
