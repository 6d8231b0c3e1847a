"""A run as a whole: lock and journal, drive, and write the run file when nothing is left to ask."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import subprocess
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from glob import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from acumen._version import __version__
from acumen.files.json import write_json
from acumen.files.timestamps import created_at
from acumen.runner.artifact import assemble
from acumen.runner.drive import Report, drive
from acumen.runner.endpoint import Endpoint, key_from_environment, sdk
from acumen.runner.journal import VERSION, Journal, check_journal, open_journal
from acumen.runner.local import model_file, serve_local, server_library
from acumen.runner.plan import Plan
from acumen.runner.settings import Patience


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended. ``artifact`` is None when something is left to ask."""

    artifact: dict[str, Any] | None
    journal: Path

    @property
    def failed_cases(self) -> int:
        """Cases without one usable answer."""
        if self.artifact is None:
            return 0
        return len(self.artifact["failure_summary"]["failed_cases"])


def run(
    plan: Plan,
    output: Path,
    base_url: str | None,
    *,
    resume: bool = False,
    concurrency: int = 8,
    patience: Patience | None = None,
    report: Report = lambda record: None,
    started: Callable[[Journal], None] = lambda journal: None,
    stopping: Callable[[], None] = lambda: None,
) -> Finished:
    """Ask all questions and write the run file. ``base_url`` None serves the local model.

    ``started`` hears of the opened journal, ``report`` of every question once it is on disk,
    ``stopping`` of the first Ctrl-C.
    """
    _check_access(base_url)
    journal = open_journal(output, _header(plan, base_url), resume=resume)
    try:
        _sweep(output)
        started(journal)
        with contextlib.ExitStack() as stack:
            url = stack.enter_context(serve_local()) if base_url is None else base_url
            endpoint = Endpoint(
                url,
                plan.settings.model,
                patience or Patience(),
                key="none" if base_url is None else None,  # a key is for whom it was given
            )
            complete = asyncio.run(
                _drive(
                    endpoint,
                    plan,
                    journal,
                    concurrency=concurrency,
                    report=report,
                    stopping=stopping,
                )
            )
        artifact = assemble(plan, journal) if complete else None
        if artifact is not None:
            write_json(output, artifact, private=True)
        return Finished(artifact, journal.path)
    finally:
        journal.close()


def check(plan: Plan, output: Path, base_url: str | None, *, resume: bool = False) -> None:
    """Refuse what :func:`run` would refuse before its first question; ask and write nothing."""
    _check_access(base_url)
    check_journal(output, _header(plan, base_url), resume=resume)


def _check_access(base_url: str | None) -> None:
    """What it takes to ask at all: the packages, the weights, a key where one is needed."""
    sdk()
    if base_url is None:
        model_file()
        server_library()
    else:
        key_from_environment(base_url)


async def _drive(endpoint: Endpoint, plan: Plan, journal: Journal, **options: Any) -> bool:
    async with endpoint:
        return await drive(plan, endpoint, journal, **options)


def _sweep(output: Path) -> None:
    """Remove what a writer that was killed left beside the run file; the lock is held."""
    for leftover in output.parent.glob(f".{escape(output.name[:100])}.*.tmp"):
        leftover.unlink(missing_ok=True)


def _header(plan: Plan, base_url: str | None) -> dict[str, Any]:
    return {
        "journal": VERSION,
        "run_id": uuid.uuid4().hex[:12],
        "started": created_at(),
        "plan": plan.identity(),
        "provenance": provenance(plan, is_local=base_url is None),
    }


def provenance(plan: Plan, *, is_local: bool) -> dict[str, Any]:
    """Where and with what a run was made. The endpoint's host, and nothing else of its address."""
    commit = _git("rev-parse", "HEAD")
    status = _git("status", "--porcelain")
    return {
        "git_commit": commit or None,
        "git_dirty": bool(status) if status is not None else None,
        "acumen_version": __version__,
        "openai_version": _version("openai"),
        "xllamacpp_version": _version("xllamacpp") if is_local else None,
        "scikit_learn_version": _version("scikit-learn") if _uses_tfidf(plan) else None,
        "python_version": platform.python_version(),
        "platform": platform.platform(terse=True),
        "endpoint_host": plan.settings.endpoint,
        "model_file": model_file().name if is_local else None,
    }


def _uses_tfidf(plan: Plan) -> bool:
    return "few_shot" in plan.settings.modes and plan.settings.embedding_model is None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603  (fixed words, no shell)
            ["git", *arguments],  # noqa: S607  (the user's own git)
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
