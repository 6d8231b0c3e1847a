"""Charts as figure files, through vl-convert; and charts by name from any file there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

from acumen.artifacts import MetricsArtifact, validated
from acumen.charts import CHARTS, chart, theme
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.errors import UsageError, printable
from acumen.results_document import check_document
from acumen.scale import find_scale
from acumen.strict_json import read_json, source_name, write_bytes

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


def draw(
    name: str,
    source: Path,
    *,
    mode: str | None = None,
    scale: str | None = None,
    confidence: str = "default",
) -> theme.Figure:
    """A chart of a file: a metrics artifact, results, or a run that is evaluated first."""
    from acumen.readers import FORMATS as TABLES
    from acumen.readers import read
    from acumen.readers.run import run_from_document

    if source.suffix.lower() in TABLES:
        table = read(source, mode=mode, scale=scale)
    else:  # read once: a pipe cannot be read again
        document = read_json(source)
        if isinstance(document, dict) and "confidence_variants" in document:
            return chart(name, validated(document, MetricsArtifact, source_name(source)))
        if isinstance(document, dict) and ("unified_scores" in document or "systems" in document):
            return _of_results(name, document, source_name(source))
        chosen = None if scale is None else find_scale(scale)
        table = run_from_document(document, mode=mode, scale=chosen, path=source)
    from acumen.evaluating import Plan, evaluate

    return chart(name, evaluate(table, plan=Plan(confidence=confidence)))


def _of_results(name: str, document: dict[str, Any], source: str) -> theme.Figure:
    if name not in VERDICT_CHARTS:
        raise UsageError(
            f"no chart '{printable(name)}' of results; there are {', '.join(VERDICT_CHARTS)}"
        )
    systems = document.get("systems", [document])
    parts = [part for part in systems if isinstance(part, dict)] if systems else []
    figure = VERDICT_CHARTS[name]([check_document(part, source) for part in parts])
    if figure is None:
        raise UsageError(f"the results hold nothing to draw for the chart '{name}'")
    return figure
