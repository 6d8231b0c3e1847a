"""A chart at the width it has in print: nothing is cut off, and nothing stands out of the page.

How wide axes, names and legends are, only the drawing itself knows. So a chart is drawn, measured
and drawn again with as much room for its marks as the rest leaves.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from acumen.charts import theme
from acumen.errors import UsageError, printable

POINTS_PER_INCH: Final = 72
UNITS: Final = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.0}
"""How many of a unit are an inch."""
NARROWEST, WIDEST = 1.0, 40.0
PRINTED: Final = 8.0
"""Points of a letter where only a width was asked for."""
LETTER: Final = 0.52
"""Width of a letter on average, in its size."""
ROW: Final = 1.75
"""Height of a row of names, in the size of a letter."""
PANEL: Final = 96.0
"""Points that a small chart takes at least, with what stands beside it."""
LETTERS: Final = 12.0
"""Size of the letters of a chart on a screen."""
DOT: Final = 4.5
"""Area of a dot at most, in the size of a letter."""
SCREEN: Final = 24.0
"""By what the areas of dots are less on paper, in the size of a letter."""
TALLEST: Final = 560.0
"""Points that rows of names take together at most: a page is not much taller."""
BOXES: Final = 40.0
"""Points of a box on a screen."""
BOX: Final = 2.6
"""Height of a box with two lines in it, in the size of a letter."""
NAMES: Final = 0.36
"""Of the width, what names of rows take at most."""
MANY_PANELS, LEAST_PANEL = 8, 68.0
"""More small charts than that are smaller."""
FLATTEST: Final = 0.62
"""Height of a chart, as a share of its width."""
SMALLEST: Final = 12.0
"""Points that marks have at least."""
ROUNDS: Final = 8
MARGIN: Final = 2

Spec = dict[str, Any]
Measure = Callable[[Spec], float]


@dataclass(frozen=True, slots=True)
class Paper:
    """How large a figure is in print: its whole width in inches, its letters in points."""

    width: float | None = None
    font_size: float | None = None

    @classmethod
    def of(cls, width: str | None, font_size: float | None) -> Paper:
        """A width as people write it: 3.25in, 84mm, 8.4cm, 234pt.

        >>> Paper.of("5.5in", 8), Paper.of("25.4mm", None).width
        (Paper(width=5.5, font_size=8), 1.0)
        """
        if width is None:
            return cls(None, font_size)
        parts = re.fullmatch(r"(\d+(?:\.\d+)?) ?(in|cm|mm|pt)", width.strip())
        inches = 0.0 if parts is None else float(parts[1]) / UNITS[parts[2]]
        if not NARROWEST <= inches <= WIDEST:
            raise UsageError(
                f"a width is a number and in, cm, mm or pt, from {NARROWEST:g}in to {WIDEST:g}in, "
                f"such as 3.25in, not '{printable(width)}'"
            )
        return cls(inches, font_size)

    @property
    def points(self) -> float | None:
        """The width in points: one unit of a specification is one."""
        return None if self.width is None else self.width * POINTS_PER_INCH

    @property
    def letters(self) -> float | None:
        """The size of all letters; None leaves each as it is."""
        return self.font_size or (PRINTED if self.width is not None else None)

    def fit(self, spec: Spec, measure: Measure) -> Spec:
        """The specification at this size; ``measure`` says how wide one is drawn."""
        if self.letters is not None:
            spec = {**spec, "config": _lettered(spec["config"], self.letters)}
            spec = _small(spec, self.letters)
        if self.points is None or self.letters is None:
            return spec
        return _widened(_arranged(spec, self.points, self.letters), self.points, measure)


def _widened(spec: Spec, points: float, measure: Measure) -> Spec:
    """As wide as asked for, all together; what is left over after rounding is its margin."""
    beside = spec["columns"] if "facet" in spec else 1
    width, best, spare = 0.7 * points / beside, 0.0, -1.0
    for _ in range(ROUNDS):
        left = points - measure(_sized(spec, width))
        if left >= 0 and (spare < 0 or left < spare):
            best, spare = width, left
        if 0 <= left < 1:
            break
        # a drawing is as wide as whole points are
        width = max(SMALLEST, width + (left - 0.5 - (left < 0)) / beside)
    if spare < 0:  # names and numbers alone are wider
        best, spare = SMALLEST, 0.0
    return {**_sized(spec, best), "padding": _margins(spare)}


def _margins(spare: float = 0.0) -> dict[str, float]:
    return {"left": MARGIN, "right": MARGIN + spare, "top": MARGIN, "bottom": MARGIN}


def _sized(spec: Spec, width: float) -> Spec:
    """The specification with marks in so much room, and its height to match."""
    part = {"padding": _margins(), "autosize": {"type": "pad"}}
    if "facet" not in spec:
        return {**spec, **part, "width": width}
    inner = {**spec["spec"], "width": width}
    return {**spec, **part, "spec": inner}


def _arranged(spec: Spec, points: float, size: float) -> Spec:
    """Words broken, legends below, small charts as many beside one another as there is room for."""
    config = spec["config"]
    axis = {"labelLimit": NAMES * points, "titlePadding": 4, "tickCount": 5}
    # a legend begins where the marks do, to the right of the names of rows
    below = points - (NAMES * points if _has(spec, _is_named) else 4 * size)
    legend = {"orient": "bottom", "labelLimit": below - 3 * size, "symbolSize": 5 * size}
    stacked = {"bottom": {"anchor": "start", "direction": "vertical"}}
    title = {"limit": points - 4 * MARGIN}
    rows = {"labelLimit": 1.2 * NAMES * points, "labelExpr": _short(NAMES * points, size)}
    new = {
        "axis": axis,
        "axisY": rows,
        "legend": legend | {"layout": stacked, "columns": 1},
        "title": title,
    }
    spec = {**spec, "config": {**config, **{k: config.get(k, {}) | v for k, v in new.items()}}}
    room = 0.62 * points
    if "facet" in spec:
        names = spec["facet"]["sort"]
        panel = PANEL if len(names) <= MANY_PANELS else LEAST_PANEL
        beside = max(1, min(spec["columns"], int((points - 24) // panel)))
        ragged = theme.is_ragged(len(names), beside)
        resolve = spec.get("resolve", {})
        own = resolve.get("scale", {}).get("x") == "independent"
        axes = {} if own else {"axis": {"x": "independent" if ragged else "shared"}}
        room = (points - 30) / beside - 8
        spec = {**spec, "columns": beside, "spacing": {"row": 12, "column": 8}}
        short = {"labelLimit": room, "labelExpr": _short(room, size)}
        header = {**spec["facet"].get("header", {}), **short}
        spec |= {"facet": {**spec["facet"], "header": header}, "resolve": {**resolve, **axes}}
        if room < 1.2 * PANEL:
            config = spec["config"]
            spec |= {"config": {**config, "axis": config["axis"] | {"tickCount": 3}}}
        inner = {**spec["spec"], "height": _height(spec["spec"], room, size)}
        spec = {**spec, "spec": inner}
    else:
        spec = {**spec, "height": _height(spec, points, size)}
    height = spec.get("spec", spec)["height"]
    arranged: Spec = _broken(spec, {"x": room, "y": height}, below, size)
    return arranged


def _short(room: float, size: float) -> str:
    """A name that is longer than so much room loses its middle: names often begin alike."""
    most = max(7, int(room / (LETTER * size)))
    return theme.SHORT_LABEL.format(most=most, part=(most - 1) // 2)


def _height(spec: Mapping[str, Any], width: float, size: float) -> float:
    """As many rows as it has names, else flat."""
    height = spec.get("height", theme.HEIGHT)
    if _has(spec, _is_box):
        return float(max(height * 0.5, height / BOXES * BOX * size))
    if _has(spec, _is_named):
        return float(min(TALLEST, max(2.0 * size, height * ROW * size / theme.ROW)))
    return float(min(height, FLATTEST * width if width > PANEL * 2 else 0.8 * width))


def _has(part: Any, wanted: Callable[[Spec], bool]) -> bool:
    """Whether a part of the specification is such."""
    if isinstance(part, dict):
        inner = (value for key, value in part.items() if key != "datasets")
        return wanted(part) or any(_has(value, wanted) for value in inner)
    return isinstance(part, list) and any(_has(value, wanted) for value in part)


def _is_named(part: Spec) -> bool:
    """Whether its vertical axis has names."""
    encoding = part.get("encoding")
    y = encoding.get("y") if isinstance(encoding, dict) else None
    return isinstance(y, dict) and y.get("type") == "nominal"


def _is_box(part: Spec) -> bool:
    """Whether it is a box of a map that has numbers in it."""
    mark = part.get("mark")
    return isinstance(mark, dict) and mark.get("type") == "rect"


def _broken(part: Any, room: Mapping[str, float], below: float, size: float) -> Any:
    """Titles of axes in lines that fit, and legends in as many columns as there is room for."""
    if isinstance(part, list):
        return [_broken(inner, room, below, size) for inner in part]
    if not isinstance(part, dict):
        return part
    done = {
        key: inner if key in ("datasets", "config") else _broken(inner, room, below, size)
        for key, inner in part.items()
    }
    encoding = done.get("encoding")
    if isinstance(encoding, dict):
        for channel, entry in encoding.items():
            if channel in room and isinstance(entry, dict) and isinstance(entry.get("title"), str):
                entry["title"] = _lines(entry["title"], room[channel], size)
            elif channel in ("color", "shape") and isinstance(entry, dict) and "field" in entry:
                _column(entry, below, size)
    return done


def _lines(title: str, room: float, size: float) -> str | list[str]:
    lines = textwrap.wrap(title, max(10, int(room / (LETTER * size))))
    return lines if len(lines) > 1 else title


def _column(entry: Spec, room: float, size: float) -> None:
    """A legend below the chart, in columns as wide as its longest name."""
    if "legend" in entry and entry["legend"] is None:
        return
    names = entry.get("scale", {}).get("domain") or [""]
    longest = max(len(str(name)) for name in names)
    columns = max(1, int(room // (LETTER * size * longest + 5.5 * size)))
    own = {k: v for k, v in (entry.get("legend") or {}).items() if k != "labelLimit"}
    legend = {**own, "orient": "bottom", "columns": columns}
    legend["labelExpr"] = _short(room - 3 * size, size)
    entry["legend"] = legend


def _small(part: Any, size: float) -> Any:
    """Texts among the marks are no larger than the letters of the axes, and dots as large."""
    if isinstance(part, list):
        return [_small(inner, size) for inner in part]
    if not isinstance(part, dict):
        return part
    most = {"fontSize": size, "size": DOT * size}
    done: Spec = {}
    for key, inner in part.items():
        if key in most and isinstance(inner, int | float):
            done[key] = min(inner, most[key])
        elif key in ("dx", "dy") and isinstance(inner, int | float):
            done[key] = inner * size / LETTERS
        else:
            done[key] = inner if key in ("datasets", "config") else _small(inner, size)
    if isinstance(entry := done.get("size"), dict) and isinstance(entry.get("scale"), dict):
        ends = [end * size / SCREEN for end in entry["scale"].get("range", ())]
        entry["scale"] = {**entry["scale"], **({"range": ends} if ends else {})}
    return done


def _lettered(config: Spec, size: float) -> Spec:
    """The configuration with every letter of one size."""
    return {
        part: {key: size if key.lower().endswith("fontsize") else v for key, v in settings.items()}
        if isinstance(settings, dict)
        else settings
        for part, settings in config.items()
    }
