"""Charts as figure files, through vl-convert."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import vl_convert

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.errors import UsageError, printable
from acumen.files.json import write_bytes

DOTS_PER_INCH: Final = 300
POINTS_PER_INCH: Final = 72
UNITS: Final = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.0}
"""How many of a unit are an inch."""
NARROWEST, WIDEST = 1.0, 40.0


def _svg(spec: dict[str, Any], version: str) -> bytes:
    text: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    return text.encode("utf-8")


def _png(spec: dict[str, Any], version: str) -> bytes:
    data: bytes = vl_convert.vegalite_to_png(
        spec, vl_version=version, ppi=DOTS_PER_INCH, allowed_base_urls=[]
    )
    return data


def _pdf(spec: dict[str, Any], version: str) -> bytes:
    data: bytes = vl_convert.vegalite_to_pdf(spec, vl_version=version, allowed_base_urls=[])
    return data


FORMATS: Final[Mapping[str, Callable[[dict[str, Any], str], bytes]]] = {
    ".svg": _svg,
    ".png": _png,
    ".pdf": _pdf,
}
"""End of a file's name -> what makes it. Nothing is fetched while drawing."""


def vega_lite_version() -> str:
    """The version of Vega-Lite that Altair writes, as vl-convert names it."""
    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


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

    def fit(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The specification at this size: one unit is a point, and letters keep their size."""
        if self.width is not None:
            spec = _narrowed(spec, self.width * POINTS_PER_INCH)
        if self.font_size is not None:
            spec = {**spec, "config": _lettered(spec["config"], self.font_size)}
        return spec


def _narrowed(spec: dict[str, Any], points: float) -> dict[str, Any]:
    legend = {**spec["config"]["legend"], "orient": "bottom", "columns": max(1, int(points // 110))}
    spec = {**spec, "config": {**spec["config"], "legend": legend}}
    if "facet" not in spec:
        height = min(spec.get("height", theme.HEIGHT), 0.75 * points)
        fit = {"type": "fit-x", "contains": "padding"}
        return {**spec, "width": points, "height": height, "autosize": fit}
    panels = max(1, len(spec["facet"].get("column", {}).get("sort", [])))
    inner = {**spec["spec"], "width": max(40.0, (points - 60) / panels - 20)}
    return {**spec, "spec": inner}


def _lettered(config: dict[str, Any], size: float) -> dict[str, Any]:
    """The configuration with every letter of one size."""
    return {
        part: {key: size if key.lower().endswith("fontsize") else v for key, v in settings.items()}
        if isinstance(settings, dict)
        else settings
        for part, settings in config.items()
    }


def on_paper(figure: Any, paper: Paper = Paper()) -> dict[str, Any]:
    """The whole specification of a chart on white paper."""
    spec, rows = theme.spec_and_data(figure)
    whole = paper.fit({**spec, "datasets": rows, "background": "white"})
    font = {"background": "white", "font": "Liberation Sans, Arial"}
    return {**whole, "config": {**whole["config"], **font}}


def svg_of(figure: Any) -> bytes:
    """A chart as a picture that needs nothing else, with room for a reader's wider letters."""
    room = {"padding": {"left": 24, "right": 24, "top": 5, "bottom": 5}}
    return _svg(on_paper(figure) | room, vega_lite_version())


def write_figure(
    figure: theme.Figure,
    output: Path,
    paper: Paper = Paper(),
) -> None:
    """Write a chart as the file's name says, on white paper."""
    make = FORMATS.get(output.suffix.lower())
    if make is None:
        raise UsageError(f"a figure is {', '.join(FORMATS)}, not '{printable(output.suffix)}'")
    write_bytes(output, make(on_paper(figure, paper), vega_lite_version()))


class Offline:
    """A chart that a notebook shows without a network: its specification, and a picture of it."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, Any]:
        return {"image/svg+xml": svg_of(self).decode(), "text/plain": repr(type(self))}


@cache
def _offline(kind: type) -> type:
    """A class of charts whose charts show themselves."""
    return type(kind.__name__, (Offline, kind), {})


def offline(figure: theme.Figure) -> theme.Figure:
    """The same chart, which shows itself."""
    kind: type = type(figure)
    object.__setattr__(figure, "__class__", _offline(kind))  # no property of Altair's
    return figure
