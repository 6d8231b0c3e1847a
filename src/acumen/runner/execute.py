"""A plan executed: lock and journal, drive, and write the run file of what was answered."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.errors import DataError
from acumen.files.json import created_at, read_json, write_bytes
from acumen.runner.access import Access
from acumen.runner.adaptation import shape_of
from acumen.runner.artifact import assemble
from acumen.runner.connections import http_library
from acumen.runner.drive import Driver, final_records
from acumen.runner.endpoint import Endpoint, Patience, Watcher
from acumen.runner.journal import VERSION, Journal, check_journal, journal_of, open_journal
from acumen.runner.limits import Limits, Stop
from acumen.runner.local import model_file, serve_local, server_library
from acumen.runner.ownership import is_replaceable, leftovers
from acumen.runner.plan import Plan
from acumen.runner.provenance import provenance

if TYPE_CHECKING:
    from acumen.runner.withhold import Sieve


@dataclass(frozen=True)
class Run:
    """A run: what was planned, where it is written, and how it ended.

    ``stop`` says why questions are left, ``reason`` why the last one that got no reply got none.
    """

    plan: Plan
    output: Path
    failures: Mapping[str, Any] | None = None
    """The run file's summary of outcomes, reasons and failed cases, where one was written."""
    stop: Stop | None = None
    reason: str | None = None
    limits: Limits = field(default_factory=Limits)
    concurrency: int = 8
    left: int = 0
    """Of a dry run, the questions that the journal does not answer."""

    @cached_property
    def artifact(self) -> dict[str, Any] | None:
        """The run file's document, of all cases that are whole; None where there is none."""
        document = None if self.failures is None else read_json(self.output)
        return document if isinstance(document, dict) else None

    @property
    def journal(self) -> Path:
        """Where every finished question is, beside the run file."""
        return journal_of(self.output)

    @property
    def failed_cases(self) -> int:
        """Cases without one usable answer."""
        return len(self.failures["failed_cases"]) if self.failures else 0


def execute(
    plan: Plan,
    output: Path,
    access: Access | str | None,
    *,
    resume: bool = False,
    dry_run: bool = False,
    concurrency: int = 8,
    patience: Patience | None = None,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
    sieve: Sieve | None = None,
) -> Run:
    """Ask all questions of a plan and write the run file. ``access`` None: the local model.

    Answers that do not pass a sieve are left open in it. A dry run refuses what a run would refuse
    before its first question; it asks and writes nothing.
    """
    access = Access(access, plan.settings.api) if isinstance(access, str) else access
    limits, watcher = limits or Limits(), watcher or Watcher()
    http_library()  # what it takes to ask at all: the packages, the weights, or a key
    if access is None:
        model_file()
        server_library()
    else:
        access.key()
    header = {
        "journal": VERSION,
        "run_id": uuid.uuid4().hex[:12],
        "started": created_at(),
        "plan": plan.identity(),
        "provenance": provenance(plan, is_local=access is None),
    }
    if dry_run:
        records = check_journal(output, header, plan.faults(), resume=resume)
        left = plan.size - len(final_records(plan, records))
        return Run(plan, output, limits=limits, concurrency=concurrency, left=left)
    journal = open_journal(output, header, plan.faults(), resume=resume)
    try:
        # what a writer that was killed left beside the run file; the lock is held
        for leftover in leftovers(output):
            leftover.unlink(missing_ok=True)
        watcher.begin(plan, journal)
        with nullcontext(access) if access is not None else serve_local() as where:
            shape = shape_of(journal.records, plan.settings)
            endpoint = Endpoint(where, plan.settings, patience or Patience(), watcher, shape)
            driver = Driver(plan, endpoint, journal, watcher, limits)
            try:
                asyncio.run(driver.drive(concurrency))
            except BaseException:
                with suppress(DataError):  # the first error is the one to tell
                    _write(plan, journal, output, sieve)
                raise
        failures = _write(plan, journal, output, sieve)
        return Run(plan, output, failures, driver.stop, driver.reason)
    finally:
        journal.close()


def _write(
    plan: Plan, journal: Journal, output: Path, sieve: Sieve | None
) -> Mapping[str, Any] | None:
    """Write the run file of all cases that are whole; of none there is none. Its summary."""
    artifact = assemble(plan, journal, sieve)
    if artifact is None:
        return None
    if not is_replaceable(output, journal.header.get("run_id")):
        message = "is there now and is not what this run wrote: move it, and add --resume"
        raise DataError([message], output.name)
    write_bytes(output, artifact.encode(), private=True)
    return artifact.summary
