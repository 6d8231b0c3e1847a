"""A document for trackers: worked out on a small one, and logged through stand-ins."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import acumen
from acumen.bridge.trackers import Flat, batches, flat
from acumen.cli import run


@pytest.fixture
def gate_file(tmp_path: Path) -> Path:
    table = acumen.from_columns(case=range(20), truth=[0, 1] * 10, prediction=[0, 1] * 10)
    acumen.gate(table, metric="accuracy", at_least=0.7).write(tmp_path / "gate.json")
    return tmp_path / "gate.json"


@pytest.fixture
def metrics_file(tmp_path: Path) -> Path:
    table = acumen.from_columns(
        case=range(30), truth=[0, 1, 2] * 10, prediction=[0, 1, 1] * 10,
        confidence=[k / 30 for k in range(30)],
    )  # fmt: skip
    acumen.evaluate(table, resamples=0).write(tmp_path / "metrics.json")
    return tmp_path / "metrics.json"


def test_a_number_comes_with_the_ends_of_its_interval_and_points_of_curves_do_not(
    metrics_file: Path,
) -> None:
    content = flat(acumen.Result.read(metrics_file))
    name = "confidence_variants.confidence.metrics.accuracy"
    assert content.metrics[name] == pytest.approx(2 / 3, abs=1e-15)
    assert content.metrics[f"{name}.low"] < 2 / 3 < content.metrics[f"{name}.high"]
    assert not [key for key in content.metrics if "curve" in key]
    assert all(isinstance(value, int | float) for value in content.metrics.values())
    assert content.tags["acumen.kind"] == "metrics"


def test_what_is_undefined_is_left_out(metrics_file: Path) -> None:
    document = json.loads(metrics_file.read_text())
    measured = document["confidence_variants"]["confidence"]["metrics"]["accuracy"]
    measured |= {"value": None, "interval": None, "reason": "no_answers"}
    metrics_file.write_text(json.dumps(document))
    keys = flat(acumen.Result.read(metrics_file)).metrics
    assert [key for key in keys if ".metrics.accuracy" in key] == []


def test_a_body_keeps_the_limits_of_the_call() -> None:
    content = Flat(
        {f"m{k}": k for k in range(1700)}, {f"p{k}": "x" for k in range(150)}, {"t": "y"}
    )
    bodies = list(batches(content, "abc", 7))
    assert [len(body["metrics"]) for body in bodies] == [800, 800, 100]
    assert [len(body["params"]) for body in bodies] == [100, 50, 0]
    assert [len(body["tags"]) for body in bodies] == [1, 0, 0]
    assert bodies[0]["metrics"][1] == {"key": "m1", "value": 1, "timestamp": 7, "step": 0}


def test_the_command_writes_both_forms(gate_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run(["export", str(gate_file), "--run-id", "abc", "-o", str(out)]) == 0
    (line,) = out.read_text("utf-8").splitlines()
    assert json.loads(line)["run_id"] == "abc"
    assert {"key": "acumen.verdict", "value": "pass"} in json.loads(line)["tags"]
    assert run(["export", str(gate_file), "--to", "wandb", "-o", str(out)]) == 0
    assert json.loads(out.read_text("utf-8"))["summary"]["cases"] == 20
    assert run(["export", str(gate_file), "--to", "excel"]) == 2


@pytest.mark.parametrize("to", ["mlflow", "wandb"])
def test_a_library_that_is_missing_is_named(
    to: str, gate_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, to, None)
    assert run(["export", str(gate_file), "--to", to, "--log"]) == 2
    assert f"pip install {to}" in capsys.readouterr().err


def test_the_library_that_is_there_logs_the_numbers_and_the_file(
    gate_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: dict[str, Any] = {}

    def note(name: str) -> Any:
        return lambda value: calls.__setitem__(name, value)

    run_of = nullcontext(SimpleNamespace(info=SimpleNamespace(run_id="r1")))
    names = ("log_metrics", "log_params", "set_tags", "log_artifact")
    stand_in = SimpleNamespace(start_run=lambda: run_of, **{name: note(name) for name in names})
    monkeypatch.setitem(sys.modules, "mlflow", stand_in)
    assert run(["export", str(gate_file), "--log"]) == 0
    assert "logged as run r1" in capsys.readouterr().err
    assert calls["log_metrics"]["cases"] == 20
    assert calls["log_artifact"] == str(gate_file)
