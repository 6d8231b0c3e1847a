"""Figures for print: their true size, the size of their letters, and offline in a notebook."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.charts import available
from acumen.charts.export import svg_of, write_figure
from acumen.charts.paper import NARROWEST, WIDEST, Paper
from acumen.charts.theme import Figure
from acumen.errors import UsageError


@pytest.fixture(scope="module")
def evaluation() -> acumen.Evaluation:
    table = acumen.from_columns(
        case=range(12),
        truth=[0, 1, 2, 3] * 3,
        prediction=[0, 1, 2, 2, 0, 1, 1, 3, 0, 2, 2, 3],
        confidence=[n / 12 for n in range(12)],
    )
    return acumen.evaluate(table, resamples=0)


@pytest.fixture
def figure(evaluation: acumen.Evaluation) -> Figure:
    return acumen.chart("risk-coverage", evaluation)


def chunk(data: bytes, kind: bytes) -> bytes:
    at = data.index(kind)
    (size,) = struct.unpack(">I", data[at - 4 : at])
    return data[at + 4 : at + 4 + size]


@pytest.mark.parametrize("inches", [3.25, 5.5])
def test_a_png_says_how_wide_it_is_in_print(tmp_path: Path, figure: Figure, inches: float) -> None:
    write_figure(figure, tmp_path / "f.png", Paper(inches, 8))
    data = (tmp_path / "f.png").read_bytes()
    (width,) = struct.unpack(">I", chunk(data, b"IHDR")[:4])
    dots, _, unit = struct.unpack(">IIB", chunk(data, b"pHYs"))
    assert unit == 1  # dots a metre
    assert width / (dots * 0.0254) == pytest.approx(inches, abs=0.01)


def test_letters_keep_their_size_at_a_width(tmp_path: Path, figure: Figure) -> None:
    write_figure(figure, tmp_path / "f.svg", Paper(3.25, 8))
    text = (tmp_path / "f.svg").read_text()
    assert 'viewBox="0 0 234' in text
    assert 'font-size="8px"' in text
    assert 'font-size="12px"' not in text


def test_a_pdf_embeds_its_letters_as_outlines(tmp_path: Path, figure: Figure) -> None:
    write_figure(figure, tmp_path / "f.pdf", Paper(3.25, 8))
    data = (tmp_path / "f.pdf").read_bytes()
    assert b"/Type3" not in data
    assert b"/MediaBox" in data


@pytest.mark.parametrize("width", ["3.25", "wide", "0in", "1000cm", "-2in", "1e9in"])
def test_a_width_that_is_none_is_refused(width: str) -> None:
    with pytest.raises(UsageError, match=r"such as 3\.25in"):
        Paper.of(width, None)


def test_a_figure_of_one_function_is_named_after_it(evaluation: acumen.Evaluation) -> None:
    figure = acumen.chart("risk-coverage", evaluation, functions=["confidence"])
    assert str(figure.title).startswith("confidence, ")
    with pytest.raises(UsageError, match="holds no function 'nonsense'; there is confidence"):
        acumen.chart("risk-coverage", evaluation, functions=["nonsense"])


def test_a_notebook_shows_a_picture_that_asks_for_nothing(figure: Figure) -> None:
    bundle: Any = figure._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "text/html" not in bundle
    assert "jsdelivr" not in str(bundle)
    # and still is Altair's own: it can be changed, and shows itself offline then too
    assert "image/svg+xml" in (figure.properties(width=300)._repr_mimebundle_() or ())


def test_a_picture_has_room_at_its_sides_for_wider_letters(tmp_path: Path, figure: Figure) -> None:
    write_figure(figure, tmp_path / "f.svg")
    sizes = []
    for text in ((tmp_path / "f.svg").read_text(), svg_of(figure).decode()):
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
        assert box is not None
        sizes.append([float(side) for side in box.groups()])
    # 24 at the left and at the right in place of 5; above and below the 5 of Vega-Lite
    assert sizes[1] == pytest.approx([sizes[0][0] + 2 * (24 - 5), sizes[0][1]], abs=1e-9)


CONFIG = {"config": {"legend": {"labelFontSize": 11}, "axis": {"titleFontSize": 12}, "font": "x"}}


def measured(spec: dict[str, Any]) -> float:
    """As if axes and names took 50 points beside the marks."""
    part = spec.get("spec", spec)
    return float(part["width"] * spec.get("columns", 1) + 50.0)


@pytest.mark.parametrize(("inches", "columns"), [(1, 1), (2.9, 2), (5.5, 5)])
def test_a_legend_stands_below_in_as_many_columns_as_fit(inches: float, columns: int) -> None:
    color = {"field": "f", "scale": {"domain": ["a name", "other"]}}
    spec = {**CONFIG, "encoding": {"color": color, "shape": {"field": "f", "legend": None}}}
    fitted = Paper(inches).fit(spec, measured)
    legend = fitted["encoding"]["color"]["legend"]
    assert (legend["orient"], legend["columns"]) == ("bottom", columns)
    shown = legend["labelExpr"]  # the middle goes where a name is longer than its column
    assert shown.startswith("length(datum.label) > ")
    assert shown.endswith(" : datum.label")
    assert fitted["encoding"]["shape"]["legend"] is None
    assert fitted["config"]["legend"]["orient"] == "bottom"


def test_marks_have_what_axes_and_names_leave_and_the_rest_is_margin() -> None:
    spec = Paper(3.25).fit({**CONFIG, "height": 500}, measured)
    assert 234 - 1 < spec["width"] + 50 <= 234
    assert spec["padding"]["right"] - 2 == pytest.approx(234 - 50 - spec["width"])
    assert spec["height"] == pytest.approx(0.62 * 234)


def test_what_is_wider_by_its_names_alone_has_marks_nevertheless() -> None:
    spec = Paper(3.25).fit({**CONFIG, "height": 500}, lambda _: 900.0)
    assert (spec["width"], spec["padding"]["right"]) == (12.0, 2.0)


@pytest.mark.parametrize(("inches", "beside"), [(1, 1), (3.25, 2), (6.5, 4), (20, 4)])
def test_small_charts_stand_beside_one_another_as_there_is_room(inches: float, beside: int) -> None:
    names = [f"n{k}" for k in range(7)]
    inner = {"encoding": {"y": {"field": "v", "type": "quantitative"}}, "height": 150}
    spec = {**CONFIG, "columns": 4, "facet": {"sort": names}, "spec": inner}
    fitted = Paper(inches).fit(spec, measured)
    assert fitted["columns"] == beside
    assert measured(fitted) <= 72 * inches
    axis = "independent" if beside > 1 else "shared"
    assert fitted["resolve"] == {"axis": {"x": axis}}


def test_rows_of_names_keep_their_height_and_fit_a_page() -> None:
    y = {"encoding": {"y": {"field": "name", "type": "nominal"}}}
    rows = Paper(3.25).fit({**CONFIG, **y, "height": 260}, measured)
    assert rows["height"] == pytest.approx(10 * 1.75 * 8)
    assert Paper(3.25).fit({**CONFIG, **y, "height": 9000}, measured)["height"] == 560


def test_a_title_that_is_too_long_for_its_axis_is_broken() -> None:
    x = {"field": "v", "type": "quantitative", "title": "share of all rows that is exactly right"}
    fitted = Paper(2).fit({**CONFIG, "encoding": {"x": x}}, measured)
    assert fitted["encoding"]["x"]["title"] == ["share of all rows", "that is exactly right"]


def test_every_letter_has_the_size_that_is_asked_for() -> None:
    assert Paper(None, 8).fit(CONFIG, measured)["config"] == {
        "legend": {"labelFontSize": 8},
        "axis": {"titleFontSize": 8},
        "font": "x",
    }
    assert Paper().fit(CONFIG, measured) == CONFIG
    assert Paper(3.25).letters == 8.0
    assert Paper(3.25, 10).letters == 10


@pytest.mark.parametrize(
    ("text", "inches"), [("84mm", 84 / 25.4), ("8.4 cm", 84 / 25.4), ("234pt", 3.25), ("1in", 1)]
)
def test_a_width_is_read_in_its_unit(text: str, inches: float) -> None:
    assert Paper.of(text, None).width == pytest.approx(inches, abs=1e-12)


def test_the_narrowest_and_the_widest_paper_are_allowed() -> None:
    for inches in (NARROWEST, WIDEST):
        assert Paper.of(f"{inches:g}in", 8) == Paper(inches, 8)
    for inches in (NARROWEST - 0.01, WIDEST + 0.01):
        with pytest.raises(UsageError, match=f"from {NARROWEST:g}in to {WIDEST:g}in"):
            Paper.of(f"{inches:g}in", None)
    assert Paper.of(None, 9) == Paper(None, 9)


def test_every_chart_is_listed_with_the_first_line_of_what_it_shows() -> None:
    listed = available()
    assert listed["forest"] == "AUGRC of every function with its interval, best first."
    assert all(text.endswith(".") and "\n" not in text for text in listed.values())


def test_a_figure_of_an_unknown_kind_is_refused(tmp_path: Path, figure: Figure) -> None:
    with pytest.raises(UsageError, match=r"a figure is \.svg, \.png, \.pdf, not '\.gif'"):
        write_figure(figure, tmp_path / "f.gif")
