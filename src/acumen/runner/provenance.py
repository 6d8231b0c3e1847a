"""Where and with what a run was made, read without running anything.

A repository's configuration can name programs that ``git`` itself would start (a monitor, a
filter), so the commit is read from the repository's files. Whether the working tree has changes
is not known that way, and is left unknown.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from acumen._version import __version__
from acumen.runner.local import model_file
from acumen.runner.plan import Plan

_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE: Final = re.compile(r"ref: (refs/[\w./+@-]+)")
_MOST: Final = 16 << 20


def provenance(plan: Plan, *, is_local: bool) -> dict[str, Any]:
    """The facts of a run. The endpoint's host, and nothing else of its address."""
    uses_tfidf = "few_shot" in plan.settings.modes and plan.settings.embedding_model is None
    return {
        "git_commit": commit_of(Path.cwd()),
        "git_dirty": None,
        "acumen_version": __version__,
        "httpx2_version": _version("httpx2"),
        "xllamacpp_version": _version("xllamacpp") if is_local else None,
        "scikit_learn_version": _version("scikit-learn") if uses_tfidf else None,
        "python_version": platform.python_version(),
        "platform": f"{platform.system()}-{platform.release()}",  # platform() runs `uname`
        "endpoint_host": plan.settings.endpoint,
        "model_file": model_file().name if is_local else None,
    }


def commit_of(folder: Path) -> str | None:
    """The commit that is checked out in the repository around ``folder``; None where there is none.

    Nothing but a hash is taken from the files, whatever else they hold.
    """
    for repository in _repositories(folder):
        head = _text(repository / "HEAD")
        reference = _REFERENCE.fullmatch(head)
        if reference is None:
            return head if _COMMIT.fullmatch(head) else None
        # the branches of a linked working tree stand in the repository it belongs to
        common = repository / (_text(repository / "commondir") or ".")
        for root in (repository, common):
            commit = _text(root / reference[1])
            if ".." not in reference[1] and _COMMIT.fullmatch(commit):
                return commit
        packed = re.search(
            rf"^(\w+) {re.escape(reference[1])}$", _text(common / "packed-refs"), re.M
        )
        return packed[1] if packed and _COMMIT.fullmatch(packed[1]) else None
    return None


def _repositories(folder: Path) -> Iterator[Path]:
    """The ``.git`` folders of ``folder`` and those above it, nearest first."""
    for place in (folder, *folder.parents):
        entry = place / ".git"
        if entry.is_dir():
            yield entry
        elif link := _text(entry).removeprefix("gitdir: "):
            yield place / link


def _text(path: Path) -> str:
    """A small file's text; empty for what is no plain file, or may not be read."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST:
            return ""
        return path.read_text("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
