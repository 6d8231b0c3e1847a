"""The command that a page tells makes the same numbers again, from the same files."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.strict_json import read_json


def told_command(page: Path) -> list[str]:
    """The arguments of the command in a page's provenance."""
    found = re.search(r"acumen (?:evaluate|score) [^<]*", page.read_text("utf-8"))
    assert found is not None
    return shlex.split(html.unescape(found[0]))[1:]


def content(path: Path, *moment: str) -> dict[str, Any]:
    """An artifact without the moment it was made."""
    document = read_json(path)
    assert isinstance(document, dict)
    return {key: value for key, value in document.items() if key not in moment}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Rows on a scale of their own, whose file lies in a folder with a blank in its name."""
    (tmp_path / "of mine").mkdir()
    scale = 'name = "stars"\nlevels = [1, 2, 3, 4, 5]\n'
    (tmp_path / "of mine" / "stars.toml").write_text(scale)
    rows = [f"{c},{1 + c % 5},{1 + c * 7 % 5},{c / 40}" for c in range(40)]
    (tmp_path / "rows.csv").write_text("case,gt,pred,confidence\n" + "\n".join(rows))
    return tmp_path


def test_the_command_of_an_evaluation_names_scale_and_calibrator_by_their_files(
    folder: Path,
) -> None:
    calibrator = str(folder / "of mine" / "cal.json")
    given = [str(folder / "rows.csv"), "--scale", str(folder / "of mine" / "stars.toml")]
    fit = ["--method", "isotonic", "--confidence", "confidence", "--output", calibrator]
    assert run(["calibrate", *given, *fit]) == 0
    asked = ["--confidence", "confidence,calibrated", "--calibration", calibrator]
    asked += ["--bootstrap-resamples", "50", "-q"]
    page, first, again = (folder / name for name in ("page.html", "first.json", "again.json"))
    output = ["--html", str(page), "--output", str(first)]
    assert run(["evaluate", *given, *asked, *output]) == 0
    assert run([*told_command(page), "--output", str(again), "-q"]) == 0
    assert content(first, "created_at") == content(again, "created_at")
