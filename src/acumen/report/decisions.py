"""Decisions in words: one sentence, one table, and what to know before acting on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report import blocks, origin
from acumen.report.blocks import Cell, Detail, Head, Section, Table
from acumen.report.cells import (
    amount,
    fact,
    measured_cell,
    number,
    p_cell,
    percent,
    plain,
    reach,
    said,
    title_of,
    unit_of,
)
from acumen.report.claims import Claim
from acumen.report.decided import Checks, Curve, Mark, asked_of, bound, subject_of
from acumen.report.plots import plot, plots
from acumen.report.samples import of_draw
from acumen.report.sections import Ask, Family, remarks
from acumen.report.words import hidden, why_missing
from acumen.results.decisions import (
    Check,
    CostDocument,
    Decision,
    GateDocument,
    PlanDocument,
    SetsDocument,
    ThresholdDocument,
)
from acumen.values.measured import Measured

ONE_SIDED: Final = "one-sided 95% ends"
_TESTS: Final = {
    "binomial": "the exact binomial test",
    "betting": "the betting test by case, which is exact",
    "repeated": "betting by case, at every number of cases",
    "hoeffding-bentkus": "the Hoeffding–Bentkus test by case, which is exact",
    "korn-graubard": "the Korn–Graubard bound by case",
    "clopper-pearson": "SGR, a binary search with Clopper–Pearson bounds",
    "conformal": "conformal risk control by case",
}
DECIDED: Final = "What was decided"
_REPEATED: Final = "It may be asked again as cases are added: the ends hold at all of them."
_OF_BOTH: Final = " A difference is on the rows that both answered; of coverage, on all rows."


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of a decision, and what draws it."""

    title: str
    sentence: str
    table: Table
    notes: Sequence[str]
    facts: Sequence[blocks.Fact]
    drawing: Curve | Checks | None = None


def family(words_of: Callable[[Any], Words]) -> Family:
    """The sections of a decision, of its words."""

    def head(document: Decision) -> Head:
        return Head(
            words_of(document).title, origin.sentence(document), (document.kind, "intervals")
        )

    def main(document: Decision, _: Ask) -> Iterator[Section]:
        words = words_of(document)
        yield Section("metrics", DECIDED, (words.table,), Detail.ANSWER, words.sentence)
        yield remarks(words.notes, document.warnings)

    def rest(document: Decision, ask: Ask) -> Section:
        words = words_of(document)
        facts = blocks.Facts(tuple(words.facts))
        return Section("metrics", DECIDED, (facts, *_drawn(document, words, ask)))

    return Family(head, (main,), (rest,))


def _drawn(document: Decision, words: Words, ask: Ask) -> tuple[blocks.Plot, ...]:
    """What the decision was made on, where it can be drawn."""
    seen = words.drawing
    if seen is None:
        return ()
    of = (seen.figure, seen.title, seen.caption, seen.table)
    return plots(plot(ask.study, document.kind, *of))


def _large(cells: Mapping[str, Cell]) -> list[blocks.Fact]:
    return [blocks.Fact(title, cell) for title, cell in cells.items()]


def _ends(measured: Measured, form: str = ".3f") -> str:
    return "" if measured.interval is None else f" {reach(*measured.ends, form).text}"


