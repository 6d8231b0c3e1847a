"""What ``acumen run`` tells: how it goes on standard error, what was asked for on the other."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from acumen.errors import counted, printable

if TYPE_CHECKING:
    from acumen.runner.journal import Journal
    from acumen.runner.plan import Plan
    from acumen.runner.progress import Progress


def dry_run(plan: Plan, output: Path, address: str | None, *, resume: bool) -> None:
    """Refuse what the run would refuse, then say what it would ask."""
    from acumen.runner.preview import preview
    from acumen.runner.run import check

    check(plan, output, address, resume=resume)
    for line in preview(plan):
        typer.echo(line)
    typer.echo(f"would write {output}; nothing was asked")


def start(plan: Plan, journal: Journal, progress: Progress) -> None:
    """What an earlier run left."""
    from acumen.runner.drive import settled_records

    settled = settled_records(plan, journal)
    progress.carry_on(settled)
    if journal.repaired:
        progress.say("the journal's last line was torn and has been cut off")
    if settled:
        verb = "was" if len(settled) == 1 else "were"
        failed = f", {progress.failed} without a usable reply" if progress.failed else ""
        asked = counted(plan.size, "question")
        progress.say(f"{len(settled)} of {asked} {verb} answered before{failed}")


def resume(journal: Path) -> None:
    """Where a stopped run stands, and the command that goes on with it."""
    arguments = [a for a in sys.argv[1:] if a != "--resume"]
    typer.echo(f"stopped; what is done is in {journal}", err=True)
    typer.echo(f"continue with: {shlex.join(['acumen', *arguments, '--resume'])}", err=True)


def failures(summary: dict[str, Any]) -> None:
    """Outcomes and reasons, counted, and what can be done about them."""
    outcomes = ", ".join(f"{n} {name}" for name, n in summary["outcomes"].items())
    typer.echo(f"questions: {outcomes}", err=True)
    if summary["reasons"]:
        reasons = ", ".join(f"{n} {printable(name)}" for name, n in summary["reasons"].items())
        typer.echo(f"reasons: {reasons}", err=True)
    if summary["failed_cases"]:
        typer.echo(f"{counted(len(summary['failed_cases']), 'case')} failed", err=True)
    if {"http_400", "http_422"} & summary["reasons"].keys():
        typer.echo(
            "HTTP 400 and 422 may mean an option that the endpoint does not take: "
            "try --top-logprobs 0, --reply-format json or text, --omit seed, with another --output",
            err=True,
        )
    if "transport_failure" in summary["outcomes"]:
        typer.echo("to ask again what got no reply, add --resume", err=True)


def aurc(artifact: dict[str, Any], plan: Plan) -> None:
    """One line a mode."""
    from acumen.runner.summary import selective_summary

    for line in selective_summary(artifact, plan):
        typer.echo(line)
