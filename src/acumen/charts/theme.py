"""How every chart looks: colours that hold on light and dark paper, and for the colour-blind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from acumen.charts.altair import Figure as Figure  # every chart is one
from acumen.charts.altair import alt
from acumen.files.json import to_json
from acumen.results.metrics import name as name  # every chart names things

WIDTH: Final = 640
HEIGHT: Final = 340
ROW: Final = 26
"""Height of one row of a chart that has one row a name."""
MOST_BESIDE: Final = 4
"""Small charts in a row; five are one row still."""
LOW_ROW: Final = 18
"""The same where there are many."""

BLUE: Final = "#3d84c6"
ORANGE: Final = "#d9782d"
GREY, DIM = "#8b929c", "#666e79"
"""Blue and orange are the first two systems, on every chart; what is no system has no hue.

Grey is what is not shown to differ from what it is compared with, on every chart that compares.
"""
COLOURS: Final = (
    *(BLUE, ORANGE, "#7830fc", "#789c60", "#c00090", "#9c5424", "#a860fc", "#846060"),
    *("#2f93a6", "#cf4f4f", "#5b6fd6", "#9a821a", "#5f8a8b"),
)
"""Middle tones, 3:1 on white and near-black; the first eight differ for the colour-blind too."""

RAMP: Final = (bytes.fromhex("8a2be2"), bytes.fromhex("b0901a"))
"""Ends of the colours of what is ordered: violet to gold, which grows lighter, too."""

SHORT_LABEL: Final = (
    "length(datum.label) > {most} ? slice(datum.label, 0, {part}) + '…'"
    " + slice(datum.label, -{part})"
    " : datum.label"
)
"""A long name on an axis loses its middle: names of one study often begin alike."""

IN_LEGEND: Final = (
    "length(datum.label) > max(12, floor(width / 7) - 4)"
    " ? slice(datum.label, 0, max(6, floor(width / 14) - 3)) + '…'"
    " + slice(datum.label, -max(5, floor(width / 14) - 3)) : datum.label"
)
"""The same of a legend, which is as wide as the marks."""
MOST_IN_WORDS: Final = 30
"""Letters of a name among the words of a legend."""

INK: Final = "currentColor"
"""Text and lines take the colour of the page around them; on paper that is black."""


def config() -> dict[str, Any]:
    """The configuration all charts share."""
    quiet = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif",
        "background": "transparent",
        "view": {"stroke": None},
        "aria": False,
        "axis": {
            **quiet,
            "tickCount": 6,
            "titleFontWeight": 500,
            "titlePadding": 10,
            "gridColor": INK,
            "gridOpacity": 0.1,
            "domainColor": INK,
            "domainOpacity": 0.4,
            "tickColor": INK,
            "tickOpacity": 0.4,
            "labelLimit": 220,
            "labelExpr": SHORT_LABEL.format(most=34, part=16),
        },
        "axisY": {"labelLimit": 330, "labelExpr": SHORT_LABEL.format(most=52, part=25)},
        "legend": {**quiet, "titleFontWeight": 500, "symbolOpacity": 1, "labelLimit": 220}
        | {"symbolBaseFillColor": INK, "symbolBaseStrokeColor": INK, "unselectedOpacity": 0.65},
        "header": {**quiet, "titleFontWeight": 500},
        "title": {"color": INK, "fontSize": 14, "fontWeight": 600, "anchor": "start"},
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": INK},
    }


def in_words(called: str) -> str:
    """A name among other words; a long one loses its middle.

    >>> in_words("a"), in_words(f"one {'very ' * 9}long name")
    ('a', 'one very very …very long name')
    """
    half = MOST_IN_WORDS // 2
    return called if len(called) <= MOST_IN_WORDS else f"{called[: half - 1]}…{called[1 - half :]}"


class Sets:
    """The data of a chart: each set of rows once, named by what it holds."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}

    def add(self, rows: Sequence[Mapping[str, Any]]) -> alt.NamedData:
        """A reference to these rows, for any number of layers."""
        plain = [dict(row) for row in rows]
        digest = hashlib.sha256(to_json(plain, compact=True).encode()).hexdigest()
        self.rows[f"rows-{digest[:16]}"] = plain
        return alt.NamedData(name=f"rows-{digest[:16]}")


