"""acumen inside Inspect, with the real tool and its mock model."""

from __future__ import annotations

import json
import logging
import math
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.errors import UsageError
from acumen.files.archive import Archive
from acumen.readers.content import load
from acumen.readers.inspect import read_inspect

if find_spec("inspect_ai") is None:
    pytest.skip("the bridge is tested with the real inspect_ai", allow_module_level=True)

SAMPLES = Path(__file__).parents[1] / "samples"
ROOT = Path(__file__).parents[2]

ROWS = [(1, 0.9, 1 / 3), (0, 0.0, 0.0), (0, 0.0, 0.0), (1, 0.5, 1 / 3), (1, 0.9, 2 / 3)]


def metric(name: str) -> Any:
    """One of the bridge; Inspect takes seconds to import, and not every worker tests it."""
    return getattr(import_module("acumen.bridge.inspect"), name)()


def judged(*rows: Any) -> list[Any]:
    from inspect_ai.scorer import SampleScore, Score

    keys = ("answered", "confidence", "loss")
    values = [dict(zip(keys, r, strict=True)) if isinstance(r, tuple) else r for r in rows]
    return [SampleScore(score=Score(value=v), sample_id=f"s{k}") for k, v in enumerate(values)]


def test_five_judgments_worked_out_by_hand() -> None:
    # surest first: a tie of two (losses 1/3, 2/3), then one (1/3); five rows in all. The
    # generalised risk is 0 at 0, 1/5 at 2/5, 4/15 at 3/5: .5·(2/5)·(1/5) + .5·(1/5)·(1/5 + 4/15)
    scores = judged(*ROWS)
    assert metric("augrc")(scores) == pytest.approx(0.04 + 7 / 150, abs=1e-12)
    assert metric("augrc")(scores) == pytest.approx(0.0866667, abs=1e-7)
    assert metric("coverage")(scores) == pytest.approx(0.6, abs=1e-15)
    assert metric("mean_loss")(scores) == pytest.approx(4 / 9, abs=1e-15)
    assert metric("accuracy")(scores) == 0


def test_a_mean_over_epochs_is_refused_with_the_way_out() -> None:
    with pytest.raises(UsageError, match=r"s1: answered is 0\.5.*acumen evaluate log\.eval"):
        metric("augrc")(judged(ROWS[0], (0.5, 0.9, 1 / 3)))


@pytest.mark.parametrize(
    "value",
    [math.nan, 0.5, "I", {"answered": 1}, {"answered": 1, "confidence": 0.5, "loss": math.nan}],
)
def test_what_is_no_judgment_is_refused_with_its_sample(value: Any) -> None:
    with pytest.raises(UsageError, match=r"sample s0: .*\{answered, confidence, loss\}"):
        metric("coverage")(judged(value))


def test_without_a_confidence_nothing_is_ranked_and_the_rest_is_measured(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scores = judged((1, None, 1 / 3), (0, 0.0, 0.0), (1, 0.5, 0.0))
    with caplog.at_level(logging.WARNING):
        assert math.isnan(metric("aurc")(scores))
    assert "1 answer without a confidence" in caplog.text
    assert metric("mean_loss")(scores) == pytest.approx(1 / 6, abs=1e-15)
    assert metric("coverage")(scores) == pytest.approx(2 / 3, abs=1e-15)


def test_a_system_that_never_answers_has_no_area() -> None:
    scores = judged((0, 0.0, 0.0))
    assert metric("coverage")(scores) == 0
    assert math.isnan(metric("augrc")(scores))


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("logs")
    script = Path(__file__).with_name("mock_evaluations.py")
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["one epoch", "two epochs"])
def test_a_new_evaluation_is_scored_and_measured(evaluations: Any, name: str) -> None:
    log = evaluations[name]
    assert log["status"] == "success"
    # .905 twice (losses 1/3, 2/3) before .497 (1/3); three of six answered, each epoch alike
    assert log["metrics"]["coverage"] == pytest.approx(0.5, abs=1e-15)
    assert log["metrics"]["mean_loss"] == pytest.approx(4 / 9, abs=1e-15)
    by_hand = 0.5 * (1 / 3) * (1 / 6) + 0.5 * (1 / 6) * (1 / 6 + 2 / 9)
    assert log["metrics"]["augrc"] == pytest.approx(by_hand, abs=1e-12)
    reasons = [None, None, "refusal", None, None, "invalid_response_format"]
    assert [score["reason"] for score in log["scores"][:6]] == reasons
    assert "acumen/augrc" in log["names"]


def test_level_and_confidence_are_found_in_the_reply(evaluations: Any) -> None:
    values = [score["value"] for score in evaluations["sentences"]["scores"]]
    assert [v["confidence"] for v in values] == [80, 20, 0, 0]
    assert [v["loss"] for v in values] == [1 / 3, 2 / 3, 0, 0]
    assert [v["answered"] for v in values] == [1, 1, 0, 0]
    assert evaluations["sentences"]["metrics"]["coverage"] == 0.5


def test_any_scorer_with_the_three_numbers_can_use_the_metrics(evaluations: Any) -> None:
    # two rows a sample, all alike: the area of a triangle of height 1/4
    assert evaluations["own scorer"]["metrics"]["augrc"] == pytest.approx(0.125, abs=1e-15)


def registered(folder: Path) -> dict[str, str]:
    """The environment of a machine on which the project is installed as ``pyproject`` has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = project["entry-points"]["inspect_ai"]
    info = folder / "acumen_as_declared-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acumen-as-declared\nVersion: 0\n")
    lines = [f"{name} = {home}" for name, home in groups.items()]
    (info / "entry_points.txt").write_text("\n".join(["[inspect_ai]", *lines]) + "\n")
    source = Path(acumen.__file__).parents[1]
    return os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{folder}"}


def test_an_old_log_is_scored_from_the_command_line(tmp_path: Path) -> None:
    new = tmp_path / "new.eval"
    command = [sys.executable, "-m", "inspect_ai", "score", str(SAMPLES / "inspect_rescored.eval")]
    options = ["--scorer", "acumen/ordinal", "-S", "levels=0-3", "--action", "append"]
    done = subprocess.run(
        [*command, *options, "--output-file", str(new), "--display", "none"],
        capture_output=True,
        text=True,
        env=registered(tmp_path),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    log = read_inspect(load(new))
    assert {"abst", "abst1", "ordinal"} == set(log.rows[0]["scores"])
    header = json.loads(Archive(new.read_bytes(), "new.eval").read("header.json"))
    (own,) = (s for s in header["results"]["scores"] if s["name"] == "ordinal")
    measured = {name: entry["value"] for name, entry in own["metrics"].items()}
    # 12 samples, 2 of them failed: ten rows, six answered with one confidence
    assert measured["coverage"] == pytest.approx(0.6, abs=1e-15)
    assert measured["mean_loss"] == pytest.approx(4 / 9, abs=1e-15)
    assert measured["augrc"] == pytest.approx(0.5 * 0.6 * (0.6 * 4 / 9), abs=1e-12)
    failed = [row["scores"]["ordinal"]["reason"] for row in log.rows if "error" in row]
    assert failed == ["no_response"] * 2
