"""One writer a journal, with the system's lock and without one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acumen.errors import UsageError
from acumen.runner import lock
from acumen.runner.journal import VERSION, check_journal, journal_of, open_journal

HEADER = {"journal": VERSION, "plan": {"task": "phq8"}}
FORMS = [lock.fcntl, None]


@pytest.mark.parametrize("form", FORMS, ids=["flock", "a file beside it"])
def test_a_journal_has_one_writer_and_is_free_afterwards(
    form: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "fcntl", form)
    output = tmp_path / "run.json"
    first = open_journal(output, HEADER, resume=False)
    for again in (open_journal, check_journal):
        with pytest.raises(UsageError, match="another run is writing"):
            again(output, HEADER, resume=True)
    first.close()
    check_journal(output, HEADER, resume=True)
    open_journal(output, HEADER, resume=True).close()
    assert [path.name for path in tmp_path.iterdir()] == [journal_of(output).name]


def test_readers_do_not_stand_in_each_others_way(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.touch()
    handles = [os.open(path, os.O_RDWR) for _ in range(2)]
    with lock.locked(handles[0], path, alone=False), lock.locked(handles[1], path, alone=False):
        pass
    for handle in handles:
        os.close(handle)


def test_a_lock_that_was_left_behind_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "fcntl", None)
    output = tmp_path / "run.json"
    journal_of(output).with_name(f"{journal_of(output).name}.lock").touch()
    with pytest.raises(UsageError, match=r"or delete .*run\.json\.journal\.lock.* if none does"):
        open_journal(output, HEADER, resume=False)
