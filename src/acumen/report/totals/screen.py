"""What a screen shows of totals: how far off, which side of the cut, what is open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import mean

from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Detail, Section, Table
from acumen.report.cells import measured_cell, number, percent, plain, reach, said, text
from acumen.report.claims import Claim
from acumen.report.sections import Ask, remarks
from acumen.report.totals.words import (
    DELTAS,
    LIMITS,
    ON_SCREEN,
    RATES,
    RISKS,
    UNITS,
    case_count,
    columns_of,
    error_rows,
    unit_of,
    whose,
)
from acumen.results.totals import (
    CaseThreshold,
    CaseTotal,
    CutMeasure,
    IntervalPart,
    SystemTotals,
    TotalsDocument,
)


def _headline(document: TotalsDocument) -> str:
    total = document.total
    span = f"{total.lowest:g} to {total.highest:g}"
    of = f"{plain(total.title)} of {counted(len(total.items), 'item')}, {span}"
    lines = []
    for system in document.systems:
        gone = f", {system.failed} failed" if system.failed else ""
        gone += f", {system.without_truth} without truth" if system.without_truth else ""
        opened = system.cases - system.complete
        known = f"{system.complete} with all items, {opened} with open ones"
        prorated = f", {system.prorated} of these prorated" if system.prorated else ""
        cases = case_count(document, system.cases)
        lines.append(f"{whose(document, system)}{cases}{gone}: {known}{prorated}")
    return ". ".join([of, *lines])


def judged(document: TotalsDocument, _: Ask) -> Section:
    """What was added up, and of how many cases."""
    return Section("judged", "What was added up", finding=_headline(document))


def errors(document: TotalsDocument, _: Ask) -> Section:
    """How far off the totals are."""
    title = "How far off is the total"
    if not document.has_truth:
        finding = "There is no truth in it: totals and ranges are shown, and not scored."
        return Section("metrics", title, (_spread(document),), Detail.ANSWER, finding)
    sentences = (f"{whose(document, s)}{_off(document, s)}" for s in document.systems)
    table = Table(
        "",
        ("of a total", *columns_of(document)),
        (*error_rows(document, ON_SCREEN), _limits(document)),
    )
    return Section("metrics", title, (table,), Detail.ANSWER, " ".join(sentences))


def _off(document: TotalsDocument, system: SystemTotals) -> str:
    """How far off the totals of a system are, in a sentence."""
    error = system.error
    if error is None or error.mae.value is None or error.bias.value is None:
        return f"No {document.noun} has a total, so none is scored."
    way = "too high" if error.bias.value > 0 else "too low"
    off, bias = number(error.mae.value, ".1f").text, number(abs(error.bias.value), ".1f").text
    whose = f"Totals of {case_count(document, error.cases)} are {off} points off on average"
    if abs(error.bias.value) < 0.05:
        return f"{whose}, neither too high nor too low in all."
    return f"{whose}, and {bias} {way}."


def _limits(document: TotalsDocument) -> tuple[Cell, ...]:
    """The limits of agreement in one row."""
    ends = (
        (None, None) if e is None else (e.lower_limit.value, e.upper_limit.value)
        for e in (system.error for system in document.systems)
    )
    return Cell("Limits of agreement"), *(reach(*pair, form="+.1f") for pair in ends)


def _spread(document: TotalsDocument) -> Table:
    rows = (
        (text(system.name), number(system.cases), number(system.complete), number(opened))
        for system in document.systems
        for opened in [system.cases - system.complete]
    )
    return Table("", ("system", "cases", "with all items", "with open items"), tuple(rows))


def cut(document: TotalsDocument, _: Ask) -> Iterator[Section]:
    """The side of the cut, of decided cases and with open ones either way."""
    total = document.total
    if total.cut is None:
        return
    way = "above" if total.positive == "high" else "below"
    findings = [f"{total.cut:g} or {way} is looked for."]
    for system in document.systems:
        cut = system.cut
        if cut is None:
            continue
        decided = f"{cut.positive + cut.negative} of {cut.cases} are decided, {cut.positive} found"
        left = f"{cut.open} are open ({percent(cut.open / max(cut.cases, 1)).text})"
        findings.append(f"{whose(document, system)}{decided}; {left}.")
    measures = [(s, s.cut.measures) for s in document.systems if s.cut and s.cut.measures]
    rows = (
        (Cell(title), *(cell for _, m in measures for cell in _both(m[name], unit_of(name))))
        for name, title in RATES.items()
    )
    heads = [
        f"{head}{f', {plain(s.name)}' if len(measures) > 1 else ''}"
        for s, _ in measures
        for head in ("decided cases", "open either way")
    ]
    table = (Table("", ("at the cut", *heads), tuple(rows)),) if measures else ()
    yield Section("cut", "On which side of the cut", table, Detail.ANSWER, " ".join(findings))


def _both(measure: CutMeasure, unit: Unit) -> tuple[Cell, Cell]:
    """Of decided cases with the interval, and the lowest and highest that open cases allow."""
    ends = [measured_cell(end, unit) for end in (measure.lowest, measure.highest)]
    low, high = (end.text for end in ends)
    values = measure.lowest.value, measure.highest.value
    return measured_cell(measure.decided, unit), Cell(f"{low} to {high}", ends=values)


def open_cases(document: TotalsDocument, _: Ask) -> Iterator[Section]:
    """What would close open cases, and what may be said of each."""
    sentences = [
        f"{whose(document, system)}{' '.join(own)}"
        for system in document.systems
        if (own := [*_of_open(document, system)])
    ]
    if sentences:
        yield Section("open", "What is open", finding=" ".join(sentences))


def _of_open(document: TotalsDocument, system: SystemTotals) -> Iterator[str]:
    cut, asks = system.cut, system.asks
    if cut is not None and cut.open and asks:
        best = asks[0]
        closed = best.closes_surely if best.closes is None else best.closes
        by = "whatever the answer" if best.closes is None else "by the true answers"
        cases = f"of the {counted(cut.open, 'open case')} ({by})"
        yield (
            f"Asking a person {plain(best.item)} alone closes {closed} {cases}."
            if closed
            else f"No single item, asked of a person, closes any {cases}."
        )
    prorating = system.prorating
    if prorating is not None and prorating.error is not None:
        bias = said(prorating.error.bias, signed=True)
        yield f"{case_count(document, prorating.cases)} prorated: bias {bias} points."
    if document.has_truth:
        yield _of_intervals(document, system)
    if system.new:
        cases = case_count(document, len(system.new))
        yield f"{cases} without truth: {_of_new(system.new)}."


def _of_intervals(document: TotalsDocument, system: SystemTotals) -> str:
    """What the intervals hold; of too few cases they reach over all totals, or there are none."""
    part, total = system.intervals, document.total
    if part is None or part.width >= total.highest - total.lowest:
        few = f"{case_count(document, system.cases)} {'is' if system.cases == 1 else 'are'} too few"
        return f"{few} for intervals: they would reach from {total.lowest:g} to {total.highest:g}."
    return f"Intervals of {part.width:.1f} points hold {_held(part)}."


def _of_new(rows: Sequence[CaseTotal]) -> str:
    """What is said of cases that nothing can be compared with."""
    counts = Counter(row.decision for row in rows)
    decided = [f"{counts[side]} {side}" for side in ("above", "below", "open") if counts[side]]
    known = [row.interval for row in rows if row.interval is not None]
    ends = [f"intervals of {mean(high - low for low, high in known):.1f} points"] if known else []
    return ", ".join([*decided, *ends]) or "totals alone"


def _held(part: IntervalPart) -> str:
    asked = f"{percent(1 - part.alpha).text} was asked for"
    return f"{said(part.coverage, Unit.SHARE)} of held-out truths; {asked}"


def trust(document: TotalsDocument, _: Ask) -> Iterator[Section]:
    """Thresholds that were asked for."""
    sentences = [
        f"{whose(document, system)}{_threshold(document, threshold)}"
        for system in document.systems
        for threshold in system.thresholds
    ]
    if sentences:
        how = f"A case is as sure as the {document.aggregate} of {plain(document.confidence)}."
        yield Section("selective", "Which may be used", finding=" ".join([*sentences, how]))


def _threshold(document: TotalsDocument, threshold: CaseThreshold) -> str:
    promise = f"{RISKS[threshold.of]} is at most {LIMITS[threshold.of].format(threshold.risk)}"
    chance = f"with a chance of error of {percent(threshold.delta).text}"
    if not threshold.certified:
        about = threshold.cases_needed
        more = f"; about {about} like these could" if about is not None else ""
        return f"No threshold can be certified at which the {promise}, {chance}{more}."
    every = {"total": "All with a total", "side": "All that are decided"}[threshold.of]
    above = f"Those with a confidence above {number(threshold.threshold, '.4g').text}"
    above = every if threshold.threshold is None else above
    share = f"{said(threshold.coverage, Unit.SHARE)} of the {document.noun}s"
    certified = f"{promise}, {chance}"
    return f"{Claim.CASES_CERTIFIED.say(cases=above, share=share, promise=certified)}."


def pairs(document: TotalsDocument, _: Ask) -> Iterator[Section]:
    """Two systems, paired by case."""
    for at, pair in enumerate(document.pairs):
        names = f"{plain(pair.right)} − {plain(pair.left)}"
        rows = (
            (
                Cell(DELTAS[key][0]),
                number(delta.left, ".3f"),
                number(delta.right, ".3f"),
                measured_cell(delta, DELTAS[key][1], signed=True),
            )
            for key, delta in pair.differences.items()
        )
        at_equal = (
            (
                Cell(f"Surest {percent(both.coverage).text}: {RISKS[of]}"),
                number(delta.left, ".3f"),
                number(delta.right, ".3f"),
                measured_cell(delta, UNITS[of], signed=True),
            )
            for of, both in pair.selective.items()
            for delta in (both.risk,)
        )
        columns = ("measure", plain(pair.left), plain(pair.right), "difference")
        table = Table("", columns, (*rows, *at_equal))
        both = f"{case_count(document, pair.cases)} of both, paired"
        finding = f"{both}; {pair.both_totals} have both totals."
        key = "pair" if at == 0 else f"pair-{at + 1}"
        yield Section(key, f"Which is better ({names})", (table,), finding=finding)


def groups(document: TotalsDocument, _: Ask) -> Iterator[Section]:
    """The measures of groups of cases."""
    tables = tuple(
        _group_table(document, system, column)
        for system in document.systems
        for column in dict.fromkeys(group.column for group in system.groups)
    )
    if tables:
        yield Section("groups", "For whom", tables)


def _group_table(document: TotalsDocument, system: SystemTotals, column: str) -> Table:
    groups = [group for group in system.groups if group.column == column]
    rows = (
        (
            Cell(title),
            *(measured_cell(g.measures.get(key), unit, signed=key == "bias") for g in groups),
        )
        for key, (title, unit) in DELTAS.items()
        if any(key in g.measures for g in groups)
    )
    heads = (f"{plain(g.group)} ({g.cases})" for g in groups)
    return Table(f"{whose(document, system)}{plain(column)}", ("measure", *heads), tuple(rows))


def notes(document: TotalsDocument, _: Ask) -> Section:
    """What was left out."""
    return remarks((), document.warnings)
