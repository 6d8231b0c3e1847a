"""Where a run was made is read from files; no program of the folder's choosing is started."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest

from acumen.cli import run as acumen
from acumen.runner.provenance import commit_of

HASH = "0123456789abcdef0123456789abcdef01234567"


def git(folder: Path, *arguments: str) -> str:
    names = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "topic/one")
    (folder / "file.txt").write_text("x")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_a_run_starts_no_program_that_a_repository_names(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap, mark = repository / "trap.sh", repository / "executed"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "filter.x.clean", "core.sshCommand"):
        git(repository, "config", name, str(trap))
    (repository / ".gitattributes").write_text("* filter=x\n")
    (repository / "file.txt").write_text("y")
    subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False)
    assert mark.exists()  # the trap is a real one
    mark.unlink()
    named = repository / "uname"  # and none that a search path finds in the folder
    named.write_text(trap.read_text())
    named.chmod(0o755)
    monkeypatch.setenv("PATH", f":{os.environ['PATH']}")
    monkeypatch.setattr(platform, "_uname_cache", None, raising=False)
    monkeypatch.setattr(platform, "_platform_cache", {}, raising=False)
    monkeypatch.chdir(repository)
    command = ["run", "phq8", "--cases", "demo", "--model", "m", "--dry-run"]
    assert acumen([*command, "--base-url", "http://127.0.0.1:9/v1"]) == 0
    assert not mark.exists()


def test_the_commit_is_the_one_that_git_names(repository: Path, tmp_path: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    inner = repository / "a" / "b"
    inner.mkdir(parents=True)
    assert commit_of(inner) == commit
    git(repository, "pack-refs", "--all")
    assert commit_of(repository) == commit
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", str(linked), "-b", "two")
    (linked / "more").write_text("z")
    git(linked, "add", ".")
    git(linked, "commit", "-q", "-m", "two")
    assert commit_of(linked) == git(linked, "rev-parse", "HEAD") != commit
    git(repository, "checkout", "-q", "--detach")
    assert commit_of(repository) == commit


@pytest.mark.parametrize(
    "head",
    ["", "a secret", "ref: refs/../../secret", "ref: /etc/passwd", HASH + "0", "ref: refs/x"],
)
def test_nothing_but_a_hash_is_taken_from_a_repository(tmp_path: Path, head: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(head)
    (tmp_path / "secret").write_text("the heron")
    (tmp_path / ".git" / "refs").mkdir()
    (tmp_path / ".git" / "refs" / "x").write_text("the heron")
    assert commit_of(tmp_path) is None
    (tmp_path / ".git" / "HEAD").write_text(HASH + "\n")
    assert commit_of(tmp_path) == HASH


@pytest.mark.parametrize(("beyond", "commit"), [(0, HASH), (1, None)])
def test_files_of_a_repository_are_read_up_to_16_mebibytes(
    tmp_path: Path, beyond: int, commit: str | None
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with (tmp_path / ".git" / "packed-refs").open("wb") as packed:
        packed.write(f"{HASH} refs/heads/main\n".encode())
        packed.truncate(16 * 1024 * 1024 + beyond)
    assert commit_of(tmp_path) == commit


@pytest.mark.parametrize("size", [39, 40, 41, 63, 64, 65])
def test_a_hash_has_40_digits_or_64(tmp_path: Path, size: int) -> None:
    (tmp_path / ".git").mkdir()
    digits = ("0123456789abcdef" * 5)[:size]
    expected = digits if size in (40, 64) else None
    (tmp_path / ".git" / "HEAD").write_text(digits)
    assert commit_of(tmp_path) == expected
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (tmp_path / ".git" / "packed-refs").write_text(f"# pack-refs\n{digits} refs/heads/main\n")
    assert commit_of(tmp_path) == expected
