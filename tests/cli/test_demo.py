"""``acumen demo``: what it writes, what it prints, and that it writes all or nothing."""

from __future__ import annotations

import hashlib
import inspect
import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import demo as command
from acumen.cli import run
from acumen.files.json import read_json
from acumen.questions.evaluation import Evaluation
from acumen.studies import phq8_run

FAST = ("--bootstrap-resamples", "50")
FILES = {
    *("ratings/ratings.json", "ratings/rated.json", "ratings/estimated.json"),
    *("phq8/run.json", "phq8/comparison.json", "phq8/zero_shot.json", "phq8/few_shot.json"),
    *("phq8/totals.json", "verdicts/results-direct.json", "verdicts/scores.json"),
    "tickets/tickets.json",
    *("verdicts/truth.json", "verdicts/reviews.json", "verdicts/results-rag.json"),
}


def files_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def screen() -> io.StringIO:
    return io.StringIO()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, screen: io.StringIO) -> Path:
    """The demo, once for all tests, in a folder that holds something already."""
    folder = tmp_path_factory.mktemp("made") / "new" / "demo"
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("stays")
    with redirect_stdout(screen):
        assert run(["demo", str(folder), *FAST]) == 0
    return folder


def test_it_writes_the_inputs_and_the_results_of_all_studies(demo: Path) -> None:
    assert files_in(demo) == FILES | {"report.html", "mine.txt"}
    assert files_in(demo.parent) == {f"demo/{name}" for name in files_in(demo)}
    assert (demo / "mine.txt").read_text() == "stays"
    assert read_json(demo / "phq8/run.json") == phq8_run()


def test_the_scores_name_the_files_they_were_made_from(demo: Path) -> None:
    scores: Any = read_json(demo / "verdicts/scores.json")
    for system in scores["systems"]:
        files = {Path(file["path"]): file["sha256"] for file in system["made_from"]["inputs"]}
        assert files == {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
        assert {path.name for path in files} == {
            *("truth.json", "reviews.json", "results-rag.json", "results-direct.json")
        }
    assert scores["command"].startswith("acumen score --demo --resamples 50")


def test_the_metrics_are_those_of_the_written_run(demo: Path) -> None:
    path = demo / "phq8/run.json"
    written = Evaluation.read(demo / "phq8/comparison.json")
    again = acumen.compare(
        path, mode=("zero_shot", "few_shot"), confidence="all", resamples=int(FAST[1])
    )
    assert written.records() == again.records()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for entry, mode in zip(written.document.inputs, ("zero_shot", "few_shot"), strict=True):
        assert (entry.path, entry.mode, entry.sha256) == (str(path), mode, digest)
    alone = Evaluation.read(demo / "phq8/zero_shot.json").document
    assert (alone.population.participants_included, written.document.population.items_total) == (
        40,
        39 * 8,
    )


def test_by_default_it_takes_ten_thousand_resamples() -> None:
    assert inspect.signature(command.demo).parameters["resamples"].default == 10_000


def test_it_prints_a_screen_a_study_and_says_where_the_files_are(
    demo: Path, screen: io.StringIO
) -> None:
    out = screen.getvalue()
    text = " ".join(out.split())
    for words in (
        "zero-shot and few-shot",
        "At equal coverage",
        "may stand in for",
        "Next: acumen",
    ):
        assert words in text
    assert len(out.splitlines()) <= 40
    assert f"The files are in {demo}:" in out
    assert "report.html" in out


@pytest.mark.parametrize("in_the_way", ["demo", "demo/verdicts"])
def test_a_file_in_the_way_is_one_line_and_nothing_is_measured_or_written(
    in_the_way: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "_evaluate", None)  # whoever calls it fails
    blocked = tmp_path / in_the_way
    blocked.parent.mkdir(exist_ok=True)
    blocked.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    assert run(["demo", str(tmp_path / "demo"), *FAST]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    tries = [f"try: head -c 200 {blocked}"] if in_the_way == "demo" else []  # it is named
    cause = f"acumen: {blocked}: is a file where a folder should go"
    assert captured.err.splitlines() == [cause, *tries]
    assert sorted(tmp_path.rglob("*")) == before


def test_the_page_is_made_of_the_written_files(demo: Path, tmp_path: Path) -> None:
    page = (demo / "report.html").read_text("utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "zero_shot and few_shot" in page
    # both methods in one study, and what tells them apart
    assert "rag and direct" in page
    assert 'id="s4-comparison"' in page
    scores = str(demo / "verdicts" / "scores.json")
    assert run(["report", scores, "--output", str(tmp_path / "again.html")]) == 0
