"""Charts as figure files, through vl-convert."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import vl_convert

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.paper import Paper
from acumen.errors import UsageError, printable
from acumen.files.json import write_bytes

DOTS_PER_INCH: Final = 300
UNSIZED: Final = Paper()


def _svg(spec: dict[str, Any], version: str) -> bytes:
    text: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    words = escape(spec.get("description", ""))
    return text.replace(">", f' role="img"><title>{words}</title>' if words else ">", 1).encode()


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


def on_paper(figure: Any, paper: Paper = UNSIZED) -> dict[str, Any]:
    """The whole specification of a chart on white paper."""
    spec, rows = theme.spec_and_data(figure)
    font = {"background": "white", "font": "Liberation Sans, Arial"}
    config = {**spec["config"], **font}
    whole = {**spec, "config": config, "datasets": rows, "background": "white"}
    return paper.fit(whole, _width)


def _width(spec: dict[str, Any]) -> float:
    """How wide a chart is drawn, axes, names and legends with it."""
    width = re.search(rb'<svg[^>]* width="([\d.]+)"', _svg(spec, vega_lite_version()))
    assert width is not None
    return float(width[1])


def svg_of(figure: Any) -> bytes:
    """A chart as a picture that needs nothing else, with room for a reader's wider letters."""
    room = {"padding": {"left": 24, "right": 24, "top": 5, "bottom": 5}}
    return _svg(on_paper(figure) | room, vega_lite_version())


def write_figure(
    figure: theme.Figure,
    output: Path,
    paper: Paper = UNSIZED,
) -> None:
    """Write a chart as the file's name says, on white paper."""
    make = FORMATS.get(output.suffix.lower())
    if make is None:
        raise UsageError(f"a figure is {', '.join(FORMATS)}, not '{printable(output.suffix)}'")
    write_bytes(output, make(on_paper(figure, paper), vega_lite_version()))


class Offline:
    """A chart that a notebook shows without a network: its specification, and a picture of it."""

    description: str
    """What it shows, for who does not see it."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, Any]:
        picture = svg_of(self).decode()
        return {"image/svg+xml": picture, "text/plain": self.description}


@cache
def _offline(kind: type) -> type:
    """A class of charts whose charts show themselves."""
    return type(kind.__name__, (Offline, kind), {})


def offline(figure: theme.Figure) -> theme.Figure:
    """The same chart, which shows itself."""
    kind: type = type(figure)
    object.__setattr__(figure, "__class__", _offline(kind))  # no property of Altair's
    return figure
