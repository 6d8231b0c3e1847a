"""Colours that everybody can tell apart, and names that stay apart on an axis."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from acumen.charts.intervals import STANDING, deltas, interval_plot, leaderboard
from acumen.charts.tables import confidence
from acumen.charts.theme import COLOURS, DIM, GREY, INK, Figure, ramp
from acumen.questions.evaluation import Evaluation
from acumen.results.metrics import name
from tests.report.kinds import of_systems

PAPERS = ("#fdfdfc", "#14171b")
"""The page in light and in dark."""

# Machado, Oliveira and Fernandes 2009, the whole deficiency, on linear RGB
SIGHTS = {
    "all colours": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(colour: str) -> NDArray[np.float64]:
    rgb = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z = np.clip(rgb, 0, 1) @ XYZ.T / [0.95047, 1, 1.08883]
    f = [np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)


def test_every_colour_stands_out_from_both_papers() -> None:
    for colour in (*COLOURS, GREY, DIM):
        for paper in PAPERS:
            assert contrast(colour, paper) >= 3, (colour, paper)


def test_eight_series_differ_for_every_kind_of_sight() -> None:
    for sight, matrix in SIGHTS.items():
        seen = [lab(matrix @ linear(colour)) for colour in COLOURS[:8]]
        for one, other in combinations(range(8), 2):
            distance = float(np.linalg.norm(seen[one] - seen[other]))
            assert distance > 20, (sight, COLOURS[one], COLOURS[other])


def test_what_is_ordered_has_colours_in_order_on_both_papers() -> None:
    colours = ramp([f"≥ {level}" for level in range(1, 11)]).range
    light = [lab(linear(colour))[0] for colour in colours]
    assert (len({*colours}), light) == (10, sorted(light))
    for colour in colours:
        assert min(contrast(colour, paper) for paper in PAPERS) >= 3, colour
    assert ramp(["≥ 1"]).range == [colours[0]]


def test_names_that_begin_alike_are_rows_of_their_own() -> None:
    beginning = "The patient reports little interest or pleasure in doing things over the last "
    items = [f"{beginning}{n} weeks" for n in range(8)]
    rows = [
        {"name": name(item), "value": 0.5, "low": 0.4, "high": 0.6, "group": "g"} for item in items
    ]
    figure = interval_plot(rows, "risk", group="group", groups=["g"])
    assert figure is not None
    assert len({row["name"] for rows in figure.datasets.values() for row in rows}) == 8
    assert figure.height == 8 * 26


def ranges(figure: Figure | None) -> set[str]:
    """Every colour that a figure gives to a name of its own."""
    assert figure is not None
    spec = figure.to_dict(validate=False)
    scales = [
        layer["encoding"]["color"]["scale"]["range"]
        for layer in spec.get("layer", [spec])
        if "scale" in layer.get("encoding", {}).get("color", {})
    ]
    return {colour for own in scales for colour in own}


def test_a_hue_is_a_system_or_a_function_and_nothing_else() -> None:
    """Of outcomes and standings: else green were both 'right' and the fourth system."""
    five = of_systems(5)
    assert isinstance(five, Evaluation)
    for chart in (confidence, deltas):
        assert ranges(chart(five.document)) <= {INK, GREY, DIM}, chart
    third = of_systems(5, baseline=five.document.input_names[2])
    assert isinstance(third, Evaluation)
    assert ranges(leaderboard(third.document)) <= {COLOURS[2], INK, GREY}
    assert COLOURS[2] in ranges(leaderboard(third.document))
    # the lowest function is the first one, which is blue on the curves too
    assert [*STANDING.values()] == [COLOURS[0], GREY, INK]
