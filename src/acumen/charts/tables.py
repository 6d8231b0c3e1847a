"""Counts: confusion of truth and prediction, confidence of right and wrong, reliability, PR."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.defaults import BINS
from acumen.results.calibration import ReliabilityPart
from acumen.results.charted import Distribution, ThresholdCurve
from acumen.results.metrics import MetricsArtifact

ABSTAINED: Final = "abstained"
RIGHT, WRONG = "right", "wrong"


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
        | ({"o": ABSTAINED} if p == len(levels) else {})
        for side, _, counts in matrices
        for t, row in enumerate(counts)
        for p, n in enumerate(row)
    ]
    orient: Any = "top" if len(matrices) == 1 else "bottom"
    axis = alt.Axis(labelAngle=0, labelOverlap=False, orient=orient)
    x = alt.X("p:N", sort=[*levels, ABSTAINED], title="prediction", axis=axis)
    y = alt.Y("t:N", sort=levels[::-1], title="truth")
    sets = theme.Sets()
    chart = heat_map(sets.add(rows), x, y, alt.Tooltip("n:Q", title="rows", format=".2~f"))
    cases = {"t": "truth", "p": "prediction", "o": "outcome", "s": "system"}
    height = 48 * len(levels)
    if len(matrices) == 1:
        return theme.finish(chart, sets, height=height, cases=cases)
    sides = theme.multiples(chart, [name for name, _, _ in matrices], height)
    return theme.finish(sides, sets, height=None, cases=cases)


def heat_map(data: alt.NamedData, x: alt.X, y: alt.Y, value: alt.Tooltip) -> Any:
    """Boxes with their number in them, the darker the larger."""
    tooltip = [*(alt.Tooltip(side["shorthand"], title=side["title"]) for side in (y, x)), value]
    base = alt.Chart().encode(x, y, tooltip=tooltip)
    shade = alt.Opacity(value["shorthand"], scale=alt.Scale(range=[0.03, 0.6]), legend=None)
    boxes = base.mark_rect(color=theme.BLUE, cornerRadius=3).encode(shade)
    text = base.mark_text().encode(alt.Text(value["shorthand"], format=value["format"]))
    return alt.layer(boxes, text, data=data)


def confidence(artifact: MetricsArtifact) -> theme.Figure | None:
    """How sure it was of right and of wrong answers, function by function."""
    rows = []
    several = len(artifact.summaries) > 1
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function in artifact.functions:
            part = summary.functions.get(function)
            if part is not None and part.distribution.low:
                label = theme.name(function) + (f" · {side}" if several else "")
                mark = {"f": label, "g": theme.name(function), "s": side}
                rows += [mark | row for row in _bins(part.distribution)]
    if not rows:
        return None
    options = list(dict.fromkeys(row["f"] for row in rows))
    best = artifact.best_function
    first = next((o for o in options if best and o.startswith(theme.name(best))), options[0])
    choice = alt.binding_select(options=options, name="confidence function ")
    selected = alt.param(name="chosen", value=first, bind=choice)
    axis, outcomes = alt.Axis(labelAngle=0, labelOverlap="greedy"), [RIGHT, WRONG, ABSTAINED]
    sets = theme.Sets()
    chart = (
        alt.Chart(sets.add(rows))
        .mark_bar()
        .encode(
            alt.X("b:N", sort=None, title="confidence", axis=axis),
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
        .properties(title=alt.TitleParams(alt.ExprRef("chosen")))
        .add_params(selected)
        .transform_filter("datum.f === chosen")
    )
    cases = {"g": "function", "lo": "at least", "hi": "up to", "o": "outcome", "s": "system"}
    return theme.finish(chart, sets, height=260, cases=cases)


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
    return f"{low:.{digits}f}–{high:.{digits}f}"


def reliability(artifact: MetricsArtifact) -> theme.Figure | None:
    """What was said against what came true, for functions that can be read as probabilities."""
    rows: list[dict[str, Any]] = []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function in artifact.functions:
            part = summary.functions.get(function)
            if part is not None and part.reliability is not None:
                bins = part.reliability
                rows += [
                    {
                        "f": theme.name(function),
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
    if not rows:
        return None
    sets = theme.Sets()
    names = list(dict.fromkeys(row["f"] for row in rows))
    alone = len(artifact.input_names) == 1
    every = theme.picks([theme.name(f) for f in artifact.functions], coloured=alone)
    picks = {name: every[name] for name in names}
    turn = theme.colour_of(map(theme.name, artifact.functions))
    color = alt.Color("f:N", scale=theme.colours(names, turn), title="confidence function")
    if not alone:
        color = alt.Color("s:N", scale=theme.colours(artifact.input_names), title="system")
    figure = _reliability_layers(sets, rows, color, names[:1])
    cases = {"f": "function", "lo": "at least", "hi": "below", "s": "system"}
    return theme.finish(figure, sets, picks=picks, cases=cases)


def calibration_plot(curves: Mapping[str, ReliabilityPart]) -> theme.Figure | None:
    """What was said against what came true, before a calibrator and after it."""
    rows = [
        {"f": name, "p": theme.drawn(said), "a": theme.drawn(share), "n": n}
        for name, part in curves.items()
        for said, share, n in zip(part.confidence, part.accuracy, part.n, strict=True)
    ]
    if not rows:
        return None
    color, sets = alt.Color("f:N", title=None, scale=theme.colours(curves)), theme.Sets()
    return theme.finish(_reliability_layers(sets, rows, color, list(curves)), sets)


def _diagonal(sets: theme.Sets) -> alt.Chart:
    ideal = alt.Chart(sets.add([{"p": 0, "a": 0}, {"p": 1, "a": 1}])).mark_line(
        color=theme.GREY, strokeDash=[6, 4], strokeWidth=1.4
    )
    line: alt.Chart = ideal.encode(alt.X("p:Q"), alt.Y("a:Q"))
    return line


def _tenth(said: float) -> tuple[float, float]:
    """The ends of the bin that a mean confidence lies in; the last holds 1 as well."""
    at = min(int(said * BINS), BINS - 1)
    return at / BINS, (at + 1) / BINS if at < BINS - 1 else 2.0


def _reliability_layers(
    sets: theme.Sets, rows: list[dict[str, Any]], color: alt.Color, first: Sequence[str]
) -> theme.Figure:
    """Bins beside the diagonal, with the ends of their intervals where they have any."""
    unit, bounded = alt.Scale(domain=[0, 1]), "l" in rows[0]
    ends_of = ("low", "high") if bounded else ()
    x = alt.X("p:Q", title="mean confidence of the bin", scale=unit)
    base = alt.Chart(sets.add(rows)).encode(x, color=color)
    opacity = theme.where_picked(0.95, 0.08)
    ends = base.mark_rule(strokeWidth=1.6).encode(
        alt.Y("l:Q", scale=unit), alt.Y2("h"), opacity=opacity
    )
    lines = base.mark_line(strokeWidth=1.2).encode(
        alt.Y("a:Q", title="share that was right", scale=unit),
        opacity=theme.where_picked(0.6, 0.05),
        detail=["s:N", "f:N"],
    )
    dots = base.mark_point(filled=True).encode(
        alt.Y("a:Q", scale=unit),
        alt.Size("n:Q", title="rows", scale=alt.Scale(range=[20, 320])),
        opacity=opacity,
        tooltip=[
            alt.Tooltip("f:N", title="confidence function" if bounded else "measured"),
            alt.Tooltip("p:Q", title="mean confidence", format=".3f"),
            alt.Tooltip("a:Q", title="share right", format=".3f"),
            *(alt.Tooltip(f"{end[0]}:Q", title=f"{end} end", format=".3f") for end in ends_of),
            alt.Tooltip("n:Q", title="rows"),
        ],
    )
    layers = (ends, lines, dots) if bounded else (lines, dots)
    return alt.layer(_diagonal(sets), *layers).add_params(theme.singled_out(first))


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
            lines.append({"k": threshold, "pi": theme.drawn(curve.prevalence)})
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
    several = len(sides) > 1
    unit = alt.Scale(domain=[0, 1])
    x, y = alt.X("r:Q", title="recall", scale=unit), alt.Y("p:Q", title="precision", scale=unit)
    sets = theme.Sets()
    base = alt.Chart(sets.add(rows)).encode(x, y, color, alt.Detail("s:N"))
    tooltip = [
        alt.Tooltip("s:N", title="input"),
        alt.Tooltip("k:N", title="truth"),
        alt.Tooltip("r:Q", title="recall", format=".3f"),
        alt.Tooltip("p:Q", title="precision", format=".3f"),
        alt.Tooltip("c:Q", title="flagged from score", format=".4g"),
        alt.Tooltip("n:Q", title="flagged rows"),
    ]
    prevalence = alt.Chart(sets.add(lines)).mark_rule(strokeDash=[2, 4], opacity=0.7)
    return theme.finish(
        alt.layer(
            prevalence.encode(alt.Y("pi:Q"), color),
            # the step that average precision sums: a cut's precision holds back to the cut before
            base.mark_line(strokeWidth=2, interpolate="step-before").encode(order=alt.Order("n:Q")),
            # the shape tells inputs apart: dots and dashes are the references of a chart
            base.mark_point(size=30, opacity=0.9, filled=True).encode(
                tooltip=tooltip,
                **({"shape": alt.Shape("s:N", title="system", sort=None)} if several else {}),
            ),
        ),
        sets,
    )
