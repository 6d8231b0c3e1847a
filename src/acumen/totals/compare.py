"""Totals of two systems on the same cases, and of groups of cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, counted, label
from acumen.evaluation.slices import MOST_GROUPS
from acumen.inference.sums import Estimate, quotient
from acumen.metrics.registry import Kind
from acumen.results.totals import Group, PairOfRisks, PairOfTotals
from acumen.table.judgments import Judgments
from acumen.totals.error import within
from acumen.totals.formula import Mask
from acumen.totals.selective import case_tables, compared
from acumen.totals.shares import share
from acumen.totals.sums import OPEN, Sums
from acumen.types import Floats

REAL: Final = {"mae": Kind.RISK, "bias": Kind.REAL}
"""Measures that are no shares of cases."""
NONE: Final = "no such case"


def parts_of(sums: Sums, known: Mask) -> dict[str, tuple[Any, Any]]:
    """Measure -> what each case adds above and below the line; an open case is not right."""
    off = np.where(known, sums.total - sums.truth, 0.0)
    parts: dict[str, tuple[Any, Any]] = {
        "has_total": (~np.isnan(sums.total), np.ones(len(sums), bool)),
        "mae": (np.abs(off), known),
        "bias": (off, known),
    }
    if sums.formula.total.cut is None:
        return parts
    side, true = sums.side, sums.true_side == 1
    return parts | {
        "decided": (side != OPEN, np.ones(len(sums), bool)),
        "right_side": (side == true, np.ones(len(sums), bool)),
        "sensitivity": ((side == 1) & true, true),
        "specificity": ((side == 0) & ~true, ~true),
    }


@dataclass(frozen=True, eq=False)
class Side:
    """One of the systems that are compared."""

    name: str
    sums: Sums
    confidence: Floats | None
    """Of each case."""

    def take(self, rows: NDArray[Any]) -> Side:
        """Some of the cases."""
        confidence = None if self.confidence is None else self.confidence[rows]
        return Side(self.name, self.sums.take(rows), confidence)


def pairs_of(sides: Sequence[Side], level: float) -> tuple[list[PairOfTotals], list[str]]:
    """Every two systems on the cases of both, and what was left out."""
    pairs, warnings = [], []
    for a, b in combinations(sides, 2):
        pair, left_out = _pair(a, b, level)
        pairs.append(pair)
        if left_out:
            cases = counted(left_out, "case")
            names = f"{label(a.name)} and {label(b.name)}"
            warnings.append(f"{names}: {cases} of one side only left out")
    return pairs, warnings


def _pair(a: Side, b: Side, level: float) -> tuple[PairOfTotals, int]:
    names = a.name, b.name
    place = {case: at for at, case in enumerate(b.sums.cases)}
    own = {case: at for at, case in enumerate(a.sums.cases) if case in place}
    both = list(own)
    if not both:
        raise DataError([f"{label(names[0])} and {label(names[1])} have no case in common"])
    left = a.take(np.array([*own.values()]))
    right = b.take(np.array([place[case] for case in both]))
    x, y = left.sums, right.sums
    if apart := [
        c for c, same in zip(both, (x.truth == y.truth).tolist(), strict=True) if not same
    ]:
        sides = " and ".join(map(label, names))
        message = f"the true total of {label(apart[0])} differs between {sides}"
        raise DataError([f"{message}: not the same cases"])
    known = ~np.isnan(x.total) & ~np.isnan(y.total)
    estimates = [
        {
            name: Estimate.of(np.stack(columns, axis=1).astype(np.float64), quotient)
            for name, columns in parts_of(sums, known).items()
        }
        for sums in (x, y)
    ]
    span = x.formula.span
    most = {"mae": span, "bias": 2 * span}  # all else is a share of cases
    differences = {
        name: within(estimates[1][name].minus(estimates[0][name], level), most.get(name, 1.0))
        for name in estimates[0]
    }
    pair = PairOfTotals(
        left=names[0],
        right=names[1],
        cases=len(both),
        both_totals=int(known.sum()),
        differences=differences,
        selective=_selective(left, right, level),
    )
    return pair, len(a.sums) + len(b.sums) - 2 * len(both)


def _selective(left: Side, right: Side, level: float) -> dict[str, PairOfRisks]:
    """The risks of both at the coverage of both, where both have a confidence."""
    if left.confidence is None or right.confidence is None:
        return {}
    a = case_tables(left.sums, left.confidence)
    b = case_tables(right.sums, right.confidence)
    return {of: compared(a[of], b[of], level) for of in a if of in b}


def groups_of(sums: Sums, table: Judgments, by: Sequence[str], level: float) -> list[Group]:
    """The measures of the cases of every group of every column."""
    known = ~np.isnan(sums.total)
    groups = []
    for column in by:
        for name, rows in _rows_by_group(sums, table, column):
            parts = parts_of(sums.take(rows), known[rows])
            measures = {
                measure: share(int(above.sum()), int(below.sum()), NONE, level)
                if measure not in REAL
                else within(
                    Estimate.of(
                        np.stack([above, below], axis=1).astype(np.float64), quotient
                    ).measured(REAL[measure], level, NONE),
                    sums.formula.span,
                )
                for measure, (above, below) in parts.items()
            }
            groups.append(
                Group(column=column, group=name, cases=int(rows.sum()), measures=measures)
            )
    return groups


def _rows_by_group(sums: Sums, table: Judgments, column: str) -> list[tuple[str, Mask]]:
    if column not in table.groups:
        names = ", ".join(map(label, table.groups)) or "none"
        raise UsageError(f"no group {label(column)}; there are {names}: name a column with --group")
    values = table.groups[column].in_order()
    code = np.full(len(table.cases), -1)
    there = values.codes >= 0
    code[table.case[there]] = values.codes[there]
    mixed = np.flatnonzero(there & (code[table.case] != values.codes))
    if len(mixed):
        case = label(table.cases[table.case[mixed[0]]])
        raise UsageError(
            f"--by {label(column)}: {table.scale.case} {case} has several values; a group is of "
            "whole cases"
        )
    if len(values.values) > MOST_GROUPS:
        groups = len(values.values)
        raise UsageError(f"{label(column)} has {groups} groups; at most {MOST_GROUPS} are sliced")
    place = {case: at for at, case in enumerate(table.cases)}
    own = code[np.array([place[case] for case in sums.cases])]
    return [(str(v), own == k) for k, v in enumerate(values.values) if (own == k).any()]
