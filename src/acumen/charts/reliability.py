"""What was said against what came true: small charts, one a confidence function or a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.defaults import BINS
from acumen.results.calibration import ReliabilityPart
from acumen.results.metrics import MetricsArtifact

FEW_SYSTEMS: Final = 2
"""Up to so many share the small charts, one a function; of more, each has its own."""


def reliability(artifact: MetricsArtifact) -> theme.Figure | None:
    """What was said against what came true, for functions that can be read as probabilities."""
    systems = artifact.input_names
    by_function = len(systems) <= FEW_SYSTEMS
    rows: list[dict[str, Any]] = []
    for side, summary in zip(systems, artifact.summaries, strict=False):
        for function in artifact.functions:
            part = summary.functions.get(function)
            if part is not None and part.reliability is not None:
                bins, called = part.reliability, theme.name(function)
                rows += [
                    {
                        "m": called if by_function else side,
                        "f": called,
                        "s": side,
                        "p": theme.drawn(said),
                        "a": theme.drawn(share.value),
                        "l": theme.drawn(share.ends[0]),
                        "h": theme.drawn(share.ends[1]),
                        "n": n,
                    }
                    | dict(zip(("lo", "hi"), _tenth(said), strict=True))
                    for said, share, n in zip(bins.confidence, bins.accuracy, bins.n, strict=True)
                ]
    if len(rows) < 2:
        return None
    names = list(dict.fromkeys(row["f"] for row in rows))
    panels = list(dict.fromkeys(row["m"] for row in rows))
    color = None
    if len(systems) > 1:
        legend = alt.Legend(orient="bottom", title=None) if by_function else None
        color = alt.Color("s:N", scale=theme.colours(systems), title="system", legend=legend)
    # of functions side by side the others stay in sight; of systems, one function is drawn
    faint = 0.45 if by_function else 0.0
    sets = theme.Sets()
    layers = _reliability_layers(sets, rows, color, faint)
    many = len(panels) > 1
    figure = theme.multiples(layers, panels, height=130, by="m") if many else layers
    best = artifact.best_function
    first = theme.name(best) if best and theme.name(best) in names else names[0]
    # a figure has no chooser: none of its small charts is fainter than another
    picked = [first, *(name for name in names if name != first and by_function)]
    figure.params = [alt.VariableParameter(name="picked", value=picked)]
    picks = dict.fromkeys(names)
    cases = {"f": "function", "lo": "at least", "hi": "below", "s": "system"}
    height = None if many else 300
    return theme.finish(figure, sets, height=height, picks=picks, cases=cases)


def cuts(artifact: MetricsArtifact) -> theme.Figure | None:
    """How often each level was reached against what was said, one small chart a cut."""
    systems = [part.input for part in artifact.levels]
    rows: list[dict[str, Any]] = [
        {
            "m": f"{theme.name(cut.level)} or above",
            "f": theme.name(part.input),
            "s": theme.name(part.input),
            "p": theme.drawn(said),
            "a": theme.drawn(share.value),
            "l": theme.drawn(share.ends[0]),
            "h": theme.drawn(share.ends[1]),
            "n": n,
        }
        for part in artifact.levels
        for cut in part.cuts
        for said, share, n in zip(
            cut.reliability.confidence, cut.reliability.accuracy, cut.reliability.n, strict=True
        )
    ]
    if len(rows) < 2:
        return None
    color, sets = None, theme.Sets()
    if len(systems) > 1:
        legend = alt.Legend(orient="bottom", title=None)
        color = alt.Color("s:N", scale=theme.colours(systems), title="system", legend=legend)
    panels = list(dict.fromkeys(row["m"] for row in rows))
    layers = _reliability_layers(sets, rows, color, 1.0)
    figure = theme.multiples(layers, panels, height=150, by="m")
    figure.params = [alt.VariableParameter(name="picked", value=[*map(theme.name, systems)])]
    return theme.finish(figure, sets, height=None)


def calibration_plot(curves: Mapping[str, ReliabilityPart]) -> theme.Figure | None:
    """What was said against what came true, before a calibrator and after it."""
    rows = [
        {"m": name, "f": name, "p": theme.drawn(said), "a": theme.drawn(share), "n": n}
        for name, part in curves.items()
        for said, share, n in zip(part.confidence, part.accuracy, part.n, strict=True)
    ]
    if len(rows) < 2:
        return None
    sets = theme.Sets()
    layers = _reliability_layers(sets, rows, None, 1.0)
    figure = theme.multiples(layers, list(curves), height=220, by="m")
    figure.params = [alt.VariableParameter(name="picked", value=list(curves))]
    return theme.finish(figure, sets, height=None)


def _tenth(said: float) -> tuple[float, float]:
    """The ends of the bin that a mean confidence lies in; the last holds 1 as well."""
    at = min(int(said * BINS), BINS - 1)
    return at / BINS, (at + 1) / BINS if at < BINS - 1 else 2.0


def _reliability_layers(
    sets: theme.Sets, rows: list[dict[str, Any]], color: alt.Color | None, faint: float
) -> Any:
    """Bins beside the diagonal, with the ends of their intervals where they have any."""
    unit, bounded = alt.Scale(domain=[0, 1]), "l" in rows[0]
    panels = dict.fromkeys(row["m"] for row in rows)
    ideal = [{"m": m, "k": "d", "p": end, "a": end} for m in panels for end in (0, 1)]
    data = sets.add([*(row | {"k": "b"} for row in rows), *ideal])
    x = alt.X("p:Q", title="mean confidence", scale=unit)
    y = alt.Y("a:Q", title="share right", scale=unit)
    dashed: dict[str, Any] = {"color": theme.GREY, "strokeDash": [6, 4], "strokeWidth": 1.4}
    diagonal = alt.Chart().transform_filter("datum.k === 'd'").mark_line(**dashed).encode(x, y)
    base = alt.Chart().transform_filter("datum.k === 'b'")
    base = base.encode(x, alt.ColorValue(theme.BLUE) if color is None else color)
    opacity, ends_of = theme.where_picked(0.95, faint), ("low", "high") if bounded else ()
    ends = base.mark_rule(strokeWidth=1.6).encode(
        alt.Y("l:Q", scale=unit), alt.Y2("h"), opacity=opacity
    )
    lines = base.mark_line(strokeWidth=1.2).encode(
        y, opacity=theme.where_picked(0.6, 0.6 * faint), detail=["s:N", "f:N"]
    )
    dots = base.mark_point(filled=True).encode(
        y,
        alt.Size("n:Q", title="rows", scale=alt.Scale(range=[20, 260]), legend=None),
        opacity=opacity,
        tooltip=[
            alt.Tooltip("f:N", title="confidence function" if bounded else "measured"),
            *([] if color is None else [alt.Tooltip("s:N", title="system")]),
            alt.Tooltip("p:Q", title="mean confidence", format=".3f"),
            alt.Tooltip("a:Q", title="share right", format=".3f"),
            *(alt.Tooltip(f"{end[0]}:Q", title=f"{end} end", format=".3f") for end in ends_of),
            alt.Tooltip("n:Q", title="rows"),
        ],
    )
    layers = (ends, lines, dots) if bounded else (lines, dots)
    return alt.layer(diagonal, *layers, data=data)
