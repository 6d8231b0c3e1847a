"""Figures as plots of a page, each with its table, and sections that hold them."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.charts.theme import Figure, spec_and_data
from acumen.report.sections import Cell, Plot, Section, Table, number, reach
from acumen.report.words import why_missing
from acumen.results.measured import Measured


def plot(
    study: str, chart: str, figure: Figure | None, title: str, caption: str, table: Table
) -> Plot | None:
    """A figure with its words and its table; nothing where there is no figure."""
    if figure is None:
        return None
    alt = f"{title}. {caption} The numbers are in the table below the chart."
    return Plot(f"{study}-chart-{chart}", title, caption, alt, *spec_and_data(figure), table)


def section(key: str, title: str, plots: Sequence[Plot | None], *paragraphs: str) -> Section | None:
    """The plots there are under one heading; nothing where there are none."""
    drawn = tuple(plot for plot in plots if plot is not None)
    return Section(key, title, paragraphs, drawn) if drawn else None


def value_and_interval(found: Measured | None) -> tuple[Cell, Cell]:
    """A metric as two cells; a dash in either says why."""
    if found is None:
        return number(None), reach(None, None)
    interval = reach(*found.ends, why=why_missing(found))
    return number(found.value, reason=found.reason), interval
