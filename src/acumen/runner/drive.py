"""Ask all questions of a plan, some at a time: each journaled before it is reported."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from acumen.runner.cases import Case
from acumen.runner.endpoint import Endpoint, EndpointRefusal
from acumen.runner.journal import Journal, is_final
from acumen.runner.plan import Plan
from acumen.runner.question import NO_TRANSPORT, Question, ask
from acumen.runner.retrieval import (
    EmbeddedSimilarity,
    Retrieved,
    Similarity,
    TfidfSimilarity,
    retrieve,
)
from acumen.runner.settings import Mode
from acumen.runner.wire import TransportFailure

Report = Callable[[dict[str, Any]], None]
_Pending = tuple[Case, Mode, int]


@dataclass(slots=True)
class Interrupt:
    """Ctrl-C once: ask nothing new and finish what is in flight. Twice: drop that as well."""

    tell: Callable[[], None]
    asked_to_stop: bool = False
    _workers: list[asyncio.Task[None]] = field(default_factory=list)

    def watch(self, workers: list[asyncio.Task[None]]) -> None:
        """The tasks that a second Ctrl-C cancels."""
        self._workers = workers

    def __call__(self) -> None:
        """One Ctrl-C."""
        if self.asked_to_stop:
            for worker in self._workers:
                worker.cancel()
        else:
            self.tell()
        self.asked_to_stop = True


async def drive(
    plan: Plan,
    endpoint: Endpoint,
    journal: Journal,
    *,
    concurrency: int,
    report: Report,
    stopping: Callable[[], None] = lambda: None,
) -> bool:
    """Ask what the journal does not hold yet; True when nothing is left to ask.

    ``stopping`` hears of the first Ctrl-C.
    """
    pending = pending_questions(plan, journal)
    shots = await _few_shots(plan, endpoint)
    interrupt = Interrupt(stopping)
    workers = [
        asyncio.create_task(_work(pending, plan, endpoint, journal, shots, report, interrupt))
        for _ in range(concurrency)
    ]
    interrupt.watch(workers)
    with _on_signals(interrupt):
        try:
            await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.cancel()
            ended = await asyncio.gather(*workers, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome
    return all(key in journal.records for *_, key in plan.questions())


def pending_questions(plan: Plan, journal: Journal) -> Iterator[_Pending]:
    """What is still to be asked, in the plan's order."""
    settled = {key for key, record in journal.records.items() if is_final(record)}
    return (
        (case, mode, sample) for case, mode, sample, key in plan.questions() if key not in settled
    )


def settled_records(plan: Plan, journal: Journal) -> list[dict[str, Any]]:
    """The records of this plan that stand; under ``--limit`` the journal may hold more."""
    kept = (journal.records[key] for *_, key in plan.questions() if key in journal.records)
    return [record for record in kept if is_final(record)]


async def _work(
    pending: Iterator[_Pending],
    plan: Plan,
    endpoint: Endpoint,
    journal: Journal,
    shots: FewShots | None,
    report: Report,
    interrupt: Interrupt,
) -> None:
    """Take the next question until none is left. The iterator is shared; one loop, no lock."""
    for case, mode, sample in pending:
        record = await _one(case, mode, sample, plan, endpoint, shots)
        await journal.append(record)
        report(record)
        if interrupt.asked_to_stop:
            return


async def _one(
    case: Case, mode: Mode, sample: int, plan: Plan, endpoint: Endpoint, shots: FewShots | None
) -> dict[str, Any]:
    references: Mapping[str, Sequence[Retrieved]] = {}
    if mode == "few_shot" and shots is not None:
        try:
            references = await shots.of(case)
        except TransportFailure as failure:
            return _unretrieved(case, mode, sample, failure)
    question = Question(case, mode, sample, references)
    return await ask(question, plan.task, plan.settings, endpoint)


def _unretrieved(case: Case, mode: Mode, sample: int, failure: TransportFailure) -> dict[str, Any]:
    """The record of a question that could not be put: its references could not be embedded."""
    return {
        "case": case.id,
        "mode": mode,
        "sample": sample,
        "outcome": NO_TRANSPORT,
        "reason": f"embedding_{failure.reason}",
        "prompt_hash": None,
        "repairs": 0,
        "problems": [],
        "retries": failure.retries,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "served_model": None,
        "seconds": 0.0,
    }


@dataclass(slots=True)
class FewShots:
    """References by case, found once for all its samples."""

    plan: Plan
    similarity: Similarity
    _found: dict[int | str, asyncio.Task[dict[str, list[Retrieved]]]] = field(default_factory=dict)

    async def of(self, case: Case) -> dict[str, list[Retrieved]]:
        """The references of ``case``, by item."""
        if case.id not in self._found:
            self._found[case.id] = asyncio.create_task(self._retrieve(case))
        return await asyncio.shield(self._found[case.id])

    async def _retrieve(self, case: Case) -> dict[str, list[Retrieved]]:
        plan = self.plan
        assert plan.references is not None
        return await retrieve(
            case,
            plan.task.scale.items,
            plan.references.all,
            self.similarity,
            most=plan.settings.references_per_item,
            least=plan.settings.least_similarity,
        )


async def _few_shots(plan: Plan, endpoint: Endpoint) -> FewShots | None:
    if "few_shot" not in plan.settings.modes or plan.references is None:
        return None
    if plan.settings.embedding_model is None:
        return FewShots(plan, TfidfSimilarity(plan.references.all))
    embedded = EmbeddedSimilarity(endpoint, plan.settings.embedding_model, plan.references.all)
    try:
        await embedded.prepare()
    except TransportFailure as failure:
        message = f"the references could not be embedded at {endpoint.host}: {failure.reason}"
        raise EndpointRefusal(message) from None
    return FewShots(plan, embedded)


@contextmanager
def _on_signals(handler: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and a polite kill go to ``handler``; only a main thread can say so."""
    loop = asyncio.get_running_loop()
    caught = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, handler)
        except (ValueError, RuntimeError, NotImplementedError):
            continue
        caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
