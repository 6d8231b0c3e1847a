"""An evaluation as a notebook shows it: plain HTML that takes the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from acumen.errors import printable
from acumen.report.grids import LEGEND, Grid, grids, without_interval
from acumen.report.metric_reading import conclusion, population
from acumen.report.terminal import inputs

if TYPE_CHECKING:
    from acumen.evaluation.evaluation import Evaluation


def html(evaluation: Evaluation) -> str:
    """Who was judged, the tables, a plain sentence, the warnings; every text escaped."""
    artifact = evaluation.artifact
    level = f"intervals {artifact.confidence_level:.0%}, below each number"
    parts = [f"<b>{escape(line)}</b>" for line in inputs(evaluation)]
    parts.append(escape(population(artifact)))
    parts.append(escape(f"loss {artifact.loss.name} = {artifact.loss.definition} · {level}"))
    tables = "".join(_table(grid) for grid in grids(evaluation))
    after = [f"<small>{escape(line)}</small>" for line in (LEGEND, *without_interval(evaluation))]
    after.append(f"<b>{escape(conclusion(artifact))}</b>")
    after += [f"warning: {escape(printable(w, limit=600))}" for w in artifact.warnings]
    return f"<div><p>{_lines(parts)}</p>{tables}<p>{_lines(after)}</p></div>"


def _lines(parts: Iterable[str]) -> str:
    return "<br>".join(parts)


def _table(grid: Grid) -> str:
    caption = f"<caption>{escape(grid.title)}</caption>" if grid.title else ""
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in grid.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in grid.rows)
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _cell(text: str) -> str:
    return f"<td>{_lines(map(escape, text.splitlines()))}</td>"
