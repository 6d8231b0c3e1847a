"""A key goes to the host it is meant for; what a user adds to requests arrives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen import run
from acumen.cli import run as acumen
from acumen.errors import UsageError
from acumen.runner.access import Access

KEYS = {
    "OPENAI_API_KEY": "sk-openai",
    "ANTHROPIC_API_KEY": "sk-anthropic",
    "OPENAI_ORG_ID": "org-canary",
    "OPENAI_PROJECT_ID": "proj-canary",
    "OPENAI_CUSTOM_HEADERS": "X-Canary: custom",
    "OTHER_KEY": "sk-other",
}
HERE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("access", "secrets"),
    [
        (Access("https://api.openai.com/v1"), {"openai", "org-canary", "proj-canary"}),
        (Access("https://x.openai.azure.com/openai/v1"), {"openai", "org-canary", "proj-canary"}),
        (Access("https://api.anthropic.com/v1", "messages"), {"anthropic"}),
        (Access("https://api.anthropic.com/v1"), set()),
        (Access("https://evil.example/v1"), set()),
        (Access("https://api.openai.com.evil.example/v1"), set()),
        (Access("http://api.openai.com/v1"), set()),
        (Access("https://api.openai.com/v1", "messages"), set()),
        (Access(HERE), set()),
        (Access(HERE, key_variable="OTHER_KEY"), {"other"}),
        (Access(HERE, key_variable="OPENAI_API_KEY"), {"openai"}),
        (Access("https://api.openai.com/v1", key_variable="OTHER_KEY"), {"other"}),
    ],
    ids=lambda value: value.host if isinstance(value, Access) else "",
)
def test_a_key_and_an_organisation_go_to_whom_they_are_meant_for(
    access: Access, secrets: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    sent = json.dumps(access.headers())
    words = ("openai", "anthropic", "other", "org-canary", "proj-canary", "custom")
    values = sent.replace("OpenAI-", "").replace("anthropic-version", "")
    assert {word for word in words if word in values} == secrets


def test_the_address_beside_the_key_gets_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.example:4000/v1")
    assert Access("http://gateway.example:4000/v1").key() == "sk-openai"
    assert Access("http://gateway.example:4001/v1").key() == ""
    monkeypatch.setenv("OPENAI_BASE_URL", "HTTPS://gateway.example:4000/v1")
    assert Access("https://gateway.example:4000/v1").key() == "sk-openai"
    assert Access("http://gateway.example:4000/v1").key() == ""  # not for everyone to read


def test_a_variable_that_is_named_must_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(UsageError, match="set NO_SUCH_KEY"):
        Access(HERE, key_variable="NO_SUCH_KEY").headers()


@pytest.mark.parametrize(
    "header", [{"Host": "x"}, {"Content-Length": "1"}, {"a b": "x"}, {"X": "a\r\nY: b"}]
)
def test_a_header_that_would_break_the_request_is_refused(header: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--header"):
        Access(HERE, header=header)


def test_two_deployments_behind_one_host_are_two_endpoints(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json"), "--base-url"]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, server.url]) == 0
        assert acumen([*command, server.url + "/secret-path", "--resume"]) == 3
        assert acumen([*command, server.url + "/", "--resume"]) == 0
    said = capsys.readouterr().err
    assert "changed: address" in said
    assert "secret-path" not in said
    assert "address" not in (tmp_path / "run.json").read_text()


def test_what_a_user_adds_to_requests_arrives(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OTHER_KEY", "sk-other")

    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2}')

    command = ["run", str(flat_file), "--cases", str(cases_file("a")), "--model", "m"]
    command += ["--output", str(tmp_path / "run.json"), "--max-completion-tokens", "77"]
    command += ["--extra-body", '{"reasoning_effort": "low", "temperature": 0.3}']
    command += ["--header", "X-Team: blue", "--header", "x-url: http://a:1/"]
    command += ["--api-key-env", "OTHER_KEY", "--api-version", "2024-10-21"]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, "--base-url", server.url]) == 0
        sent = server.seen[0]
    assert sent.path == "/v1/chat/completions?api-version=2024-10-21"
    assert (sent.headers["x-team"], sent.headers["x-url"]) == ("blue", "http://a:1/")
    assert sent.headers["api-key"] == "sk-other"
    assert "authorization" not in sent.headers
    assert (sent.body["max_completion_tokens"], sent.body["reasoning_effort"]) == (77, "low")
    assert sent.body["temperature"] == 0.3
    assert "max_tokens" not in sent.body
    settings = json.loads((tmp_path / "run.json").read_text())["run_metadata"]["settings"]
    assert settings["extra_body"] == {"reasoning_effort": "low", "temperature": 0.3}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"extra_body": {"messages": [], "n": 2}}, "--extra-body may not set messages, n"),
        ({"max_tokens": 1, "max_completion_tokens": 2}, "not both"),
        ({"cost_limit": 1.0}, "--cost-limit needs --prompt-price"),
        ({"api": "grpc"}, "api must be one of chat, responses, messages"),
        ({"base_url": "https://x.openai.azure.com/v1?api-version=1"}, "give --api-version"),
        ({"failure_limit": 0}, "failure_limit must be at least 1"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_options_that_cannot_be_meant_are_refused(
    options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    base: dict[str, Any] = {"base_url": HERE, "output": tmp_path / "run.json"}
    with pytest.raises(UsageError, match=said):
        run("phq8", "demo", "m", **base | options)


@pytest.mark.parametrize("line", ['base_url = "http://evil.example"', 'api_key_env = "HOME"'])
def test_a_file_in_the_folder_does_not_choose_who_gets_texts_and_keys(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acumen.toml").write_text(f"[run]\n{line}\n")
    assert acumen(["run", "phq8", "--cases", "demo", "--model", "m", "--dry-run"]) == 3
    assert "can only be given on the command line" in capsys.readouterr().err


def dry(capsys: pytest.CaptureFixture[str], tmp_path: Path, *options: str) -> tuple[str, str]:
    command = ["run", "phq8", "--cases", "demo", "--base-url", HERE, "--dry-run"]
    assert acumen([*command, "--output", str(tmp_path / "run.json"), *options]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_every_option_can_come_from_the_environment_and_the_command_line_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACUMEN_RUN_MODEL", "from-env")
    monkeypatch.setenv("ACUMEN_RUN_SAMPLES", "3")
    monkeypatch.setenv("ACUMEN_RUN_OMIT", "seed temperature")
    assert "15 questions: 5 cases, zero_shot, 3 samples each" in dry(capsys, tmp_path)[0]
    assert "10 questions" in dry(capsys, tmp_path, "--samples", "2")[0]


@pytest.mark.parametrize(
    ("variables", "options", "questions", "told"),
    [
        ({"ENABLED": "true"}, [], 25, "5 samples each"),
        ({"ENABLED": "1", "N_SAMPLES": "3", "TEMPERATURE": "0.3"}, [], 15,
         "3 samples each at temperature 0.3"),
        ({"ENABLED": "false", "N_SAMPLES": "3"}, [], 5, None),
        ({"N_SAMPLES": "3"}, [], 5, None),
        ({"ENABLED": "true", "N_SAMPLES": "3"}, ["--samples", "2"], 10, None),
    ],
)  # fmt: skip
def test_the_consistency_variables_are_honoured_and_told(
    variables: dict[str, str], options: list[str], questions: int, told: str | None,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for name, value in variables.items():
        monkeypatch.setenv(f"CONSISTENCY_{name}", value)
    out, err = dry(capsys, tmp_path, "--model", "m", *options)
    assert f"{questions} questions" in out
    assert err == ("" if told is None else f"CONSISTENCY_ENABLED: {told}\n")


@pytest.mark.parametrize(
    "variables", [{"N_SAMPLES": "many"}, {"N_SAMPLES": "0"}, {"TEMPERATURE": "7"}]
)
def test_consistency_variables_that_cannot_be_meant_are_refused(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"ENABLED": "true", **variables}.items():
        monkeypatch.setenv(f"CONSISTENCY_{name}", value)
    assert acumen(["run", "phq8", "--cases", "demo", "--model", "m", "--dry-run"]) == 2
    assert "CONSISTENCY_N_SAMPLES must be 1 to 100" in capsys.readouterr().err
