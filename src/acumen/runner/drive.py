"""Ask all questions of a plan, some at a time: each journaled before it is reported."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from acumen.runner.endpoint import Endpoint, EndpointRefusal
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan, Question
from acumen.runner.question import ask
from acumen.runner.record import Outcome, Record
from acumen.runner.retrieval import EmbeddedSimilarity, FewShots, References, TfidfSimilarity
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
class Driver:
    """Asks what the journal of a plan does not hold yet."""

    plan: Plan
    endpoint: Endpoint
    journal: Journal
    watcher: Watcher | None
    _shots: FewShots | None = None
    _is_stopping: bool = False
    _workers: list[asyncio.Task[None]] = field(default_factory=list)

    async def drive(self, concurrency: int) -> bool:
        """Ask so many questions at a time; True when nothing is left to ask."""
        final = {record.key for record in final_records(self.plan, self.journal)}
        pending = (question for question in self.plan.questions() if question.key not in final)
        async with self.endpoint:
            self._shots = await _few_shots(self.plan, self.endpoint)
            self._workers = [asyncio.create_task(self._work(pending)) for _ in range(concurrency)]
            with _on_signals(self._interrupt):
                try:
                    await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
                finally:
                    self._cancel()
                    errors = await asyncio.gather(*self._workers, return_exceptions=True)
        for error in errors:
            if isinstance(error, Exception):
                raise error
        return all(question.key in self.journal.records for question in self.plan.questions())

    def _interrupt(self) -> None:
        """Ctrl-C once: ask nothing new and finish what is in flight. Twice: drop that as well."""
        if self._is_stopping:
            self._cancel()
        elif self.watcher is not None:
            self.watcher.stop()
        self._is_stopping = True

    def _cancel(self) -> None:
        for worker in self._workers:
            worker.cancel()

    async def _work(self, pending: Iterator[Question]) -> None:
        """Take the next question until none is left. The iterator is shared; one loop, no lock."""
        for question in pending:
            record = await self._record(question)
            await self.journal.append(record)
            if self.watcher is not None:
                self.watcher.report(record)
            if self._is_stopping:
                return

    async def _record(self, question: Question) -> Record:
        references: References = {}
        if question.mode == "few_shot" and self._shots is not None:
            try:
                references = await self._shots.of(question.case)
            except TransportFailure as failure:  # the question could not be put
                outcome, reason = Outcome.transport_failure, f"embedding_{failure.reason}"
                return Record(*question.key, outcome, reason, retries=failure.retries)
        return await ask(question, references, self.plan, self.endpoint)


def final_records(plan: Plan, journal: Journal) -> list[Record]:
    """The records of this plan that stand; under ``--limit`` the journal may hold more."""
    records = (journal.records.get(question.key) for question in plan.questions())
    return [record for record in records if record is not None and record.is_final]


async def _few_shots(plan: Plan, endpoint: Endpoint) -> FewShots | None:
    if "few_shot" not in plan.settings.modes or plan.references is None:
        return None
    if plan.settings.embedding_model is None:
        return FewShots(plan, TfidfSimilarity(plan.references.all))
    similarity = EmbeddedSimilarity(plan.references.all, endpoint, plan.settings.embedding_model)
    try:
        await similarity.prepare()
    except TransportFailure as failure:
        message = f"the references could not be embedded at {endpoint.host}: {failure.reason}"
        raise EndpointRefusal(message) from None
    return FewShots(plan, similarity)


@contextmanager
def _on_signals(handler: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and a polite kill go to ``handler``; only a main thread can say so."""
    loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    with suppress(ValueError, RuntimeError, NotImplementedError):
        for number in numbers:
            loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in numbers:  # one that was never added does no harm
            loop.remove_signal_handler(number)
