"""A canary key and a canary sentence appear nowhere they should not."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.runner.disclosure import disclosed

KEY = "sk-canarykey0123456789"
CANARY = "swordfish"
SENTENCE = "the heron under my window"
PROMPT_ECHO = json.dumps(
    {"error": {"message": f"{SENTENCE} {KEY}", "code": f"{SENTENCE}"}}
).encode()


@pytest.fixture
def behaviours(scripted: ModuleType) -> Iterator[str]:
    """A server that repeats what it was sent, in every way a server can."""

    async def script(exchange: Any) -> None:
        assert exchange.headers["authorization"] == f"Bearer {KEY}"
        match exchange.body["seed"]:
            case 0:
                await exchange.send(400, PROMPT_ECHO, x_echo=SENTENCE)
            case 1:
                await exchange.send(500, PROMPT_ECHO)
            case 2:
                await exchange.reply(f"I cannot say {SENTENCE} {KEY}")
            case 3:
                await exchange.reply(json.dumps({SENTENCE: KEY, "score": SENTENCE}))
            case 4:
                await exchange.send(302, b"", location=f"http://127.0.0.1:1/{KEY}")
            case 5:
                await exchange.send(200, f'{{"choices": "{SENTENCE}"'.encode())
            case _:
                await exchange.reply('{"score": 2, "confidence": 4}')

    with scripted.ScriptedServer(script) as server:
        yield server.url


def test_canaries_stay_in_the_case_and_in_the_environment(
    behaviours: str, flat_file: Path, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    case = {"id": "a", "text": f"I see {SENTENCE}.", "truth": {"Sleep": 2}}
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"cases": [case]}))
    command = [sys.executable, "-m", "acumen", "run", str(flat_file), "--cases", str(cases)]
    command += ["--model", "m", "--base-url", behaviours, "--samples", "7", "--retries", "1"]
    command += ["--output", str(work / "run.json"), "--debug"]
    command += ["--api-key-env", "OPENAI_API_KEY", "--reply-format", "text"]
    environment = os.environ | {"OPENAI_API_KEY": KEY, "OPENAI_LOG": "debug"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "transport_failure" in done.stderr
    assert "refused" in done.stderr
    artifact = (work / "run.json").read_text()
    summary = json.loads(artifact)["failure_summary"]
    assert sum(summary["outcomes"].values()) == 7
    for secret in (KEY, "canarykey", SENTENCE, "heron"):
        assert secret not in done.stdout + done.stderr
        assert secret not in artifact
        assert all(secret not in path.name for path in tmp_path.rglob("*"))
    for path in work.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal = (work / "run.json.journal").read_text()
    # the journal is the private record and keeps replies, but for a key that a reply says back
    assert KEY not in journal
    assert journal.count("*" * len(KEY)) == 2
    assert SENTENCE in journal


def test_a_secret_among_the_users_own_fields_is_sent_and_written_nowhere(
    scripted: ModuleType, flat_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.send(503, b"") if exchange.times > 1 else await exchange.reply(
            '{"score": 2}'
        )

    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps({"cases": [{"id": n, "text": "a"} for n in "abcdef"]}))
    fields: dict[str, Any] = {
        "effort": "low",
        "api_key": "heronword",
        "user": f"u{KEY}",
        "nested": {"k": [KEY]},
    }
    fields |= {"top_p": 0.5}
    output = tmp_path / "run.json"
    command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--retries", "0"]
    command += ["--output", str(output), "--extra-body", json.dumps(fields)]
    command += ["--concurrency", "1", "--failure-limit", "1", "--reply-format", "text"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url]
        monkeypatch.setattr(sys, "argv", ["acumen", *command])
        assert acumen(command) == 4
        sent = server.seen[0].body
        assert {name: sent[name] for name in fields} == fields
        said = capsys.readouterr().err
        assert "continue with: acumen run" in said
        written = output.read_text() + Path(f"{output}.journal").read_text()
        for secret in (KEY, "heronword"):
            assert secret not in written + said
        settings = json.loads(output.read_text())["run_metadata"]["settings"]
        assert settings["extra_body"]["effort"] == "low"
        assert settings["extra_body"]["top_p"] == 0.5
        # another key is the same run, another user is not
        for name, code in (("api_key", 4), ("user", 3)):
            command[command.index("--extra-body") + 1] = json.dumps(fields | {name: "x2y"})
            assert acumen([*command, "--resume"]) == code


@pytest.mark.parametrize(
    "field",
    [
        {"credentials": {"value": CANARY}},
        {"credentials": {"deep": [{"er": CANARY}]}},
        {"api_keys": [CANARY, CANARY]},
        {"auth": {CANARY: 1}},
        {f"sk-{CANARY}-0123456789": 1},
        {"x": {f"{CANARY} 1": 1}},
        {"password": 48151623},
        {"pin": 48151623},
        {"metadata": [f"{CANARY}-1"]},
        {"extra_headers": {"X-Tenant": CANARY}},
        {"metadata": f"qWeRtY{CANARY}"},
    ],
)
def test_a_secret_is_hidden_whatever_it_is_and_however_deep_it_lies(field: dict[str, Any]) -> None:
    assert CANARY not in str(disclosed(field))
    assert "48151623" not in str(disclosed(field))


def test_what_is_no_secret_can_be_read() -> None:
    field = {"thinking": {"type": "enabled", "budget_tokens": 1000}, "top_p": 0.9, "stop": ["end"]}
    field |= {"provider": {"order": ["DeepInfra", "Together"]}, "format": "json_object"}
    assert disclosed(field) == field
