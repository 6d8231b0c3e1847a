"""A cascade in words: what each stage does, what it costs, and what its stages would do alone."""

from __future__ import annotations

from typing import Final

from acumen.errors import counted
from acumen.report.blocks import Cell, Fact, Table
from acumen.report.cells import number, percent, plain
from acumen.report.claims import Claim
from acumen.report.decided import Curve, Mark, bound
from acumen.report.decisions import Words, family
from acumen.results.cascades import CascadeDocument, Operation


def cascade_words(document: CascadeDocument) -> Words:
    """What each stage does, and what that costs."""
    promise = f"risk ({plain(document.loss)}) is at most {document.alpha:g}, with a chance of error"
    promise += f" of {document.delta:.3g}"
    tested = counted(document.cases_tested, "case")
    whole = document.cascade
    sentence = f"None can be certified with {tested} that the {promise}: people answer all."
    if document.certified:
        asked = [stage for stage in document.stages if stage.is_asked]
        ways = [f"{plain(s.name)} above {bound(s.threshold).text}" for s in asked]
        claim = Claim.CASCADE_CERTIFIED.say(ways=", then ".join(ways), promise=promise)
        sentence = f"{claim} ({tested}). "
        sentence += f"A row costs {whole.price:.4g}, and {whole.referred:.1%} go to people."
    rows = [_row("cascade", whole), *(_row(f"{plain(o.name)} alone", o) for o in document.alone)]
    people = Operation(
        name="people", certified=True, price=document.person_price, referred=1.0, risk=None
    )
    rows.append(_row("people alone", people))
    columns = ("who answers", "price of a row", "go to people", "risk here", "certified")
    stages = [
        f"{plain(s.name)} ({plain(s.confidence)}, {s.price:g} a row): asked {s.asked:.1%} of rows, "
        f"accepts {s.accepted:.1%} above {bound(s.threshold).text}."
        if s.is_asked
        else f"{plain(s.name)}: not asked, it is cheaper without."
        for s in document.stages
    ]
    notes = [
        *(stages if document.certified else []),
        f"{counted(document.cases_apart, 'other case')} chose what was tested, and the order.",
        "The chance of error is approximate: measured up to 1.15 times as large. "
        "Each stage alone has a promise of its own.",
    ]
    points = [(o.price, o.risk or 0.0) for o in document.frontier if o.risk is not None]
    marks: list[Mark] = [(f"at most {document.alpha:.4g}", None, document.alpha)]
    caption = "What was tested: dashed is the risk asked for."
    if document.certified:
        marks.append(("the cascade", whole.price, whole.risk))
        caption = "What was tested: dashed is the risk asked for; the large dot is the cascade."
    drawing = Curve(sorted(points), "price of a row", "risk here", caption, marks)
    facts = [Fact("price of a row", number(whole.price, ".4g"))]
    facts.append(Fact("go to people", percent(whole.referred)))
    table = Table("What it costs", columns, tuple(rows))
    return Words("Cascade", sentence, table, notes, facts, drawing)


def _row(name: str, operation: Operation) -> tuple[Cell, ...]:
    return (
        Cell(name),
        *(number(operation.price, ".4g"), percent(operation.referred), number(operation.risk)),
        Cell("yes" if operation.certified else "no"),
    )


CASCADE: Final = family(cascade_words)
