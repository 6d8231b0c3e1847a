"""The pictures and data of the pages are those that their scripts make."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

from acumen.charts import available
from acumen.studies import phq8_run
from tests.report.kinds import KINDS

DOCS = Path(__file__).parents[2] / "docs"
SAMPLES = Path(__file__).parents[1] / "samples"
MOST_BYTES = 60_000


def script(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("script", DOCS / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gallery_has_every_chart_once_with_its_picture() -> None:
    text = (DOCS / "gallery.md").read_text("utf-8")
    assert sorted(re.findall(r"^### (.+)$", text, re.MULTILINE)) == sorted(available())
    assert sorted(re.findall(r"pictures/(.+)\.svg\)", text)) == sorted(available())
    plots = [words for words in script("pictures/make.py").commands() if words[1] == "plot"]
    drawn = [words[words.index("-o") + 1] for words in plots]
    assert [f"{words[words.index('--chart') + 1]}.svg" for words in plots] == drawn
    assert sorted(drawn) == sorted(f"{name}.svg" for name in available())


def test_what_only_pages_draw_is_drawn(tmp_path: Path) -> None:
    """From the files that the demo makes, and one of the documentation."""
    (tmp_path / "demo" / "phq8").mkdir(parents=True)
    (tmp_path / "demo" / "ratings").mkdir()
    shutil.copy(DOCS / "data" / "few.csv", tmp_path)
    (tmp_path / "demo" / "phq8" / "run.json").write_text(json.dumps(phq8_run()), "utf-8")
    rated: Any = KINDS["rate"]()
    rated.write(tmp_path / "demo" / "ratings" / "rated.json")
    charts = script("pictures/make.py").page_charts(tmp_path)
    assert [name for name, figure in charts.items() if figure is None] == []
    assert all((DOCS / "pictures" / f"{name}.svg").is_file() for name in charts)


def test_every_picture_is_small_and_on_a_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in DOCS.rglob("*.md"))
    pictures = sorted((DOCS / "pictures").glob("*.svg"))
    assert [p.name for p in pictures if f"pictures/{p.name})" not in pages] == []
    assert [p.name for p in pictures if p.stat().st_size > MOST_BYTES] == []


def test_a_file_of_the_pages_is_what_its_script_makes() -> None:
    for name, rows in script("data/make.py").files().items():
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        assert (DOCS / "data" / f"{name}.csv").read_text("utf-8").splitlines() == lines


def test_the_logs_of_the_pages_are_those_that_readers_are_tested_with() -> None:
    for name, sample in {"phq.eval": "inspect_phq.eval", "samples_severity_mc.jsonl": ""}.items():
        copy, original = DOCS / "data" / name, SAMPLES / (sample or name)
        assert copy.read_bytes() == original.read_bytes()
