"""``acumen run``: ask a model about cases and write a run file."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

import typer

from acumen.cli import PARTIAL
from acumen.cli.options import READING, say, takes
from acumen.defaults import CONSISTENCY_SAMPLES
from acumen.errors import AcumenError, UsageError, counted, printable
from acumen.runner.choices import Api, Modes, Option, ReplyFormat

if TYPE_CHECKING:
    from acumen.runner.execute import Run
    from acumen.runner.plan import Plan

app = typer.Typer(add_completion=False)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_CONSISTENCY = ("ENABLED", "N_SAMPLES", "TEMPERATURE")
INTERRUPTED = 130
MOST_SAMPLES = 100
_SAMPLES = ("--samples", "--consistency-samples")


def _option(kind: Any, help_text: str, *flags: str, **bounds: Any) -> Any:
    return Annotated[kind, say(help_text, *flags, **bounds)]


_OPTIONAL: Final = ", ".join(get_args(Option))
_WHOLE, _NUMBER, _TEXT, _TEXTS = int | None, float | None, str | None, list[str] | None
_ROWS: Final = ("case", "item", "truth", "where", "rows", "format", "mapping")
OPTIONS: Final[Mapping[str, Any]] = {
    "base_url": _option(_TEXT, "An OpenAI-compatible endpoint; default OPENAI_BASE_URL."),
    "api": _option(Api, "OpenAI's chat completions or responses; or Anthropic's messages."),
    "api_key_env": _option(_TEXT, "The variable that holds the key for this endpoint."),
    "api_version": _option(_TEXT, "Azure's api-version."),
    "header": _option(_TEXTS, "Send a header, 'Name: value'; as often as needed."),
    "mode": _option(Modes, "Which prompts: without references, with them, or both, paired."),
    "samples": _option(
        int, "Asks per case; see CONSISTENCY_ENABLED.", *_SAMPLES, min=1, max=MOST_SAMPLES
    ),
    "references": _option(_TEXT, "References of few-shot prompts, JSON or 'demo'."),
    "concurrency": _option(_WHOLE, "Questions in flight; 8, or 1 for local.", min=1, max=500),
    "limit": _option(_WHOLE, "Only the first N cases.", min=1),
    "output": _option(Path | None, "The run file; default TASK-run.json."),
    "resume": _option(bool, "Continue a run that stopped.", "--resume"),
    "dry_run": _option(bool, "Check all, ask nothing.", "--dry-run"),
    "temperature": _option(_NUMBER, "Default 0; 0.7 with several samples.", min=0, max=2),
    "max_tokens": _option(_WHOLE, "Longest reply in tokens; default is the task's.", min=1),
    "max_completion_tokens": _option(_WHOLE, "The same under its newer name.", min=1),
    "seed": _option(int, "Seed of the first sample; the next ones count up."),
    "top_logprobs": _option(int, "Alternatives per token; 0 asks for none.", min=0, max=20),
    "reply_format": _option(ReplyFormat, "How the endpoint is held to JSON."),
    "omit": _option(_TEXTS, f"Leave an option out of every request: {_OPTIONAL}."),
    "extra_body": _option(_TEXT, "Further fields of every request, a JSON object."),
    "embedding_model": _option(_TEXT, "Embed references at the endpoint instead of TF-IDF."),
    "timeout": _option(float, "Seconds an attempt may take.", min=0.1),
    "retries": _option(int, "Attempts after a failed one.", min=0, max=50),
    "requests_per_minute": _option(_NUMBER, "Ask no faster than this.", min=0.1),
    "tokens_per_minute": _option(_NUMBER, "Use no more tokens a minute than this.", min=1),
    "failure_limit": _option(_WHOLE, "End at so many questions without a usable reply.", min=1),
    "time_limit": _option(_NUMBER, "End after so many seconds.", min=0),
    "token_limit": _option(_WHOLE, "End at so many tokens of prompts and replies.", min=1),
    "cost_limit": _option(_NUMBER, "End at so much money, by the two prices.", min=0),
    "prompt_price": _option(_NUMBER, "Price of a million prompt tokens.", min=0),
    "completion_price": _option(_NUMBER, "Price of a million reply tokens.", min=0),
    "threshold": _option(Path | None, "Leave answers open that this threshold does not accept."),
    "text_column": _option(
        _TEXTS, "Of cases in rows, the column of the text; INPUT=COLUMN where there are several."
    ),
    **{name: READING[name] for name in _ROWS},
}
"""The keywords of :func:`acumen.run`."""


@app.command()
@takes(
    OPTIONS,
    "options",
    api="chat",
    mode="zero_shot",
    samples=1,
    seed=0,
    top_logprobs=20,
    reply_format="schema",
    timeout=120.0,
    retries=5,
)
def run(
    context: typer.Context,
    task: Annotated[str, typer.Argument(help="A task's name (phq8, allergy) or a .toml file.")],
    cases: Annotated[str, say("Cases: JSON, CSV, …; 'demo' for the bundled ones.")],
    model: Annotated[
        list[str], say("The endpoint's model; 'local' for the small one here; several, in turn.")
    ],
    options: dict[str, Any],
    compute_aurc: Annotated[
        bool, say("Print AURC and risk at 50% coverage after.", "--compute-aurc")
    ] = False,
) -> None:
    """Ask a model about every case and write a run file with every signal.

    The key comes from the environment: OPENAI_API_KEY goes to OpenAI alone, --api-key-env names
    the variable for another endpoint. Every option can be set there too, as ACUMEN_RUN_SAMPLES=5.

    Example: acumen run phq8 --cases demo --model local --samples 3

    Example: acumen run judge --cases answers.json --model local --dry-run
    """
    source = context.get_parameter_source("samples")
    if source is None or source.name == "DEFAULT":
        options |= _consistency(options.get("temperature"))
    for name in ("header", "text_column"):  # with blanks in them: a variable has one a line
        source = context.get_parameter_source(name)
        if source is not None and source.name == "ENVIRONMENT":
            options[name] = os.environ[f"ACUMEN_RUN_{name.upper()}"].splitlines()
    options |= {"header": _headers(options.get("header", ()))}
    options |= {"extra_body": _fields(options.get("extra_body"))}
    from acumen.runner.refusals import EndpointRefusal

    output = options.get("output") or Path(f"{Path(task).stem}-run.json")
    outputs = {name: _output_of(name, output) if len(model) > 1 else output for name in model}
    if len(set(outputs.values())) < len(model):
        raise UsageError("two models would write one run file: ask them in two commands")
    codes = []
    for name, file in outputs.items():
        if len(model) > 1:
            typer.echo(f"model {printable(name)}", err=True)
        one = options | {"output": file}
        try:
            codes.append(_ask_one(task, cases, name, one, compute_aurc=compute_aurc))
        except EndpointRefusal as error:  # of one model; the next may be answered
            if len(model) == 1:
                raise
            typer.echo(f"acumen: {error}", err=True)
            codes.append(error.exit_code)
        if codes[-1] == INTERRUPTED:
            break
    raise typer.Exit(max(codes))


def _output_of(model: str, output: Path) -> Path:
    """The run file of one of several models: the model's name goes before the suffix."""
    return output.with_name(f"{output.stem}-{_NOT_IN_NAMES.sub('-', model)}{output.suffix}")


