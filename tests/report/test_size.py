"""How large a page is without its data: what scripts, style, markup and sentences take."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from pathlib import Path

import pytest

from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Head
from acumen.report.html import render_report, render_studies
from acumen.report.layout import Study
from acumen.report.library import chart_library

EMPTY = Study("s1", Head("nothing", "no study at all"), ())


def without_data(page: str) -> str:
    """All but the data: rows of charts and cases as JSON, and the words and values of cells."""
    bare = re.sub(r'(id="data">).*?(</script>)', r"\1\2", page, count=1, flags=re.DOTALL)
    tables = re.compile(r"<tbody>.*?</tbody>", re.DOTALL)
    cell = re.compile(r"(?<=<data value=)[^>]*|(?<=>)[^<]+")
    return tables.sub(lambda body: cell.sub("", body[0]), bare)


def size(page: str) -> int:
    return len(page.encode("utf-8"))


def test_data_and_nothing_else_is_taken_out() -> None:
    page = '<b>a</b><tbody><tr><td><data value=0.5>50%</data></tbody><p id="data">[1]</script>'
    bare = '<b>a</b><tbody><tr><td><data value=></data></tbody><p id="data"></script>'
    assert without_data(page) == bare


def test_a_page_of_nothing_is_half_a_megabyte() -> None:
    assert size(render_studies([EMPTY])) < 500_000


def test_pages_are_small_and_without_their_data_smaller(
    page_file: Path, paired: Evaluation
) -> None:
    for page in (page_file.read_text(encoding="utf-8"), render_report([paired])):
        assert size(page) < 1_500_000
        assert size(without_data(page)) < 750_000


@pytest.mark.slow
def test_the_page_of_the_demo_is_under_a_megabyte_without_its_data(tmp_path: Path) -> None:
    from acumen.cli import run

    assert run(["demo", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert size(page) < 2_500_000
    assert size(without_data(page)) < 1_000_000


def test_what_is_unpacked_is_the_library_that_the_policy_allows() -> None:
    page = render_studies([EMPTY])
    packed = page.split('id="library">')[1].split("</script>")[0]
    text = gzip.decompress(base64.b64decode(packed))
    assert text.decode("utf-8") == chart_library()
    digest = base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")
    assert f"'sha256-{digest}'" in page.split("script-src ")[1].split(";")[0]
