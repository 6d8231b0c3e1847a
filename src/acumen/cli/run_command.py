"""``acumen run``: ask a model about cases and write a run file."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.cli import PARTIAL
from acumen.defaults import CONSISTENCY_SAMPLES
from acumen.errors import AcumenError, UsageError, counted, printable

if TYPE_CHECKING:
    from acumen.runner.execute import Run
    from acumen.runner.plan import Plan

app = typer.Typer(add_completion=False)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_CONSISTENCY = ("ENABLED", "N_SAMPLES", "TEMPERATURE")
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


class ApiChoice(StrEnum):
    """Which API the endpoint speaks."""

    chat = "chat"
    responses = "responses"
    messages = "messages"


class OmitChoice(StrEnum):
    """An option that some endpoint does not take."""

    temperature = "temperature"
    seed = "seed"
    max_tokens = "max_tokens"


@app.command()
def run(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="A task's name (phq8, allergy) or a .toml file.")],
    cases: Annotated[str, typer.Option(help="Cases as JSON; 'demo' for the bundled ones.")],
    model: Annotated[
        list[str],
        typer.Option(
            help="The endpoint's model; 'local' for the small one here; several, in turn."
        ),
    ],
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint; default OPENAI_BASE_URL.")
    ] = None,
    api: Annotated[
        ApiChoice,
        typer.Option(help="OpenAI's chat completions or responses; or Anthropic's messages."),
    ] = ApiChoice.chat,
    api_key_env: Annotated[
        str | None, typer.Option(help="The variable that holds the key for this endpoint.")
    ] = None,
    api_version: Annotated[str | None, typer.Option(help="Azure's api-version.")] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="Send a header, 'Name: value'; as often as needed.")
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
    max_completion_tokens: Annotated[
        int | None, typer.Option(min=1, help="The same under its newer name in the request.")
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
    extra_body: Annotated[
        str | None, typer.Option(help="Further fields of every request, a JSON object.")
    ] = None,
    embedding_model: Annotated[
        str | None, typer.Option(help="Embed references at the endpoint instead of TF-IDF.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds an attempt may take.")] = 120.0,
    retries: Annotated[int, typer.Option(min=0, max=50, help="Attempts after a failed one.")] = 5,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.1, help="Ask no faster than this.")
    ] = None,
    tokens_per_minute: Annotated[
        float | None, typer.Option(min=1, help="Use no more tokens a minute than this.")
    ] = None,
    failure_limit: Annotated[
        int | None, typer.Option(min=1, help="End at so many questions without a usable reply.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="End after so many seconds.")
    ] = None,
    token_limit: Annotated[
        int | None, typer.Option(min=1, help="End at so many tokens of prompts and replies.")
    ] = None,
    cost_limit: Annotated[
        float | None, typer.Option(min=0, help="End at so much money, by the two prices.")
    ] = None,
    prompt_price: Annotated[
        float | None, typer.Option(min=0, help="Price of a million prompt tokens.")
    ] = None,
    completion_price: Annotated[
        float | None, typer.Option(min=0, help="Price of a million reply tokens.")
    ] = None,
) -> None:
    """Ask a model about every case and write a run file with every signal.

    The key comes from the environment: OPENAI_API_KEY goes to OpenAI alone, --api-key-env names
    the variable for another endpoint. Every option can be set there too, as ACUMEN_RUN_SAMPLES=5.

    Example: acumen run phq8 --cases demo --model local --samples 3
    """
    options = dict(locals())  # by the names of the door's keywords
    del (
        options["context"],
        options["task"],
        options["cases"],
        options["model"],
        options["compute_aurc"],
    )
    source = context.get_parameter_source("samples")
    is_stated = source is not None and source.name != "DEFAULT"
    samples, temperature = _consistency(samples, temperature, is_stated=is_stated)
    options |= {"samples": samples, "temperature": temperature, "omit": omit or ()}
    options |= {"header": _headers(header or ()), "extra_body": _fields(extra_body)}
    codes = []
    for name in model:
        if len(model) > 1:
            typer.echo(f"model {printable(name)}", err=True)
            options["output"] = _output_of(name, task, output)
        codes.append(_ask_one(task, cases, name, options, compute_aurc=compute_aurc))
        if codes[-1] == INTERRUPTED:
            break
    raise typer.Exit(max(codes))


def _output_of(model: str, task: str, output: Path | None) -> Path:
    """The run file of one of several models: the model's name goes before the suffix."""
    path = output or Path(f"{Path(task).stem}-run.json")
    return path.with_name(f"{path.stem}-{_NOT_IN_NAMES.sub('-', model)}{path.suffix}")


def _ask_one(
    task: str, cases: str, model: str, options: dict[str, Any], *, compute_aurc: bool
) -> int:
    """Run one model; the exit code of how it ended."""
    from acumen.cli.progress import RunProgress
    from acumen.runner import run as run_task

    prices = options["prompt_price"], options["completion_price"]
    has_prices = any(price is not None for price in prices)
    progress = RunProgress(prices=(prices[0] or 0.0, prices[1] or 0.0) if has_prices else None)
    try:
        with progress:
            result = run_task(task, cases, model, **options, watcher=progress)
    except (AcumenError, KeyboardInterrupt):
        if progress.journal is not None and (progress.done or progress.before):
            _say_how_to_continue(progress.journal)
        raise
    return _conclude(result, dry_run=options["dry_run"], compute_aurc=compute_aurc)


