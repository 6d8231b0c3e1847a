"""One writer a journal, by a lock that stands beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from acumen.errors import UsageError
from acumen.runner.journal import VERSION, check_journal, journal_of, open_journal
from acumen.runner.lock import locked

HEADER = {"journal": VERSION, "plan": {"task": "phq8"}}


def test_a_journal_has_one_writer_and_is_free_afterwards(tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    first = open_journal(output, HEADER, resume=False)
    for again in (open_journal, check_journal):
        with pytest.raises(UsageError, match="another run is writing"):
            again(output, HEADER, resume=True)
    first.close()
    check_journal(output, HEADER, resume=True)
    open_journal(output, HEADER, resume=True).close()
    own = journal_of(output).name
    assert {path.name for path in tmp_path.iterdir()} == {own, f"{own}.lock"}


def test_readers_do_not_stand_in_each_others_way_and_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with locked(path, alone=False), locked(path, alone=False):
        assert list(tmp_path.iterdir()) == []


def test_a_lock_that_a_killed_run_left_behind_holds_nobody_up(tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    code = "import os, sys; from pathlib import Path; from acumen.runner.lock import locked\n"
    code += "with locked(Path(sys.argv[1]), alone=True): os._exit(9)"
    path = journal_of(output)
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert (done.returncode, path.with_name(f"{path.name}.lock").exists()) == (9, True)
    open_journal(output, HEADER, resume=False).close()
    assert {p.name for p in tmp_path.iterdir()} == {path.name, f"{path.name}.lock"}
