"""Risk against coverage, one curve a confidence function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from acumen.charts import theme
from acumen.results.metrics import MetricsArtifact, Variant

MOST_POINTS: Final = 200
"""Working points drawn of a curve; of more, this many evenly spaced along it, ends included."""

ALONE: Final = 4
"""Up to this many functions all begin singled out."""


def risk_coverage(artifact: MetricsArtifact) -> theme.Figure | None:
    """Selective risk against coverage, with bands, the optimum and what each could achieve."""
    return _figure(artifact, "r", f"selective risk ({theme.name(artifact.loss.name)})")


def generalized_risk(artifact: MetricsArtifact) -> theme.Figure | None:
    """Generalized risk against coverage: the area under it is AUGRC."""
    return _figure(artifact, "g", f"generalized risk ({theme.name(artifact.loss.name)})")


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


def _figure(artifact: MetricsArtifact, risk: str, title: str) -> theme.Figure | None:
    rows = curve_rows(artifact)
    if not rows:
        return None
    names = [theme.name(f) for f in artifact.functions]
    best = artifact.best_function
    paired = len(artifact.input_names) > 1
    few = len(names) <= ALONE and not paired
    first = names if few or best is None else [theme.name(best)]
    sets = theme.Sets()
    curves = sets.add(rows)
    color = alt.Color("f:N", scale=theme.colours(names), title="confidence function")
    if paired:
        color = alt.Color("s:N", scale=theme.colours(artifact.input_names), title="system")
    x = alt.X("c:Q", title="coverage", scale=alt.Scale(domain=[0, 1]))
    top = 1.3 * max(row[risk] for row in (*rows, *_reference_rows(artifact)[-1])) or 1.0
    y = alt.Y(f"{risk}:Q", title=title, scale=alt.Scale(domain=[0, theme.drawn(top)], nice=True))
    lines = (
        alt.Chart(curves)
        .mark_line(strokeWidth=2, interpolate="linear")
        .encode(
            x,
            y,
            color,
            opacity=theme.where_picked(1, 0.12 if paired else 0.22),
            detail="f:N",
        )
    )
    points = (
        alt.Chart(curves)
        .mark_circle(size=16, clip=True)
        .encode(
            x,
            y,
            color,
            opacity=theme.where_picked(0.7, 0),
            tooltip=_tooltip(paired),
        )
    )
    layers: list[alt.Chart] = [
        *_references(artifact, sets, risk, color),
        lines,
        points,
    ]
    figure = alt.layer(*layers).add_params(theme.singled_out(first))
    picks = theme.picks(names, coloured=not paired)
    cases = {"f": "function", "t": "at least", "s": "system"}
    return theme.finish(figure, sets, picks=picks, cases=cases)


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


def _references(
    artifact: MetricsArtifact,
    sets: theme.Sets,
    risk: str,
    color: alt.Color,
) -> list[alt.Chart]:
    layers = []
    bands = band_rows(artifact)
    side: dict[str, Any] = {"detail": ["s:N", "f:N"]}
    if bands:
        opacity = theme.where_picked(0.16, 0)
        area = alt.Chart(sets.add(bands)).mark_area(clip=True)
        ends: dict[str, Any] = {"y": alt.Y(f"{risk}l:Q"), "y2": alt.Y2(f"{risk}h")}
        layers.append(area.encode(alt.X("c:Q"), color=color, opacity=opacity, **ends, **side))
    optimum, achievable, floors = _reference_rows(artifact)
    for rows, dash in ((achievable, [2, 3]), (floors, [10, 3, 2, 3])):
        if rows:
            opacity = theme.where_picked(0.9, 0)
            line = alt.Chart(sets.add(rows)).mark_line(strokeWidth=1.2, strokeDash=dash)
            place: dict[str, Any] = {"x": alt.X("c:Q"), "y": alt.Y(f"{risk}:Q")}
            layers.append(line.encode(color=color, opacity=opacity, **place, **side))
    if optimum:
        line = alt.Chart(sets.add(optimum)).mark_line(
            strokeWidth=1.5, strokeDash=[6, 4], color=theme.GREY
        )
        layers.append(line.encode(alt.X("c:Q"), alt.Y(f"{risk}:Q"), **side))
        ends = {row["s"]: row for row in optimum}
        end = alt.Chart(sets.add(list(ends.values()))).mark_text(
            align="left", dx=6, dy=4, color=theme.GREY, text="optimum"
        )
        layers.append(end.encode(alt.X("c:Q"), alt.Y(f"{risk}:Q")))
    return layers
