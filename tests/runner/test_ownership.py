"""Nothing that is not the runner's own is truncated, replaced, deleted or given another mode."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.files.json import to_json
from acumen.runner.endpoint import Watcher
from acumen.runner.execute import execute
from acumen.runner.journal import VERSION, open_journal, sealed
from acumen.runner.ownership import leftovers
from acumen.runner.plan import Plan
from acumen.runner.task import Task

HEADER = {"journal": VERSION, "run_id": "0123", "plan": {"task": "phq8"}}
LINE = sealed(to_json(HEADER, indent=None).encode())


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        b"one line of somebody's diary",
        b"one line of somebody's diary\n",
        b'{"mine": 1}',
        b'{"case": 7}\n',
        b'{"journal": 2, "run_id": "0123", "plan": {"task": "phq8"}}\n',  # without its seal
        LINE + b"a note below it, without an end",
        LINE + b'{"mine": 1',
        b"\0",
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0",  # holes in a file that is binary
        b"\0\0\1\0\1\0",
        b"\0" * (1 << 20),
        b'{"journal": "of my year, in one line"}',
        LINE + b"a note below it\0\0",
    ],
)
def test_a_file_of_somebody_elses_under_the_journals_name_stays_as_it_is(
    content: bytes, resume: bool, tmp_path: Path
) -> None:
    path = tmp_path / "run.json.journal"
    path.write_bytes(content)
    path.chmod(0o644)
    with pytest.raises((DataError, UsageError)):
        open_journal(tmp_path / "run.json", HEADER, resume=resume)
    assert path.read_bytes() == content
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("cut", range(0, len(LINE), 9))
def test_what_a_kill_left_of_the_first_line_is_begun_again(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "run.json.journal"
    path.write_bytes(LINE[:cut])
    open_journal(tmp_path / "run.json", HEADER, resume=False).close()
    assert path.read_bytes() == LINE


def test_an_empty_file_that_was_there_before_is_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    path = tmp_path / "run.json.journal"
    path.touch()
    with pytest.raises(UsageError, match="is there already"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    assert path.exists()
    path.unlink()
    with pytest.raises(UsageError, match="is there already"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["pipe", "hard link", "link", "folder"])
def test_a_journal_that_is_no_plain_file_is_refused(kind: str, tmp_path: Path) -> None:
    path, precious = tmp_path / "run.json.journal", tmp_path / "precious"
    precious.write_bytes(b"")
    make: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(path),
        "hard link": lambda: path.hardlink_to(precious),
        "link": lambda: path.symlink_to(precious),
        "folder": path.mkdir,
    }
    make[kind]()
    with pytest.raises(DataError):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    assert precious.read_bytes() == b""


@pytest.mark.parametrize("kind", ["content", "link"])
def test_what_stands_where_the_lock_goes_is_not_emptied(kind: str, tmp_path: Path) -> None:
    lock, precious = tmp_path / "run.json.journal.lock", tmp_path / "precious"
    precious.write_text("mine")
    if kind == "content":
        lock.write_text("mine")
    else:
        lock.symlink_to(precious)
    with pytest.raises(UsageError, match="is no lock of a run"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    assert lock.read_text() == precious.read_text() == "mine"


@pytest.mark.parametrize("lost", [2, 4096])
@pytest.mark.parametrize("cut", [0, 1, 40])
def test_pages_that_a_disk_lost_of_the_first_line_are_begun_again(
    cut: int, lost: int, tmp_path: Path
) -> None:
    path = tmp_path / "run.json.journal"
    path.write_bytes(LINE[:cut] + b"\0" * lost)
    open_journal(tmp_path / "run.json", HEADER, resume=False).close()
    assert path.read_bytes() == LINE


def test_what_a_killed_writer_left_is_known_by_its_name_and_by_what_is_in_it(
    tmp_path: Path,
) -> None:
    own = {f".run.json.{n:016x}.tmp" for n in range(3)}
    for name, text in zip(
        sorted(own), ("", '{\n "run_metadata": {', '{\n "run_id": "7'), strict=True
    ):
        (tmp_path / name).write_text(text)
    for name in (".run.json.tmp", f".run.json.{9:016x}.tmp", f".other.json.{8:016x}.tmp"):
        (tmp_path / name).write_text("mine")
    assert {path.name for path in leftovers(tmp_path / "run.json")} == own


@pytest.mark.parametrize(
    "content",
    [
        "mine",
        '{"run_metadata": {"run_id": "other"}}',
        '{\n "kind": "metrics",\n "inputs": [{"run_id": "0123"}]\n}\n',  # a result of the run
        None,
    ],
)
def test_a_resumed_run_replaces_its_own_file_alone(content: str | None, tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    open_journal(output, HEADER, resume=False).close()
    if content is None:
        output.symlink_to(tmp_path / "nowhere")
    else:
        output.write_text(content)
    with pytest.raises(UsageError, match="is not what this run wrote"):
        open_journal(output, HEADER, resume=True)
    output.unlink()
    output.write_text('{\n "run_metadata": {\n  "run_id": "0123"\n }\n}\n')
    open_journal(output, HEADER, resume=True).close()


def test_a_link_to_nowhere_is_not_replaced_by_a_run_file(tmp_path: Path) -> None:
    (tmp_path / "run.json").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is there already"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)


def test_what_appears_under_the_output_while_a_run_asks_is_kept_and_so_are_the_answers(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    output = tmp_path / "run.json"

    async def script(exchange: Any) -> None:
        output.write_text("mine")
        await exchange.reply('{"score": 2}')

    plan = plan_for(flat, ["a"])
    with scripted.ScriptedServer(script) as server:
        with pytest.raises(DataError, match="is not what this run wrote: move it"):
            execute(plan, output, server.url, watcher=Watcher())
        assert output.read_text() == "mine"
        output.unlink()
        assert execute(plan, output, server.url, resume=True).failed_cases == 0
    assert server.asked["a"] == 1