def threshold_words(document: ThresholdDocument) -> Words:
    """A threshold and its promise."""
    name, cases = plain(document.confidence), counted(document.cases, "case")
    of = "the share of wrong answers" if document.loss == "zero_one" else "the mean loss"
    promise = f"{of}{' of a case' * (document.delta is None)}"
    promise += f" ({plain(document.loss)})" * (document.loss != "zero_one")
    unit = Unit.SHARE if document.loss == "zero_one" else Unit.LOSS
    promise += f" is at most {_asked(document.alpha, unit)}"
    for other in document.also:
        bounded = _asked(other.alpha, Unit.SHARE if other.loss == "zero_one" else Unit.LOSS)
        promise += f", and that of {plain(other.loss)} at most {bounded}"
    if document.delta is not None:
        promise += f", with a chance of error of {percent(document.delta).text}"
    sentence = f"No threshold can be certified with {cases} at which {promise}; "
    if document.certified:
        above = f"Answers with {name} above {bound(document.threshold).text}"
        above = "Every answer" if document.threshold is None else above
        sentence = f"{Claim.CERTIFIED.say(answers=above, promise=promise)} ({cases})."
        if document.target_coverage is not None:
            asked = f"Asked to keep {document.target_coverage:.1%} of all rows, "
            cut = bound(document.threshold).text
            claim = Claim.KEEPS.say(cut=cut, confidence=name, promise=promise)
            sentence = f"{asked}{claim} ({cases})."
    elif document.cases_needed is not None:
        sentence += f"about {counted(document.cases_needed, 'case')} like these could."
    else:
        least = counted(document.fewest_cases or 0, "case")
        sentence += (
            f"more cases like these would not help; at least {least} without an error are needed."
        )
    points = []
    for p in document.grid:
        cells = bound(p.threshold), percent(p.coverage), amount(p.risk, unit), p_cell(p.p_value)
        points.append((*cells, number(p.level, ".3g"), Cell("yes" if p.certified else "no")))
    coverage, default = document.coverage, " (the default here)" * document.method_is_default
    notes = [f"By {_TESTS[document.test]}{default}."]
    if coverage.value is not None:
        notes.insert(0, f"It accepts {coverage.value:.1%} of all rows{_ends(coverage, '.1%')}.")
    if not document.certified:
        notes.append(_least_open(document))
    if document.also:
        notes.append("The risks are promised together; p is that of the one that is least sure.")
    if document.certified and document.undone_by is not None:
        more = f"{counted(document.undone_by, 'more case')} with every answer wrong would undo it"
        notes.append(f"{more}{hidden(document.unseen)}.")
    if document.test == "repeated":
        notes.append("It may be chosen again as cases are added: the chance is of all choices.")
    if document.method == "approx":
        notes.append("The chance of error is approximate: measured up to 1.15 times as large.")
    notes += of_draw(document.drawn)
    if document.delta is None:
        notes.append(
            "It holds on average over studies like this one; no chance of error is promised."
        )
    if not document.items_declared:
        most = counted(document.items, "judgment")
        notes.append(f"A case has at most {most} here; if more are possible, say so: --most-items.")
    if document.cases_apart:
        chose = counted(document.cases_apart, "case")
        notes.append(f"{chose} were used to choose the grid and not to test it.")
    lost = "wrong here" if unit is Unit.SHARE else "mean loss here"
    columns = ("accepted above", "coverage", lost, "p", "level", "certified")
    table = Table("Thresholds, strictest first", columns, tuple(points))
    known = [p for p in document.grid if p.risk is not None]
    bounded = "asked for" if document.target_coverage is None else "promised"
    marks: list[Mark] = [(f"{bounded}: at most {document.alpha:.4g}", None, document.alpha)]
    if document.certified:
        at = next(p for p in reversed(document.grid) if p.certified)
        above = "" if document.threshold is None else "above "
        marks.append((f"accepted: {above}{bound(document.threshold).text}", at.coverage, at.risk))
    curve = [(p.coverage, p.risk or 0.0) for p in known]
    size = {"risk at most": number(document.alpha, "g"), "cases": number(document.cases)}
    facts = [fact("coverage of what it accepts", coverage, Unit.SHARE), *_large(size)]
    cuts = [p.threshold for p in known]
    caption = f"Dashed is what was {bounded}" + "; the large dot is what is accepted" * (
        document.certified
    )
    drawing = Curve(curve, "coverage", "mean loss here", f"{caption}.", marks, cuts)
    return Words(f"Threshold for {name}", sentence, table, notes, facts, drawing)


def _asked(bound: float, unit: Unit) -> str:
    """What was asked for, to the digit; a share in percent, as everywhere."""
    return percent(bound).text if unit is Unit.SHARE else f"{bound:g}"


def _least_open(document: ThresholdDocument) -> str:
    """What these cases alone would ask for; it promises nothing."""
    both = "".join(f" and of {plain(o.loss)} {o.alpha:g}" for o in document.also)
    risk = f"a risk of {document.alpha:g}{both} among these cases"
    if document.least_open is None:
        return f"No share of the answers has {risk}."
    return f"For {risk}, at least {document.least_open:.1%} of all rows must be left open."


def _sets(document: SetsDocument) -> Words:
    bound, coverage, top = document.bound, document.coverage, len(document.scale.levels)
    cases, chance = counted(document.cases, "case"), f"{document.alpha:.3g}"
    sentence = f"{cases} are too few for a chance of {chance}: sets have all {top} levels."
    if bound is not None:
        by_mass = f"the likeliest levels, up to a mass of {bound:.4g},"
        sets = by_mass if document.method == "aps" else f"levels up to {bound:g} off"
        sentence = f"{Claim.SETS_HOLD.say(levels=sets, chance=chance)} ({cases})."
    chances = ", ".join(map(plain, document.probabilities))
    without = "By distance: sets by the chances of levels need several samples or --probabilities."
    notes = (
        f"Of held-out cases, {percent(coverage.value).text} of truths are in their set"
        f"{_ends(coverage, '.1%')}; a set has {document.width:.2f} of {top} levels.",
        "The promise is of a judgment of a new case; not of every level, nor of every width.",
        f"The chances of levels come from {chances}." if chances else without,
    )
    rows = tuple((number(k), percent(share)) for k, share in enumerate(document.shares, 1))
    table = Table("Sets of held-out cases", ("levels in the set", "share of answers"), rows)
    width = {f"levels in a set, of {top}": number(document.width, ".2f")}
    facts = [fact("truths in their set, held out", coverage, Unit.SHARE), *_large(width)]
    return Words("Prediction sets", sentence, table, notes, facts)


