"""Charts behind decisions: the curve with what was chosen on it, and checks with their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.apart import panels
from acumen.charts.intervals import row
from acumen.results.decisions import Check

MOST_DOTS: Final = 30
"""A curve of more points is a line alone."""
VERDICTS: Final = {"pass": theme.INK, "undecided": theme.GREY, "fail": theme.INK}
ENDS: Final = {"equivalence": (-1.0, 1.0), "superiority": (0.0,)}
"""Where the lines of a check stand, in bounds; of the others, at the bound."""


def curve(
    points: Sequence[tuple[float, float]],
    x: str,
    y: str,
    marks: Sequence[tuple[str, float | None, float | None]] = (),
    cuts: Sequence[float | None] = (),
) -> theme.Figure | None:
    """Points joined in their order, what the axes are called, and the marks; nothing of one point.

    A mark is a name with a place, a height, or both: a line, or a point. ``cuts`` are the
    thresholds that the points belong to.
    """
    if len(points) < 2:
        return None
    sets = theme.Sets()
    rows: list[dict[str, Any]] = [{"x": theme.drawn(a), "y": theme.drawn(b)} for a, b in points]
    for entry, cut in zip(rows, cuts, strict=False):
        entry["t"] = "every answer" if cut is None else f"{cut:.4g}"
    few = len(points) <= MOST_DOTS
    line = alt.Chart(sets.add(rows)).mark_line(strokeWidth=2, point=few, color=theme.BLUE)
    heights = [*(b for _, b in points), *(at for _, _, at in marks if at is not None)]
    axes = (
        alt.X("x:Q", title=x, scale=alt.Scale(nice=True)),
        alt.Y("y:Q", title=y, scale=alt.Scale(domain=[min(0.0, *heights), 1.08 * max(heights)])),
    )
    tooltips = [alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y, format=".4f")]
    if cuts:
        tooltips.append(alt.Tooltip("t:N", title="accepted above"))
    layers = [line.encode(*axes, alt.Order("x:Q"), tooltip=tooltips)]
    middle = (min(a for a, _ in points) + max(a for a, _ in points)) / 2
    for label, at, height in marks:
        beyond = at is not None and at > middle
        beside = [b for a, b in points if at is not None and (a < at if beyond else a > at)]
        over = height is not None and bool(beside) and sum(beside) < height * len(beside)
        layers += _marked(sets, label, at, height, beyond=beyond, over=over)
    return theme.finish(alt.layer(*layers), sets)


def _marked(
    sets: theme.Sets,
    label: str,
    at: float | None,
    height: float | None,
    *,
    beyond: bool,
    over: bool,
) -> list[alt.Chart]:
    """A line or a point with its name where there is room: ``over`` the curve or below it."""
    place = {"x": theme.drawn(at), "y": theme.drawn(height)}
    only = {key: value for key, value in place.items() if value is not None}
    chart = alt.Chart(sets.add([{**only, "w": label}]))
    tooltip = [alt.Tooltip("w:N", title="mark")]
    side: dict[str, Any] = {"align": "right", "dx": -7} if beyond else {"align": "left", "dx": 7}
    text = alt.Text("w:N")
    if height is None:
        rule = chart.mark_rule(strokeDash=[5, 4], strokeWidth=1.3)
        words = chart.mark_text(baseline="top", **side).encode(alt.X("x:Q"), text, y=alt.value(4))
        return [rule.encode(alt.X("x:Q"), tooltip=tooltip), words]
    if at is None:
        rule = chart.mark_rule(strokeDash=[6, 4], color=theme.GREY)
        words = chart.mark_text(align="left", baseline="bottom", dx=6, dy=-3)
        words = words.encode(alt.Y("y:Q"), text, x=alt.value(0))
        return [rule.encode(alt.Y("y:Q"), tooltip=tooltip), words]
    dot = chart.mark_point(size=140, filled=True, color=theme.INK, opacity=1)
    how: dict[str, Any] = {"baseline": "bottom", "dy": -9} if over else {"baseline": "top", "dy": 9}
    words = chart.mark_text(**how, **(side | {"dx": 0}))
    axes = alt.X("x:Q"), alt.Y("y:Q")
    return [dot.encode(*axes, tooltip=tooltip), words.encode(*axes, text)]


def checks(asked: Sequence[tuple[str, Check, str]]) -> theme.Figure | None:
    """Every check with its one-sided ends beside its bound: (subject, check, what was asked)."""
    rows, lines = [], []
    for subject, check, words in asked:
        value = check.measured.value
        if value is None:
            continue
        rows.append(row(subject, check.verdict, value, check.measured))
        for end in ENDS.get(check.rule, (1.0,)):
            at = 0.0 if check.rule == "superiority" else end * check.bound
            lines.append({"name": subject, "at": theme.drawn(at), "label": words})
    if not rows:
        return None
    return panels(rows, lines, tuple(VERDICTS), tuple(VERDICTS.values()))
