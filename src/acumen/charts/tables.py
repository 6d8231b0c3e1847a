"""Counts: confusion of truth and prediction, confidence of right and wrong, precision–recall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.curves import MOST_TOGETHER, SMALL
from acumen.results.charted import Distribution, ThresholdCurve
from acumen.results.metrics import MetricsArtifact

ABSTAINED: Final = "abstained"
RIGHT, WRONG = "right", "wrong"
TO: Final = "–"
MANY: Final = 4
"""Of more systems the boxes are lower."""


def confusion(artifact: MetricsArtifact) -> theme.Figure | None:
    """Truth against prediction, abstentions in a column of their own."""
    pairs = zip(artifact.input_names, artifact.summaries, strict=False)
    return confusion_plot([(n, s.levels, s.confusion) for n, s in pairs])


def confusion_plot(
    matrices: Sequence[tuple[str, Sequence[str], Sequence[Sequence[float]]]],
) -> theme.Figure | None:
    """A heat map for each (name, levels, counts); the last column counts abstentions."""
    if not matrices:
        return None
    levels = [theme.name(level) for level in matrices[0][1]]
    rows = [
        {"s": side, "t": levels[t], "p": [*levels, ABSTAINED][p], "n": n}
        | {"q": theme.drawn(n / sum(row)) if n else 0}
        | ({"o": ABSTAINED} if p == len(levels) else {})
        for side, _, counts in matrices
        for t, row in enumerate(counts)
        for p, n in enumerate(row)
    ]
    several = len(matrices) > 1
    orient: Any = "bottom" if several else "top"
    cell = f"{'child_width' if several else 'width'} / {len(levels) + 1}"
    short = f"{cell} < 64 && datum.label === '{ABSTAINED}' ? 'none' : datum.label"
    axis = alt.Axis(labelAngle=0, labelOverlap=False, orient=orient, labelExpr=short)
    axis.labelLimit = alt.ExprRef(cell)
    x = alt.X("p:N", sort=[*levels, ABSTAINED], title="prediction", axis=axis)
    y = alt.Y("t:N", sort=levels[::-1], title="truth")
    sets = theme.Sets()
    count = alt.Tooltip("n:Q", title="rows", format=".2~f")
    share = alt.Tooltip("q:Q", title="of the rows of this truth", format=".0%")
    chart = heat_map(sets.add(rows), x, y, count, share)
    cases = {"t": "truth", "p": "prediction", "o": "outcome", "s": "system"}
    height = (44 if len(matrices) <= MANY else 36) * len(levels)
    if not several:
        return theme.finish(chart, sets, height=height, cases=cases)
    sides = theme.multiples(chart, [name for name, _, _ in matrices], height)
    return theme.finish(sides, sets, height=None, cases=cases)


def heat_map(
    data: alt.NamedData, x: alt.X, y: alt.Y, value: alt.Tooltip, share: alt.Tooltip | None = None
) -> Any:
    """Boxes with their number in them, the darker the larger it or its share is."""
    texts = [value] if share is None else [value, share]
    tooltip = [*(alt.Tooltip(side["shorthand"], title=side["title"]) for side in (y, x)), *texts]
    base = alt.Chart().encode(x, y, tooltip=tooltip)
    scale = alt.Scale(range=[0.03, 0.6])
    shade = alt.Opacity(texts[-1]["shorthand"], scale=scale, legend=None)
    boxes = base.mark_rect(color=theme.BLUE, cornerRadius=3).encode(shade)
    if share is None:
        text = base.mark_text().encode(alt.Text(value["shorthand"], format=value["format"]))
        return alt.layer(boxes, text, data=data)
    numbers = base.mark_text(dy=-6).encode(alt.Text(value["shorthand"], format=value["format"]))
    below = base.transform_filter("datum.n > 0").mark_text(dy=8, fontSize=10, opacity=0.75)
    shares = below.encode(alt.Text(share["shorthand"], format=share["format"]))
    return alt.layer(boxes, numbers, shares, data=data)


def confidence(artifact: MetricsArtifact) -> theme.Figure | None:
    """How sure it was of right and of wrong answers, function by function."""
    rows = []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function in artifact.functions:
            part = summary.functions.get(function)
            if part is not None and part.distribution.low:
                mark = {"f": theme.name(function), "s": side}
                rows += [mark | row for row in _bins(part.distribution)]
    if not rows:
        return None
    names = list(dict.fromkeys(row["f"] for row in rows))
    systems = [side for side in artifact.input_names if any(row["s"] == side for row in rows)]
    best = artifact.best_function
    first = theme.name(best) if best and theme.name(best) in names else names[0]
    begin = f"split(datum.label, '{TO}')[0]"  # a whole bin at the end would stand out of the chart
    axis = alt.Axis(labelAngle=0, labelOverlap="greedy", labelExpr=begin)
    outcomes = [RIGHT, WRONG, ABSTAINED]
    sets = theme.Sets()
    chart = (
        alt.Chart(sets.add(rows))
        .mark_bar()
        .encode(
            alt.X("b:N", sort=None, title="confidence, from", axis=axis),
            alt.Y("n:Q", title="rows", stack=None),
            alt.XOffset("o:N", sort=outcomes),
            alt.Color(
                "o:N",
                title="outcome",
                scale=alt.Scale(domain=outcomes, range=[theme.GREY, theme.INK, theme.DIM]),
                legend=alt.Legend(orient="bottom", title=None),
            ),
            tooltip=[
                alt.Tooltip("b:N", title="confidence"),
                alt.Tooltip("o:N", title="outcome"),
                alt.Tooltip("n:Q", title="rows"),
            ],
        )
        .transform_filter("datum.f === picked[0]")
    )
    figure: Any = chart
    if len(systems) > 1:
        figure = theme.multiples(chart, systems, 150).resolve_scale(
            x="independent", xOffset="independent"
        )
    figure.title = alt.TitleParams(alt.ExprRef("picked[0]"))
    figure.params = [alt.VariableParameter(name="picked", value=[first])]
    cases = {"f": "function", "lo": "at least", "hi": "up to", "o": "outcome", "s": "system"}
    height, picks = 260 if len(systems) == 1 else None, dict.fromkeys(names)
    return theme.finish(figure, sets, height=height, picks=picks, cases=cases)


def _bins(counts: Distribution) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for low, high, right, wrong in zip(
        counts.low, counts.high, counts.right, counts.wrong, strict=True
    ):
        span = bin_name(low, high)
        rows += [
            {"b": span, "o": o, "n": n, "lo": low, "hi": high}
            for o, n in ((RIGHT, right), (WRONG, wrong))
        ]
    return [*rows, {"b": "none", "o": ABSTAINED, "n": counts.abstained}]


def bin_name(low: float, high: float) -> str:
    """A bin as axes name it.

    >>> bin_name(3.0, 3.0), bin_name(0.5, 0.6)
    ('3', '0.50–0.60')
    """
    if low == high:
        return f"{low:.3g}"
    digits = max(0, 1 - math.floor(math.log10(high - low)))
    return f"{low:.{digits}f}{TO}{high:.{digits}f}"


def precision_recall(artifact: MetricsArtifact) -> theme.Figure | None:
    """Precision against recall of "at least this level", one curve a threshold."""
    pairs = zip(artifact.input_names, artifact.summaries, strict=False)
    return precision_recall_plot({name: summary.precision_recall for name, summary in pairs})


def precision_recall_plot(
    sides: Mapping[str, Sequence[ThresholdCurve]],
) -> theme.Figure | None:
    """Curves by input and threshold; the dashed lines are the prevalences."""
    rows: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for side, curves in sides.items():
        for curve in curves:
            threshold = f"≥ {theme.name(curve.at_least)}"
            lines.append({"s": side, "k": threshold, "pi": theme.drawn(curve.prevalence)})
            columns = (curve.recall, curve.precision, curve.cut, curve.flagged)
            rows += [
                {"s": side, "k": threshold}
                | dict(zip(("r", "p", "c", "n"), map(theme.drawn, at), strict=True))
                for at in zip(*columns, strict=True)
            ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["k"] for row in rows))
    color = alt.Color("k:N", title="truth", scale=theme.ramp(names))
    unit = alt.Scale(domain=[0, 1])
    x, y = alt.X("r:Q", title="recall", scale=unit), alt.Y("p:Q", title="precision", scale=unit)
    sets = theme.Sets()
    data = sets.add([*rows, *lines])
    base = alt.Chart().transform_filter("isValid(datum.r)")
    base = base.encode(x, y, color, alt.Detail("s:N"))
    tooltip = [
        alt.Tooltip("s:N", title="input"),
        alt.Tooltip("k:N", title="truth"),
        alt.Tooltip("r:Q", title="recall", format=".3f"),
        alt.Tooltip("p:Q", title="precision", format=".3f"),
        alt.Tooltip("c:Q", title="flagged from score", format=".4g"),
        alt.Tooltip("n:Q", title="flagged rows"),
    ]
    prevalence = alt.Chart().transform_filter("isValid(datum.pi)")
    # the shape tells inputs apart: dots and dashes are the references of a chart
    shape = alt.Shape("s:N", title="system", scale=alt.Scale(domain=[*sides]))
    shapes = {"shape": shape} if 1 < len(sides) <= MOST_TOGETHER else {}
    layers = alt.layer(
        prevalence.mark_rule(strokeDash=[2, 4], opacity=0.7).encode(alt.Y("pi:Q"), color),
        # the step that average precision sums: a cut's precision holds back to the cut before
        base.mark_line(strokeWidth=2, interpolate="step-before").encode(order=alt.Order("n:Q")),
        base.mark_point(size=30, opacity=0.9, filled=True).encode(tooltip=tooltip, **shapes),
        data=data,
    )
    if len(sides) <= MOST_TOGETHER:
        return theme.finish(layers, sets)
    return theme.finish(theme.multiples(layers, [*sides], height=SMALL), sets, height=None)
