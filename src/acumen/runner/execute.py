"""A plan executed: lock and journal, drive, and write the run file when nothing is left to ask."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import nullcontext
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from acumen.files.json import created_at, write_json
from acumen.runner.artifact import assemble
from acumen.runner.drive import Driver, Watcher
from acumen.runner.endpoint import Endpoint, Patience, key_from_environment, sdk
from acumen.runner.journal import VERSION, check_journal, journal_of, open_journal
from acumen.runner.local import model_file, serve_local, server_library
from acumen.runner.plan import Plan
from acumen.runner.provenance import provenance


@dataclass(frozen=True, slots=True)
class Run:
    """A run: what was planned, where it is written, and the document, if there is one.

    ``artifact`` is None when something is left to ask: a dry run, or one that was interrupted.
    """

    plan: Plan
    output: Path
    artifact: dict[str, Any] | None = None

    @property
    def journal(self) -> Path:
        """Where every finished question is, beside the run file."""
        return journal_of(self.output)

    @property
    def failed_cases(self) -> int:
        """Cases without one usable answer."""
        return len(self.artifact["failure_summary"]["failed_cases"]) if self.artifact else 0


def execute(
    plan: Plan,
    output: Path,
    base_url: str | None,
    *,
    resume: bool = False,
    dry_run: bool = False,
    concurrency: int = 8,
    patience: Patience | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Ask all questions of a plan and write the run file. ``base_url`` None: the local model.

    A dry run refuses what a run would refuse before its first question; it asks and writes nothing.
    """
    _check_access(base_url)
    header = _header(plan, base_url)
    if dry_run:
        check_journal(output, header, resume=resume)
        return Run(plan, output)
    journal = open_journal(output, header, resume=resume)
    try:
        # what a writer that was killed left beside the run file; the lock is held
        for leftover in output.parent.glob(f".{escape(output.name[:100])}.*.tmp"):
            leftover.unlink(missing_ok=True)
        if watcher is not None:
            watcher.begin(plan, journal)
        with nullcontext(base_url) if base_url is not None else serve_local() as url:
            # a key is for whom it was meant: not for the local model
            key = "none" if base_url is None else None
            endpoint = Endpoint(url, plan.settings.model, patience or Patience(), key=key)
            complete = asyncio.run(Driver(plan, endpoint, journal, watcher).drive(concurrency))
        artifact = assemble(plan, journal) if complete else None
        if artifact is not None:
            write_json(output, artifact, private=True)
        return Run(plan, output, artifact)
    finally:
        journal.close()


def _check_access(base_url: str | None) -> None:
    """What it takes to ask at all: the packages, the weights, a key where one is needed."""
    sdk()
    if base_url is None:
        model_file()
        server_library()
    else:
        key_from_environment(base_url)


def _header(plan: Plan, base_url: str | None) -> dict[str, Any]:
    return {
        "journal": VERSION,
        "run_id": uuid.uuid4().hex[:12],
        "started": created_at(),
        "plan": plan.identity(),
        "provenance": provenance(plan, is_local=base_url is None),
    }