def _ends_name(document: GateDocument) -> str:
    """What the ends are: one-sided, or of wider intervals that a file held already."""
    levels = {c.measured.interval.confidence_level for c in document.checks if c.measured.interval}
    own = next(iter(levels), 0.9)
    return ONE_SIDED if len(levels) != 1 or abs(own - 0.9) < 1e-9 else f"{own:.0%} interval"


def _why_undecided(check: Check) -> str:
    words = {
        "few_cases": f"too few cases ({check.cases})",
        "unreliable": "its interval is unreliable",
        "between": "the interval holds values that pass and values that fail",
        "missing": _why_missing_rows(check),
    }
    nothing = "it has no value" if check.measured.value is None else "it has no interval"
    return words.get(str(check.why)) or plain(why_missing(check.measured) or nothing)


def _why_missing_rows(check: Check) -> str:
    """What the missing rows leave open, and how many of them it takes."""
    rows = counted(check.missing_rows or 0, "missing row")
    if check.bounds is None:
        return f"{rows}: {plain(check.measured.reason or 'no bounds')}"
    low, high = (amount(bound, unit_of(check.metric)).text for bound in check.bounds)
    turns = "" if not check.tipping else f", {check.tipping} of them are enough to turn it"
    return f"it depends on {rows}{turns}: whatever they are, the value is {low} to {high}"


def _gate(document: GateDocument) -> Words:
    verdicts = {"pass": Claim.GATE_PASSES.say(), "fail": Claim.GATE_FAILS.say()}
    verdicts["undecided"] = "The gate is undecided: there are too few data to decide"
    of = [f"{sum(c.verdict == name for c in document.checks)} {name}" for name in verdicts]
    rows = tuple(
        (
            Cell(check.verdict.upper() if check.verdict == "fail" else check.verdict),
            *(Cell(subject_of(check)), Cell(asked_of(check))),
            *(measured_cell(check.measured, unit_of(check.metric)), number(check.cases)),
        )
        for check in document.checks
    )
    is_pair = any(len(check.values) == 2 for check in document.checks)
    notes = ["A difference is new − base, turned so that positive is worse."] * is_pair
    notes += [
        f"{subject_of(c)}: {_why_undecided(c)}." for c in document.checks if c.why is not None
    ]
    undone = [c.undone_by for c in document.checks if c.undone_by is not None]
    if document.verdict == "pass" and undone:
        more = f"{counted(min(undone), 'more case')} of the worst kind would undo the pass"
        notes.append(f"{more}{hidden(document.unseen)}.")
    if document.cases < document.least_cases:
        notes.append(f"It asks for at least {counted(document.least_cases, 'case')}.")
    if document.repeated:
        notes.append(_REPEATED + _OF_BOTH * any(len(c.values) == 2 for c in document.checks))
    if document.undecided_counts_as and document.verdict == "undecided":
        notes.append(f"Undecided counts as {document.undecided_counts_as} here.")
    cases = counted(document.cases, "case")
    sentence = f"{verdicts[document.verdict]} ({cases}; checks: {', '.join(of)})."
    columns = ("verdict", "metric", "asked", f"value and {_ends_name(document)}", "cases")
    if _ends_name(document) != ONE_SIDED:
        notes.append("The intervals are those of the file; a gate of a run asks no more.")
    facts = [
        fact(
            f"{subject_of(c)}: {c.verdict}",
            c.measured,
            unit_of(c.metric),
            f"{row[2].text}; one-sided ends",
        )
        for c, row in zip(document.checks[:4], rows, strict=False)
    ]
    table = Table("Checks", columns, rows)
    return Words("Gate", sentence, table, notes, facts, Checks(document.checks, table))


