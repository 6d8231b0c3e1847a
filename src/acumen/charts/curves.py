"""Risk against coverage, one curve a confidence function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.results.metrics import MetricsArtifact, Variant

MOST_POINTS: Final = 200
"""Working points drawn of a curve; of more, this many evenly spaced along it, ends included."""

ALONE: Final = 4
"""Up to this many functions all begin singled out."""
MOST_TOGETHER: Final = 5
"""Up to this many systems share a chart; of more, each has a small one."""
SMALL: Final = 130
"""Height of the small ones."""
NAME_HEIGHT: Final = 0.06
"""Of a name at the end of a curve, as a share of the largest risk."""


def risk_coverage(artifact: MetricsArtifact) -> theme.Figure | None:
    """Selective risk against coverage, with bands, the optimum and what each could achieve."""
    return _figure(artifact, "r", "selective risk")


def generalized_risk(artifact: MetricsArtifact) -> theme.Figure | None:
    """Generalized risk against coverage: the area under it is AUGRC."""
    return _figure(artifact, "g", "generalized risk")


def curve_rows(artifact: MetricsArtifact) -> list[dict[str, Any]]:
    """The working points that are drawn: function, input, coverage, risks, threshold, count."""
    rows = []
    for function, side, variant, accepted in _curves(artifact):
        curve = variant.curve
        for at in theme.thinned(len(curve.coverage), MOST_POINTS):
            row = {
                "f": theme.name(function),
                "s": side,
                "c": theme.drawn(curve.coverage[at]),
                "r": theme.drawn(curve.selective_risk[at]),
                "g": theme.drawn(curve.generalized_risk[at]),
                "t": theme.drawn(curve.threshold[at]),
            }
            rows.append(row | ({"n": accepted[at]} if len(accepted) > at else {}))
    return rows


def _curves(artifact: MetricsArtifact) -> Iterator[tuple[str, str, Variant, list[int]]]:
    for at, side in enumerate(artifact.input_names):
        summary = artifact.summaries[at] if at < len(artifact.summaries) else None
        for function, variants in artifact.sides.items():
            part = None if summary is None else summary.functions.get(function)
            yield function, side, variants[at], [] if part is None else part.accepted


def band_rows(artifact: MetricsArtifact) -> list[dict[str, Any]]:
    """The ends of the bands."""
    rows = []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function, part in summary.functions.items():
            if (band := part.band) is not None:
                columns = (
                    band.coverage,
                    band.selective_low,
                    band.selective_high,
                    band.generalized_low,
                    band.generalized_high,
                )
                rows += [
                    {"f": theme.name(function), "s": side}
                    | dict(zip(("c", "rl", "rh", "gl", "gh"), map(theme.drawn, at), strict=True))
                    for at in zip(*columns, strict=True)
                ]
    return rows


def _reference_rows(artifact: MetricsArtifact) -> tuple[list[dict[str, Any]], ...]:
    """The optimum of each input, what each function could achieve, and its noise floor."""
    optimum: list[dict[str, Any]] = []
    achievable: list[dict[str, Any]] = []
    floors: list[dict[str, Any]] = []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        parts = [("optimum", summary.optimum, optimum)]
        parts += [
            (theme.name(f), part.achievable, achievable) for f, part in summary.functions.items()
        ]
        parts += [
            (theme.name(f), part.noise_floor, floors)
            for f, part in summary.functions.items()
            if part.noise_floor is not None
        ]
        for function, points, rows in parts:
            columns = (points.coverage, points.selective_risk, points.generalized_risk)
            places = theme.thinned(len(points.coverage), MOST_POINTS)
            rows += [
                {"f": function, "s": side}
                | {key: theme.drawn(c[at]) for key, c in zip("crg", columns, strict=True)}
                for at in places
            ]
    return optimum, achievable, floors


def _label_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where each system's name stands: at the end of its curve, no name on another."""
    labels = []
    tops = {risk: max(row[risk] for row in rows) for risk in "rg"}
    for function in dict.fromkeys(row["f"] for row in rows):
        ends = list({row["s"]: dict(row) for row in rows if row["f"] == function}.values())
        for risk, top in tops.items():
            low = -top
            for end in sorted(ends, key=lambda end: float(end[risk])):
                end[risk] = low = theme.drawn(max(end[risk], low + NAME_HEIGHT * top)) or 0.0
        labels += [{key: end[key] for key in "fscrg"} for end in ends]
    return labels


