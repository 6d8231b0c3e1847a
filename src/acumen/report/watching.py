"""A watched promise in words: a line a look, and all that is known at the last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from acumen.errors import counted
from acumen.report.blocks import Cell, Fact, Table
from acumen.report.cells import number, percent, plain, reach
from acumen.report.claims import Claim
from acumen.report.decided import bound
from acumen.report.decisions import Words, family
from acumen.results.watching import Bounded, Promise, Wager, WatchDocument


def line_of(document: WatchDocument) -> str:
    """What is known after a look, in a line."""
    rows = counted(document.unlabelled, "row")
    bare = f" ({rows} without a truth)" if document.unlabelled else ""
    words = [f"{counted(document.cases, 'case')}{bare}:", *_bounds(document)]
    bets = [f"{wager.capital:.3g} of {_level(document):g}" for wager in document.wagers]
    words.append(f"evidence against the promise {' and '.join(bets)}.")
    return " ".join([*words, *map(_alarm(document.promise), document.alarms)])


def record_of(document: WatchDocument) -> dict[str, Any]:
    """The same as data: what changes from look to look."""
    known: Mapping[str, Bounded] = {"risk": document.risk, "coverage": document.coverage}
    return {
        "cases": document.cases,
        **{name: bounded.model_dump() for name, bounded in known.items()},
        "evidence": {wager.of: wager.capital for wager in document.wagers},
        "alarm_at": _level(document),
        "alarms": [wager.of for wager in document.alarms],
    }


def _level(document: WatchDocument) -> float:
    """The capital at which a wager raises the alarm."""
    return round(len(document.wagers) / document.promise.delta, 6)


def _bounds(document: WatchDocument) -> list[str]:
    risk, coverage, promise = document.risk, document.coverage, document.promise
    least = promise.least_coverage
    bar = "" if least is None else f" (least {least:g})"
    accepted = f"accepted {percent(coverage.value).text}{bar}, "
    if risk.value is None:
        return [f"{accepted}no answer is accepted yet,"]
    ends = reach(risk.low, risk.high, ".3f").text
    return [f"{accepted}risk {risk.value:.3f} {ends} (promised {promise.alpha:g}),"]


def _alarm(promise: Promise) -> Callable[[Wager], str]:
    def say(wager: Wager) -> str:
        broken = Claim.ALARM_RISK if wager.of == "risk" else Claim.ALARM_COVERAGE
        at = promise.alpha if wager.of == "risk" else promise.least_coverage
        chance = f"a false alarm has a chance of {promise.delta:g} over the whole stream"
        return f"ALARM at case {wager.alarm}: {broken.say(bound=f'{at:g}')} ({chance})."

    return say


NONE: Final = "No alarm: the promise was not shown to be broken"


def _watch(document: WatchDocument) -> Words:
    promise, name = document.promise, plain(document.promise.confidence)
    above = f"{name} above {bound(promise.threshold).text}"
    above = "every answer" if promise.threshold is None else above
    looks, cases = counted(document.looks, "look"), counted(document.cases, "case")
    alarms = " ".join(map(_alarm(promise), document.alarms))
    risk, coverage = document.risk, document.coverage
    rows = (
        (Cell("risk of what is accepted"), number(risk.value), reach(risk.low, risk.high)),
        (Cell("coverage"), number(coverage.value), reach(coverage.low, coverage.high)),
    )
    ends = f"{1 - promise.delta:.0%} ends, at all looks together"
    promised = f"a risk ({plain(promise.loss)}) of at most {promise.alpha:g}"
    notes = [
        f"Accepted is {above}; promised is {promised}.",
        "The ends are for cases of one population; the alarm holds for those that change, too.",
    ]
    if document.shared:
        shared = counted(document.shared, "case")
        notes.append(f"{shared} of the stream made the promise: those look too good.")
    if document.unlabelled:
        notes.append(f"{counted(document.unlabelled, 'row')} without a truth were ignored.")
    level = f"of {_level(document):g}"
    bets = [
        Fact(f"evidence on the {w.of}, {level}", number(w.capital, ".3g")) for w in document.wagers
    ]
    facts = [Fact("cases", number(document.cases)), *bets]
    table = Table("What the stream shows", ("what", "value", ends), rows)
    sentence = alarms or f"{NONE} by {cases} at {looks}."
    return Words(f"Watching {name}", sentence, table, notes, facts)


WATCH: Final = family(_watch)
