"""Ask all questions of a plan, some at a time: each journaled before it is reported."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from acumen.errors import printable
from acumen.runner.endpoint import Endpoint, Stopped, Watcher
from acumen.runner.journal import Journal
from acumen.runner.limits import Limits, Meter, Stop
from acumen.runner.plan import Plan, Question
from acumen.runner.question import ask
from acumen.runner.record import Key, Outcome, Record
from acumen.runner.refusals import CLIENT_ERRORS, EndpointRefusal
from acumen.runner.retrieval import EmbeddedSimilarity, FewShots, References, TfidfSimilarity
from acumen.runner.wire import TransportFailure

GRACE: Final = 4.0
"""Seconds that questions in flight have to end once the run is to end."""
FIRST_REFUSALS: Final = 3
"""Cases that are refused, before any reply, until the endpoint is taken to refuse them all."""


@dataclass(slots=True)
class Driver:
    """Asks what the journal of a plan does not hold yet."""

    plan: Plan
    endpoint: Endpoint
    journal: Journal
    watcher: Watcher
    limits: Limits
    stop: Stop | None = None
    """Why it ended early."""
    _meter: Meter = field(init=False)
    _shots: FewShots | None = None
    _workers: list[asyncio.Task[None]] = field(default_factory=list)
    _refused: list[Record] = field(default_factory=list)
    """Cases that were refused before any reply: of no account if the endpoint refuses all."""
    _in_flight: int = 0
    _is_known: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while it is clear whether the endpoint refuses all cases or those."""

    @property
    def reason(self) -> str | None:
        """Why the last question got no reply."""
        return self._meter.reason

    async def drive(self, concurrency: int) -> None:
        """Ask so many questions at a time, until none is left or the run is to end."""
        final = {record.key for record in final_records(self.plan, self.journal.records)}
        # what failed before comes last: it may fail again and end the run
        pending = sorted(
            (question for question in self.plan.questions() if question.key not in final),
            key=lambda question: question.key in self.journal.records,
        )
        self._meter = Meter(self.limits, concurrency, has_replies=bool(final))
        questions = iter(pending)
        async with self.endpoint:
            if pending and (seconds := self._meter.seconds_left) is not None:
                if seconds <= 0:
                    self._end(Stop.time)
                asyncio.get_running_loop().call_later(seconds, self._end, Stop.time)
            with _on_signals(self._interrupt):
                self._workers = [asyncio.create_task(self._prepare())]
                await self._wait()
                workers = min(concurrency, len(pending)) * (not self.endpoint.is_stopping)
                self._workers = [asyncio.create_task(self._work(questions)) for _ in range(workers)]
                await self._wait()
        self._refuse_all()
        if all(question.key in self.journal.records for question in pending):
            self.stop = None  # what was in flight was all there was

    async def _wait(self) -> None:
        """Until every worker has ended; one that fails, or the clock, ends the others soon."""
        if not self._workers:
            return
        try:
            await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
            if not all(worker.done() for worker in self._workers):
                self._end(None)
            await asyncio.wait(self._workers)
        finally:
            self._cancel()
            errors = await asyncio.gather(*self._workers, return_exceptions=True)
        for error in errors:
            if isinstance(error, Exception):
                raise error

    def _interrupt(self) -> None:
        """Ctrl-C once: ask nothing new and finish what is in flight. Twice: drop that as well."""
        if self.endpoint.is_stopping:
            self._cancel()
        else:
            self.watcher.stop()
        self._end(Stop.interrupted)

    def _end(self, stop: Stop | None) -> None:
        """Ask nothing new; what is in flight has a moment to end, what waits is dropped."""
        self.stop = self.stop or stop
        self.endpoint.stop()
        self._is_known.set()
        asyncio.get_running_loop().call_later(GRACE, self._cancel)

    def _cancel(self) -> None:
        for worker in self._workers:
            worker.cancel()

    async def _prepare(self) -> None:
        with suppress(Stopped):
            self._shots = await _few_shots(self.plan, self.endpoint)

    async def _work(self, questions: Iterator[Question]) -> None:
        """Take the next question until none is left. The iterator is shared; one loop, no lock."""
        for question in questions:
            if self.endpoint.is_stopping:
                return
            self._in_flight += 1
            try:
                record = await self._record(question)
            except Stopped:
                return
            finally:
                self._in_flight -= 1
            await self._settle(record)

    async def _settle(self, record: Record) -> None:
        """Journal a record and count it; a refusal waits until it is known whom it is about."""
        stop = self._meter.count(record)
        refused = [*self._refused, record]
        is_refusal = self.endpoint.advice is not None and record.reason in CLIENT_ERRORS
        if is_refusal and not self._meter.has_replies:
            self._refused = refused
            if len(refused) >= FIRST_REFUSALS and not self.endpoint.is_stopping:
                if not self._in_flight:
                    self._end(None)
                    self._refuse_all()
                self._is_known.clear()
                await self._is_known.wait()  # those in flight may yet be answered
            return
        self._refused = []
        self._is_known.set()
        for each in refused:
            await self.journal.append(each)
            self.watcher.report(each)
        if stop is not None and not self.endpoint.is_stopping:
            self._end(stop)

    def _refuse_all(self) -> None:
        if self._refused:
            raise EndpointRefusal(f"{printable(self.endpoint.host)} {self.endpoint.advice}")

    async def _record(self, question: Question) -> Record:
        references: References = {}
        if question.mode == "few_shot" and self._shots is not None:
            try:
                references = await self._shots.of(question.case)
            except TransportFailure as failure:  # the question could not be put
                outcome, reason = Outcome.transport_failure, f"embedding_{failure.reason}"
                record = Record(*question.key, outcome, reason, case_hash=question.case.digest)
                return replace(record, retries=failure.retries)
        return await ask(question, references, self.plan, self.endpoint)


def final_records(plan: Plan, records: Mapping[Key, Record]) -> list[Record]:
    """The records of this plan that stand; under ``--limit`` the journal may hold more."""
    own = (records.get(question.key) for question in plan.questions())
    return [record for record in own if record is not None and record.is_final]


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
    before = {number: signal.getsignal(number) for number in numbers}
    with suppress(ValueError, RuntimeError, NotImplementedError):
        for number in numbers:
            loop.add_signal_handler(number, handler)
    try:
        yield
    finally:
        for number in numbers:  # one that was never added does no harm
            with suppress(NotImplementedError):
                if loop.remove_signal_handler(number) and before[number] is not None:
                    signal.signal(number, before[number])  # the loop would leave the system's
