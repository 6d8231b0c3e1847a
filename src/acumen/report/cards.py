"""A card in words, to be read and printed; and what a check of it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from acumen.errors import counted
from acumen.report.blocks import Cell, Detail, Head, Section, Table
from acumen.report.cells import number, plain, reach, title_of
from acumen.report.claims import Claim
from acumen.report.decided import bound
from acumen.report.decisions import threshold_words
from acumen.report.origin import sentence
from acumen.report.sections import Ask, Family, remarks
from acumen.results.cards import Agreement, CardCheckDocument, CardDocument
from acumen.results.decisions import Check

SEAL: Final = "The digest shows an edit; it does not show who made the card."


def _head(document: CardDocument) -> Head:
    return Head(f"Card of {plain(document.judge)}", sentence(document), ("card", "intervals"))


def _facts(document: CardDocument) -> Table:
    data, promise = document.data, document.threshold
    rows = {
        "judge": document.judge,
        "prompt": "not named"
        if document.prompt is None
        else f"{document.prompt.name} ({document.prompt.sha256[:16]})",
        "scale": f"{promise.scale.name}: {', '.join(map(str, promise.scale.levels))}",
        "labels by": document.labelled_by,
        "data": f"{data.name or 'a table'} ({(data.sha256 or 'no file')[:16]})",
        "of them": f"{data.cases} cases, {data.rows} rows, {data.answered} answered",
        "confidence": promise.confidence,
        "accepted above": bound(promise.threshold).text,
        "promise": f"risk ({promise.loss}) at most {promise.alpha:g}, chance of error "
        f"{promise.delta:g}, {counted(promise.cases, 'case')}",
        "method": f"{promise.method}, {promise.test}",
        "digest": document.digest or "none",
    }
    cells = tuple((Cell(what), Cell(plain(text))) for what, text in rows.items())
    return Table("What the promise rests on", ("what", "value"), cells)


def _agreement(agreement: Sequence[Agreement], title: str = "") -> Table:
    rows = tuple(
        (
            Cell(title_of(a.metric)),
            *(number(a.answered.value), reach(*a.answered.ends)),
            *(number(a.accepted.value), reach(*a.accepted.ends)),
        )
        for a in agreement
    )
    return Table(
        title, ("metric", "all answers", "95% interval", "accepted", "its 95% interval"), rows
    )


def _card(document: CardDocument, _: Ask) -> Iterator[Section]:
    words = threshold_words(document.threshold)
    yield Section("metrics", "The promise", (_facts(document),), Detail.ANSWER, words.sentence)
    title = "Agreement with the labels, and signed error"
    yield Section("agreement", title, (_agreement(document.agreement),))
    notes = [*words.notes, SEAL]
    if not document.of_promise:
        notes.append("The promise was made from other cases than the agreement was measured on.")
    yield remarks(notes, document.warnings)


CARD: Final = Family(_head, (_card,))


def _check_head(document: CardCheckDocument) -> Head:
    return Head(
        f"Check of the card of {plain(document.judge)}", sentence(document), ("gate", "intervals")
    )


def _verdict(document: CardCheckDocument) -> str:
    bound_of_risk, cases = document.checks[0].bound, counted(document.cases, "case")
    failed = [_broken(check) for check in document.checks if check.verdict == "fail"]
    if document.verdict == "fail":
        return f"The promise is broken here: {' and '.join(failed)} ({cases})."
    if document.verdict == "pass":
        holds = Claim.PROMISE_HOLDS.say(bound=f"{bound_of_risk:g}")
        return f"The promise holds here: {holds} ({cases})."
    return f"Whether the promise holds is undecided: there are too few data ({cases})."


def _broken(check: Check) -> str:
    claim = Claim.ALARM_RISK if check.metric == "risk" else Claim.ALARM_COVERAGE
    return claim.say(bound=f"{check.bound:.4g}")


def _checked(document: CardCheckDocument, _: Ask) -> Iterator[Section]:
    names = {"risk": "risk of what is accepted", "coverage": "coverage"}
    asked = {"at-most": "at most", "at-least": "at least"}
    rows = tuple(
        (
            *(Cell(c.verdict), Cell(names[c.metric])),
            Cell(f"{asked[c.rule]} {c.bound:.4g}"),
            *(number(c.measured.value), reach(*c.measured.ends)),
        )
        for c in document.checks
    )
    columns = ("verdict", "what", "on the card", "here", "ends")
    table = Table("Checks", columns, rows)
    yield Section("metrics", "The promise, here", (table,), Detail.ANSWER, _verdict(document))
    here = _agreement(document.agreement, "Agreement and signed error, here")
    before = _agreement(document.before, "On the card")
    yield Section("agreement", "Agreement with the labels, and signed error", (here, before))
    notes = [
        "A pass is false in at most 5% of studies, a failure in at most 5%.",
        "No claim is made about agreement: it also depends on the cases.",
    ]
    if document.shared:
        notes.append(f"{counted(document.shared, 'id')} made the promise; said to be other cases.")
    yield remarks(notes, document.warnings)


CHECK: Final = Family(_check_head, (_checked,))
