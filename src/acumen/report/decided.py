"""What decisions were made on, as a page draws it: a curve with marks, checks at their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Table
from acumen.report.cells import number, plain, title_of, unit_of
from acumen.results.decisions import Check

if TYPE_CHECKING:
    from acumen.charts.theme import Figure

DIFFERENCES: Final = ("non-inferiority", "equivalence", "superiority")
"""Rules of a difference between two systems."""
Mark = tuple[str, float | None, float | None]
"""What is marked on a curve, and where; a line where one of the two is missing."""
ASKED: Final = {
    "non-inferiority": "at most {} worse",
    "equivalence": "within {}",
    "superiority": "better",
    "at-least": "at least {}",
    "at-most": "at most {}",
}


def bound(threshold: float | None) -> Cell:
    """What is accepted above; of no threshold, every answer."""
    return Cell("all answers" if threshold is None else f"{threshold:.6g}", threshold)


def asked_of(check: Check) -> str:
    """What a check asks for, in the unit of what it is of; shares differ by points."""
    factor, sign = (100.0, "%") if unit_of(check.metric) is Unit.SHARE else (1.0, "")
    if sign and check.rule in DIFFERENCES:
        sign = " points"
    return ASKED[check.rule].format(f"{factor * check.bound:g}{sign}")


def subject_of(check: Check) -> str:
    """What a check is of."""
    return title_of(check.metric) + ("" if check.group is None else f", {plain(check.group)}")


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve that a decision was made on: its points, its axes, and what it is compared with."""

    points: Sequence[tuple[float, float]]
    x: str
    y: str
    caption: str
    """What the marks are."""
    marks: Sequence[Mark] = ()
    cuts: Sequence[float | None] = ()
    """The thresholds that the points belong to."""

    @property
    def title(self) -> str:
        """What is seen."""
        return f"{self.y} by {self.x}".capitalize()

    @property
    def table(self) -> Table:
        """The points."""
        above = [[bound(cut)] for cut in self.cuts] or [[] for _ in self.points]
        points = zip(self.points, above, strict=True)
        rows = ((number(a, ".4g"), number(b), *cut) for (a, b), cut in points)
        columns = (self.x, self.y, *(["accepted above"] if self.cuts else []))
        return Table(f"{self.y} by {self.x}", columns, tuple(rows))

    def figure(self) -> Figure | None:
        """The curve with its marks."""
        from acumen.charts.decisions import curve

        return curve(self.points, self.x, self.y, self.marks, self.cuts)


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks beside their bounds, each on an axis of its own."""

    checks: Sequence[Check]
    table: Table
    title: str = "Every check beside its bound"
    caption: str = "A dot is the value, its line the one-sided ends; dashed is what was asked for."

    def figure(self) -> Figure | None:
        """A small chart a check."""
        from acumen.charts.decisions import checks

        asked = [(subject_of(c), c, asked_of(c)) for c in self.checks]
        return checks(asked)
