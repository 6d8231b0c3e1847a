"""The groups of a column side by side, the worst first."""

from __future__ import annotations

from typing import Final

from acumen.charts import theme
from acumen.charts.altair import alt
from acumen.charts.intervals import interval_plot, row, worst_first
from acumen.results.metrics import MetricsArtifact
from acumen.results.slices import CLAIMED

FEWEST_GROUPS: Final = 2


def slices(artifact: MetricsArtifact) -> theme.Figure | None:
    """Share of all rows that is exactly right, group by group, the worst of a column first."""
    columns = list(dict.fromkeys(" × ".join(part.by) for part in artifact.slices))
    rows = []
    for column in columns:
        own = [
            row(
                f"{theme.name(column)}: {theme.name(part.group)}"
                if len(columns) > 1
                else theme.name(part.group),
                theme.name(part.input),
                measured.value,
                measured,
            )
            | {"n": part.cases}
            for part in artifact.slices
            if " × ".join(part.by) == column
            and (measured := part.metrics.get(CLAIMED)) is not None
            and measured.value is not None
        ]
        rows += worst_first(own, better="higher")
    if len(rows) < FEWEST_GROUPS:
        return None
    return interval_plot(
        rows,
        "exactly right, share of all rows",
        group="input",
        groups=artifact.input_names,
        counts="cases",
        scale=alt.Scale(zero=True, domainMax=1),
    )