def finish(
    figure: Figure,
    sets: Sets,
    *,
    height: int | None = HEIGHT,
    picks: Mapping[str, str | None] | None = None,
    cases: Mapping[str, str] | None = None,
    tops: Mapping[str, float] | None = None,
) -> Figure:
    """The chart, now with its data, the common configuration and size.

    ``picks`` are the names a reader may single out, with their colours where these tell them apart.
    ``cases`` tells which rows of the table of cases stand behind a mark: field of the mark -> what
    a case is filtered by. ``tops`` are the heights of the frame that each name needs.
    """
    done: Any = figure
    # set as they are: Altair copies and checks what goes through its own methods, at every step
    if not isinstance(figure, alt.FacetChart):
        done.width = WIDTH
    if height is not None:
        done.height = height
    done.config, done.datasets = config(), sets.rows
    meta = {"picks": picks, "cases": cases, "tops": tops}
    done.usermeta = {key: dict(part) for key, part in meta.items() if part is not None}
    return figure


def spec_and_data(figure: Figure) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The chart's specification without its data, and the data by name."""
    rows, figure.datasets = figure.datasets, alt.Undefined  # Altair would copy every row
    try:
        return figure.to_dict(validate=False), rows
    finally:
        figure.datasets = rows


def multiples(
    chart: Any, names: Sequence[str], height: int, *, by: str = "s", beside: int | None = None
) -> alt.FacetChart:
    """A small chart for each name (in the field ``by``), so many beside one another."""
    columns = beside or (MOST_BESIDE if len(names) > MOST_BESIDE + 1 else len(names))
    columns = min(columns, len(names))
    sized = chart.properties(width=280 if columns < 3 else 840 // columns - 20, height=height)
    sides = alt.Facet(f"{by}:N", title=None, sort=list(names))
    facets: alt.FacetChart = sized.facet(facet=sides, columns=columns)
    if is_ragged(len(names), columns):
        facets = facets.resolve_axis(x="independent")
    return facets


def is_ragged(charts: int, columns: int) -> bool:
    """Whether the last row has a gap: there an axis that is shared would stand below nothing."""
    return charts > columns and charts % columns > 0


def colours(names: Iterable[str], known: Mapping[str, str] | None = None) -> alt.Scale:
    """One colour a name, in the order given; ``known`` names have theirs."""
    turn = {name: (known or {}).get(name, own) for name, own in colour_of(names).items()}
    return alt.Scale(domain=list(turn), range=list(turn.values()))


def ramp(names: Sequence[str]) -> alt.Scale:
    """Colours from the first name to the last, for names that have an order."""
    steps = [i / max(1, len(names) - 1) for i in range(len(names))]
    mixed = [[round(a + (b - a) * at) for a, b in zip(*RAMP, strict=True)] for at in steps]
    return alt.Scale(domain=names, range=[f"#{bytes(colour).hex()}" for colour in mixed])


def colour_of(names: Iterable[str]) -> dict[str, str]:
    """One colour a name, in turn."""
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def picks(names: Sequence[str], *, coloured: bool) -> dict[str, str | None]:
    """Names to single out, with their colours where they have one each."""
    return {**colour_of(names)} if coloured else dict.fromkeys(names)


def where_picked(full: float, faint: float) -> alt.OpacityValue:
    """An opacity for the rows of names that are singled out, and one for the others."""
    full_where: Any = {"test": "indexof(picked, datum.f) >= 0", "value": full}
    return alt.OpacityValue(faint, condition=full_where)


def drawn(value: float | None) -> float | None:
    """A number as it is drawn: six significant digits are finer than any screen."""
    return None if value is None else float(f"{value:.6g}")


def thinned(size: int, most: int) -> list[int]:
    """Which of ``size`` points to draw: all, or ``most`` evenly spaced with both ends.

    >>> thinned(5, 10), thinned(9, 3)
    ([0, 1, 2, 3, 4], [0, 4, 8])
    """
    if size <= most:
        return list(range(size))
    return [round(i * (size - 1) / (most - 1)) for i in range(most)]
