"""Decisions in words: one sentence, one table, and what to know before acting on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acumen.errors import counted
from acumen.report.blocks import (
    Block,
    Cell,
    Facts,
    Note,
    Notes,
    Paragraph,
    Section,
    Study,
    Table,
    Tone,
    Warnings,
)
from acumen.report.cells import number, percent, plain, reach, title_of
from acumen.report.words import why_missing
from acumen.results.decisions import Check, Decision, GateDocument, ThresholdDocument

ALL = "all answers"
"""The threshold below every confidence."""


@dataclass(frozen=True, slots=True)
class _Words:
    """What is said of a decision."""

    title: str
    sentence: str
    table: Table
    notes: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    """What only a page has room for."""


def brief(document: Decision, *, full: bool = False) -> Iterator[Section | Block]:
    """The decision in one sentence and one table; ``full`` adds every number behind it."""
    words = _words(document)
    yield Paragraph(words.sentence, Tone.STRONG)
    yield words.table
    if words.notes:
        yield Notes(tuple(map(Note, words.notes)))
    if full:
        yield from words.blocks


def study_of(document: Decision, key: str) -> Study:
    """Everything a page tells of a decision."""
    words = _words(document)
    notes = (Notes(tuple(map(Note, words.notes))),) if words.notes else ()
    blocks = (words.table, *notes, *words.blocks)
    return Study(
        key=key,
        title=words.title,
        subtitle=f"acumen {plain(document.acumen_version)}, {plain(document.created_at)}",
        answers=(("What was decided", (words.sentence,)),),
        facts=Facts(()),
        warnings=Warnings(()),
        sections=(Section(document.kind, words.title, blocks),),
    )


def _words(document: Decision) -> _Words:
    match document:
        case ThresholdDocument():
            return _threshold(document)
        case GateDocument():
            return _gate(document)
    raise TypeError(type(document).__name__)


def _bound(threshold: float | None) -> str:
    return ALL if threshold is None else f"{threshold:.6g}"


_METHODS = {
    "binomial": "the exact binomial test",
    "betting": "the betting test by case, which is exact",
    "hoeffding-bentkus": "the Hoeffding–Bentkus test by case, which is exact",
    "korn-graubard": "the Korn–Graubard bound by case",
    "clopper-pearson": "SGR: a binary search with Clopper–Pearson bounds",
    "conformal": "conformal risk control by case",
}


def _threshold(document: ThresholdDocument) -> _Words:
    name, cases = plain(document.confidence), counted(document.cases, "case")
    what = "mean loss of a case" if document.delta is None else "risk"
    promise = f"{what} ({plain(document.loss)}) is at most {document.alpha:g}"
    if document.delta is not None:
        promise += f", with a chance of error of {document.delta:.3g}"
    if document.certified:
        accept = f"Answers with {name} above {_bound(document.threshold)} may be used"
        accept = "Every answer may be used" if document.threshold is None else accept
        sentence = f"{accept}: their {promise} ({cases})."
    else:
        sentence = f"None can be certified with {cases} that the {promise}; {_needed(document)}."
    points = tuple(
        (
            Cell(_bound(p.threshold), p.threshold),
            *(percent(p.coverage), number(p.risk), number(p.p_value, ".3g")),
            *(number(p.level, ".3g"), Cell("yes" if p.certified else "no")),
        )
        for p in document.grid
    )
    columns = ("accepted above", "coverage", "risk here", "p", "level", "certified")
    ends = document.coverage.interval
    reached = "" if ends is None else f", interval {ends.low:.1%} to {ends.high:.1%}"
    coverage = document.coverage.value
    notes = [
        *([] if coverage is None else [f"It accepts {coverage:.1%} of all rows{reached}."]),
        f"By {_METHODS[document.test]}"
        + (f" ({document.method} is what acumen takes here)." * document.method_is_default or "."),
        *(["Nominal δ; measured up to 1.15 δ."] if document.method == "approx" else []),
        *(
            ["It holds on average over draws of cases, not with a chance δ."]
            * (document.delta is None)
        ),
    ]
    if not document.items_declared:
        most = counted(document.items, "judgment")
        notes.append(f"A case has at most {most} here; say how many by design (--most-items).")
    if document.cases_apart:
        notes.append(f"{counted(document.cases_apart, 'case')} made the grid and were not tested.")
    table = Table("Thresholds, strictest first", columns, points)
    return _Words(f"Threshold for {name}", sentence, table, tuple(notes))


def _needed(document: ThresholdDocument) -> str:
    if document.cases_needed is not None:
        return f"about {document.cases_needed} cases like these could"
    fewest = counted(document.fewest_cases or 0, "case")
    return f"more cases like these would not, and {fewest} without an error are the least"


_ASKED = {
    "non-inferiority": "at most {bound:g} worse",
    "equivalence": "within {bound:g}",
    "superiority": "better",
    "at-least": "at least {bound:g}",
    "at-most": "at most {bound:g}",
}


def _subject(check: Check) -> str:
    return title_of(check.metric) + ("" if check.group is None else f", {plain(check.group)}")


def why_undecided(check: Check) -> str | None:
    """Why a check says neither yes nor no."""
    match check.why:
        case None:
            return None
        case "few_cases":
            return f"too few cases ({check.cases})"
        case "unreliable":
            return "its interval is unreliable"
        case "between":
            return "the interval holds both yes and no"
    return plain(why_missing(check.measured) or "it has no value")


def _gate(document: GateDocument) -> _Words:
    verdict = {"pass": "The gate passes", "fail": "The gate fails"}.get(
        document.verdict, "The gate is undecided: the data are too thin to say"
    )
    names = ("pass", "fail", "undecided")
    of = [f"{sum(c.verdict == name for c in document.checks)} {name}" for name in names]
    rows = tuple(
        (
            Cell(check.verdict.upper() if check.verdict == "fail" else check.verdict),
            Cell(_subject(check)),
            Cell(_ASKED[check.rule].format(bound=check.bound)),
            number(check.measured.value),
            reach(*check.measured.ends),
            number(check.cases),
        )
        for check in document.checks
    )
    columns = ("verdict", "metric", "asked", "value", "one-sided 95% ends", "cases")
    is_pair = any(len(check.values) == 2 for check in document.checks)
    notes = ["The value is new − base, turned so that positive is worse."] * is_pair
    notes += [f"{_subject(c)}: {why_undecided(c)}." for c in document.checks if c.why is not None]
    if document.cases < document.least_cases:
        notes.append(f"It asks for at least {counted(document.least_cases, 'case')}.")
    if document.undecided_counts_as and document.verdict == "undecided":
        notes.append(f"Undecided counts as {document.undecided_counts_as} here.")
    sentence = f"{verdict} ({counted(document.cases, 'case')}; checks: {', '.join(of)})."
    return _Words("Gate", sentence, Table("Checks", columns, rows), tuple(notes))


def as_junit(document: GateDocument) -> str:
    """A gate as JUnit XML: an undecided check is an error, unless it counts as pass or fail."""
    from xml.etree import ElementTree

    counts = {"fail": 0, "undecided": 0}
    suite = ElementTree.Element("testsuite", name="acumen gate", time="0", skipped="0")
    for check in document.checks:
        name = f"{_subject(check)}: {_ASKED[check.rule].format(bound=check.bound)}"
        facts = {"classname": "acumen.gate", "name": name, "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", facts)
        outcome = check.verdict
        if outcome == "undecided" and document.undecided_counts_as is not None:
            outcome = document.undecided_counts_as
        if outcome != "pass":
            counts[outcome] += 1
            ends = reach(*check.measured.ends).text
            message = f"{number(check.measured.value).text}, one-sided 95% ends {ends}"
            message += "" if check.why is None else f"; {why_undecided(check)}"
            tag = "failure" if outcome == "fail" else "error"
            ElementTree.SubElement(case, tag, type=check.verdict, message=message)
    totals = {"tests": len(document.checks), "failures": counts["fail"]}
    totals["errors"] = counts["undecided"]
    root = ElementTree.Element("testsuites")
    for element in (root, suite):
        for key, total in totals.items():
            element.set(key, str(total))
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"
