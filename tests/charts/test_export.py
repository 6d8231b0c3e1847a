"""Figures for print: their true size, the size of their letters, and offline in a notebook."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import acumen
from acumen.charts.export import Paper, write_figure
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
    bundle = figure._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "text/html" not in bundle
    assert "jsdelivr" not in str(bundle)
    # and still is Altair's own: it can be changed, and shows itself offline then too
    assert "image/svg+xml" in figure.properties(width=300)._repr_mimebundle_()