def as_junit(document: GateDocument) -> str:
    """A gate as JUnit XML: an undecided check is an error, unless it counts as pass or fail."""
    from xml.etree import ElementTree

    counts = {"tests": len(document.checks), "failures": 0, "errors": 0}
    cases = []
    for check in document.checks:
        name = f"{subject_of(check)}: {asked_of(check)}"
        facts = {"classname": "acumen.gate", "name": name, "time": "0"}
        cases.append(case := ElementTree.Element("testcase", facts))
        counts_as = check.verdict != "undecided" or document.undecided_counts_as
        outcome = check.verdict if counts_as is True else counts_as or "undecided"
        if outcome == "pass":
            continue
        counts["failures" if outcome == "fail" else "errors"] += 1
        message = f"{said(check.measured, unit_of(check.metric))}, one-sided 95% ends"
        message += "" if check.why is None else f"; {_why_undecided(check)}"
        tag = "failure" if outcome == "fail" else "error"
        ElementTree.SubElement(case, tag, type=check.verdict, message=message)
    totals = {key: str(count) for key, count in counts.items()}
    root = ElementTree.Element("testsuites", totals)
    ElementTree.SubElement(root, "testsuite", {"name": "acumen gate", **totals}).extend(cases)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def _cost(document: CostDocument) -> Words:
    name, held_out = plain(document.confidence), document.cost
    below = f"Hand over what has {name} at or below {bound(document.threshold).text}"
    below = "Hand over no answer" if document.threshold is None else below
    sentence = (
        f"{below}: {Claim.COSTS.say(cost=said(held_out))}; "
        f"{said(document.always_answer)} if every answer is used, "
        f"{document.abstain_cost:g} if all are handed over."
    )
    rows = {
        "at the threshold, held out": held_out,
        "every answer used": document.always_answer,
        "more than using every answer": document.against_answering,
        "more than handing all over": document.against_handing_over,
    }
    cells = tuple((Cell(what), measured_cell(m)) for what, m in rows.items())
    folds = [bound(threshold).text for threshold in document.fold_thresholds]
    cases = counted(document.cases, "case")
    notes = [f"Without each fold of {cases}, the threshold is {', '.join(folds)}."]
    curve = [(p.coverage, p.cost) for p in document.curve]
    table = Table("Cost of a judgment", ("what", "cost and 95% interval"), cells)
    at = next((p for p in document.curve if p.threshold == document.threshold), None)
    marks: list[Mark] = [("all handed over", None, document.abstain_cost)]
    marks += [(f"the threshold: {bound(at.threshold).text}", at.coverage, at.cost)] if at else []
    cuts = [p.threshold for p in document.curve]
    caption = "Dashed is the cost if all are handed over; the large dot is the threshold."
    drawing = Curve(curve, "share that is answered", "cost of a judgment", caption, marks, cuts)
    facts = [fact(what, measured, Unit.NUMBER) for what, measured in rows.items()]
    return Words(f"What abstaining by {name} costs", sentence, table, notes, facts, drawing)


def _plan(document: PlanDocument) -> Words:
    what = (
        "a difference"
        if document.metric is None
        else f"a difference of {title_of(document.metric)}"
    )
    goal = f"show {what}: {document.detect:g}"
    if document.one_sided:
        goal = f"show that {what} is below {document.detect:g}"
    power = f"{document.power:.1%} by the formula and {document.simulated:.1%} in simulated studies"
    cases = counted(document.cases, "case")
    sentence = f"{Claim.SHOWN_WITH.say(cases=cases, goal=goal, power=power)}."
    rows = tuple(
        (
            *(number(d.cases), number(d.items, ".3g"), number(d.repeats), number(d.judged)),
            percent(d.power),
        )
        for d in (*document.curve, *document.designs)
    )
    notes = [f"A case's own value has the standard deviation {document.sd:.4g}."]
    if document.normal_cases is not None:
        notes.append(f"With normal quantiles (Miller 2024): {document.normal_cases:.4f} cases.")
    if document.smallest_effect is not None:
        pilot = counted(document.pilot_cases or 0, "case")
        notes.append(f"The pilot's {pilot} show {document.smallest_effect:.4g} or more.")
    columns = ("labelled cases", "items", "repeats", "judged besides", "power")
    points = [(float(d.cases), d.power) for d in document.curve]
    marks: list[Mark] = [
        (f"{cases} by the formula", float(document.cases), document.power),
        ("the pilot", None if document.pilot_cases is None else float(document.pilot_cases), None),
    ]
    there = [mark for mark in marks if mark[1] is not None]
    caption = "The large dot is what was asked for" + "; dashed is the pilot" * (len(there) > 1)
    drawing = Curve(points, "cases", "power", f"{caption}.", there)
    shares = {"power by the formula": document.power, "in simulated studies": document.simulated}
    powers = {title: percent(share) for title, share in shares.items()}
    facts = _large({"cases": number(document.cases)} | powers)
    return Words("How many cases", sentence, Table("Designs", columns, rows), notes, facts, drawing)


def drawing_of(document: Any) -> Curve | Checks | None:
    """What draws a decision, for a figure of it."""
    words: dict[str, Callable[[Any], Words]] = {
        "threshold": threshold_words,
        "cost": _cost,
        "gate": _gate,
        "plan": _plan,
    }
    return words[document.kind](document).drawing if document.kind in words else None


THRESHOLD: Final = family(threshold_words)
SETS: Final = family(_sets)
COST: Final = family(_cost)
GATE: Final = family(_gate)
PLAN: Final = family(_plan)
