"""Figures for print: their true size, the size of their letters, and offline in a notebook."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.charts import available
from acumen.charts.export import NARROWEST, WIDEST, Paper, svg_of, write_figure
from acumen.charts.theme import HEIGHT, Figure
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


@pytest.mark.parametrize(("inches", "columns"), [(1, 1), (2.9, 1), (3.1, 2), (5.5, 3)])
def test_a_narrow_figure_has_its_legend_below_in_as_many_columns_as_fit(
    inches: float, columns: int
) -> None:
    spec = Paper(inches).fit(CONFIG | {"height": 500})
    legend = spec["config"]["legend"]
    assert legend == {"labelFontSize": 11, "orient": "bottom", "columns": columns}
    points = 72 * inches
    assert (spec["width"], spec["height"]) == (points, min(500, 0.75 * points))
    assert spec["autosize"] == {"type": "fit-x", "contains": "padding"}
    assert Paper(8).fit(CONFIG)["height"] == HEIGHT


@pytest.mark.parametrize(("names", "width"), [([], 214.0), (["a"], 214.0), (["a", "b"], 97.0)])
def test_panels_side_by_side_share_the_width(names: list[str], width: float) -> None:
    spec = {**CONFIG, "facet": {"column": {"sort": names}}, "spec": {"width": 999, "mark": "bar"}}
    fitted = Paper(294 / 72).fit(spec)
    assert fitted["spec"] == {"width": pytest.approx(width, abs=1e-9), "mark": "bar"}
    assert "width" not in fitted
    assert Paper(1).fit(spec)["spec"]["width"] == 40.0


def test_every_letter_has_the_size_that_is_asked_for() -> None:
    assert Paper(None, 8).fit(CONFIG)["config"] == {
        "legend": {"labelFontSize": 8},
        "axis": {"titleFontSize": 8},
        "font": "x",
    }
    assert Paper().fit(CONFIG) == CONFIG


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
