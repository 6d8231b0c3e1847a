"""How every chart looks: colours that hold on light and dark paper, and for the colour-blind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import altair as alt

from acumen.files.json import to_json
from acumen.results.metrics import name as name  # every chart names things

Figure = alt.Chart | alt.LayerChart | alt.FacetChart

WIDTH: Final = 640
HEIGHT: Final = 340
ROW: Final = 26
"""Height of one row of a chart that has one row a name."""

BLUE: Final = "#3d84c6"
ORANGE: Final = "#d9782d"
GREY: Final = "#8b929c"
COLOURS: Final = (
    *(BLUE, ORANGE, "#2f9e77", "#c4568f", "#8b70cf", "#a38a1f", "#3aa6b9", "#cf4f4f"),
    *("#6f8f3a", "#5b6fd6", "#b0704a", "#b05fc4", "#5f8a8b"),
)
"""Middle tones: about equally far from white and from near-black."""

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
        },
        "legend": {**quiet, "titleFontWeight": 500, "symbolOpacity": 1, "labelLimit": 220}
        | {"symbolBaseFillColor": INK, "symbolBaseStrokeColor": INK, "unselectedOpacity": 0.65},
        "header": {**quiet, "titleFontWeight": 500},
        "title": {"color": INK, "fontSize": 14, "fontWeight": 600, "anchor": "start"},
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": INK},
    }


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


def finish(figure: Figure, sets: Sets, *, height: int | None = HEIGHT) -> Figure:
    """A chart with its data, the common configuration and size."""
    sized = figure if isinstance(figure, alt.FacetChart) else figure.properties(width=WIDTH)
    if height is not None:
        sized = sized.properties(height=height)
    done: Figure = sized.configure(**config())
    # set last and as it is: Altair copies and checks what it is given at every step before
    done.datasets = sets.rows
    return done


def spec_and_data(figure: Figure) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The chart's specification without its data, and the data by name."""
    rows = figure.datasets
    bare = figure.copy(deep=False)
    bare.datasets = alt.Undefined
    return bare.to_dict(validate=False), rows


def colours(names: Iterable[str], known: Mapping[str, str] | None = None) -> alt.Scale:
    """One colour a name, in the order given; ``known`` names have theirs."""
    domain = list(names)
    turn = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(domain)} | dict(known or {})
    return alt.Scale(domain=domain, range=[turn[name] for name in domain])


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
