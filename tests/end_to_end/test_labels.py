"""From a judged file to a certified threshold: the recipe's commands, and its page in a browser."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from tests.docs.stage import ROOT, tables
from tests.report.browsers import NoBrowserError, a_browser
from tests.report.opened import opened

RECIPE = (ROOT / "docs" / "recipes" / "labels.md").read_text("utf-8")


@pytest.fixture
def browser() -> Iterator[Any]:
    needed = os.environ.get("ACUMEN_BROWSER") == "required"
    if not needed:
        pytest.importorskip("playwright", reason="playwright is in the extra `test`")
    try:
        with a_browser() as browser:
            yield browser
    except NoBrowserError as error:
        (pytest.fail if needed else pytest.skip)(str(error))


def commands() -> list[list[str]]:
    """The recipe's command lines, as words."""
    blocks = re.findall(r"```console\n(.*?)```", RECIPE, re.DOTALL)
    return [shlex.split(block.replace("\\\n", " "))[1:] for block in blocks]


def labelled(browser: Any, page: Path, name: str, slip: int | None) -> None:
    """One person labels the whole page with keys alone: the stars that each text names."""
    with opened(browser, page) as seen:
        seen.page.keyboard.type(name)
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_selector("#task:not([hidden])")
        rows = int(seen.page.locator("#count").inner_text().split()[2])
        for at in range(rows):
            text = seen.page.locator("#fields .text").inner_text()
            star = re.search(r"worth (\d) of 5", text)
            assert star is not None
            seen.page.keyboard.press("3" if at == slip else star[1])
        assert "Every row has a label" in seen.page.locator("#said").inner_text()
        with seen.page.expect_download() as download:
            seen.page.keyboard.press("Enter")  # the focus is on the button that saves
        download.value.save_as(page.with_name(download.value.suggested_filename))
        assert seen.console == seen.dialogs == []


def test_six_commands_lead_from_a_judged_file_to_a_certified_threshold(
    browser: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    judged, later = (tables()[name] for name in ("replies", "later"))
    for name, rows in (("replies", judged), ("later", later)):
        with open(f"{name}.csv", "w", newline="") as stream:
            writer = csv.DictWriter(stream, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
    first, *others = commands()
    assert len(others) == 5
    assert run(first) == 0
    sample = json.loads(Path("sample.json").read_text("utf-8"))
    labelled(browser, tmp_path / "mark.html", "Ann", None)
    labelled(browser, tmp_path / "mark.html", "Ben", 7)
    with open("labels-ann.csv", newline="") as stream:
        labels = list(csv.DictReader(stream))
    assert [row["doc"] for row in labels] == [case["case"] for case in sample["drawn"]]
    for command in others:
        assert run(command) == 0, (command, capsys.readouterr().err)
    threshold = json.loads(Path("threshold.json").read_text("utf-8"))
    assert threshold["certified"]
    assert threshold["drawn"]["fits"]
    assert (threshold["cases"], threshold["drawn"]["cases"]) == (60, 200)
    # what the labels were drawn to say, of all 200: the stars that every text names
    accepted = [row for row in judged if row["sure"] > threshold["threshold"]]
    wrong = [row for row in accepted if f"worth {row['ai']} of" not in row["text"]]
    assert 0 < len(accepted) < 200
    assert len(wrong) / len(accepted) <= 0.15
    assert Path("report.html").exists()
