"""The one curve behind a decision."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.charts import theme
from acumen.charts.altair import alt


def curve(
    points: Sequence[tuple[float, float]], x: str, y: str, asked: float | None = None
) -> theme.Figure:
    """Points joined in their order, what the two axes are called, and a line at what was asked."""
    sets = theme.Sets()
    rows = sets.add([{"x": theme.drawn(a), "y": theme.drawn(b)} for a, b in points])
    line = alt.Chart(rows).mark_line(strokeWidth=2, point=True, color=theme.BLUE)
    axes = alt.X("x:Q", title=x), alt.Y("y:Q", title=y, scale=alt.Scale(zero=True))
    tooltips = [alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y, format=".4f")]
    layers = [line.encode(*axes, alt.Order("x:Q"), tooltip=tooltips)]
    if asked is not None:
        bound = alt.Chart(sets.add([{"y": asked}])).mark_rule(strokeDash=[6, 4], color=theme.GREY)
        layers.append(bound.encode(alt.Y("y:Q")))
    return theme.finish(alt.layer(*layers), sets)
