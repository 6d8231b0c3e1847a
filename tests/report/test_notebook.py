"""A notebook that was run, as nbconvert shows it to a reader who is offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acumen.files.json import write_json
from tests.report.opened import PATIENCE
from tests.toy_runs import toy_run

CELLS = (
    "import acumen; e = acumen.evaluate('run.json', confidence='token_msp', resamples=0); e",
    "acumen.chart('risk-coverage', e)",
    "acumen.threshold('run.json', confidence='token_msp', risk=0.5)",
    "print(repr(e))",
)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The cells with what each showed."""
    pytest.importorskip("ipykernel", reason="it is in the extra `test`")
    nbformat = pytest.importorskip("nbformat", reason="it comes with nbconvert")
    execute = pytest.importorskip("nbconvert.preprocessors", reason="it is in the extra `test`")
    folder = tmp_path_factory.mktemp("notebook")
    write_json(folder / "run.json", toy_run(12))
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    book = nbformat.v4.new_notebook(cells=cells)
    runner = execute.ExecutePreprocessor(timeout=120, kernel_name="python3")
    runner.preprocess(book, {"metadata": {"path": str(folder)}})
    return book


def test_every_value_is_shown_once_with_a_text_beside_it(notebook: Any) -> None:
    for cell in notebook.cells[:3]:
        (shown,) = [o for o in cell.outputs if o.output_type != "stream"]
        assert shown.output_type == "execute_result"
        assert len(shown.data["text/plain"]) > 10
    evaluation, chart, decision = (cell.outputs[-1].data for cell in notebook.cells[:3])
    assert evaluation["text/plain"].startswith("It answers ")
    assert evaluation["text/html"].startswith("<div><p><b>It answers ")
    assert "<table>" in evaluation["text/html"]
    assert chart["image/svg+xml"].startswith("<svg")
    words = "Selective risk against coverage, with bands, the optimum and what each could achieve."
    assert f' role="img"><title>{words}</title>' in chart["image/svg+xml"][:400]
    assert chart["text/plain"] == words
    assert "<table>" in decision["text/html"]
    (printed,) = notebook.cells[3].outputs
    assert printed.text.rstrip() == evaluation["text/plain"].rstrip()


def brightness(colour: str) -> float:
    return sum(float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3]) / 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nbconvert_s_page_is_legible_and_loads_nothing_of_ours(
    notebook: Any, theme: str, browser: Any, tmp_path: Path
) -> None:
    from nbconvert import HTMLExporter

    page, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    (tmp_path / "page.html").write_text(page, "utf-8")
    asked: list[str] = []
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    sheet = context.new_page()
    sheet.on("request", lambda request: asked.append(request.url))
    sheet.goto((tmp_path / "page.html").as_uri(), wait_until="domcontentloaded")
    inks = sheet.evaluate(
        "[...document.querySelectorAll('.jp-OutputArea-output td')]"
        ".map(cell => getComputedStyle(cell).color)"
    )
    paper = sheet.evaluate("getComputedStyle(document.body).backgroundColor")
    pictures = sheet.locator("img[src^='data:image/svg+xml']").evaluate_all(
        "images => images.map(image => image.naturalWidth)"
    )
    context.close()
    assert len(inks) > 50
    assert min(abs(brightness(ink) - brightness(paper)) for ink in inks) > 100
    # a picture brings its own paper, so that its ink is seen on any
    assert len(pictures) == 1
    assert min(pictures) > 300
    assert 'fill="white"' in notebook.cells[1].outputs[0].data["image/svg+xml"][:1000]
    # nbconvert's own template asks for its libraries; nothing that acumen shows does
    assert not [url for url in asked if "vega" in url or "acumen" in url]
