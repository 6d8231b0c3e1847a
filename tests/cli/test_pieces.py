"""Pieces of commands, each by itself: what options become, and with which code a command ends."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.main import get_command

from acumen import cli
from acumen.cli import app, options, run_command
from acumen.cli.output import check_targets
from acumen.cli.progress import RunProgress, Wait
from acumen.cli.run_command import _consistency, _fields, _headers
from acumen.errors import UsageError
from acumen.questions.run import file_of


def test_no_command_offers_what_the_program_offers_once() -> None:
    root: Any = get_command(app)
    for name in root.list_commands(typer.Context(root)):
        command = root.get_command(typer.Context(root), name)
        assert {p.name for p in command.params} & {"install_completion", "show_completion"} == set()


def test_headers_are_names_and_values() -> None:
    assert _headers(["A: b", "X-Key :c:d "]) == {"A": "b", "X-Key": "c:d"}
    assert _headers([]) == {}
    with pytest.raises(UsageError, match="'Name: value'"):
        _headers(["A: b", "secret"])


def test_fields_of_a_request_are_a_json_object() -> None:
    assert _fields(None) is None
    assert _fields('{"top_p": 0.9}') == {"top_p": 0.9}
    with pytest.raises(UsageError, match="must be a JSON object"):
        _fields("[1]")


def test_each_of_several_models_has_its_file() -> None:
    assert file_of("org/m:1", Path("a/run.json")) == Path("a/run-org-m-1.json")


@pytest.mark.parametrize(
    ("settings", "temperature", "expected"),
    [
        ({}, None, {}),
        ({"ENABLED": "no", "N_SAMPLES": "3"}, None, {}),
        ({"ENABLED": " TRUE "}, None, {"samples": 5, "temperature": None}),
        ({"ENABLED": "1", "N_SAMPLES": "1"}, 0.5, {"samples": 1, "temperature": 0.5}),
        ({"ENABLED": "on", "N_SAMPLES": "100", "TEMPERATURE": "2"}, None, {"samples": 100}),
        ({"ENABLED": "yes", "TEMPERATURE": "2"}, 0.0, {"temperature": 0.0}),
    ],
)
def test_samples_come_from_the_environment_where_it_enables_them(
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    temperature: float | None,
    expected: dict[str, Any],
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"CONSISTENCY_{name}", value)
    answer = _consistency(temperature)
    assert answer == answer | expected
    assert bool(answer) is bool(expected)
    if settings.get("TEMPERATURE") == "2" and temperature is None:
        assert answer["temperature"] == 2.0


@pytest.mark.parametrize(
    "settings", [{"N_SAMPLES": "0"}, {"N_SAMPLES": "101"}, {"N_SAMPLES": "x"}, {"TEMPERATURE": "3"}]
)
def test_a_setting_out_of_its_range_is_refused(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    for name, value in {"ENABLED": "1", **settings}.items():
        monkeypatch.setenv(f"CONSISTENCY_{name}", value)
    with pytest.raises(UsageError, match="must be 1 to 100"):
        _consistency(None)


@pytest.mark.parametrize(("codes", "end"), [([0, 4], 4), ([4, 0], 4), ([0, 0], 0)])
def test_of_several_models_the_worst_end_counts(
    monkeypatch: pytest.MonkeyPatch, codes: list[int], end: int
) -> None:
    left = iter(codes)
    monkeypatch.setattr(run_command, "_ask_one", lambda *_, **__: next(left))
    arguments = ["run", "judge", "--cases", "x.json", "--model", "a", "--model", "b"]
    assert cli.run(arguments) == end


def test_one_run_is_named_in_one_way() -> None:
    a, b = Path("a"), Path("b")
    assert options.one_run(a, None) == options.one_run(None, a) == a
    assert options.one_run(None, None) is None
    with pytest.raises(UsageError, match="give one run"):
        options.one_run(a, b)
    assert options.names_of(" a, ,b") == ["a", "b"]
    assert options.names_of(None) == []
    assert options.inputs_of({"scale": "s.toml", "case": "c"}) == ["s.toml"]


def test_an_output_is_no_input_and_no_other_output(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("x")
    (tmp_path / "link.csv").symlink_to(one)
    check_targets({"--output": other, "--html": None}, [one, None, "-"])
    check_targets({"--output": Path("/dev/null"), "--html": Path("/dev/null")}, [])
    for source in (one, tmp_path / "*.csv", tmp_path / "link.csv"):
        with pytest.raises(UsageError, match=r"^--output would overwrite an input, one\.csv$"):
            check_targets({"--output": one}, [source])
    with pytest.raises(UsageError, match=r"^--output and --html are one file, other\.csv$"):
        check_targets({"--output": other, "--html": other}, [one])


def test_an_answer_is_counted_once_and_its_reason_with_it() -> None:
    progress = RunProgress(total=4, stream=io.StringIO())
    for reason in ("timeout", "timeout", None):
        usable = SimpleNamespace(
            is_usable=reason is None, reason=reason, prompt_tokens=2, completion_tokens=3
        )
        progress.report(usable)  # type: ignore[arg-type]
    assert (progress.done, progress.failed) == (3, 2)
    assert (progress.prompt_tokens, progress.completion_tokens) == (6, 9)
    assert progress.reasons == Counter(timeout=2)
    progress.retry("busy", 5.0)
    progress.retry("busy", 1.0)
    assert (progress.retries, progress.reasons["busy"]) == (2, 2)


def test_the_bar_pulses_until_some_of_the_work_is_done() -> None:
    wait = Wait(lambda: 0.0)
    for done, pulse in ((0.0, True), (0.25, False)):
        wait.tell("reading", done)
        table: Any = wait.look()
        text, bar, _ = (next(iter(column.cells)) for column in table.columns)
        assert (str(text), bar.pulse, bar.completed) == ("reading", pulse, done)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "acumen: interrupted\n"),
        (RuntimeError("secret"), 70, "acumen: internal error (RuntimeError); --debug shows where"),
        (UsageError("no such thing"), 2, "acumen: no such thing\n"),
    ],
)
def test_every_error_ends_with_its_code_and_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fall(_: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fall)
    assert cli.run(["show"]) == code
    assert capsys.readouterr().err.startswith(said)
    cli.run(["show", "--debug"])
    is_traced = "Traceback" in capsys.readouterr().err
    assert is_traced is not isinstance(error, KeyboardInterrupt)