def _ask_one(
    task: str, cases: str, model: str, options: dict[str, Any], *, compute_aurc: bool
) -> int:
    """Run one model; the exit code of how it ended."""
    from acumen.cli.progress import RunProgress
    from acumen.runner import run as run_task

    prices = options.get("prompt_price"), options.get("completion_price")
    has_prices = any(price is not None for price in prices)
    progress = RunProgress(prices=(prices[0] or 0.0, prices[1] or 0.0) if has_prices else None)
    try:
        with progress:
            result = run_task(task, cases, model, **options | {"watcher": progress})
    except (AcumenError, KeyboardInterrupt):
        if progress.journal is not None and (progress.done or progress.before):
            _say_how_to_continue(progress.journal)
        raise
    return _conclude(result, dry_run="dry_run" in options, compute_aurc=compute_aurc)


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


def _consistency(temperature: float | None) -> dict[str, Any]:
    """Samples and temperature as the ``CONSISTENCY_`` variables have it, where no option does."""
    settings = {name: os.environ.get(f"CONSISTENCY_{name}") for name in _CONSISTENCY}
    if (settings["ENABLED"] or "").strip().lower() not in ("1", "true", "yes", "on"):
        return {}
    try:
        samples = int(settings["N_SAMPLES"] or CONSISTENCY_SAMPLES)
        if temperature is None and settings["TEMPERATURE"]:
            temperature = float(settings["TEMPERATURE"])
    except ValueError:
        samples = 0
    if not 1 <= samples <= MOST_SAMPLES or not 0 <= (temperature or 0) <= 2:
        raise UsageError("CONSISTENCY_N_SAMPLES must be 1 to 100, CONSISTENCY_TEMPERATURE 0 to 2")
    heat = "" if temperature is None else f" at temperature {temperature:g}"
    typer.echo(f"CONSISTENCY_ENABLED: {counted(samples, 'sample')} each{heat}", err=True)
    return {"samples": samples, "temperature": temperature}


def _conclude(result: Run, *, dry_run: bool, compute_aurc: bool) -> int:
    """Say how the run ended, or what it would ask; the exit code for it."""
    from acumen.runner.summary import preview, selective_summary

    if dry_run:
        typer.echo("\n".join(preview(result.plan, result.limits, result.concurrency, result.left)))
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
    for at, (before, word) in enumerate(pairwise(("", *arguments))):
        if before == "--header" or word.startswith("--header="):  # its value may be a key
            arguments[at] = word.partition(":")[0] + ": …"
    typer.echo(f"stopped; what is done is in {journal}", err=True)
    typer.echo(f"continue with: {shlex.join(['acumen', *arguments, '--resume'])}", err=True)


def _failures(summary: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """Outcomes and reasons, counted, and what can be done about them."""
    outcomes, reasons = summary["outcomes"], summary["reasons"]
    yield "questions: " + ", ".join(f"{n:,} {name}" for name, n in outcomes.items())
    if (sieve := summary.get("threshold")) is not None:
        bare = sieve["without_confidence"]
        tail = f", {bare:,} of them for lack of {sieve['confidence']}" if bare else ""
        yield f"withheld {sieve['withheld']:,} of {counted(sieve['answers'], 'answer')}{tail}"
        if shared := sieve["calibration_cases"]:
            yield f"warning: {counted(shared, 'case')} here made the threshold: no promise holds"
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
    hopeless |= {"http_400", "http_422"} & reasons.keys()
    if outcomes.get("transport_failure", 0) > sum(reasons[name] for name in hopeless):
        yield "to ask again what got no reply, add --resume"
