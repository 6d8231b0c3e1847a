"""One question from start to end: prompt, answer, repairs, signals, and the record of it all."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final

from acumen.runner import prompts, tokens
from acumen.runner.cases import Case
from acumen.runner.choices import ReplyFormat
from acumen.runner.endings import Ending
from acumen.runner.endpoint import Endpoint
from acumen.runner.plan import Plan, Question
from acumen.runner.prompts import Message
from acumen.runner.protocols import Ask
from acumen.runner.record import CUT_OFF, ItemAnswer, Outcome, Record
from acumen.runner.reply import (
    ItemReply,
    UnusableReply,
    UsableReply,
    read_decisions,
    read_reply,
)
from acumen.runner.retrieval import References, retrieval_signals
from acumen.runner.signals import count_quotes, count_snippets
from acumen.runner.task import Task
from acumen.runner.wire import CONTENT_FILTER, Answer, TransportFailure

UNUSABLE_CHARACTERS: Final = 20_000
"""How much of an unusable reply the journal keeps."""


@dataclass(slots=True)
class _Tally:
    """What the attempts at one question cost, and what was wrong; by the record's names."""

    repairs: int = 0
    problems: list[str] = field(default_factory=list)
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    served_model: str | None = None
    reply_format: ReplyFormat | None = None
    request_id: str | None = None
    left_out: tuple[str, ...] = ()

    def add(self, answer: Answer) -> None:
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        self.retries += answer.retries
        self.served_model = answer.served_model
        self.reply_format = answer.reply_format
        self.request_id = answer.request_id
        self.left_out = answer.left_out


async def ask(question: Question, references: References, plan: Plan, endpoint: Endpoint) -> Record:
    """The record of one question, whatever came of it."""
    start = time.monotonic()
    case = question.presented(plan.task)
    messages = prompts.zero_or_few_shot(plan.task, case, references)
    digest = prompts.prompt_hash(messages)
    record = Record(*question.key, Outcome.transport_failure, None, digest)
    limit = None if "max_tokens" in plan.settings.omit else plan.settings.max_tokens
    record, tally = replace(record, case_hash=question.case.digest, max_tokens=limit), _Tally()
    try:
        answer, reading = await _converse(question, plan, endpoint, messages, tally)
        if isinstance(reading, UsableReply):
            record = _usable(record, reading, answer, case, references, plan.task)
            if question.is_swapped(plan.task):
                record = replace(record, items=_turned(record.items, plan.task))
        else:
            outcome = Outcome.refused if reading.is_refusal else Outcome.invalid_reply
            text = answer.text[:UNUSABLE_CHARACTERS]
            record = replace(record, outcome=outcome, reason=reading.reason, reply=text)
    except TransportFailure as failure:
        tally.retries += failure.retries
        tally.request_id = failure.request_id
        if failure.reason == CONTENT_FILTER:
            record = replace(record, outcome=Outcome.refused, reason="refused")
        else:
            record = replace(record, reason=failure.reason)
    return replace(record, **asdict(tally), seconds=round(time.monotonic() - start, 3))


async def _converse(
    question: Question, plan: Plan, endpoint: Endpoint, messages: list[Message], tally: _Tally
) -> tuple[Answer, UsableReply | UnusableReply]:
    """Ask, and ask again as often as the task allows while the reply cannot be used."""
    conversation = messages
    while True:
        answer = await endpoint.ask(Ask(plan.task, plan.settings, question.sample, conversation))
        tally.add(answer)
        try:
            return answer, _read(answer, plan.task, question.case)
        except UnusableReply as unusable:
            tally.problems.append(unusable.reason)
            is_last = answer.decisions is not None or len(tally.problems) > plan.task.repairs
            if unusable.is_refusal or is_last:
                return answer, unusable
            tally.repairs += 1
            conversation = prompts.repair(plan.task, messages, answer.text, unusable.problems)


def _read(answer: Answer, task: Task, case: Case) -> UsableReply:
    if answer.refused:
        raise UnusableReply("refused")
    if answer.ending is Ending.cut_off:
        # what stands there may parse by chance; the model had not finished
        raise UnusableReply(CUT_OFF, "the reply was cut off at the token limit; be shorter")
    if answer.decisions is not None:
        return read_decisions(answer.decisions, task)
    return read_reply(answer.text, task, case)


def _usable(
    record: Record,
    reading: UsableReply,
    answer: Answer,
    case: Case,
    references: References,
    task: Task,
) -> Record:
    """The record with the answers of a reply and their signals."""
    where = tokens.TokenMap.of(answer.text, tokens.read_tokens(answer.logprobs))
    whole = tokens.score_signals(where)
    spellings = [*map(str, task.scale.levels), *task.reply.abstain, "null"]
    items = {}
    for item, reply in reading.items.items():
        signals = _evidence(reply, reading, case, task)
        signals |= retrieval_signals(references.get(item, ()))
        signals |= {} if reply.sure is None else {"confidence": reply.sure}
        items[item] = _item(reply, signals, spellings, where, whole)
        if reply.distribution is None and reply.level is not None:
            chances = tokens.level_chances(where, reply.span, spellings, len(task.scale.levels))
            items[item] = replace(items[item], distribution=chances)
    is_answer = any(reply.level is not None for reply in reading.items.values())
    return replace(
        record,
        outcome=Outcome.answered if is_answer else Outcome.abstained,
        items=items,
        reply=answer.text,
        parsed=reading.reasons,
    )


def _turned(items: Mapping[str, ItemAnswer], task: Task) -> dict[str, ItemAnswer]:
    """The answers to two texts in the other order: the highest level becomes the lowest."""
    levels = task.scale.levels
    opposite = dict(zip(levels, reversed(levels), strict=True))
    return {
        item: replace(
            answer,
            level=None if answer.level is None else opposite[answer.level],
            distribution=answer.distribution and answer.distribution[::-1],
        )
        for item, answer in items.items()
    }


def _item(
    reply: ItemReply,
    signals: Mapping[str, int | float | None],
    spellings: Sequence[str],
    where: tokens.TokenMap,
    whole: tokens.TokenSignals,
) -> ItemAnswer:
    score = tokens.score_signals(where, reply.span)
    legal = tokens.label_signals(where, reply.span, spellings)
    return ItemAnswer(
        reply.level,
        {
            **signals,
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
        reply.flaws,
        score.reason or legal.reason or whole.reason,
        reply.distribution,
    )


def _evidence(
    reply: ItemReply, reading: UsableReply, case: Case, task: Task
) -> dict[str, int | float | None]:
    evidence = task.reply.evidence
    if evidence is None or reading.is_decision:
        return {"llm_evidence_count": None, "llm_evidence_invented": None}
    source = case.inputs[evidence.source]
    if reading.reasons is None:
        count = count_quotes(reply.quotes, source, evidence.most, evidence.longest)
    else:
        rows = reading.reasons.evidences
        count = count_snippets(rows, source, evidence.most, evidence.longest)
    return {"llm_evidence_count": count.real, "llm_evidence_invented": count.invented}
