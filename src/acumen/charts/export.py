"""Charts as figure files, through vl-convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

from acumen.charts import CHARTS, theme
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.errors import UsageError, printable
from acumen.files.json import write_bytes

DOTS_PER_INCH: Final = 300
POINTS_PER_INCH: Final = 72


def _svg(spec: dict[str, Any], version: str) -> bytes:
    text: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    return text.encode("utf-8")


def _png(spec: dict[str, Any], version: str) -> bytes:
    scale = DOTS_PER_INCH / POINTS_PER_INCH
    data: bytes = vl_convert.vegalite_to_png(
        spec, vl_version=version, scale=scale, ppi=POINTS_PER_INCH, allowed_base_urls=[]
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


def write_figure(figure: theme.Figure, output: Path) -> None:
    """Write a chart as the file's name says, on white paper."""
    make = FORMATS.get(output.suffix.lower())
    if make is None:
        raise UsageError(f"a figure is {', '.join(FORMATS)}, not '{printable(output.suffix)}'")
    spec, rows = theme.spec_and_data(figure)
    paper = {**spec, "datasets": rows, "background": "white"}
    paper["config"] = {**spec["config"], "background": "white", "font": "Liberation Sans, Arial"}
    write_bytes(output, make(paper, vega_lite_version()))


def available() -> dict[str, str]:
    """Every chart by name, with what it shows."""
    every: dict[str, Any] = {**VERDICT_CHARTS, **CHARTS}
    return {name: (draw.__doc__ or name).strip().splitlines()[0] for name, draw in every.items()}
