"""The totals of one system or several as a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen._version import __version__
from acumen.decisions.sample import one_confidence
from acumen.defaults import CONFIDENCE
from acumen.errors import DataError, UsageError, counted, printable
from acumen.results.totals import (
    CaseThreshold,
    CaseTotal,
    SystemTotals,
    TotalPart,
    TotalsDocument,
)
from acumen.table.align import list_cases
from acumen.table.judgments import Judgments
from acumen.table.totals import Total
from acumen.totals.asking import asks_of
from acumen.totals.compare import Side, groups_of, pairs_of
from acumen.totals.cut import bands_of, cut_of
from acumen.totals.error import error_of, prorating_of
from acumen.totals.formula import Formula
from acumen.totals.intervals import intervals_of
from acumen.totals.selective import AGGREGATES, CaseTable, case_tables, confidence_of
from acumen.totals.sums import OPEN, Read, Sums, first_without_truth, read_sums
from acumen.types import Floats
from acumen.values.measured import finite

Above = Literal["below", "above"]
Aggregate = Literal["min", "mean"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of totals."""

    total: Total
    prorate: float | None
    alpha: float
    confidence: str
    aggregate: Aggregate
    by: tuple[str, ...]
    level: float

    def __post_init__(self) -> None:
        if self.prorate is not None and not 0.0 < self.prorate <= 1.0:
            raise UsageError(f"prorate is a share of the items, above 0 up to 1: {self.prorate:g}")
        if not 0.0 < self.alpha < 1.0:
            raise UsageError(f"alpha is a chance between 0 and 1, not {self.alpha:g}")
        if not 0.0 < self.level < 1.0:
            raise UsageError(f"a confidence level lies between 0 and 1, not {self.level:g}")
        if self.aggregate not in AGGREGATES:
            names = " or ".join(AGGREGATES)
            other = printable(str(self.aggregate))
            raise UsageError(f"a case's confidence is {names} of its items', not '{other}'")


@dataclass(frozen=True, eq=False)
class System:
    """The totals of one system, and what they were read from."""

    name: str
    table: Judgments
    read: Read
    confidence: str | None
    of_case: Floats | None
    """The confidence of each case."""
    of_new: Floats | None
    """The same of those without truth."""
    tables: Mapping[str, CaseTable]
    """Cases as judgments, where there are truth and confidence."""

    @classmethod
    def of(cls, name: str, table: Judgments, plan: Plan) -> System:
        """A system's totals, with a confidence where there is one."""
        read = read_sums(table, plan.total, plan.prorate)
        function = _function(table, plan)
        if function is None:
            return cls(name, table, read, None, None, None, {})
        values, new = (
            confidence_of(sums, table, function, plan.aggregate) for sums in (read.sums, read.new)
        )
        tables = case_tables(read.sums, values) if read.sums.has_truth else {}
        return cls(name, table, read, function, values, new, tables)


def _function(table: Judgments, plan: Plan) -> str | None:
    """The confidence of items that is asked for; the default's, if the rows have any."""
    try:
        return one_confidence(plan.confidence, table)
    except DataError:
        if plan.confidence != CONFIDENCE:
            raise
        return None


def document_of(
    systems: Sequence[System], thresholds: Mapping[str, list[CaseThreshold]], plan: Plan
) -> TotalsDocument:
    """Everything that is asked of these systems."""
    first = systems[0]
    sides = [Side(s.name, s.read.sums, s.of_case) for s in systems]
    has_truth = all(side.sums.has_truth for side in sides)
    pairs, left_out = pairs_of(sides, plan.level) if has_truth else ([], [])
    return TotalsDocument(
        acumen_version=__version__,
        totals_of=[system.table.source.name for system in systems],
        noun=first.table.scale.case,
        scale=first.table.scale.title or first.table.scale.name,
        total=_total_part(first.read.sums.formula),
        has_truth=has_truth,
        confidence=first.confidence,
        aggregate=plan.aggregate,
        confidence_level=plan.level,
        systems=[_system_part(s, thresholds.get(s.name, []), plan) for s in systems],
        pairs=pairs,
        warnings=[*_warnings(systems), *left_out],
    )


