r"""A promise watched case by case: bounds that hold at every look, and an alarm when it breaks.

A case's :math:`Z = \sum_i (l_i - \alpha)\,1[c_i > \lambda]` has a mean of at most 0 while the
risk of what is accepted is at most α. Betting against that (:mod:`acumen.inference.betting`)
reaches 1/δ with chance δ at most, over the whole stream and however often one looks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from acumen.decisions.sample import made_now, sample_of
from acumen.errors import DataError, Problem, UsageError, source_name
from acumen.evaluation.abstain import bound_of, own_loss_of, threshold_of, under_loss_of
from acumen.inference.betting import Alarm, Share
from acumen.readers.stream import Stream
from acumen.results.calibration import CaseHashes, case_hash
from acumen.results.decisions import ThresholdDocument
from acumen.results.watching import Bounded, Promise, Tally, Wager, WatchDocument, Watched
from acumen.table.judgments import Judgments
from acumen.table.scale import find_scale

OfCase = tuple[int, int, float]
"""A case's rows, those accepted, and what was lost on these, as a share of the largest loss."""


def certified(promise: Any) -> tuple[str, ThresholdDocument]:
    """A threshold that promises a risk, and what it is called."""
    named = threshold_of(promise)
    assert named is not None, "a promise is needed"
    name, document = source_name(named[0]), named[1]
    if not document.certified:
        raise DataError(["certifies no threshold: there is no promise to watch"], source=name)
    if document.also:
        others = ", ".join(other.loss for other in document.also)
        message = f"promises several risks ({others} too): watch or card a threshold of one"
        raise DataError([message], source=name)
    if document.delta is None:
        message = "promises a mean loss of a case (crc); a risk is what can be watched"
        raise DataError([message], source=name)
    own_loss_of(document, name)
    return name, document


def promise_of(
    document: ThresholdDocument, delta: float, least_coverage: float | None, most_items: int | None
) -> Promise:
    """What a threshold promises, as a stream is compared with it."""
    if not 0.0 < delta < 1.0:
        raise UsageError(f"delta is a chance between 0 and 1, not {delta:g}")
    if least_coverage is not None and not 0.0 < least_coverage < 1.0:
        raise UsageError(f"a coverage to keep is between 0 and 1, not {least_coverage:g}")
    loss = own_loss_of(document, "the promise")
    grades = loss.grades(find_scale(document.scale.levels))
    return Promise(
        threshold=document.threshold,
        alpha=document.alpha,
        least_coverage=least_coverage,
        delta=delta,
        most_items=most_items or max(document.items, 1),
        most_loss=float(grades.cost.max()) * grades.unit,
        confidence=document.confidence,
        loss=loss.name,
        costs=document.costs,
        scale=document.scale,
    )