def _figure(artifact: MetricsArtifact, risk: str, called: str) -> theme.Figure | None:
    rows = curve_rows(artifact)
    if not rows:
        return None
    names, systems = [theme.name(f) for f in artifact.functions], artifact.input_names
    best, paired = artifact.best_function, len(systems) > 1
    many = len(systems) > MOST_TOGETHER
    few = len(names) <= ALONE and not paired
    optimum, achievable, floors = _reference_rows(artifact)
    kinds = {"c": rows, "b": band_rows(artifact), "h": achievable, "r": floors, "o": optimum}
    if paired and not many:
        kinds["n"] = _label_rows(rows)
    if few and len(names) > 1:  # in grey, shapes tell what colours do not
        curves = [[row for row in rows if row["f"] == name] for name in names]
        kinds["m"] = [row for own in curves for row in own[:: len(own) // 8 + 1]]
    sets = theme.Sets()
    data = sets.add([row | {"k": kind} for kind, own in kinds.items() for row in own])
    first = names if few or best is None else [theme.name(best)]
    # what is faint beside the first is no part of the figure's legend; a page has one of its own
    legend = alt.Legend(values=first)
    color = alt.Color("f:N", scale=theme.colours(names), title="confidence function", legend=legend)
    if paired:
        color = alt.Color("s:N", scale=theme.colours(systems), legend=None)
    x = alt.X("c:Q", title="coverage", scale=alt.Scale(domain=[0, 1]))
    tops = _tops((*rows, *floors, *kinds["b"]), risk)
    loss = f"({theme.name(artifact.loss.name)})"
    title = [called, loss] if many else f"{called} {loss}"  # a small chart has no room for one line
    y = alt.Y(f"{risk}:Q", title=title, scale=alt.Scale(domain=[0, alt.ExprRef("top")]))

    apart = [alt.Detail("s:N"), alt.Detail("f:N")]

    def part(kind: str, full: float, faint: float = 0.0) -> alt.Chart:
        chart = alt.Chart().transform_filter(f"datum.k === '{kind}'")
        shade = theme.where_picked(full, faint) if kind != "o" else alt.OpacityValue(full)
        marks: alt.Chart = chart.encode(x, y, color, shade, detail=apart)
        return marks

    dashes: dict[str, Any] = {"strokeWidth": 1.5, "strokeDash": [6, 4]}
    is_late = max(row["c"] for row in rows) > 0.85  # no room beside the ends of the curves
    place: dict[str, Any] = {"align": "right", "dy": -9} if is_late else {"align": "left", "dx": 6}
    band: dict[str, Any] = {"y": alt.Y(f"{risk}l:Q"), "y2": alt.Y2(f"{risk}h")}
    layers = {
        "b": part("b", 0.06 if 2 < len(systems) <= MOST_TOGETHER else 0.16)
        .mark_area(clip=True)
        .encode(**band),
        "h": part("h", 0.9).mark_line(strokeWidth=1.2, strokeDash=[2, 3], clip=True),
        "r": part("r", 0.9).mark_line(strokeWidth=1.2, strokeDash=[10, 3, 2, 3], clip=True),
        "o": part("o", 1).mark_line(**dashes).encode(alt.ColorValue(theme.GREY)),
        "c": part("c", 1, 0.12 if paired else 0.22).mark_line(strokeWidth=2, clip=True),
        "n": part("n", 1).mark_text(limit=130, **place).encode(alt.Text("s:N")),
    }
    shape = alt.Shape("f:N", scale=alt.Scale(domain=names), title="confidence function")
    shapes = part("m", 1).mark_point(size=60, filled=True)
    layers["m"] = shapes.encode(shape=shape, tooltip=_tooltip(paired))
    points = part("c", 0.7).mark_circle(size=16, clip=True).encode(tooltip=_tooltip(paired))
    there = [layer for kind, layer in layers.items() if kinds.get(kind)]
    # what the page's slider cuts at; a figure has none
    here = "datum.k === 'c' && datum.f === picked[0] && indexof(cut, datum.s + ' ' + datum.t) >= 0"
    at = alt.Chart().transform_filter(here).mark_point(size=170, strokeWidth=2.5)
    together = alt.layer(*there, points, at.encode(x, y, color), data=data)
    figure = theme.multiples(together, systems, height=SMALL) if many else together
    figure.params = [
        alt.VariableParameter(name="picked", value=first),
        alt.VariableParameter(name="cut", value=[]),
        alt.VariableParameter(name="top", value=max(tops[name] for name in first)),
    ]
    picks = theme.picks(names, coloured=not paired)
    cases = {"f": "function", "t": "at least", "s": "system"}
    height = None if many else theme.HEIGHT
    return theme.finish(figure, sets, height=height, picks=picks, cases=cases, tops=tops)


def _tops(rows: Iterable[Mapping[str, Any]], risk: str) -> dict[str, float]:
    """How high a frame must be to hold all that is drawn of a function, its whole band with it."""
    tops: dict[str, float] = {}
    for row in rows:
        height = max(row.get(risk) or 0.0, row.get(f"{risk}h") or 0.0)
        tops[row["f"]] = max(height, tops.get(row["f"], 0.0))
    return {name: float(f"{1.03 * top:.4g}") or 1.0 for name, top in tops.items()}


def _tooltip(paired: bool) -> list[alt.Tooltip]:
    side = [alt.Tooltip("s:N", title="input")] if paired else []
    return [
        alt.Tooltip("f:N", title="confidence function"),
        *side,
        alt.Tooltip("c:Q", title="coverage", format=".3f"),
        alt.Tooltip("r:Q", title="selective risk", format=".4f"),
        alt.Tooltip("g:Q", title="generalized risk", format=".4f"),
        alt.Tooltip("t:Q", title="threshold", format=".4g"),
        alt.Tooltip("n:Q", title="accepted rows"),
    ]
