"""Samples to label as sections: what was drawn, what precision to expect, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from acumen.errors import counted, printable
from acumen.report.blocks import Cases, Cell, Column, Detail, Head, Section, Table
from acumen.report.cells import coded, plain, settings
from acumen.report.sections import Ask, Family, remarks
from acumen.results.labels import Drawn, SampleDocument

PURPOSES: Final = {
    "estimate": "to estimate what people would say of all",
    "threshold": "to certify a threshold",
    "rate": "to measure how far people agree",
}
ASSUMED: Final = {
    "correlation": ("Mean rating, interval to each side", "by the correlation of judge and people"),
    "errors": ("Risk that can be promised of all answers", "by the share of them that are wrong"),
    "agreement": ("Share of agreement, interval to each side", "by that share"),
}
SHARES: Final = "{:.1%}"
COMMANDS: Final = {
    "estimate": ["--labelled", "label"],
    "threshold": ["--truth", "label", "--risk", ".1"],
    "rate": [],
}
"""What the command that takes the labels is told beside the columns of the rows."""


def of_draw(drawn: Drawn | None) -> Iterator[str]:
    """How labelled cases were drawn, and whether they look like the draw."""
    if drawn is None:
        return
    least, most = drawn.least_inclusion, drawn.most_inclusion
    if not drawn.constant:
        yield (
            f"Labelled cases were drawn with chances from {least:.3g} to {most:.3g}: each counts "
            "one over its own."
        )
    if not drawn.fits:
        yield (
            f"By their chances the labelled cases stand for {drawn.stands_for:.0f} cases, and "
            f"there are {drawn.cases}: drawn cases lack a label, others have one, or the chances "
            "are not those of the draw. None of this holds then."
        )


def _headline(document: SampleDocument) -> str:
    drawn = counted(len(document.drawn), "case")
    rows = counted(document.rows_drawn, "row")
    return f"{drawn} of {document.cases} ({rows}) to label, {PURPOSES[document.purpose]}"


def _main(document: SampleDocument, _: Ask) -> Iterator[Section]:
    yield Section("drawn", "What was drawn", (), Detail.ANSWER, f"{_headline(document)}.")
    yield Section("metrics", "What precision to expect", (_expected(document),))
    yield remarks(_notes(document), document.warnings)


def _rest(document: SampleDocument, ask: Ask) -> Iterator[Section]:
    yield Section("cases", "Cases to label", (_cases(document, ask),))
    values: dict[str, object] = {
        "seed": document.seed,
        "sample": document.fingerprint,
        "confidence level": document.confidence_level,
        "acumen": document.acumen_version,
        **({"command": ask.command} if ask.command else {}),
    }
    yield Section("provenance", "Provenance", (settings(values.items()),))


def _expected(document: SampleDocument) -> Table:
    """A row a size of the sample, a column for what is assumed."""
    kind, form = document.expected[0].assumption, SHARES
    if kind == "correlation":
        form = "± {:.3f}"
    elif kind == "agreement":
        form = "± {:.1%}"
    assumed = dict.fromkeys(e.at for e in document.expected)
    reach = {(e.cases, e.at): e.reach for e in document.expected}
    rows = tuple(
        (
            Cell(counted(size, "case")),
            *(Cell(form.format(reach[size, at]), reach[size, at]) for at in assumed),
        )
        for size in dict.fromkeys(e.cases for e in document.expected)
    )
    heads = (f"{at:g}" if kind == "correlation" else f"{at:.0%}" for at in assumed)
    what, condition = ASSUMED[kind]
    return Table(f"{what}, {condition}", ("labelled", *heads), rows)


def _notes(document: SampleDocument) -> Iterator[str]:
    if document.purpose == "estimate":
        yield "Labels are assumed to vary from case to case as the judge's ratings do."
    if document.purpose == "threshold":
        yield "A threshold that accepts few of the answers is promised a larger risk than this."
    if document.constant:
        yield "Every case had the same chance, so the labels stand for all without weights."
    else:
        weight = f"{document.largest_weight:.1f}"
        yield (
            "The cases had different chances: give --inclusion where the labels are used. "
            f"A case counts at most {weight} times as much as if all had had the same."
        )
    yield f"With the labels: {_command(document)}"


def _command(document: SampleDocument) -> str:
    """What takes the labels, as it is typed; files that are not known yet in capitals."""
    columns, is_rated = document.columns, document.purpose == "rate"
    words = [document.purpose, document.judged_in or "JUDGED", "--labels", "LABELS.csv"]
    words += ["--on", ",".join(columns.values())]
    words += [word for role, column in columns.items() for word in (f"--{role}", column)]
    words += ["--judge" if is_rated else "--prediction", document.prediction or "COLUMN"]
    if document.confidence is not None and not is_rated:
        words += ["--confidence-column", document.confidence]
    words += [*COMMANDS[document.purpose], "--levels", ",".join(map(str, document.levels))]
    return printable(shlex.join(["acumen", *words, "--inclusion", "SAMPLE.json"]), limit=2000)


def _cases(document: SampleDocument, ask: Ask) -> Cases:
    noun = "case"
    columns = (
        coded(noun, [case.case for case in document.drawn]),
        Column("inclusion", values=tuple(case.inclusion for case in document.drawn)),
        Column("rows", values=tuple(case.rows for case in document.drawn)),
    )
    title = "Cases in the order in which they are labelled"
    return Cases(f"{ask.study}-cases-table", title, ("",), columns, len(document.drawn))


SAMPLE: Final = Family(
    lambda d: Head(
        plain(d.judged_in or "Judged cases"), f"drawn with seed {d.seed}", ("raters", "intervals")
    ),
    (_main,),
    (_rest,),
)
