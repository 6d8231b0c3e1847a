"""Charts grow with what they show, and never vanish."""

from __future__ import annotations

import pytest

from acumen.charts.intervals import interval_plot
from acumen.charts.theme import LOW_ROW, ROW


@pytest.mark.parametrize(("n", "row"), [(1, ROW), (12, ROW), (13, LOW_ROW), (30, LOW_ROW)])
def test_a_forest_plot_is_as_high_as_its_rows_and_at_least_60(n: int, row: int) -> None:
    rows = [
        {"name": f"f{k}", "value": 0.5, "low": 0.4, "high": 0.6, "group": "g"} for k in range(n)
    ]
    figure = interval_plot(rows, "AUGRC", group="group", groups=["g"])
    assert figure is not None
    assert figure.height == max(60, n * row)
