"""Ask all questions of a plan, some at a time: each journaled before it is reported."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from acumen.runner.cases import Case
from acumen.runner.endpoint import Endpoint, EndpointRefusal
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan, Question
from acumen.runner.question import References, ask
from acumen.runner.record import Outcome, Record
from acumen.runner.retrieval import (
    EmbeddedSimilarity,
    Retrieved,
    Similarity,
    TfidfSimilarity,
    retrieve,
)
from acumen.runner.wire import TransportFailure


class Watcher(Protocol):
    """Hears how a run goes; one that inherits from it overrides what it wants to hear."""

    def begin(self, plan: Plan, journal: Journal) -> None:
        """The journal is open; it holds what an earlier run settled."""

    def report(self, record: Record) -> None:
        """A question ended, and its record is on disk."""

    def stop(self) -> None:
        """The first Ctrl-C came: nothing new is asked."""


@dataclass(slots=True)
class Interrupt:
    """Ctrl-C once: ask nothing new and finish what is in flight. Twice: drop that as well."""

    watcher: Watcher | None
    is_set: bool = False
    workers: list[asyncio.Task[None]] = field(default_factory=list)

    def __call__(self) -> None:
        """One Ctrl-C."""
        if self.is_set:
            for worker in self.workers:
                worker.cancel()
        elif self.watcher is not None:
            self.watcher.stop()
        self.is_set = True


async def drive(
    plan: Plan,
    endpoint: Endpoint,
    journal: Journal,
    *,
    concurrency: int,
    watcher: Watcher | None,
) -> bool:
    """Ask what the journal does not hold yet; True when nothing is left to ask."""
    pending = pending_questions(plan, journal)
    shots = await _few_shots(plan, endpoint)
    interrupt = Interrupt(watcher)
    interrupt.workers = workers = [
        asyncio.create_task(_work(pending, plan, endpoint, journal, shots, interrupt))
        for _ in range(concurrency)
    ]
    with _on_signals(interrupt):
        try:
            await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.cancel()
            errors = await asyncio.gather(*workers, return_exceptions=True)
    for error in errors:
        if isinstance(error, Exception):
            raise error
    return all(question.key in journal.records for question in plan.questions())


def pending_questions(plan: Plan, journal: Journal) -> Iterator[Question]:
    """What is still to be asked, in the plan's order."""
    final = {key for key, record in journal.records.items() if record.is_final}
    return (question for question in plan.questions() if question.key not in final)


def final_records(plan: Plan, journal: Journal) -> list[Record]:
    """The records of this plan that stand; under ``--limit`` the journal may hold more."""
    records = (journal.records.get(question.key) for question in plan.questions())
    return [record for record in records if record is not None and record.is_final]


async def _work(
    pending: Iterator[Question],
    plan: Plan,
    endpoint: Endpoint,
    journal: Journal,
    shots: FewShots | None,
    interrupt: Interrupt,
) -> None:
    """Take the next question until none is left. The iterator is shared; one loop, no lock."""
    for question in pending:
        record = await _one(question, plan, endpoint, shots)
        await journal.append(record)
        if interrupt.watcher is not None:
            interrupt.watcher.report(record)
        if interrupt.is_set:
            return


async def _one(
    question: Question, plan: Plan, endpoint: Endpoint, shots: FewShots | None
) -> Record:
    references: References = {}
    if question.mode == "few_shot" and shots is not None:
        try:
            references = await shots.of(question.case)
        except TransportFailure as failure:  # the question could not be put
            reason = f"embedding_{failure.reason}"
            return Record(*question.key, Outcome.transport_failure, reason, retries=failure.retries)
    return await ask(question, references, plan, endpoint)


@dataclass(slots=True)
class FewShots:
    """References by case, retrieved once for all its samples."""

    plan: Plan
    similarity: Similarity
    _tasks: dict[int | str, asyncio.Task[dict[str, list[Retrieved]]]] = field(default_factory=dict)

    async def of(self, case: Case) -> dict[str, list[Retrieved]]:
        """The references of ``case``, by item."""
        if case.id not in self._tasks:
            self._tasks[case.id] = asyncio.create_task(self._retrieve(case))
        return await asyncio.shield(self._tasks[case.id])

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
    similarity = EmbeddedSimilarity(endpoint, plan.settings.embedding_model, plan.references.all)
    try:
        await similarity.prepare()
    except TransportFailure as failure:
        message = f"the references could not be embedded at {endpoint.host}: {failure.reason}"
        raise EndpointRefusal(message) from None
    return FewShots(plan, similarity)


@contextmanager
def _on_signals(handler: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and a polite kill go to ``handler``; only a main thread can say so."""
    loop = asyncio.get_running_loop()
    numbers = []
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, handler)
        except (ValueError, RuntimeError, NotImplementedError):
            continue
        numbers.append(number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
