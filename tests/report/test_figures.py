"""Figures at the widths of journals: every chart is as wide as asked for, and nothing is cut."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import acumen
from acumen.charts import CHARTS, chart, theme
from acumen.charts.export import DOTS_PER_INCH, write_figure
from acumen.charts.paper import Paper
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.errors import UsageError
from tests.report.kinds import KINDS, systems
from tests.report.studies import paired_evaluation, single_evaluation, verdict_results

WIDTHS: Final = (3.25, 6.5)


@cache
def document(count: int) -> Any:
    """A study of so many systems; of one also thirteen functions, of eight also slices."""
    if count == 1:
        return single_evaluation().document
    if count == 2:
        return paired_evaluation().document
    eight = [*systems(7), *(row | {"system": "system h"} for row in systems(1))]
    return acumen.evaluate(eight, system="system", item="item", by=["site"], resamples=100).document


def drawn(count: int) -> Iterator[tuple[str, Any]]:
    """Every chart there is of so many systems."""
    charts = CHARTS if count else VERDICT_CHARTS
    source = document(count) if count else verdict_results()
    for name in charts:
        try:
            yield name, chart(name, source)
        except UsageError as error:
            assert "nothing to draw" in str(error)  # noqa: PT017 - which charts there are differs


MARGIN: Final = 60
INK: Final = """async ([pictures, margin]) => Promise.all(pictures.map(async (picture) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'),
        { width: image.width, height: image.height });
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let ink = 0;
    for (let at = 3; at < data.length; at += 4) {
        const x = (at >> 2) % image.width, y = Math.floor((at >> 2) / image.width);
        const inside = x >= margin - 1 && x <= image.width - margin && y >= margin - 1
            && y <= image.height - margin;
        if (data[at] > 40 && !inside) ink += 1;
    }
    return ink;
}))"""
"""How much of each picture lies outside: around its white paper there is nothing else."""


def size_of(picture: str) -> tuple[float, float]:
    """Width and height of a figure."""
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', picture)
    assert found is not None
    return float(found[1]), float(found[2])


def with_margin(picture: str) -> str:
    """The figure as a bitmap, drawn by what draws PNG and PDF, with room around its paper."""
    import vl_convert

    width, height = size_of(picture)
    wide, high = width + 2 * MARGIN, height + 2 * MARGIN
    box = f'viewBox="-{MARGIN} -{MARGIN} {wide} {high}"'
    larger = re.sub(r'viewBox="[^"]*"', box, picture, count=1)
    sizes = f'width="{wide}" height="{high}"'
    larger = re.sub(r'width="[\d.]+" height="[\d.]+"', sizes, larger, count=1)
    return base64.b64encode(vl_convert.svg_to_png(larger, scale=1.0)).decode()


@pytest.mark.parametrize("inches", WIDTHS)
@pytest.mark.parametrize("count", [0, 1, 2, 8])
def test_every_chart_is_as_wide_as_asked_for_and_nothing_stands_out(
    browser: Any, tmp_path: Path, count: int, inches: float
) -> None:
    """Of verdicts (0), and of one, two and eight systems."""
    pictures = {}
    for name, figure in drawn(count):
        write_figure(figure, tmp_path / f"{name}.svg", Paper(inches))
        pictures[name] = _text(tmp_path / f"{name}.svg")
        width, height = size_of(pictures[name])
        assert width == pytest.approx(72 * inches, abs=0.51), name
        assert height <= 10 * 72, name
    assert len(pictures) >= 6
    page = browser.new_page()
    ink = page.evaluate(INK, [[*map(with_margin, pictures.values())], MARGIN])
    page.close()
    assert dict(zip(pictures, ink, strict=True)) == dict.fromkeys(pictures, 0)


def test_letters_are_of_one_size_and_legible(tmp_path: Path) -> None:
    for name, figure in drawn(2):
        write_figure(figure, tmp_path / "f.svg", Paper(3.25))
        sizes = {float(s) for s in re.findall(r'font-size="([\d.]+)px"', _text(tmp_path / "f.svg"))}
        assert sizes <= {8.0}, (name, sizes)


def _text(path: Path) -> str:
    return path.read_text("utf-8")


@pytest.mark.parametrize("inches", WIDTHS)
@pytest.mark.parametrize("name", ["risk-coverage", "confusion", "forest"])
@pytest.mark.parametrize("count", [1, 2, 8])
def test_pdf_and_png_have_the_same_width(
    tmp_path: Path, name: str, count: int, inches: float
) -> None:
    try:
        figure = chart(name, document(count))
    except UsageError:
        pytest.skip("one function of each system: nothing to rank")
    write_figure(figure, tmp_path / "f.pdf", Paper(inches))
    write_figure(chart(name, document(count)), tmp_path / "f.png", Paper(inches))
    boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)", (tmp_path / "f.pdf").read_bytes())
    assert [float(width) for width in boxes] == [pytest.approx(72 * inches, abs=0.51)]
    (width,) = struct.unpack(">I", (tmp_path / "f.png").read_bytes()[16:20])
    assert width == pytest.approx(DOTS_PER_INCH * inches, abs=3)


def test_a_longer_name_takes_room_from_the_marks_and_not_from_the_page(
    browser: Any, tmp_path: Path
) -> None:
    rows = [
        dict(row) | {"system": f"{row['system']} {'of a long name ' * 8}"} for row in systems(3)
    ]
    study = acumen.evaluate(rows, system="system", item="item", resamples=0)
    page = browser.new_page()
    for name in ("leaderboard", "deltas", "risk-coverage", "confusion", "agreement"):
        write_figure(chart(name, study.document), tmp_path / "f.svg", Paper(3.25))
        picture = _text(tmp_path / "f.svg")
        assert size_of(picture)[0] == pytest.approx(234, abs=0.51), name
        assert page.evaluate(INK, [[with_margin(picture)], MARGIN]) == [0], name
    page.close()


def test_slices_of_a_study_are_a_figure(tmp_path: Path) -> None:
    study: Any = KINDS["slices"]()
    write_figure(chart("slices", study.document), tmp_path / "f.svg", Paper(3.25))
    assert "site: south" in _text(tmp_path / "f.svg")


@pytest.mark.parametrize("name", ["calibration", "reliability", "forest"])
def test_names_that_begin_alike_stay_apart_in_a_narrow_figure(tmp_path: Path, name: str) -> None:
    """Of 13 functions two are called retrieval_similarity_mean and retrieval_similarity_max."""
    write_figure(chart(name, document(1)), tmp_path / "f.svg", Paper(3.25))
    words = re.findall(r">([^<>]+)</text>", _text(tmp_path / "f.svg"))
    names = [word for word in words if word.startswith("retrie")]
    assert len(names) == len({*names}) == 2, words
    assert {word[-3:] for word in names} == {"max", "ean"}


def test_the_legend_of_a_figure_has_what_is_drawn_in_full(tmp_path: Path) -> None:
    for name in ("risk-coverage", "generalized-risk"):
        write_figure(chart(name, document(1)), tmp_path / "f.svg", Paper(3.25))
        picture = _text(tmp_path / "f.svg")
        drawn = [f for f in document(1).functions if f">{f}</text>" in picture]
        assert drawn == [document(1).best_function], name


def test_the_line_of_no_difference_stands_inside_the_frame() -> None:
    figure = chart("deltas", document(2)).to_dict(validate=False)
    rows = [row for rows in figure["datasets"].values() for row in rows if "low" in row]
    assert min(row["low"] for row in rows) > 0.0, "else it shows nothing"
    scales = [layer["encoding"].get("x", {}).get("scale") for layer in figure["layer"]]
    assert {"nice": False, "padding": 12, "zero": False} in scales


def test_the_first_of_several_systems_is_not_grey_beside_itself() -> None:
    figure = chart("leaderboard", document(8)).to_dict(validate=False)
    (rows,) = (rows for rows in figure["datasets"].values() if "group" in rows[0])
    board = document(8).leaderboard
    first = board.standings[0].system
    assert [row["name"] for row in rows if row["group"] == first] == [first]
    colours = figure["layer"][-1]["encoding"]["color"]["scale"]
    assert dict(zip(colours["domain"], colours["range"], strict=True))[first] == theme.BLUE


def test_curves_of_eight_systems_are_a_small_chart_each() -> None:
    figure = chart("precision-recall", document(8)).to_dict(validate=False)
    assert figure["facet"]["sort"] == document(8).input_names
    assert "facet" not in chart("precision-recall", document(2)).to_dict(validate=False)


def test_no_small_chart_of_a_figure_is_fainter_than_another(tmp_path: Path) -> None:
    """A figure has no chooser; thirteen functions, of which eleven are probabilities."""
    write_figure(chart("reliability", document(1)), tmp_path / "f.svg", Paper(3.25))
    dots = re.findall(r'<path [^>]*fill="#3d84c6"[^>]*>', _text(tmp_path / "f.svg"))
    assert len(dots) > 60
    assert {re.search(r' opacity="([\d.]+)"', dot)[1] for dot in dots} == {"0.95"}  # type: ignore[index] # each has one


def test_a_figure_names_its_function_and_small_charts_name_the_systems() -> None:
    for name in ("risk-coverage", "reliability"):
        assert chart(name, document(8)).title == "confidence"
    one = chart("risk-coverage", document(2), functions=["llm"])
    assert one.title == "llm, toy1 and noisier"


def test_the_title_of_an_axis_is_no_longer_than_a_small_chart_is_high() -> None:
    """Of letters 12 pixels high, 0.52 as wide on average."""
    for name, figure in drawn(8):
        spec = figure.to_dict(validate=False)
        if "facet" not in spec:
            continue
        for layer in spec["spec"].get("layer", [spec["spec"]]):
            title = layer["encoding"].get("y", {}).get("title") or ""
            for line in [title] if isinstance(title, str) else title:
                assert 12 * 0.52 * len(line) < spec["spec"]["height"], (name, line)
