"""Charts of raters: who uses which level, who agrees with whom, judges beside the noise floor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.apart import panels
from acumen.charts.intervals import interval_plot, row
from acumen.charts.tables import heat_map
from acumen.results.raters import RatingsDocument
from acumen.values.measured import Delta, Measured

MOST_ROWS: Final = 20
"""Raters and levels that a heat map shows."""


def heat(
    cells: Sequence[Mapping[str, Any]],
    columns: Sequence[Any],
    *,
    x: str,
    y: str,
    value: str,
    form: str,
) -> theme.Figure | None:
    """A heat map of cells ``{x, y, v}``; rows stand in the order they come."""
    if not cells:
        return None
    rows = list(dict.fromkeys(cell["y"] for cell in cells))
    letters = f"max(5, floor(width / {8 * len(columns)}))"  # of a name above its column
    short = theme.SHORT_LABEL.format(most=letters, part=f"floor(({letters} - 1) / 2)")
    top = alt.Axis(labelAngle=0, orient="top", labelOverlap=False, labelExpr=short)
    sets = theme.Sets()
    chart = heat_map(
        sets.add(cells),
        alt.X("x:N", sort=[theme.name(c) for c in columns], title=x, axis=top),
        alt.Y("y:N", sort=rows, title=y),
        alt.Tooltip("v:Q", title=value, format=form),
    )
    return theme.finish(chart, sets, height=max(80, 32 * len(rows)))


def levels(document: RatingsDocument) -> theme.Figure | None:
    """How often each person gives each level."""
    if len(document.levels) > MOST_ROWS:
        return None
    cells = [
        {"x": theme.name(level), "y": theme.name(who), "v": theme.drawn(n / person.ratings)}
        for who, person in list(document.people.items())[:MOST_ROWS]
        for level, n in zip(document.levels, person.levels, strict=True)
    ]
    share = "share of the ratings"
    return heat(cells, document.levels, x="level", y="rater", value=share, form=".0%")


def pairs(document: RatingsDocument) -> theme.Figure | None:
    """Who agrees with whom."""
    names = [*document.people, *document.judges]
    if len(names) > MOST_ROWS:
        return None
    known = {(p.one, p.other): p.kappa.value for p in document.pairs}
    cells = [
        {"x": theme.name(a), "y": theme.name(b), "v": theme.drawn(value)}
        for b in names
        for a in names
        if (value := known.get((a, b), known.get((b, a)))) is not None
    ]
    return heat(cells, names, x="rater", y="rater and", value="quadratic kappa", form=".2f")


def floors(document: RatingsDocument, unit: str) -> theme.Figure | None:
    """Each judge's distance from a random person beside that between two people."""
    colours = {"judge and a person": theme.INK, "two people": theme.DIM}
    groups = tuple(colours)
    rows = [
        row(theme.name(name), group, measured.value, measured)
        for name, judge in document.judges.items()
        for group, measured in zip(groups, (judge.risk, judge.noise_floor), strict=True)
        if measured.value is not None
    ]
    title = f"{unit} apart, on average"
    return interval_plot(rows, title, group="who", groups=groups, known=colours)


def effects(named: Iterable[tuple[str, str, Measured | Delta]], title: str) -> theme.Figure | None:
    """Effects with their intervals beside the line of no effect: (judge, what, how much)."""
    rows = [
        row(what, theme.name(judge), value, measured)
        for judge, what, measured in named
        if (value := measured.delta if isinstance(measured, Delta) else measured.value) is not None
    ]
    groups = list(dict.fromkeys(entry["group"] for entry in rows))
    return interval_plot(rows, title, group="judge", groups=groups, line=0.0, line_name="0")


def estimates(
    named: Iterable[tuple[str, str, Measured]], groups: Sequence[str], no_effect: str
) -> theme.Figure | None:
    """Estimates with and without help, each on an axis of its own: (what, side, how much)."""
    rows = [
        row(what, side, measured.value, measured)
        for what, side, measured in named
        if measured.value is not None
    ]
    if not rows:
        return None
    zero = {"name": no_effect, "at": 0.0, "label": "no difference"}
    lines = [zero] if any(entry["name"] == no_effect for entry in rows) else []
    return panels(rows, lines, groups, (theme.INK, theme.DIM))
