"""Figures as plots of a page, each with its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acumen.report.blocks import Plot, Table

if TYPE_CHECKING:
    from acumen.charts.theme import Figure


def plot(
    study: str, chart: str, figure: Figure | None, title: str, caption: str, table: Table
) -> Plot | None:
    """A figure with its words and its table; nothing where there is no figure."""
    from acumen.charts.theme import spec_and_data

    if figure is None:
        return None
    top = zip(table.columns, table.rows[0] if table.rows else (), strict=False)
    first = ", ".join(f"{column} {cell.text}".strip() for column, cell in list(top)[:5])
    alt = f"{title}. {caption} First of its numbers: {first}. The others are in the table below it."
    return Plot(f"{study}-chart-{chart}", title, caption, alt, *spec_and_data(figure), table)


def plots(*figures: Plot | None) -> tuple[Plot, ...]:
    """The plots there are."""
    return tuple(figure for figure in figures if figure is not None)
