"""The door: ask a model about every case and write a run file, in one call."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack, get_args

from acumen.errors import UsageError
from acumen.runner.access import Access
from acumen.runner.cases import DEMO, CaseReading, read_cases, read_references
from acumen.runner.choices import Api, Modes, Option, ReplyFormat
from acumen.runner.endpoint import Patience, Watcher
from acumen.runner.execute import Run, execute
from acumen.runner.limits import Limits
from acumen.runner.local import LOCAL
from acumen.runner.plan import Plan, Settings
from acumen.runner.protocols import PROTOCOLS
from acumen.runner.task_file import read_task
from acumen.table.scale import Scale

if TYPE_CHECKING:
    from acumen.runner.withhold import Sieve

SAMPLING_TEMPERATURE: Final = 0.7


def run(
    task: str | Path,
    cases: str | Path,
    model: str,
    *,
    base_url: str | None = None,
    api: Api = "chat",
    api_key_env: str | None = None,
    api_version: str | None = None,
    header: Mapping[str, str] | None = None,
    mode: Modes = "zero_shot",
    samples: int = 1,
    references: str | Path | None = None,
    concurrency: int | None = None,
    limit: int | None = None,
    output: str | Path | None = None,
    resume: bool = False,
    dry_run: bool = False,
    temperature: float | None = None,
    max_tokens: int | None = None,
    max_completion_tokens: int | None = None,
    seed: int = 0,
    top_logprobs: int = 20,
    reply_format: ReplyFormat = "schema",
    omit: Collection[Option] = (),
    extra_body: Mapping[str, Any] | None = None,
    embedding_model: str | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    failure_limit: int | None = None,
    time_limit: float | None = None,
    token_limit: int | None = None,
    cost_limit: float | None = None,
    prompt_price: float | None = None,
    completion_price: float | None = None,
    threshold: Any = None,
    watcher: Watcher | None = None,
    **reading: Unpack[CaseReading],
) -> Run:
    """Ask a model about every case; the run file it writes is what :func:`acumen.read` reads.

    The keywords are the options of ``acumen run``. A key is never an argument: it comes from the
    environment, and goes to the host it is meant for.

    Parameters
    ----------
    task
        A task's name (``phq8``, ``allergy``) or a ``.toml`` file.
    cases, references, limit
        JSON files, or ``demo`` for the bundled ones; references are for few-shot prompts. With a
        ``limit`` only the first cases are asked.
    text_column, case, item, truth, where, rows, format, mapping
        Of cases in a file of rows (CSV, JSON Lines, Parquet): which column is what.
    model, base_url
        A model of an OpenAI-compatible endpoint (by default ``OPENAI_BASE_URL``, then OpenAI's
        own); ``local`` for the small one on this machine.
    api, api_key_env, api_version, header
        Which API the endpoint speaks (``chat``, ``responses``, or Anthropic's ``messages``); the
        variable that holds its key, where it is not the provider's own; the ``api-version`` of
        Azure; headers to send.
    mode, samples
        Which prompts, and how often each is asked; ``both`` modes are paired. A pairwise task asks
        each sample in both orders.
    concurrency, timeout, retries, requests_per_minute, tokens_per_minute
        Questions in flight (8, or 1 for ``local``), seconds an attempt may take, attempts after a
        failed one; and how fast to ask at most.
    output, resume, dry_run
        The run file (``TASK-run.json``); its journal stands beside it, and ``resume`` continues a
        run that stopped. A dry run refuses what the run would, asks nothing and writes nothing.
    temperature, max_tokens, seed, top_logprobs, reply_format, omit
        Options of the requests. The temperature is 0, or 0.7 with several samples; each sample
        has a seed of its own; ``top_logprobs=0`` asks for no log-probabilities.
    max_completion_tokens, extra_body
        The longest reply under its newer name; further fields of every request.
    failure_limit, time_limit, token_limit, cost_limit
        End the run at so many questions without a usable reply, seconds, tokens, or so much
        money, by ``prompt_price`` and ``completion_price`` of a million tokens.
    threshold
        What :func:`acumen.threshold` made, or its file: answers whose confidence is not above it
        are left open in the run file, where ``withheld_items`` holds them.
    embedding_model
        Embed references at the endpoint instead of TF-IDF here.
    watcher
        Hears of the journal, of every finished question, and of a Ctrl-C.

    Returns
    -------
    Run
        Its ``artifact`` is the run file's document; ``stop`` says why questions are left.

    Examples
    --------
    >>> rehearsal = run("phq8", "demo", "m", base_url="http://127.0.0.1:8080/v1", dry_run=True)
    >>> rehearsal.plan.size, rehearsal.output.name, rehearsal.artifact
    (5, 'phq8-run.json', None)
    """
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
    if ours := {"model", "messages", "input", "stream", "n"} & {*(extra_body or ())}:
        raise UsageError(f"--extra-body may not set {', '.join(sorted(ours))}")
    if any("max" in key and "tokens" in key for key in extra_body or ()):
        # how large a reply may be goes by it
        raise UsageError("--extra-body may not set the longest reply: give --max-tokens")
    content = read_task(task)
    orders = 2 if content.swap else 1
    if temperature is None:  # samples that are to differ need some
        temperature = SAMPLING_TEMPERATURE if samples > 1 else 0.0
    address = _address(model, base_url, api)
    more = (api, api_key_env, api_version, header or {})
    access = None if address is None else Access(address, *more)
    settings = Settings(
        model=model,
        endpoint=LOCAL if access is None else access.host,
        address=None if access is None else access.digest,
        modes=("zero_shot", "few_shot") if mode == "both" else (mode,),
        samples=samples * orders,
        temperature=temperature,
        seed=seed,
        max_tokens=max_completion_tokens or max_tokens or content.max_tokens,
        newer_token_field=max_completion_tokens is not None,
        api=api,
        extra_body=None if extra_body is None else dict(extra_body),
        top_logprobs=top_logprobs or None,
        reply_format=reply_format,
        embedding_model=embedding_model,
        omit=tuple(sorted(set(omit))),
    )
    if references is None and str(cases) == DEMO and mode != "zero_shot":
        references = DEMO  # the bundled cases bring their own
    prices = (prompt_price or 0.0, completion_price or 0.0)
    known = None if references is None else read_references(references, content)
    return execute(
        Plan(content, read_cases(cases, content, **reading), known, settings, limit),
        Path(output or f"{content.name}-run.json"),
        access,
        resume=resume,
        dry_run=dry_run,
        concurrency=concurrency or (1 if address is None else 8),
        patience=Patience(timeout, retries, requests_per_minute, tokens_per_minute),
        limits=Limits(failure_limit, time_limit, token_limit, cost_limit, prices),
        watcher=watcher,
        sieve=None if threshold is None else _sieve(threshold, content.scale),
    )


def _sieve(threshold: Any, scale: Scale) -> Sieve:
    from acumen.runner.withhold import Sieve  # brings the confidence functions: a tenth of a second

    return Sieve.of(threshold, scale)


def _address(model: str, base_url: str | None, api: Api) -> str | None:
    """Where to ask; None is the local model."""
    if model != LOCAL:
        beside = None if api == "messages" else os.environ.get("OPENAI_BASE_URL")
        return base_url or beside or PROTOCOLS[api].base_url
    if base_url is not None:
        raise UsageError("--model local serves itself: leave --base-url out")
    return None
