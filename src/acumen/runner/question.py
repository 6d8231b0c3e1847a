"""One question from start to end: prompt, answer, repairs, signals, and the record of it all."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from acumen.runner import prompts, tokens
from acumen.runner.cases import Case
from acumen.runner.endpoint import Answer, Endpoint, is_openai
from acumen.runner.reply import ItemReply, Reading, UnusableReply, read_reply
from acumen.runner.retrieval import Retrieved, retrieval_signals
from acumen.runner.schema import reply_schema, without_bounds
from acumen.runner.settings import Mode, Settings
from acumen.runner.signals import count_quotes, count_snippets
from acumen.runner.task import Task
from acumen.runner.wire import CONTENT_FILTER, TransportFailure

ANSWERED: Final = "answered"
ABSTAINED: Final = "abstained"
REFUSED: Final = "refused"
INVALID: Final = "invalid_reply"
NO_TRANSPORT: Final = "transport_failure"


@dataclass(frozen=True, slots=True)
class Question:
    """A case asked once: in which mode, as which sample, with which references."""

    case: Case
    mode: Mode
    sample: int
    references: Mapping[str, Sequence[Retrieved]] = field(default_factory=dict)


@dataclass(slots=True)
class _Tally:
    """What the attempts at one question cost, and what was wrong with each."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    asked: int = 0
    served_model: str | None = None
    problems: list[str] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        self.retries += answer.retries
        self.served_model = answer.served_model


async def ask(
    question: Question, task: Task, settings: Settings, endpoint: Endpoint
) -> dict[str, Any]:
    """The record of one question, whatever came of it."""
    began = time.monotonic()
    messages = prompts.zero_or_few_shot(task, question.case, question.references)
    record: dict[str, Any] = {
        "case": question.case.id,
        "mode": question.mode,
        "sample": question.sample,
        "outcome": NO_TRANSPORT,
        "reason": None,
        "prompt_hash": prompts.prompt_hash(messages),
    }
    tally = _Tally()
    try:
        record |= await _answered(question, task, settings, endpoint, messages, tally)
    except TransportFailure as failure:
        tally.retries += failure.retries
        filtered = failure.reason == CONTENT_FILTER
        record |= {"outcome": REFUSED} if filtered else {}
        record["reason"] = "refused" if filtered else failure.reason
    return record | {
        "repairs": max(0, tally.asked - 1),
        "problems": tally.problems,
        "retries": tally.retries,
        "prompt_tokens": tally.prompt_tokens,
        "completion_tokens": tally.completion_tokens,
        "served_model": tally.served_model,
        "seconds": round(time.monotonic() - began, 3),
    }


async def _answered(
    question: Question,
    task: Task,
    settings: Settings,
    endpoint: Endpoint,
    messages: list[prompts.Message],
    tally: _Tally,
) -> dict[str, Any]:
    """Ask, and ask again as often as the task allows while the reply cannot be used."""
    options = request_options(task, settings, question.sample)
    conversation = messages
    while True:
        tally.asked += 1
        answer = await endpoint.ask(conversation, **options)
        tally.add(answer)
        try:
            reading = _read(answer, task)
        except UnusableReply as unusable:
            tally.problems.append(unusable.reason)
            if unusable.is_refusal or len(tally.problems) > task.repairs:
                outcome = REFUSED if unusable.is_refusal else INVALID
                return {
                    "outcome": outcome,
                    "reason": unusable.reason,
                    "reply": answer.text[:20_000],
                }
            conversation = prompts.repair(task, messages, answer.text, unusable.problems)
            continue
        return _usable(reading, answer, question, task)


def request_options(task: Task, settings: Settings, sample: int) -> dict[str, Any]:
    """The options of a request; each sample has its own seed."""
    openai = is_openai(settings.endpoint)
    options: dict[str, Any] = {
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed + sample,
    }
    options = {name: value for name, value in options.items() if name not in settings.omit}
    if openai and "max_tokens" in options:
        options["max_completion_tokens"] = options.pop("max_tokens")
    if settings.top_logprobs is not None:
        options |= {"logprobs": True, "top_logprobs": settings.top_logprobs}
    match settings.reply_format:
        case "schema":
            schema = without_bounds(reply_schema(task)) if openai else reply_schema(task)
            held = {"name": "reply", "strict": True, "schema": schema}
            options["response_format"] = {"type": "json_schema", "json_schema": held}
        case "json":
            options["response_format"] = {"type": "json_object"}
        case "text":
            pass
    return options


def _read(answer: Answer, task: Task) -> Reading:
    if answer.refused:
        raise UnusableReply("refused")
    if answer.finish_reason == "length":
        # what stands there may parse by chance; the model had not finished
        raise UnusableReply("cut_off", "the reply was cut off at the token limit; be shorter")
    return read_reply(answer.text, task)


def _usable(reading: Reading, answer: Answer, question: Question, task: Task) -> dict[str, Any]:
    where = tokens.TokenMap.of(answer.text, tokens.read_tokens(answer.logprobs))
    whole = tokens.reply_signals(where)
    items = {
        item: _item(item, reply, reading, question, task, where, whole)
        for item, reply in reading.items.items()
    }
    spoke = any(reply.level is not None for reply in reading.items.values())
    record: dict[str, Any] = {
        "outcome": ANSWERED if spoke else ABSTAINED,
        "items": items,
        "reply": answer.text,
    }
    if task.is_verdict:
        record["parsed"] = {
            "evidences": [dict(row) for row in reading.rows],
            "justification": reading.justification,
            "risk_score": reading.risk_score,
            "flaws": list(reading.flaws),
        }
    return record


def _item(
    item: str,
    reply: ItemReply,
    reading: Reading,
    question: Question,
    task: Task,
    where: tokens.TokenMap,
    whole: tokens.TokenSignals,
) -> dict[str, Any]:
    score = tokens.score_signals(where, reply.span)
    legal = tokens.label_signals(where, reply.span, labels(task))
    return {
        "level": reply.level,
        "signals": {
            **_evidence(reply, reading, question.case, task),
            **retrieval_signals(question.references.get(item, ())),
            "verbalized_confidence": reply.confidence,
            "token_msp": score.msp,
            "token_pe": score.pe,
            "token_energy": score.energy,
            "token_msp_reply": whole.msp,
            "token_pe_reply": whole.pe,
            "token_energy_reply": whole.energy,
            "token_label_probability": legal.probability,
            "token_label_entropy": legal.entropy,
            "token_mass_elsewhere": legal.mass_elsewhere,
        },
        "flaws": list(reply.flaws),
        "no_tokens_because": score.reason or legal.reason or whole.reason,
    }


def labels(task: Task) -> list[str]:
    """Every spelling a score may have in a reply."""
    return [*map(str, task.scale.levels), *task.reply.abstain, "null"]


def _evidence(reply: ItemReply, reading: Reading, case: Case, task: Task) -> dict[str, int | None]:
    evidence = task.reply.evidence
    if evidence is None:
        return {"llm_evidence_count": None, "llm_evidence_invented": None}
    source = case.inputs[evidence.source]
    if evidence.kind == "quotes":
        counted = count_quotes(reply.quotes, source)
    else:
        counted = count_snippets(reading.rows, source)
    return {"llm_evidence_count": counted.found, "llm_evidence_invented": counted.invented}
