"""The Python door of verdict studies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.files.json import write_json
from acumen.policy import find_policy
from acumen.studies import POLICY, verdict_study
from acumen.verdicts.inputs import demo_inputs

FAST: dict[str, Any] = {"resamples": 40, "seed": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    for name, content in verdict_study().documents().items():
        write_json(folder / f"{name}.json", content)
    return folder


def test_the_door_writes_what_the_command_writes(folder: Path, tmp_path: Path) -> None:
    results = [folder / "results-rag.json", folder / "results-direct.json"]
    files = ["--truth", str(folder / "truth.json"), "--reviews", str(folder / "reviews.json")]
    out = tmp_path / "by-command.json"
    options = ["--resamples", "40", "--seed", "3", "--level", "0.9", "--output", str(out)]
    assert run(["score", *map(str, results), *files, *options]) == 0
    scores = acumen.score(
        *results,
        truth=folder / "truth.json",
        reviews=folder / "reviews.json",
        confidence_level=0.9,
        resamples=40,
        seed=3,
    )
    assert scores.to_json() == out.read_text("utf-8")
    scores.write(tmp_path / "by-door.json")
    assert (tmp_path / "by-door.json").read_bytes() == out.read_bytes()
    command = scores.document.command
    assert command is not None
    assert command.endswith("--resamples 40 --seed 3 --confidence-level 0.9")


def test_documents_give_the_numbers_of_their_files_and_no_command_to_make_them_again(
    folder: Path,
) -> None:
    study = verdict_study()
    by_document = acumen.score(study.results["rag"], truth=study.truth, **FAST)
    by_file = acumen.score(folder / "results-rag.json", truth=folder / "truth.json", **FAST)
    file, document = by_file.to_dict(), by_document.to_dict()
    assert file.pop("command") is not None
    assert file.pop("made_from")["inputs"]
    assert document.pop("command") is None
    assert document.pop("made_from")["inputs"] == []
    assert document == file


def test_a_level_of_confidence_widens_the_intervals() -> None:
    widths = []
    for level in (0.8, 0.95):
        scores = acumen.score("demo", method="rag", confidence_level=level, **FAST)
        ends = scores.to_dict()["metrics"]["process"]["interval"]
        assert scores.to_dict()["interval_settings"]["confidence_level"] == level
        widths.append(ends["high"] - ends["low"])
    assert 0 < widths[0] < widths[1]


def test_scores_show_themselves_and_do_not_change() -> None:
    scores = acumen.score("demo", **FAST)
    assert "rag" in repr(scores)
    assert "direct" in repr(scores)
    assert scores._repr_html_().startswith("<div>")
    assert "\x1b" not in repr(scores)
    with pytest.raises(AttributeError):
        scores.document = None  # type: ignore[misc,assignment]


def test_scores_are_reported_and_drawn(tmp_path: Path) -> None:
    scores = acumen.score("demo", **FAST)
    acumen.write_report([scores], tmp_path / "page.html")
    assert "rag" in (tmp_path / "page.html").read_text("utf-8")
    drawn = acumen.chart("scores", scores).to_dict()
    (tmp_path / "scores.json").write_text(scores.to_json(), "utf-8")
    assert acumen.chart("scores", tmp_path / "scores.json").to_dict() == drawn


def test_a_policy_may_be_a_value() -> None:
    study = verdict_study()
    by_value = acumen.score(
        study.results["rag"], truth=study.truth, policy=find_policy(POLICY), **FAST
    )
    by_name = acumen.score(study.results["rag"], truth=study.truth, policy=POLICY, **FAST)
    assert by_value.to_json() == by_name.to_json()


def test_the_demo_brings_its_own_truth() -> None:
    with pytest.raises(acumen.UsageError, match="the demo brings its own"):
        acumen.score("demo", truth={})


@pytest.mark.parametrize("policy", [None, POLICY, find_policy(POLICY)])
def test_the_demo_can_be_asked_for_again_unless_its_policy_is_an_object(policy: Any) -> None:
    assert demo_inputs(policy, None).files.are_all is (policy in (None, POLICY))