class Watch:
    """A promise, and what the cases that came so far said of it."""

    def __init__(self, promise: Promise, state: tuple[str, WatchDocument] | None = None) -> None:
        self.promise = promise
        self.tallies: Counter[OfCase] = Counter()
        self.looks = self.shared = self.unlabelled = 0
        self.seen: set[str] = set()
        self.last_time: float | str | None = None
        self.alarms: dict[Watched, Alarm] = {"risk": Alarm()}
        self.alarmed: dict[Watched, int] = {}
        if promise.least_coverage is not None:
            self.alarms["coverage"] = Alarm()
        if state is not None:
            self._go_on_from(*state)

    def _go_on_from(self, name: str, state: WatchDocument) -> None:
        before, now = state.promise.model_dump(), self.promise.model_dump()
        if other := [
            f"{key}: {before[key]}, now {now[key]}" for key in now if now[key] != before[key]
        ]:
            raise DataError([f"watches another promise ({'; '.join(other)})"], source=name)
        self.tallies.update({(t.rows, t.accepted, t.loss): t.cases for t in state.tallies})
        self.looks, self.shared, self.unlabelled = state.looks, state.shared, state.unlabelled
        self.seen, self.last_time = set(state.case_hashes.sha256_16), state.last_time
        for wager in state.wagers:
            self.alarms[wager.of] = Alarm(np.array(wager.stakes), wager.cases)
            if wager.alarm is not None:
                self.alarmed[wager.of] = wager.alarm

    @property
    def cases(self) -> int:
        """How many labelled cases came."""
        return self.tallies.total()

    def look(self, table: Judgments, document: ThresholdDocument, calibration: Any = None) -> None:
        """Take in the cases of a table, in their order."""
        self.looks += 1
        self.unlabelled += table.no_truth if table.has_truth else len(table)
        if not table.has_truth:
            return
        judged = table.included
        self.shared += document.case_hashes.shared_with(judged.cases)
        for of_case in _of_cases(judged, self.promise, document, calibration):
            if of_case[0] > self.promise.most_items:
                rows, most = of_case[0], self.promise.most_items
                message = f"a case has {rows} rows, and at most {most} were promised (--most-items)"
                raise DataError([Problem(message)], source=table.source.name)
            self._bet(of_case)

    def _bet(self, of_case: OfCase) -> None:
        rows, accepted, loss = of_case
        promise, most = self.promise, self.promise.most_items
        self.tallies[of_case] += 1
        alpha = promise.alpha / promise.most_loss
        values: dict[Watched, tuple[float, float]] = {
            "risk": (loss - alpha * accepted, -alpha * most)
        }
        if (least := promise.least_coverage) is not None:
            values["coverage"] = (least * rows - accepted, -(1.0 - least) * most)
        for name, (value, floor) in values.items():
            capital = float(self.alarms[name].bet(value, floor))
            # each of the two may err with its part of the chance
            if capital >= len(values) / promise.delta:
                self.alarmed.setdefault(name, self.cases)

    def document(self) -> WatchDocument:
        """All of it, as it is kept."""
        promise = self.promise
        table = np.array([*self.tallies], np.float64).reshape(-1, 3).T
        times = np.array([*self.tallies.values()], np.int64)
        rows, accepted, loss = table
        risk = Share(loss, accepted, promise.most_items, times)
        coverage = Share(accepted, rows, promise.most_items, times)
        return WatchDocument(
            **made_now(),
            confidence=promise.confidence,
            loss=promise.loss,
            scale=promise.scale,
            promise=promise,
            risk=_bounded(risk, promise.delta, promise.most_loss),
            coverage=_bounded(coverage, promise.delta),
            cases=self.cases,
            looks=self.looks,
            shared=self.shared,
            unlabelled=self.unlabelled,
            wagers=[
                Wager(
                    of=name,
                    stakes=alarm.stakes.tolist(),
                    capital=float(alarm.capital),
                    cases=alarm.cases,
                    alarm=self.alarmed.get(name),
                )
                for name, alarm in self.alarms.items()
            ],
            tallies=[
                Tally(rows=r, accepted=a, loss=lost, cases=n)
                for (r, a, lost), n in self.tallies.items()
            ],
            last_time=self.last_time,
            case_hashes=CaseHashes(sha256_16=sorted(self.seen)),
        )


def _bounded(share: Share, error: float, unit: float = 1.0) -> Bounded:
    """A share and the ends that all looks keep; nothing is known of a share of nothing."""
    rows = float((share.rows * share.times).sum())
    if rows == 0.0:
        return Bounded(value=None, low=0.0, high=unit)
    low, high = share.ends(error)
    value = float((share.part * share.times).sum()) / rows
    return Bounded(value=value * unit, low=low * unit, high=high * unit)


def _of_cases(
    table: Judgments, promise: Promise, document: ThresholdDocument, calibration: Any
) -> Iterator[OfCase]:
    """What each case says, in the order of the stream."""
    bound = bound_of(("the promise", document), table.scale)
    rows = np.bincount(table.case[table.once], minlength=len(table.cases))
    if not (table.answered & table.once).any():
        yield from ((int(r), 0, 0.0) for r in rows)
        return
    table = under_loss_of(table, document, "the promise")
    loss = own_loss_of(document, "the promise")
    sample = sample_of(table, promise.confidence, loss, calibration)
    accepted, loss = (part[0] for part in sample.accepted(np.array([bound])))
    # a sample has its cases in the order of a hash
    place = np.argsort(np.argsort([case_hash(case, "") for case in table.cases]))
    for r, a, lost in zip(rows, accepted[place], loss[place], strict=True):
        yield int(r), int(a), round(float(lost), 12)


def watched(
    watch: Watch, stream: Stream, document: ThresholdDocument, every: int, calibration: Any
) -> Iterator[WatchDocument]:
    """What is known after each look, up to the first alarm."""
    for table in stream.tables(every):
        watch.look(table, document, calibration)
        watch.last_time = stream.last_time
        yield watch.document()
        if watch.alarmed:
            return


def state_of(path: str | Path | None) -> tuple[str, WatchDocument] | None:
    """A file's name and what it kept of an earlier stream; None where there is none yet."""
    if path is None or not Path(path).exists():
        return None
    from acumen.files.json import read_json
    from acumen.files.problems import validated

    name = source_name(path)
    return name, validated(read_json(path), WatchDocument, name)
