"""The door: the same run from Python as from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen import run
from acumen.cli import run as acumen
from acumen.errors import UsageError
from acumen.files.json import read_json
from acumen.runner.endpoint import Watcher
from acumen.runner.record import Record

NOT_ASKED = "http://127.0.0.1:9/v1"


def test_it_writes_the_file_that_the_command_writes(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.reply('{"score": 2, "confidence": 4}')

    class Listener(Watcher):
        def report(self, record: Record) -> None:
            names.append(record.case)

    names: list[int | str] = []
    cases, ours, theirs = cases_file("a", "b", "c"), tmp_path / "ours.json", tmp_path / "theirs"
    with scripted.ScriptedServer(script) as server:
        result = run(
            flat_file, cases, "m", base_url=server.url, limit=2, output=ours, watcher=Listener()
        )
        command = ["run", str(flat_file), "--cases", str(cases), "--model", "m", "--limit", "2"]
        assert acumen([*command, "--base-url", server.url, "--output", str(theirs)]) == 0
    assert sorted(map(str, names)) == ["a", "b"]
    assert result.content == read_json(ours)
    assert result.run.journal.exists()
    assert result.document.failed_cases == 0
    written: Any = read_json(theirs)
    assert result.content is not None
    assert result.content["experiments"] == written["experiments"]
    assert result.content["run_metadata"]["settings"] == written["run_metadata"]["settings"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "one_shot"}, "mode must be one of zero_shot, few_shot, both"),
        ({"reply_format": "xml"}, "reply_format must be one of schema, json, text"),
        ({"samples": 0}, "samples must be at least 1"),
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"model": "local", "base_url": NOT_ASKED}, "--model local serves itself"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_the_command_line_would_not_take_is_refused(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    base: dict[str, Any] = {"model": "m", "base_url": NOT_ASKED, "output": tmp_path / "run.json"}
    with pytest.raises(UsageError, match=message):
        run("phq8", "demo", **base | options)
    assert list(tmp_path.iterdir()) == []


def test_samples_that_are_to_differ_get_a_temperature_unless_one_is_set(tmp_path: Path) -> None:
    def temperature(**options: Any) -> float:
        output = tmp_path / "run.json"
        result = run(
            "phq8", "demo", "m", base_url=NOT_ASKED, dry_run=True, output=output, **options
        )
        return result.run.plan.settings.temperature

    assert temperature() == 0
    assert temperature(samples=2) == 0.7
    assert temperature(samples=2, temperature=0.0) == 0
    assert list(tmp_path.iterdir()) == []
