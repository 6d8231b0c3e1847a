"""``acumen run``: ask a model about cases and write a run file."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from acumen.cli.output import emit
from acumen.cli.questions import help_of, inputs_of, option_of, signed
from acumen.declare import Parameter, say
from acumen.defaults import CONSISTENCY_SAMPLES
from acumen.errors import INTERRUPTED, AcumenError, UsageError, counted, printable
from acumen.questions import find_question
from acumen.questions.run import MOST_SAMPLES, file_of

if TYPE_CHECKING:
    from acumen.questions.answers import Answers

_CONSISTENCY = ("ENABLED", "N_SAMPLES", "TEMPERATURE")


def run(context: typer.Context, **options: Any) -> None:
    """Every model that is named, in turn."""
    task, cases, model = (options.pop(name) for name in ("task", "cases", "model"))
    after = {name: options.pop(name) for name in ("as_json", "compute_aurc")}
    options = {k: v for k, v in options.items() if not (v is None or v is False or v == [])}
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
    if "cascade" in options:
        raise typer.Exit(_ask_one(task, cases, model, options | {"output": output}, **after))
    outputs = {name: file_of(name, output) if len(model) > 1 else output for name in model}
    if len(set(outputs.values())) < len(model):
        raise UsageError("two models would write one run file: ask them in two commands")
    codes = []
    for name, file in outputs.items():
        if len(model) > 1:
            typer.echo(f"model {printable(name)}", err=True)
        one = options | {"output": file}
        try:
            codes.append(_ask_one(task, cases, name, one, **after))
        except EndpointRefusal as error:  # of one model; the next may be answered
            if len(model) == 1:
                raise
            typer.echo(f"acumen: {error}", err=True)
            codes.append(error.exit_code)
        if codes[-1] == INTERRUPTED:
            break
    raise typer.Exit(max(codes))


def _shown_fields(text: str) -> str:
    """The fields of every request, unless one of them may be a secret."""
    from acumen.runner.disclosure import HIDDEN, disclosed

    fields = _fields(text)
    return text if disclosed(fields) == fields else HIDDEN


_SECRETS: Final[Mapping[str, Callable[[str], str]]] = {
    "--header": lambda text: text.partition(":")[0] + ": …",
    "--extra-body": _shown_fields,
    "--api-key-command": lambda _: "…",
}
"""Options whose values may be secrets, and what is shown of them."""


def _ask_one(
    task: str, cases: str, model: str | list[str], options: dict[str, Any], **after: bool
) -> int:
    """Run one model, or the stages of a cascade; the exit code of how it ended."""
    from acumen.cli.progress import RunProgress
    from acumen.questions.run import run as run_task

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
    return _conclude(result, **after)


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


def _conclude(result: Answers, *, as_json: bool, compute_aurc: bool) -> int:
    """Say how the run ended, or what it would ask; the exit code for it."""
    from acumen.report.runs import lines
    from acumen.runner.summary import preview, selective_summary

    run, summary = result.run, result.document
    if as_json:
        emit(result.to_json())
    elif summary.is_rehearsal:
        typer.echo("\n".join(preview(run.plan, run.limits, run.concurrency, run.left)))
    for line in lines(summary):
        typer.echo(line, err=as_json or not summary.is_rehearsal)
    if summary.stop is not None:
        _say_how_to_continue(run.journal)
    if compute_aurc and result.content is not None:
        typer.echo("\n".join(selective_summary(result.content, run.plan)))
    return result.exit_code


def _say_how_to_continue(journal: Path) -> None:
    """Where a stopped run stands, and the command that goes on with it."""
    arguments = [a for a in sys.argv[1:] if a != "--resume"]
    for at, (before, word) in enumerate(pairwise(("", *arguments))):
        name, mark, value = word.partition("=") if word.startswith("--") else (before, "", word)
        if name in _SECRETS and (mark or before == name):
            arguments[at] = f"{name}={_SECRETS[name](value)}" if mark else _SECRETS[name](value)
    typer.echo(f"stopped; what is done is in {journal}", err=True)
    typer.echo(f"continue with: {shlex.join(['acumen', *arguments, '--resume'])}", err=True)


def _command() -> Any:
    """The command, with the options that the question declares."""
    question = find_question("run")
    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    after = say("Print AURC and risk at 50% coverage after.", "--compute-aurc")
    as_json = say("Print how it ended as JSON.", "--json")
    own = [*question.options, Parameter("compute_aurc", after, bool, False)]
    own.append(Parameter("as_json", as_json, bool, False))
    parameters = [context, *inputs_of(question), *(option_of(p) for p in own)]
    return signed(run, parameters, help_of(question))


app = typer.Typer(add_completion=False)
app.command()(_command())
