"""What the measures of totals are called, and whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell
from acumen.report.cells import measured_cell, plain
from acumen.results.totals import SystemTotals, TotalsDocument

ERRORS: Final = {
    "mae": ("Mean error, points", Unit.NUMBER, False),
    "bias": ("Bias, points", Unit.NUMBER, True),
    "icc": ("ICC(A,1)", Unit.NUMBER, False),
    "ccc": ("Concordance (CCC)", Unit.NUMBER, False),
    "lower_limit": ("Lower limit of agreement", Unit.NUMBER, True),
    "upper_limit": ("Upper limit of agreement", Unit.NUMBER, True),
    "sd": ("SD of the differences", Unit.NUMBER, False),
    "exact": ("Exactly right", Unit.SHARE, False),
}
"""Measure -> title, unit, and whether its sign says which way."""
ON_SCREEN: Final = ("mae", "bias", "icc", "ccc")
"""Those that a screen shows, with the limits in one line."""
RATES: Final = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "ppv": "Positive predictive value",
    "npv": "Negative predictive value",
    "kappa": "Kappa",
}
DELTAS: Final = {
    "has_total": ("Has a total", Unit.SHARE),
    "mae": ("Mean error, points", Unit.NUMBER),
    "bias": ("Bias, points", Unit.NUMBER),
    "decided": ("Decided at the cut", Unit.SHARE),
    "right_side": ("On the right side, open is not", Unit.SHARE),
    "sensitivity": ("Sensitivity, open is not found", Unit.SHARE),
    "specificity": ("Specificity, open is not found", Unit.SHARE),
}
SELECTIVE: Final = {
    "coverage": ("Coverage", Unit.SHARE),
    "mean_loss": ("Risk of all answered", Unit.NUMBER),
    "aurc": ("AURC", Unit.NUMBER),
    "augrc": ("AUGRC", Unit.NUMBER),
    "failure_auroc": ("AUROC of being right", Unit.NUMBER),
}
RISKS: Final = {"total": "mean error of totals", "side": "share on the wrong side"}
UNITS: Final = {"total": Unit.NUMBER, "side": Unit.SHARE}
LIMITS: Final = {"total": "{:g} points", "side": "{:.1%}"}


def unit_of(name: str) -> Unit:
    """What a measure at the cut is counted in."""
    return Unit.NUMBER if name == "kappa" else Unit.SHARE


def case_count(document: TotalsDocument, n: int) -> str:
    """So many cases, as they are called."""
    return counted(n, document.noun)


def whose(document: TotalsDocument, system: SystemTotals) -> str:
    """Whose sentence it is, where there are several systems."""
    return f"{plain(system.name)}: " if len(document.systems) > 1 else ""


def columns_of(document: TotalsDocument) -> list[str]:
    """What the columns of systems are called."""
    many = len(document.systems) > 1
    return [plain(system.name) if many else "value" for system in document.systems]


def error_rows(document: TotalsDocument, keys: Iterable[str]) -> Iterator[tuple[Cell, ...]]:
    """Rows of measures of the totals of each system."""
    for key in keys:
        name, unit, signed = ERRORS[key]
        measured = (getattr(system.error, key, None) for system in document.systems)
        yield Cell(name), *(measured_cell(m, unit, signed=signed) for m in measured)
