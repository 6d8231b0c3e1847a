"""Counts and sums as sites exchange them, as sections: what a site counted, and what leaves it."""

from __future__ import annotations

from typing import Final

from acumen.errors import counted, printable
from acumen.report.blocks import Detail, Head, Section, Table
from acumen.report.cells import number, settings, text
from acumen.report.sections import Ask, Family
from acumen.results.counts import CountsDocument, MomentsDocument


def _in_cells(document: CountsDocument) -> str:
    rows = int(sum(document.cells["rows"]))
    return f"{counted(rows, 'row')} in {counted(len(document.cells['rows']), 'cell')}"


def _counts(document: CountsDocument, _: Ask) -> Section:
    rows = [(text(name), number(n)) for name, n in document.outcomes.items() if n]
    if document.hidden_rows:
        small = f"left out, in cells of fewer than {document.fewest} rows"
        rows.append((text(small), number(document.hidden_rows)))
    how = {
        "levels": ", ".join(printable(str(level)) for level in document.levels),
        "bits of a bin": "each confidence is a bin" if document.bits is None else document.bits,
        "sites": document.sites,
    }
    blocks = Table("", ("outcome", "rows"), tuple(rows)), settings(how.items())
    return Section("metrics", "What was counted", blocks, Detail.ANSWER, _in_cells(document))


def _over_cases(document: MomentsDocument) -> str:
    cases = counted(int(document.sums["cases"]), "case")
    return f"Sums over {cases}; loss {printable(document.loss)}"


def _moments(document: MomentsDocument, _: Ask) -> Section:
    rows = tuple((text(name), number(value, ".6g")) for name, value in document.sums.items())
    blocks = Table("", ("sum", "value"), rows), settings([("counts", document.pooled)])
    return Section("metrics", "What was summed", blocks, Detail.ANSWER, _over_cases(document))


COUNTS: Final = Family(lambda d: Head("Counts", _in_cells(d)), (_counts,))
MOMENTS: Final = Family(lambda d: Head("Sums over cases", _over_cases(d)), (_moments,))
