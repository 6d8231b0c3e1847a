"""A short task, its cases, and servers for the runner's tests."""

from __future__ import annotations

import importlib.util
import json
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.runner.cases import read_cases, read_references
from acumen.runner.plan import Plan, Settings
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task, read_task

HERE = Path(__file__).parent

FLAT = b"""
name = "flat"
scale = { levels = [0, 1, 2, 3], items = ["Sleep"] }
inputs = { text = "text" }
repairs = 1
max_tokens = 60
[reply]
layout = "flat"
score = "score"
confidence = "confidence"
[prompt]
user = "CASE {{ case.text }}{% for r in references %} [{{ r.score }}: {{ r.text }}]{% endfor %}"
"""


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    return _module("scripted_server")


@dataclass(frozen=True)
class Certificates:
    """An authority of one's own, and the files it signed."""

    folder: Path

    @property
    def authority(self) -> Path:
        return self.folder / "ca.pem"

    def server(self, name: str = "server", *, protocols: tuple[str, ...] = ()) -> ssl.SSLContext:
        """A server's side, which offers these protocols; ``http/1.1`` alone where none is named."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{name}.pem")
        context.set_alpn_protocols([*protocols, "http/1.1"])
        return context


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Certificates made on the spot by OpenSSL: nobody's keys lie in the repository."""
    if (program := shutil.which("openssl")) is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("certificates")

    def openssl(*words: str) -> None:
        subprocess.run([str(program), *words], cwd=folder, check=True, capture_output=True)

    def key(name: str) -> list[str]:
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", f"{name}.key"]

    (folder / "ca.cnf").write_text(
        "[req]\ndistinguished_name=dn\nx509_extensions=v3\n[dn]\n"
        "[v3]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
        "subjectKeyIdentifier=hash\n"
    )
    root = ["req", "-x509", "-nodes", "-days", "9", "-subj", "/CN=own", "-config", "ca.cnf"]
    openssl(*root, *key("ca"), "-out", "ca.pem")
    names = {"server": "IP:127.0.0.1", "other": "DNS:elsewhere.example", "client": "DNS:me"}
    for name, alternative in (*names.items(), ("expired", "IP:127.0.0.1")):
        (folder / f"{name}.cnf").write_text(
            f"subjectAltName={alternative}\nbasicConstraints=critical,CA:FALSE\n"
            "authorityKeyIdentifier=keyid\n"
        )
        openssl("req", "-nodes", *key(name), "-subj", f"/CN={name}", "-out", f"{name}.csr")
        days = "-1" if name == "expired" else "9"
        sign = ["x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key"]
        sign += ["-CAcreateserial", "-days", days, "-extfile", f"{name}.cnf"]
        openssl(*sign, "-out", f"{name}.crt")
        parts = [folder / f"{name}.key", folder / f"{name}.crt"]
        (folder / f"{name}.pem").write_bytes(b"".join(part.read_bytes() for part in parts))
    locked = ["ec", "-in", "client.key", "-aes256", "-passout", "pass:secret", "-out", "locked.key"]
    openssl(*locked)
    parts = [folder / "locked.key", folder / "client.crt"]
    (folder / "locked.pem").write_bytes(b"".join(part.read_bytes() for part in parts))
    return Certificates(folder)


@pytest.fixture
def flat() -> Task:
    return parse_task(FLAT, "flat.toml")


@pytest.fixture
def phq8() -> Task:
    return read_task("phq8")


@pytest.fixture
def flat_file(tmp_path: Path) -> Path:
    path = tmp_path / "flat.toml"
    path.write_bytes(FLAT)
    return path


@pytest.fixture
def cases_file(tmp_path: Path) -> Callable[..., Path]:
    def write(*names: str) -> Path:
        path = tmp_path / "cases.json"
        cases = [{"id": n, "text": n, "truth": {"Sleep": 2}} for n in names]
        path.write_text(json.dumps({"cases": cases}))
        return path

    return write


@pytest.fixture
def plan_for(cases_file: Callable[..., Path], tmp_path: Path) -> Callable[..., Plan]:
    """A plan over named cases, whose texts are their names."""

    def make(task: Task, names: list[str], references: Any = None, **settings: Any) -> Plan:
        known = None
        if references is not None:
            path = tmp_path / "references.json"
            path.write_text(json.dumps({"references": references}))
            known = read_references(path, task)
        base: dict[str, Any] = {"model": "m", "endpoint": "test", "max_tokens": task.max_tokens}
        return Plan(task, read_cases(cases_file(*names), task), known, Settings(**base | settings))

    return make


@pytest.fixture
def echo_server(tmp_path: Path) -> Iterator[Callable[..., tuple[str, Path]]]:
    """Start an echo server as a process; gives its address and the log of what it was asked."""
    started: list[subprocess.Popen[str]] = []

    def start(latency: float) -> tuple[str, Path]:
        log = tmp_path / f"asked-{len(started)}.txt"
        command = [sys.executable, str(HERE / "scripted_server.py")]
        process = subprocess.Popen(
            [*command, "--latency", str(latency), "--log", str(log)],
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout
        return f"http://127.0.0.1:{process.stdout.readline().strip()}/v1", log

    yield start
    for process in started:
        process.kill()
        process.communicate()
