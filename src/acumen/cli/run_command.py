"""``acumen run``: ask a model about cases and write a run file."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.defaults import CONSISTENCY_SAMPLES
from acumen.errors import AcumenError, counted, printable

if TYPE_CHECKING:
    from acumen.runner.execute import Run

app = typer.Typer(add_completion=False)
PARTIAL = 4
INTERRUPTED = 130


class ModeChoice(StrEnum):
    """Which prompts: without references, with them, or both, paired."""

    zero_shot = "zero_shot"
    few_shot = "few_shot"
    both = "both"


class FormatChoice(StrEnum):
    """What the endpoint is asked to hold its reply to."""

    schema = "schema"
    json = "json"
    text = "text"


class OmitChoice(StrEnum):
    """An option that some endpoint does not take."""

    temperature = "temperature"
    seed = "seed"
    max_tokens = "max_tokens"


def _asks(context: typer.Context, samples: int) -> int:
    """How often each case is asked: several times if CONSISTENCY_ENABLED and no number is given."""
    source = context.get_parameter_source("samples")
    wanted = os.environ.get("CONSISTENCY_ENABLED", "").strip().lower() in ("1", "true")
    is_stated = source is None or source.name != "DEFAULT"
    return samples if is_stated or not wanted else CONSISTENCY_SAMPLES


@app.command()
def run(
    task: Annotated[str, typer.Argument(help="A task's name (phq8, allergy) or a .toml file.")],
    cases: Annotated[str, typer.Option(help="Cases as JSON; 'demo' for the bundled ones.")],
    model: Annotated[
        str, typer.Option(help="The endpoint's model; 'local' for the small one here.")
    ],
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint; default OPENAI_BASE_URL.")
    ] = None,
    mode: Annotated[ModeChoice, typer.Option(help="Which prompts.")] = ModeChoice.zero_shot,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            "--consistency-samples",
            min=1,
            max=100,
            help="Asks per case; see CONSISTENCY_ENABLED.",
            callback=_asks,
        ),
    ] = 1,
    references: Annotated[
        str | None, typer.Option(help="References of few-shot prompts, JSON or 'demo'.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=500, help="Questions in flight; 8, or 1 for local.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")] = None,
    output: Annotated[
        Path | None, typer.Option(help="The run file; default TASK-run.json.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that stopped.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check all, ask nothing.")] = False,
    compute_aurc: Annotated[
        bool, typer.Option("--compute-aurc", help="Print AURC and risk at 50% coverage after.")
    ] = False,
    temperature: Annotated[
        float | None, typer.Option(min=0, max=2, help="Default 0; 0.7 with several samples.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Longest reply in tokens; default is the task's.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the first sample; the next ones count up.")
    ] = 0,
    top_logprobs: Annotated[
        int, typer.Option(min=0, max=20, help="Alternatives per token; 0 asks for none.")
    ] = 20,
    reply_format: Annotated[
        FormatChoice, typer.Option(help="How the endpoint is held to JSON.")
    ] = FormatChoice.schema,
    omit: Annotated[
        list[OmitChoice] | None, typer.Option(help="Leave an option out of every request.")
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Embed references at the endpoint instead of TF-IDF.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds an attempt may take.")] = 120.0,
    retries: Annotated[int, typer.Option(min=0, max=50, help="Attempts after a failed one.")] = 5,
    prompt_price: Annotated[
        float | None, typer.Option(min=0, help="Price of a million prompt tokens.")
    ] = None,
    completion_price: Annotated[
        float | None, typer.Option(min=0, help="Price of a million reply tokens.")
    ] = None,
) -> None:
    """Ask a model about every case and write a run file with every signal.

    The key comes from OPENAI_API_KEY and from nowhere else.

    Example: acumen run phq8 --cases demo --model local --samples 3
    """
    from acumen.cli.progress import RunProgress
    from acumen.runner import run as run_task

    prices = None
    if prompt_price is not None or completion_price is not None:
        prices = (prompt_price or 0.0, completion_price or 0.0)
    progress = RunProgress(prices=prices)
    try:
        with progress:
            result = run_task(
                task,
                cases,
                model,
                base_url=base_url,
                mode=mode.value,
                samples=samples,
                references=references,
                concurrency=concurrency,
                limit=limit,
                output=output,
                resume=resume,
                dry_run=dry_run,
                temperature=temperature,
                max_tokens=max_tokens,
                seed=seed,
                top_logprobs=top_logprobs,
                reply_format=reply_format.value,
                omit=[choice.value for choice in omit or ()],
                embedding_model=embedding_model,
                timeout=timeout,
                retries=retries,
                watcher=progress,
            )
    except (AcumenError, KeyboardInterrupt):
        if progress.journal is not None and (progress.done or progress.before):
            _say_how_to_continue(progress.journal)
        raise
    _conclude(result, dry_run=dry_run, compute_aurc=compute_aurc)


def _conclude(result: Run, *, dry_run: bool, compute_aurc: bool) -> None:
    """Say how the run ended, or what it would ask; and leave with the code for it."""
    from acumen.runner.summary import preview, selective_summary

    if dry_run:
        typer.echo("\n".join(preview(result.plan)))
        typer.echo(f"would write {result.output}; nothing was asked")
        return
    if result.artifact is None:
        _say_how_to_continue(result.journal)
        raise typer.Exit(INTERRUPTED)
    typer.echo(f"wrote {result.output}", err=True)
    for line in _failures(result.artifact["failure_summary"]):
        typer.echo(line, err=True)
    if compute_aurc:
        typer.echo("\n".join(selective_summary(result.artifact, result.plan)))
    if result.failed_cases:
        raise typer.Exit(PARTIAL)


def _say_how_to_continue(journal: Path) -> None:
    """Where a stopped run stands, and the command that goes on with it."""
    arguments = [a for a in sys.argv[1:] if a != "--resume"]
    typer.echo(f"stopped; what is done is in {journal}", err=True)
    typer.echo(f"continue with: {shlex.join(['acumen', *arguments, '--resume'])}", err=True)


def _failures(summary: dict[str, Any]) -> Iterator[str]:
    """Outcomes and reasons, counted, and what can be done about them."""
    yield "questions: " + ", ".join(f"{n} {name}" for name, n in summary["outcomes"].items())
    if summary["reasons"]:
        reasons = (f"{n} {printable(name)}" for name, n in summary["reasons"].items())
        yield "reasons: " + ", ".join(reasons)
    if summary["failed_cases"]:
        yield f"{counted(len(summary['failed_cases']), 'case')} failed"
    if {"http_400", "http_422"} & summary["reasons"].keys():
        yield (
            "HTTP 400 and 422 may mean an option that the endpoint does not take: "
            "try --top-logprobs 0, --reply-format json or text, --omit seed, with another --output"
        )
    if "transport_failure" in summary["outcomes"]:
        yield "to ask again what got no reply, add --resume"
