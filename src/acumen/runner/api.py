"""The door: ask a model about every case and write a run file, in one call."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal, get_args

from acumen.errors import UsageError
from acumen.runner.cases import DEMO, read_cases, read_references
from acumen.runner.drive import Watcher
from acumen.runner.endpoint import OPENAI_URL, Patience, host_of
from acumen.runner.execute import Run, execute
from acumen.runner.local import LOCAL
from acumen.runner.plan import Option, Plan, ReplyFormat, Settings
from acumen.runner.task_file import read_task

SAMPLING_TEMPERATURE: Final = 0.7
Modes = Literal["zero_shot", "few_shot", "both"]


def run(
    task: str | Path,
    cases: str | Path,
    model: str,
    *,
    base_url: str | None = None,
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
    seed: int = 0,
    top_logprobs: int = 20,
    reply_format: ReplyFormat = "schema",
    omit: Collection[Option] = (),
    embedding_model: str | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    watcher: Watcher | None = None,
) -> Run:
    """Ask a model about every case; the run file it writes is what :func:`acumen.read` reads.

    The keywords are the options of ``acumen run``. The key of the endpoint comes from
    ``OPENAI_API_KEY`` and from nowhere else.

    Parameters
    ----------
    task
        A task's name (``phq8``, ``allergy``) or a ``.toml`` file.
    cases, references, limit
        JSON files, or ``demo`` for the bundled ones; references are for few-shot prompts. With a
        ``limit`` only the first cases are asked.
    model, base_url
        A model of an OpenAI-compatible endpoint (by default ``OPENAI_BASE_URL``, then OpenAI's
        own); ``local`` for the small one on this machine.
    mode, samples
        Which prompts, and how often each is asked; ``both`` modes are paired.
    concurrency, timeout, retries
        Questions in flight (8, or 1 for ``local``), seconds an attempt may take, attempts after a
        failed one.
    output, resume, dry_run
        The run file (``TASK-run.json``); its journal stands beside it, and ``resume`` continues a
        run that stopped. A dry run refuses what the run would, asks nothing and writes nothing.
    temperature, max_tokens, seed, top_logprobs, reply_format, omit
        Options of the requests. The temperature is 0, or 0.7 with several samples; each sample
        has a seed of its own; ``top_logprobs=0`` asks for no log-probabilities.
    embedding_model
        Embed references at the endpoint instead of TF-IDF here.
    watcher
        Hears of the journal, of every finished question, and of a Ctrl-C.

    Returns
    -------
    Run
        Its ``artifact`` is the run file's document, or None while something is left to ask.

    Examples
    --------
    >>> rehearsal = run("phq8", "demo", "m", base_url="http://127.0.0.1:8080/v1", dry_run=True)
    >>> rehearsal.plan.size, rehearsal.output.name, rehearsal.artifact
    (5, 'phq8-run.json', None)
    """
    for name, choice, choices in (
        ("mode", mode, get_args(Modes)),
        ("reply_format", reply_format, get_args(ReplyFormat)),
    ):
        if choice not in choices:
            raise UsageError(f"{name} must be one of {', '.join(choices)}")
    for name, count in (("samples", samples), ("concurrency", concurrency), ("limit", limit)):
        if count is not None and count < 1:
            raise UsageError(f"{name} must be at least 1")
    if temperature is None:  # samples that are to differ need some
        temperature = SAMPLING_TEMPERATURE if samples > 1 else 0.0
    content = read_task(task)
    address = _address(model, base_url)
    settings = Settings(
        model=model,
        endpoint=LOCAL if address is None else host_of(address),
        modes=("zero_shot", "few_shot") if mode == "both" else (mode,),
        samples=samples,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens or content.max_tokens,
        top_logprobs=top_logprobs or None,
        reply_format=reply_format,
        embedding_model=embedding_model,
        omit=tuple(sorted(set(omit))),
    )
    if references is None and str(cases) == DEMO and mode != "zero_shot":
        references = DEMO  # the bundled cases bring their own
    known = None if references is None else read_references(references, content)
    return execute(
        Plan(content, read_cases(cases, content), known, settings, limit),
        Path(output or f"{content.name}-run.json"),
        address,
        resume=resume,
        dry_run=dry_run,
        concurrency=concurrency or (1 if address is None else 8),
        patience=Patience(timeout=timeout, retries=retries),
        watcher=watcher,
    )


def _address(model: str, base_url: str | None) -> str | None:
    """Where to ask; None is the local model."""
    if model != LOCAL:
        return base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    if base_url is not None:
        raise UsageError("--model local serves itself: leave --base-url out")
    return None
