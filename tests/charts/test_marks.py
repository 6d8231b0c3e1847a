"""What charts of intervals, raters and levels draw, of a few rows made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import altair as alt
import pytest

import acumen
from acumen.charts import raters, theme
from acumen.charts.curves import NAME_HEIGHT, _label_rows
from acumen.charts.decisions import curve
from acumen.charts.intervals import interval_plot, row
from acumen.charts.reliability import _tenth, calibration_plot
from acumen.charts.tables import confidence
from acumen.results.raters import RatingsDocument
from acumen.values.measured import Interval, Measured


def spec(figure: theme.Figure | None) -> dict[str, Any]:
    assert figure is not None
    return theme.spec_and_data(figure)[0]


def drawn(figure: theme.Figure | None) -> list[dict[str, Any]]:
    """The rows of all data sets, one after the other."""
    assert figure is not None
    return [entry for rows in theme.spec_and_data(figure)[1].values() for entry in rows]


def bounded(value: float, low: float, high: float) -> Measured:
    return Measured(
        value=value, better="lower", interval=Interval(low=low, high=high, method="bca")
    )


BARE = Measured(value=0.3, better="lower")


def marks(figure: theme.Figure | None) -> list[str]:
    return [layer["mark"]["type"] for layer in spec(figure)["layer"]]


def plot(*rows: dict[str, Any], groups: tuple[str, ...] = ("g",), **more: Any) -> Any:
    return interval_plot(list(rows), "title", group="who", groups=groups, **more)


def test_bars_are_drawn_where_any_row_has_an_interval() -> None:
    with_ends, without = row("a", "g", 0.2, bounded(0.2, 0.1, 0.4)), row("b", "g", 0.3, BARE)
    assert (with_ends["low"], with_ends["high"]) == (0.1, 0.4)
    assert (without["low"], without["high"]) == (None, None)
    assert marks(plot(with_ends, without)) == ["rule", "circle"]
    assert marks(plot(without)) == ["circle"]


@pytest.mark.parametrize(("line", "align"), [(0.2, "left"), (0.25, "left"), (0.26, "right")])
def test_a_line_is_named_on_the_side_with_room(line: float, align: str) -> None:
    figure = plot(row("a", "g", 0.2, bounded(0.2, 0.1, 0.4)), line=line, line_name="optimum")
    rule, name, *others = spec(figure)["layer"]
    assert (rule["mark"]["type"], name["mark"]["type"]) == ("rule", "text")
    assert (name["mark"]["align"], name["mark"]["dx"]) == (align, 4 if align == "left" else -4)
    assert [layer["mark"]["type"] for layer in others] == ["rule", "circle"]
    assert {"value": line, "label": "optimum"} in drawn(figure)


def test_rows_of_one_name_are_set_apart_and_the_plot_grows_with_them() -> None:
    one = [row(f"n{k}", "a", 0.2, BARE) for k in range(4)]
    figure = plot(*one, groups=("a",))
    assert "yOffset" not in spec(figure)["layer"][0]["encoding"]
    assert spec(figure)["height"] == max(60, theme.ROW * 4)
    two = [row(f"n{k}", g, 0.2, BARE) for k in range(4) for g in ("a", "b")]
    apart = plot(*two, groups=("a", "b"))
    assert spec(apart)["layer"][0]["encoding"]["yOffset"]["sort"] == ["a", "b"]
    assert spec(apart)["height"] == round(theme.ROW * 4 * 1.5)
    assert spec(plot(one[0]))["height"] == 60


def test_nothing_is_drawn_of_no_rows() -> None:
    assert plot() is None
    assert calibration_plot({}) is None
    assert raters.heat([], [], x="x", y="y", value="v", form=".2f") is None


def ratings(n_levels: int, n_people: int) -> RatingsDocument:
    people = {
        f"p{k}": SimpleNamespace(ratings=4, levels=[1, 3] + [0] * (n_levels - 2))
        for k in range(n_people)
    }
    pair = SimpleNamespace(one="p0", other="p1", kappa=SimpleNamespace(value=0.5))
    content: Any = {"levels": list(range(n_levels)), "people": people, "judges": {}}
    return RatingsDocument.model_construct(**content, pairs=[pair])


def test_a_heat_map_of_levels_has_the_share_of_each_rater_s_ratings() -> None:
    figure = raters.levels(ratings(2, 2))
    assert drawn(figure) == [
        {"x": "0", "y": "p0", "v": 0.25},
        {"x": "1", "y": "p0", "v": 0.75},
        {"x": "0", "y": "p1", "v": 0.25},
        {"x": "1", "y": "p1", "v": 0.75},
    ]
    assert spec(figure)["height"] == 80
    assert spec(raters.levels(ratings(2, 3)))["height"] == 96


def test_more_than_twenty_levels_or_raters_are_no_heat_map() -> None:
    assert raters.levels(ratings(20, 2)) is not None
    assert raters.levels(ratings(21, 2)) is None
    assert len(drawn(raters.levels(ratings(2, 21)))) == 2 * 20
    assert raters.pairs(ratings(2, 20)) is not None
    assert raters.pairs(ratings(2, 21)) is None


def test_a_pair_of_raters_is_drawn_from_both_sides() -> None:
    assert drawn(raters.pairs(ratings(2, 3))) == [
        {"x": "p1", "y": "p0", "v": 0.5},
        {"x": "p0", "y": "p1", "v": 0.5},
    ]


def test_an_effect_stands_under_its_name_in_the_colour_of_its_judge() -> None:
    figure = raters.effects([("judge", "length", bounded(0.2, 0.1, 0.4))], "shift")
    effect = next(entry for entry in drawn(figure) if "group" in entry)
    assert (effect["name"], effect["group"]) == ("length", "judge")
    assert {"value": 0.0, "label": "0"} in drawn(figure)
    titles = [layer["encoding"]["x"].get("title") for layer in spec(figure)["layer"]]
    assert titles == [None, None, None, "shift"]


@pytest.mark.parametrize(
    ("said", "ends"),
    [(0.0, (0.0, 0.1)), (0.09, (0.0, 0.1)), (0.8, (0.8, 0.9)), (0.95, (0.9, 2.0)), (1, (0.9, 2))],
)
def test_a_confidence_lies_in_a_tenth_and_1_in_the_last(
    said: float, ends: tuple[float, float]
) -> None:
    assert _tenth(said) == ends


def test_names_at_the_ends_of_curves_do_not_stand_on_another() -> None:
    points = [("a", 0.5, 0.2), ("a", 0.9, 0.40), ("b", 0.9, 0.40), ("c", 0.9, 1.0)]
    rows = [{"f": "f", "s": s, "c": c, "r": r, "g": r / 2} for s, c, r in points]
    labels = {label["s"]: label for label in _label_rows(rows)}
    assert labels["a"] == {"f": "f", "s": "a", "c": 0.9, "r": 0.4, "g": 0.2}
    assert labels["b"]["r"] == pytest.approx(0.4 + NAME_HEIGHT, abs=1e-6)
    assert labels["b"]["g"] == pytest.approx(0.2 + NAME_HEIGHT / 2, abs=1e-6)
    assert labels["c"]["r"] == 1.0


def test_panels_stand_beside_one_another_and_no_axis_below_a_gap() -> None:
    chart = alt.Chart(alt.NamedData("rows")).mark_point()
    made = {
        n: theme.multiples(chart, ["x"] * n, 150).to_dict(validate=False) for n in (2, 3, 5, 6, 8)
    }
    assert [part["columns"] for part in made.values()] == [2, 3, 5, 4, 4]
    assert [part["spec"]["width"] for part in made.values()] == [280, 260, 148, 190, 190]
    own = {n: "resolve" in part for n, part in made.items()}
    assert own == {2: False, 3: False, 5: False, 6: True, 8: False}


def test_a_decision_is_drawn_point_by_point() -> None:
    figure = curve([(0.0, 0.5), (0.5, 0.25)], "share", "cost")
    assert drawn(figure) == [{"x": 0.0, "y": 0.5}, {"x": 0.5, "y": 0.25}]


def test_where_nothing_was_answered_no_confidence_is_drawn() -> None:
    rows: dict[str, Any] = {
        "case": [1, 2],
        "truth": [0, 1],
        "prediction": [None, None],
        "confidence": [1, 2],
    }
    artifact = acumen.evaluate(acumen.from_columns(**rows, scale="0-1"), resamples=0).document
    assert "confidence" in artifact.functions
    assert confidence(artifact) is None
