"""``acumen run``: ask a model about cases and write a run file."""

from __future__ import annotations

import contextlib
import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.cli import run_telling as tell
from acumen.errors import AcumenError, UsageError

if TYPE_CHECKING:
    from acumen.runner.cases import References
    from acumen.runner.journal import Journal
    from acumen.runner.plan import Plan
    from acumen.runner.progress import Prices
    from acumen.runner.settings import Mode
    from acumen.runner.task import Task

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
        typer.Option("--samples", "--consistency-samples", min=1, max=100, help="Asks per case."),
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
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> None:
    """Ask a model about every case and write a run file with every signal.

    The key comes from OPENAI_API_KEY and from nowhere else.

    Example: acumen run phq8 --cases demo --model local --samples 3
    """
    from acumen.runner.cases import read_cases
    from acumen.runner.plan import Plan
    from acumen.runner.settings import Patience, Settings
    from acumen.runner.task_file import read_task

    read = read_task(task)
    address = _address(model, base_url)
    settings = Settings(
        model=model,
        endpoint=_host(address),
        modes=_modes(mode),
        samples=samples,
        temperature=_temperature(temperature, samples),
        seed=seed,
        max_tokens=max_tokens or read.max_tokens,
        top_logprobs=top_logprobs or None,
        reply_format=reply_format.value,
        embedding_model=embedding_model,
        omit=tuple(sorted({choice.value for choice in omit or ()})),
    )
    known = _references(references, cases, mode, read)
    plan = Plan(read, read_cases(cases, read), known, settings, limit)
    output = output or Path(f"{read.name}-run.json")
    if dry_run:
        tell.dry_run(plan, output, address, resume=resume)
        return
    _run(
        plan,
        output,
        address,
        resume=resume,
        concurrency=concurrency or (8 if address else 1),
        patience=Patience(timeout=timeout, retries=retries),
        prices=_prices(prompt_price, completion_price),
        compute_aurc=compute_aurc,
    )


def _temperature(given: float | None, samples: int) -> float:
    """Samples that are to differ need some."""
    from acumen.runner.settings import SAMPLING_TEMPERATURE

    if given is not None:
        return given
    return SAMPLING_TEMPERATURE if samples > 1 else 0.0


def _references(given: str | None, cases: str, mode: ModeChoice, task: Task) -> References | None:
    """The references of few-shot prompts; the bundled cases bring their own."""
    from acumen.runner.cases import DEMO, read_references

    if given is None and cases == DEMO and mode is not ModeChoice.zero_shot:
        given = DEMO
    return None if given is None else read_references(given, task)


def _modes(mode: ModeChoice) -> tuple[Mode, ...]:
    match mode:
        case ModeChoice.zero_shot:
            return ("zero_shot",)
        case ModeChoice.few_shot:
            return ("few_shot",)
        case ModeChoice.both:
            return ("zero_shot", "few_shot")


def _address(model: str, base_url: str | None) -> str | None:
    """Where to ask; None is the local model."""
    from acumen.runner.endpoint import OPENAI_URL
    from acumen.runner.local import LOCAL

    if model == LOCAL:
        if base_url is not None:
            raise UsageError("--model local serves itself: leave --base-url out")
        return None
    return base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL


def _host(address: str | None) -> str:
    from acumen.runner.endpoint import host_of
    from acumen.runner.local import LOCAL

    return LOCAL if address is None else host_of(address)


def _prices(prompt: float | None, completion: float | None) -> Prices | None:
    from acumen.runner.progress import Prices

    if prompt is None and completion is None:
        return None
    return Prices(prompt or 0.0, completion or 0.0)


def _run(
    plan: Plan,
    output: Path,
    address: str | None,
    *,
    prices: Prices | None,
    compute_aurc: bool,
    **options: Any,
) -> None:
    from acumen.runner.journal import journal_of
    from acumen.runner.progress import Progress
    from acumen.runner.run import run as run_plan

    progress = Progress(total=plan.size, prices=prices)
    try:
        with contextlib.ExitStack() as stack:

            def started(journal: Journal) -> None:
                tell.start(plan, journal, progress)
                stack.enter_context(progress)  # not before: a refused run has no progress to show

            finished = run_plan(
                plan,
                output,
                address,
                report=progress.report,
                started=started,
                stopping=lambda: progress.say("finishing what is in flight; Ctrl-C again drops it"),
                **options,
            )
    except (AcumenError, KeyboardInterrupt):
        if progress.done or progress.already:
            tell.resume(journal_of(output))
        raise
    if finished.artifact is None:
        tell.resume(finished.journal)
        raise typer.Exit(INTERRUPTED)
    typer.echo(f"wrote {output}", err=True)
    tell.failures(finished.artifact["failure_summary"])
    if compute_aurc:
        tell.aurc(finished.artifact, plan)
    if finished.failed_cases:
        raise typer.Exit(PARTIAL)
