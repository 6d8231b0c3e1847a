"""Ask a model about every case, and write a run file."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Unpack, get_args

from acumen.declare import given, python, say, taken_by
from acumen.errors import UsageError
from acumen.extras import need
from acumen.questions.question import question
from acumen.runner.choices import Api, CaseReading, Modes, Option, ReplyFormat

if TYPE_CHECKING:
    from acumen.questions.answers import Answers
    from acumen.runner.endpoint import Watcher
    from acumen.runner.execute import Run
    from acumen.runner.withhold import Sieve
    from acumen.types import CaseId

MOST_SAMPLES: Final = 100
SAMPLING_TEMPERATURE: Final = 0.7
_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")
_OPTIONAL: Final = ", ".join(get_args(Option))


@question(
    "acumen run phq8 --cases demo --model local --samples 3",
    "acumen run judge --cases answers.json --model local --dry-run",
    sends=True,
)
def run(
    task: Annotated[str | Path, given("A task's name (phq8, allergy) or a .toml file.", kind=str)],
    cases: Annotated[
        str | Path, say("Cases: JSON, CSV, …; 'demo' for the bundled ones.", kind=str, is_file=True)
    ],
    model: Annotated[
        str | Sequence[str],
        say(
            "The endpoint's model; 'local' for the small one here; several, in turn.",
            kind=list[str],
            more="From Python several are the stages of a cascade.",
        ),
    ],
    *,
    base_url: Annotated[
        str | None, say("An OpenAI-compatible endpoint; default OPENAI_BASE_URL.")
    ] = None,
    api: Annotated[
        Api,
        say(
            "OpenAI's chat completions, responses or decisions; or Anthropic's messages.",
            is_by_hand=True,
        ),
    ] = "chat",
    api_key_env: Annotated[
        str | None, say("The variable that holds the key for this endpoint.")
    ] = None,
    api_key_command: Annotated[
        str | None,
        say(
            "A command that prints the key, such as Azure's for tokens; run again when it expires.",
            is_secret=True,
        ),
    ] = None,
    client_cert: Annotated[
        str | Path | None,
        say(
            "A certificate of yours and its key, for an endpoint that asks (PEM).",
            kind=Path | None,
            is_file=True,
        ),
    ] = None,
    api_version: Annotated[str | None, say("Azure's api-version.")] = None,
    header: Annotated[
        Mapping[str, str] | None,
        say(
            "Send a header, 'Name: value'; as often as needed.",
            kind=list[str] | None,
            is_secret=True,
        ),
    ] = None,
    mode: Annotated[
        Modes, say("Which prompts: without references, with them, or both, paired.")
    ] = "zero_shot",
    samples: Annotated[
        int,
        say(
            "Asks per case; see CONSISTENCY_ENABLED.",
            "--samples",
            "--consistency-samples",
            least=1,
            most=MOST_SAMPLES,
            more="A pairwise task asks each sample in both orders.",
        ),
    ] = 1,
    references: Annotated[
        str | Path | None,
        say("References of few-shot prompts, JSON or 'demo'.", kind=str | None, is_file=True),
    ] = None,
    concurrency: Annotated[
        int | None, say("Questions in flight; 8, or 1 for local.", least=1, most=500)
    ] = None,
    limit: Annotated[int | None, say("Only the first N cases.", least=1)] = None,
    output: Annotated[
        str | Path | None,
        say(
            "The run file; default TASK-run.json.",
            kind=Path | None,
            more="Its journal stands beside it.",
        ),
    ] = None,
    resume: Annotated[bool, say("Continue a run that stopped.")] = False,
    dry_run: Annotated[
        bool,
        say(
            "Check all, ask nothing.",
            more="It makes the same checks as the run, and writes nothing.",
        ),
    ] = False,
    temperature: Annotated[
        float | None, say("Default 0; 0.7 with several samples.", least=0, most=2)
    ] = None,
    max_tokens: Annotated[
        int | None, say("Longest reply in tokens; default is the task's.", least=1)
    ] = None,
    max_completion_tokens: Annotated[
        int | None, say("The same under its newer name.", least=1)
    ] = None,
    seed: Annotated[int, say("Seed of the first sample; the next ones count up.")] = 0,
    top_logprobs: Annotated[
        int, say("Alternatives per token; 0 asks for none.", least=0, most=20)
    ] = 20,
    reply_format: Annotated[ReplyFormat, say("How the endpoint is asked for JSON.")] = "schema",
    omit: Annotated[
        Collection[Option],
        say(f"Leave an option out of every request: {_OPTIONAL}.", kind=list[str] | None),
    ] = (),
    extra_body: Annotated[
        Mapping[str, Any] | None,
        say("Further fields of every request, a JSON object.", kind=str | None, is_secret=True),
    ] = None,
    embedding_model: Annotated[
        str | None, say("Embed references at the endpoint instead of TF-IDF.")
    ] = None,
    timeout: Annotated[float, say("Seconds an attempt may take.", least=0.1)] = 120.0,
    retries: Annotated[int, say("Further attempts after a failed one.", least=0, most=50)] = 5,
    requests_per_minute: Annotated[float | None, say("Ask no faster than this.", least=0.1)] = None,
    tokens_per_minute: Annotated[
        float | None, say("Use no more tokens a minute than this.", least=1)
    ] = None,
    failure_limit: Annotated[
        int | None, say("End at so many questions without a usable reply.", least=1)
    ] = None,
    time_limit: Annotated[float | None, say("End after so many seconds.", least=0)] = None,
    token_limit: Annotated[
        int | None, say("End at so many tokens of prompts and replies.", least=1)
    ] = None,
    cost_limit: Annotated[
        float | None, say("End at so much money, by the two prices.", least=0)
    ] = None,
    prompt_price: Annotated[float | None, say("Price of a million prompt tokens.", least=0)] = None,
    completion_price: Annotated[
        float | None, say("Price of a million reply tokens.", least=0)
    ] = None,
    threshold: Annotated[
        Any,
        say(
            "Leave answers open that this threshold does not accept.",
            kind=Path | None,
            is_file=True,
            more="""What :func:`acumen.threshold` made, or its file; ``withheld_items`` of the run
            file holds what was left open.""",
        ),
    ] = None,
    cascade: Annotated[
        Any,
        say(
            "Ask the models one after another, each about what the ones before it left open.",
            kind=Path | None,
            is_file=True,
            more="""What :func:`acumen.cascade` made, or its file. A model for each stage, in their
            order; every stage has a run file of its own, and the run file has the answers of
            all.""",
        ),
    ] = None,
    audit: Annotated[
        float,
        say("With a cascade: the share of other cases that people label, as a check."),
    ] = 0.0,
    watcher: Annotated[
        Watcher | None,
        python("Called for the journal, for every finished question, and for a Ctrl-C."),
    ] = None,
    **reading: Unpack[CaseReading],
) -> Answers:
    """Ask a model about every case and write a run file with every signal.

    The key comes from the environment and is never an argument: OPENAI_API_KEY goes to OpenAI
    alone, --api-key-env names the variable for another endpoint. Every option can be set there
    too, as ACUMEN_RUN_SAMPLES=5. The run file is what :func:`acumen.read` reads; ``content`` has
    what is in it, and ``stop`` of the document says why questions are left.

    Examples
    --------
    >>> rehearsal = run("phq8", "demo", "m", base_url="http://127.0.0.1:8080/v1", dry_run=True)
    >>> rehearsal.document.questions, rehearsal.output.name, rehearsal.content
    (5, 'phq8-run.json', None)
    """
    asked = dict(locals())
    need("run", "acumen run")
    from acumen.questions.answers import Answers
    from acumen.runner.access import Access
    from acumen.runner.cases import DEMO, read_cases, read_references
    from acumen.runner.endpoint import Patience
    from acumen.runner.execute import execute
    from acumen.runner.limits import Limits
    from acumen.runner.local import LOCAL, address_of
    from acumen.runner.plan import Plan, Settings
    from acumen.runner.task_file import read_task

    for name, choice, choices in (
        ("mode", mode, get_args(Modes)),
        ("reply_format", reply_format, get_args(ReplyFormat)),
        ("api", api, get_args(Api)),
        *(("omit", option, get_args(Option)) for option in omit),
    ):
        if choice not in choices:
            raise UsageError(f"{name} must be one of {', '.join(choices)}")
    counts = {"samples": samples, "concurrency": concurrency, "limit": limit}
    counts |= {"failure_limit": failure_limit, "token_limit": token_limit}
    for name, count in counts.items():
        if count is not None and count < 1:
            raise UsageError(f"{name} must be at least 1")
    if max_tokens is not None and max_completion_tokens is not None:
        raise UsageError("give --max-tokens or --max-completion-tokens, not both")
    if cost_limit is not None and prompt_price is None and completion_price is None:
        raise UsageError("--cost-limit needs --prompt-price or --completion-price")
    if ours := {"model", "messages", "input", "questions", "stream", "n"} & {*(extra_body or ())}:
        raise UsageError(f"--extra-body may not set {', '.join(sorted(ours))}")
    if any("max" in key and "tokens" in key for key in extra_body or ()):
        # how large a reply may be goes by it
        raise UsageError("--extra-body may not set the longest reply: give --max-tokens")
    content = read_task(task)
    if cascade is not None and content.is_verdict:
        raise UsageError("a cascade asks tasks with levels, not for verdicts")
    orders = 2 if content.swap else 1
    if temperature is None:  # samples that are to differ need some
        temperature = SAMPLING_TEMPERATURE if samples > 1 else 0.0
    _refuse_stages(models := [model] if isinstance(model, str) else [*model], asked)
    address = address_of(models[0], base_url, api)
    more = (api, api_key_env, api_version, header or {}, api_key_command)
    cert = None if client_cert is None else Path(client_cert)
    access = None if address is None else Access(address, *more, cert)
    facts = {
        "endpoint": LOCAL if access is None else access.host,
        "address": None if access is None else access.digest,
        "modes": ("zero_shot", "few_shot") if mode == "both" else (mode,),
        "samples": samples * orders,
        "temperature": temperature,
        "max_tokens": max_completion_tokens or max_tokens or content.max_tokens,
        "newer_token_field": max_completion_tokens is not None,
        "extra_body": None if extra_body is None else dict(extra_body),
        "top_logprobs": top_logprobs or None,
        "omit": tuple(sorted(set(omit))),
    }
    settings = Settings(**taken_by(Settings, asked | facts | {"model": models[0]}))
    if references is None and str(cases) == DEMO and mode != "zero_shot":
        references = DEMO  # the bundled cases bring their own
    prices = (prompt_price or 0.0, completion_price or 0.0)
    known = None if references is None else read_references(references, content)
    sieve = None
    if threshold is not None:
        from acumen.runner.withhold import Sieve  # brings the confidence functions: 0.1 s

        sieve = Sieve.of(threshold, content.scale)
    known_cases = read_cases(cases, content, **reading)
    place = Path(output or f"{content.name}-run.json")

    def ask(name: str, file: Path, sieve: Sieve | None, only: frozenset[CaseId] | None) -> Run:
        own = replace(settings, model=name)
        return execute(
            Plan(content, known_cases, known, own, limit, only),
            file,
            access,
            resume=resume,
            dry_run=dry_run,
            watcher=watcher,
            concurrency=concurrency or (1 if address is None else 8),
            patience=Patience(timeout, retries, requests_per_minute, tokens_per_minute),
            limits=Limits(failure_limit, time_limit, token_limit, cost_limit, prices),
            sieve=sieve,
        )

    if cascade is None:
        finished = ask(models[0], place, sieve, None)
    else:
        from acumen.runner.cascade import refuse_old, run_stages, stages_of

        files = [file_of(name, place) for name in models]
        document, stages = stages_of(cascade, models, content.scale, files)
        refuse_old(place, resume=resume)
        if dry_run:  # the later stages are asked a part of it
            finished = replace(ask(stages[0].model, stages[0].output, None, None), output=place)
        else:
            finished = run_stages(
                lambda stage, only: ask(stage.model, stage.output, stage.sieve, only),
                document,
                stages,
                place,
                audit,
            )
    return Answers.of(finished, is_rehearsal=dry_run)


def file_of(model: str, output: Path) -> Path:
    """The run file of one of several models: the model's name goes before the suffix."""
    return output.with_name(f"{output.stem}-{_NOT_IN_NAMES.sub('-', model)}{output.suffix}")


def _refuse_stages(models: Sequence[str], asked: Mapping[str, Any]) -> None:
    """Calls of several models, or of a cascade, that do not fit together."""
    if asked["cascade"] is None:
        if len(models) != 1:
            raise UsageError("several models are the stages of a cascade: say which one it is")
        if asked["audit"]:
            raise UsageError("an audit is of a cascade: --cascade FILE")
        return
    if len({*models}) < len(models):
        raise UsageError("each stage of a cascade has a model of its own: two are the same")
    if "local" in models:
        raise UsageError("a cascade asks several models of one endpoint; the local one is alone")
    if asked["threshold"] is not None:
        raise UsageError("a cascade has thresholds of its own; leave --threshold out")
    if asked["mode"] == "both":
        raise UsageError("a cascade asks in one mode, not in both")
    if not 0.0 <= asked["audit"] <= 1.0:
        raise UsageError(f"an audit is a share from 0 to 1, not {asked['audit']:g}")