def _total_part(formula: Formula) -> TotalPart:
    total, (low, high) = formula.total, formula.ends
    steps = (formula.points[:, 1] - formula.points[:, 0]).tolist()
    return TotalPart(
        name=total.name,
        title=total.title or "total",
        items=list(formula.items),
        weights=dict(zip(formula.items, steps, strict=True)),
        lowest=low,
        highest=high,
        cut=None if total.cut is None else float(total.cut),
        positive=total.positive,
        bands=[float(band) for band in total.bands],
        band_names=list(total.band_names),
        reference=total.reference,
    )


def _system_part(system: System, thresholds: list[CaseThreshold], plan: Plan) -> SystemTotals:
    read, sums, level = system.read, system.read.sums, plan.level
    known = ~np.isnan(sums.total)
    intervals, ends, new_ends = intervals_of(sums, read.new, plan.alpha, level)
    bands, new = bands_of(sums, level), read.new
    names = [] if bands is None else bands.names
    return SystemTotals(
        name=system.name,
        cases=len(sums),
        failed=len(read.failed),
        without_truth=len(new),
        complete=int(sums.complete.sum()),
        prorated=int(sums.prorated.sum()),
        open_items=np.bincount(sums.n_open).tolist(),
        error=error_of(sums, known, level) if sums.has_truth else None,
        prorating=prorating_of(sums, level),
        cut=cut_of(sums, level),
        bands=bands,
        asks=asks_of(sums),
        intervals=intervals,
        selective={name: table.selective(level) for name, table in system.tables.items()},
        thresholds=thresholds,
        groups=groups_of(sums, system.table, plan.by, level) if sums.has_truth else [],
        rows=[_row(sums, at, names, system.of_case, ends) for at in range(len(sums))],
        new=[_row(new, at, names, system.of_new, new_ends) for at in range(len(new))],
    )


def _row(
    sums: Sums, at: int, bands: Sequence[str], confidence: Floats | None, ends: Floats | None
) -> CaseTotal:
    def items(rows: Any) -> list[str]:
        return [item for item, there in zip(sums.formula.items, rows, strict=True) if there]

    total, has_cut = sums.formula.total, sums.formula.total.cut is not None
    sides: tuple[Above, Above] = (
        ("below", "above") if total.positive == "high" else ("above", "below")
    )
    band = int(sums.band[at]) if bands else OPEN
    row = CaseTotal(
        case=sums.cases[at],
        total=finite(float(sums.total[at])),
        low=float(sums.low[at]),
        high=float(sums.high[at]),
        open_items=items(sums.open[at]),
        failed_items=items(sums.failed[at]),
        is_prorated=bool(sums.prorated[at]),
        decision=_decision(sides, int(sums.side[at])) if has_cut else None,
        band=None if band == OPEN else bands[band],
        confidence=None if confidence is None else finite(float(confidence[at])),
    )
    if ends is not None:
        interval = float(ends[at, 0]), float(ends[at, 1])
        row = row.model_copy(update={"interval": interval})
    if not sums.has_truth:
        return row
    truth = float(sums.truth[at])
    own = int(sums.formula.band(sums.truth[at : at + 1])[0])
    return row.model_copy(
        update={
            "truth": truth,
            "true_side": sides[int(sums.true_side[at])] if has_cut else None,
            "true_band": bands[own] if bands else None,
        }
    )


def _decision(sides: tuple[Above, Above], side: int) -> Above | Literal["open"]:
    return "open" if side == OPEN else sides[side]


def _warnings(systems: Sequence[System]) -> list[str]:
    """What was left out, and what there is too little of."""
    out = []
    for system in systems:
        read, sums, noun = system.read, system.read.sums, system.table.scale.case
        of = f"{system.name}: " * (len(systems) > 1)
        if read.failed:
            out.append(f"{of}{counted(len(read.failed), noun)} failed: {list_cases(read.failed)}")
        if len(read.new):
            names, cases = list_cases(read.new.cases), counted(len(read.new), noun)
            first = first_without_truth(read.new)
            out.append(
                f"{of}{cases} without the truth of every item, not scored: {names} ({first})"
            )
        if len(sums) == 1:
            out.append(f"{of}one {noun} only: nothing can be said of others")
        if sums.has_truth and np.isnan(sums.total).all():
            out.append(f"{of}no {noun} has an answer to every item: no total has an error")
        if sums.formula.total.cut is not None and (sums.side == OPEN).all():
            out.append(f"{of}every {noun} is open at the cut")
        out += system.table.warnings
    return list(dict.fromkeys(out))
