"""The guides are true: their examples run, and they name what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from acumen.declare import keywords_of
from acumen.metrics import metrics_of
from acumen.readers import read
from acumen.readers.mapping import find_mapping
from acumen.readers.reading import Reading
from acumen.readers.roles import CONVENTIONS
from acumen.table.losses import find_loss
from acumen.table.scale import Scale
from acumen.views.forecast import Forecast
from acumen.views.ranking import Ranking

ROOT = Path(__file__).parents[2]
GUIDES = ("docs/definitions.md", "docs/data.md", "CONTRIBUTING.md", "CHANGELOG.md")


def text_of(guide: str) -> str:
    return (ROOT / guide).read_text("utf-8")


def blocks(guide: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(guide), re.MULTILINE | re.DOTALL)


def test_every_metric_of_a_forecast_is_in_the_guide_with_how_its_interval_holds() -> None:
    text = text_of("docs/confidence.md")
    assert [m.name for m in metrics_of(Forecast) if text.count(f"\n| `{m.name}` |") != 2] == []


def test_the_examples_of_files_are_read(tmp_path: Path) -> None:
    (run,), (rows, *_) = (blocks("docs/data.md", name) for name in ("json", "csv"))
    mapping, scale, costs = blocks("docs/data.md", "toml")
    (tmp_path / "m.toml").write_text(mapping)
    assert find_mapping(tmp_path / "m.toml")["levels"] == [1, 2, 3, 4, 5]
    for name, text in {"run.json": run, "rows.csv": rows, "stars.toml": scale}.items():
        (tmp_path / name).write_text(text, "utf-8")
    table = read(tmp_path / "run.json")
    assert [f.case for f in table.failed] == [301]
    assert table.answered.tolist() == [True, False]
    again = read(tmp_path / "rows.csv")
    assert again.prediction.tolist() == table.prediction.tolist()
    assert Scale.read(tmp_path / "stars.toml").case == "hotel"
    (tmp_path / "triage.toml").write_text(costs, "utf-8")
    assert find_loss(tmp_path / "triage.toml").costs(Scale.of([0, 1, 2, 3]))[3][0] == 20
    records = json.loads(run)["experiments"][0]["results"]["results"]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert read(tmp_path / "run.jsonl").truth.tolist() == table.truth.tolist()


def test_every_metric_of_a_ranking_is_defined() -> None:
    text = text_of("docs/definitions.md")
    assert [m.name for m in metrics_of(Ranking) if f"`{m.name}`" not in text] == []


def test_every_name_a_column_goes_by_is_listed() -> None:
    text = text_of("docs/data.md")
    assert [n for names in CONVENTIONS.values() for n in names if f"`{n}`" not in text] == []


def test_every_keyword_that_says_how_rows_are_read_is_listed() -> None:
    text = text_of("docs/data.md")
    options = (f"{p.option}`" for p in keywords_of(Reading) if p.say.is_on_command_line)
    assert [option for option in options if option not in text] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_links_and_paths_lead_somewhere(guide: str) -> None:
    folder = (ROOT / guide).parent
    links = re.findall(r"\]\(([^)#]+)\)", text_of(guide))
    assert [x for x in links if "//" not in x and not (folder / x).exists()] == []
    named = re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", text_of(guide))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_parts_named_to_contributors_exist() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", text_of("CONTRIBUTING.md"), re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(names) > 15
    assert [n for n in names if not list((ROOT / "src" / "acumen").glob(n.rstrip("/")))] == []
