"""The command that a page tells makes the same numbers again, from the same files."""

from __future__ import annotations

import html
import re
import shlex
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.files.json import read_json, write_json
from acumen.studies import POLICY, verdict_study


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


def test_results_and_their_page_tell_the_files_with_hashes_and_the_command(tmp_path: Path) -> None:
    study = verdict_study()
    given = {"truth": study.truth, "reviews": study.reviews, **study.results}
    folder = tmp_path / ("long" * 50)  # a command of many files is not cut
    folder.mkdir()
    paths = {name: folder / f"{name} of mine.json" for name in given}
    for name, document in given.items():
        write_json(paths[name], document)
    policy = tmp_path / "own.toml"
    policy.write_bytes(files("acumen.policy.builtin").joinpath(f"{POLICY}.toml").read_bytes())
    page, first, again = (tmp_path / name for name in ("page.html", "first.json", "again.json"))
    words = ["score", *(str(paths[name]) for name in study.results), "--policy", str(policy)]
    words += ["--truth", str(paths["truth"]), "--reviews", str(paths["reviews"])]
    words += ["--resamples", "20", "--seed", "7", "--run-id", "a run"]
    assert run([*words, "--html", str(page), "--output", str(first)]) == 0
    assert run([*told_command(page), "--output", str(again)]) == 0
    systems = content(first)["systems"]
    assert [s | {"timestamp": None} for s in systems] == [
        s | {"timestamp": None} for s in content(again)["systems"]
    ]
    expected = {str(p): sha256(p.read_bytes()).hexdigest() for p in (*paths.values(), policy)}
    assert {i["path"]: i["sha256"] for i in systems[0]["made_from"]["inputs"]} == expected
    assert all(digest in page.read_text("utf-8") for digest in expected.values())


def test_the_command_of_the_demo_makes_the_demo(tmp_path: Path) -> None:
    words = ["score", "--demo", "--method", "direct", "--resamples", "0"]
    assert run([*words, "--html", str(tmp_path / "page.html")]) == 0
    told = told_command(tmp_path / "page.html")
    assert told[:4] == ["score", "--demo", "--method", "direct"]
    assert run(told) == 0
