"""The one curve behind a decision."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from acumen.charts import theme


def curve(points: Sequence[tuple[float, float]], x: str, y: str) -> theme.Figure:
    """Points joined in their order, with what the two axes are called."""
    sets = theme.Sets()
    rows = sets.add([{"x": theme.drawn(a), "y": theme.drawn(b)} for a, b in points])
    line = alt.Chart(rows).mark_line(strokeWidth=2, point=True, color=theme.BLUE)
    axes = alt.X("x:Q", title=x), alt.Y("y:Q", title=y, scale=alt.Scale(zero=True))
    tooltips = [alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y, format=".4f")]
    return theme.finish(line.encode(*axes, order="x:Q", tooltip=tooltips), sets)
