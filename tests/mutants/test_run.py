"""Runs that stay apart: what is recorded, and where it and temporary files lie."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mutants.__main__ import put
from mutants.run import environment, record


def test_what_a_fresh_machine_lacks_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[str] = []

    def run(command: Sequence[str | Path], **_: object) -> None:
        commands.append(" ".join(map(str, command)))

    monkeypatch.setattr(subprocess, "run", run)
    record(tmp_path / "project", tmp_path, 2, ["tests/table"])
    assert "not slow and not browser and not engines" in commands[0]
    assert commands[0].endswith("tests/table")


def test_temporary_files_and_caches_lie_beside_the_copy_that_is_tested(tmp_path: Path) -> None:
    one, two = (environment(tmp_path / name) for name in "01")
    for name in ("TMPDIR", "XDG_CACHE_HOME"):
        assert Path(one[name]).is_relative_to(tmp_path)
        assert not Path(one[name]).is_relative_to(tmp_path / "0")
        assert one[name] != two[name]


def test_of_two_recordings_of_one_content_the_first_stays(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lines").write_text(name)
        assert put(tmp_path / name, tmp_path / "place") == tmp_path / "place"
    assert (tmp_path / "place" / "lines").read_text() == "first"
