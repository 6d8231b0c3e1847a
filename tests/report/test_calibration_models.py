"""What a fit is shown as: features and steps a row each."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.cli import run
from acumen.files.json import write_json
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "run.json"
    write_json(path, toy_run(20))
    return path


def fitted(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    out = tmp_path / "calibration.json"
    assert run(["calibrate", str(study), "--output", str(out), *words]) == 0
    first = capsys.readouterr().out
    assert run(["show", str(out)]) == 0
    assert capsys.readouterr().out == first
    return " ".join(first.split())


def test_several_features_are_a_row_each(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    features = "verbalized_confidence,llm_evidence_count"
    text = fitted(study, tmp_path, capsys, "--method", "logistic", "--features", features)
    assert "feature coefficient mean SD verbalized_confidence" in text
    assert " llm_evidence_count " in text
    assert "intercept " in text
    assert "On cases left out of the fit, its calibration error is " in text
    assert "was –" not in text


def test_steps_are_a_row_each(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = fitted(study, tmp_path, capsys, "--method", "isotonic", "--confidence", "verbalized")
    assert "from a confidence of it becomes" in text
    assert "x_thresholds" not in text
