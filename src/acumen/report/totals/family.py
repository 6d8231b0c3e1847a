"""The sections of a document of totals."""

from __future__ import annotations

from typing import Final

from acumen.report.blocks import Head
from acumen.report.cells import plain
from acumen.report.sections import Family
from acumen.report.totals import page, screen
from acumen.results.totals import TotalsDocument


def _head(document: TotalsDocument) -> Head:
    names = ", ".join(plain(name) for name in document.totals_of if name is not None)
    subtitle = names or ", ".join(plain(system.name) for system in document.systems)
    return Head(f"Totals: {plain(document.total.title)}", subtitle, ("totals", "intervals"))


TOTALS: Final = Family(
    _head,
    (
        *(screen.judged, screen.errors, screen.cut, screen.open_cases),
        *(screen.trust, screen.pairs, screen.groups, screen.notes),
    ),
    (page.sections,),
)
