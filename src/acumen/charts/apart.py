"""Values on axes of their own: what is counted in different units shares no axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acumen.charts import theme
from acumen.charts.altair import alt

Rows = Sequence[Mapping[str, Any]]


def panels(
    rows: Rows,
    lines: Rows,
    groups: Sequence[str],
    colours: Sequence[str],
    title: str | None = None,
) -> theme.Figure:
    """A small chart a name, with an axis of its own: ``{name, group, value, low, high}``.

    ``lines`` are what a value is compared with: ``{name, at, label}``.
    """
    names = list(dict.fromkeys(row["name"] for row in rows))
    there = [group for group in groups if any(row["group"] == group for row in rows)]
    if lines:  # Vega warns of a chart that has none: there it is not seen
        held = {line["name"] for line in lines}
        first = {row["name"]: row["value"] for row in reversed(rows)}
        lines = [
            *lines,
            *({"name": n, "at": first[n], "label": ""} for n in names if n not in held),
        ]
    sets = theme.Sets()
    data = sets.add(
        [*(dict(row) | {"k": "i"} for row in rows), *(dict(line) | {"k": "l"} for line in lines)]
    )
    known = dict(zip(groups, colours, strict=True))
    scale = alt.Scale(zero=False, nice=False, padding=8)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    y = alt.Y("group:N", sort=there, title=None, axis=alt.Axis(grid=False, ticks=False))
    colour = alt.Color("group:N", scale=theme.colours(there, known), legend=None)
    base = alt.Chart().transform_filter("datum.k === 'l'")
    seen: Any = {"test": "datum.label !== ''", "value": 0.8}
    rule = base.mark_rule(strokeDash=[5, 4], strokeWidth=1.3).encode(
        alt.X("at:Q", scale=scale),
        opacity=alt.OpacityValue(0.0, condition=seen),
        tooltip=[alt.Tooltip("label:N", title="line"), alt.Tooltip("at:Q", title="at")],
    )
    words = base.mark_text(baseline="bottom", fontSize=11, dx=3, align="left", clip=False)
    label = words.encode(alt.X("at:Q", scale=scale), alt.Text("label:N"), y=alt.value(-2))
    tooltip = [
        alt.Tooltip("name:N", title="name"),
        alt.Tooltip("group:N", title="which"),
        alt.Tooltip("value:Q", title="value", format=".4f"),
        alt.Tooltip("low:Q", title="low end", format=".4f"),
        alt.Tooltip("high:Q", title="high end", format=".4f"),
    ]
    base = alt.Chart().transform_filter("datum.k === 'i'").encode(y, colour, tooltip=tooltip)
    bars = base.mark_rule(strokeWidth=2.4).encode(alt.X("low:Q", scale=scale), alt.X2("high"))
    dots = base.mark_circle(size=80, opacity=1).encode(x)
    layers = alt.layer(*([rule, label] if lines else []), bars, dots, data=data)
    height = max(34, theme.ROW * len(there))
    figure: Any = theme.multiples(layers, names, height, by="name", beside=2)
    figure = figure.resolve_scale(x="independent")
    figure.facet.header = alt.Header(labelAnchor="start", labelPadding=16 if lines else 6)
    figure.spacing = {"row": 26}
    done: theme.Figure = theme.finish(figure, sets, height=None)
    return done