def _headers(lines: Sequence[str]) -> dict[str, str]:
    """Headers by name, from ``Name: value``; a value may be a secret and is never shown."""
    pairs = [line.partition(":") for line in lines]
    if not all(colon for _, colon, _ in pairs):
        raise UsageError("--header must be 'Name: value'")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _fields(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    from acumen.files.json import parse_json

    fields = parse_json(text, source="--extra-body")
    if not isinstance(fields, dict):
        raise UsageError('--extra-body must be a JSON object, as {"top_p": 0.9}')
    return fields


def _consistency(
    samples: int, temperature: float | None, *, is_stated: bool
) -> tuple[int, float | None]:
    """Samples and temperature as the ``CONSISTENCY_`` variables have it, where no option does."""
    settings = {name: os.environ.get(f"CONSISTENCY_{name}") for name in _CONSISTENCY}
    wanted = (settings["ENABLED"] or "").strip().lower() in ("1", "true", "yes", "on")
    if is_stated or not wanted:
        return samples, temperature
    try:
        samples = int(settings["N_SAMPLES"] or CONSISTENCY_SAMPLES)
        if temperature is None and settings["TEMPERATURE"]:
            temperature = float(settings["TEMPERATURE"])
    except ValueError:
        samples = 0
    if not 1 <= samples <= 100 or not 0 <= (temperature or 0) <= 2:
        raise UsageError("CONSISTENCY_N_SAMPLES must be 1 to 100, CONSISTENCY_TEMPERATURE 0 to 2")
    heat = "" if temperature is None else f" at temperature {temperature:g}"
    typer.echo(f"CONSISTENCY_ENABLED: {counted(samples, 'sample')} each{heat}", err=True)
    return samples, temperature


def _conclude(result: Run, *, dry_run: bool, compute_aurc: bool) -> int:
    """Say how the run ended, or what it would ask; the exit code for it."""
    from acumen.runner.summary import preview, selective_summary

    if dry_run:
        typer.echo("\n".join(preview(result.plan, result.limits, result.concurrency)))
        typer.echo(f"would write {result.output}; nothing was asked")
        return 0
    if result.failures is not None:
        part = " (a part)" if result.stop else ""
        typer.echo(f"wrote {result.output}{part}", err=True)
        for line in _failures(result.failures, result.plan):
            typer.echo(line, err=True)
    if result.stop is not None:
        typer.echo(_why(result), err=True)
        _say_how_to_continue(result.journal)
    if compute_aurc and result.artifact is not None:
        typer.echo("\n".join(selective_summary(result.artifact, result.plan)))
    if result.stop == "interrupted":
        return INTERRUPTED
    return PARTIAL if result.stop or result.failed_cases else 0


def _why(result: Run) -> str:
    """Why a run ended with questions left."""
    assert result.stop is not None
    reason = f" (the last: {printable(result.reason)})" if result.reason else ""
    words = {
        "interrupted": "interrupted",
        "no_replies": f"{printable(result.plan.settings.endpoint)} gives no replies{reason}",
        "failure_limit": f"the limit on failures is reached{reason}",
        "time_limit": "the time is up",
        "token_limit": "the tokens are used up",
        "cost_limit": "the money is used up",
    }
    return words[result.stop]


def _say_how_to_continue(journal: Path) -> None:
    """Where a stopped run stands, and the command that goes on with it."""
    arguments = [a for a in sys.argv[1:] if a != "--resume"]
    for at, word in enumerate(arguments[:-1]):
        if word == "--header":  # its value may be a key
            arguments[at + 1] = arguments[at + 1].partition(":")[0] + ": …"
    typer.echo(f"stopped; what is done is in {journal}", err=True)
    typer.echo(f"continue with: {shlex.join(['acumen', *arguments, '--resume'])}", err=True)


def _failures(summary: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """Outcomes and reasons, counted, and what can be done about them."""
    outcomes, reasons = summary["outcomes"], summary["reasons"]
    yield "questions: " + ", ".join(f"{n:,} {name}" for name, n in outcomes.items())
    if reasons:
        yield "reasons: " + ", ".join(f"{n:,} {printable(name)}" for name, n in reasons.items())
    if summary["failed_cases"]:
        yield f"{counted(len(summary['failed_cases']), 'case')} failed"
    hopeless = {"context_too_long", "body_too_large"} & reasons.keys()
    if {"http_400", "http_422"} & reasons.keys():
        yield (
            "HTTP 400 and 422 may mean an option that the endpoint does not take: "
            "try --top-logprobs 0, --reply-format json or text, --omit seed, with another --output"
        )
    if "body_too_large" in hopeless:
        fewer = "try a smaller --top-logprobs, or 0, with another --output"
        yield f"replies were larger than {plan.settings.max_tokens:,} tokens can be: {fewer}"
    if "context_too_long" in hopeless:
        yield "prompts were longer than the model's context: shorten these cases"
    if outcomes.get("transport_failure", 0) > sum(reasons[name] for name in hopeless):
        yield "to ask again what got no reply, add --resume"
