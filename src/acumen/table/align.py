"""Tables on the same cases: what may be compared, what is left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, counted, label
from acumen.table.coded import Coded
from acumen.table.judgments import LEFT_OUT, NO_TRUTH, Judgments
from acumen.table.levels import Level, levels_seen
from acumen.table.scale import Scale
from acumen.types import CaseId

_LISTED = 10


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tables with the same cases, items and rows in the same order."""

    left: Judgments
    right: Judgments
    only_left: tuple[CaseId, ...]
    only_right: tuple[CaseId, ...]
    failed_left: tuple[CaseId, ...]
    failed_right: tuple[CaseId, ...]
    warnings: tuple[str, ...]

    @property
    def cases(self) -> tuple[CaseId, ...]:
        """The cases both sides are compared on."""
        return self.left.cases


def align(
    left: Judgments,
    right: Judgments,
    *,
    intersection_only: bool = False,
    names: tuple[str, str] = ("the first", "the second"),
) -> Pair:
    """Both tables on the rows, of their common cases, that are judged on both sides.

    Case sets include failed cases. Different sets are refused, naming who is only on one side,
    unless the overlap is asked for; a different truth for the same (case, item) is always refused.
    """
    left, right = _on_one_scale(left, right)
    noun = left.scale.case
    all_left, all_right = everyone(left), everyone(right)
    only_left = tuple(c for c in all_left if c not in all_right)
    only_right = tuple(c for c in all_right if c not in all_left)
    if not any(c in all_right for c in all_left):
        raise DataError([f"there is no common {noun}: the two inputs do not overlap"])
    if (only_left or only_right) and not intersection_only:
        lone = (list_cases(side) or "none" for side in (only_left, only_right))
        who = "; ".join(f"only in {n}: {cases}" for n, cases in zip(names, lone, strict=True))
        hint = "(the overlap: --intersection-only)"
        message = f"the two inputs hold different {noun}s; {who} {hint}"
        raise DataError([Problem(message, amends=(("--intersection-only", ""),))])
    failed_left = tuple(f.case for f in left.failed if f.case in all_right)
    failed_right = tuple(f.case for f in right.failed if f.case in all_left)
    gone = {*failed_left, *failed_right}
    both = {*right.cases} - gone
    common = [c for c in left.cases if c in both]
    if not common:
        raise DataError([f"no {noun} succeeded on both sides: there is no overlap to compare"])
    warnings = []
    if gone:
        warnings.append(
            f"{counted(len(gone), noun)} failed in one of the two and left out of both: "
            f"{list_cases((*failed_left, *failed_right))}"
        )
    if only_left or only_right:
        warnings.append(
            f"compared on the common {noun}s: {len(only_left)} only in {names[0]} and "
            f"{len(only_right)} only in {names[1]} are left out"
        )
    a, b = _same_rows(left.of_cases(common), right.of_cases(common), intersection_only, names)
    apart = [common[code] for code in np.flatnonzero(a.empty_cases).tolist()]
    if apart:
        warnings.append(
            f"{counted(len(apart), noun)} without a common item left out: {list_cases(apart)}"
        )
    judged = ~(np.isin(a.outcome, LEFT_OUT) | np.isin(b.outcome, LEFT_OUT))
    if not judged.any():
        raise DataError([f"no item is judged on both sides for any {noun}: nothing to compare"])
    if not judged.all():
        rows = counted(int((~judged).sum()), "row")
        warnings.append(f"{rows} failed or unscored in one of the two and left out of both")
    a, b = a.take(judged), b.take(judged)
    warnings += _identical(a, b)
    return Pair(a, b, only_left, only_right, failed_left, failed_right, tuple(warnings))


def align_all(
    tables: Sequence[Judgments], names: Sequence[str]
) -> tuple[list[Judgments], list[str]]:
    """Any number of tables on the rows that all judge, and what of each was left out.

    The cases that failed in any of them stay listed with the first.
    """
    first = tables[0]
    for table, other in zip(tables[1:], names[1:], strict=True):
        first = align(first, table, intersection_only=True, names=(names[0], other)).left
    rest = [align(first, table, intersection_only=True).right for table in tables[1:]]
    cases, rows, noun = len(first.cases), len(first), first.scale.case
    left_out = [
        f"{name} {counted(len(everyone(t)) - cases, noun)}, {counted(len(t) - rows, 'row')}"
        for name, t in zip(names, tables, strict=True)
        if len(everyone(t)) > cases or len(t) > rows
    ]
    shared = f"{counted(cases, noun)} and {counted(rows, 'row')} that all {len(tables)} share"
    notes = [f"compared on the {shared}; left out: {'; '.join(left_out)}"] if left_out else []
    failed = {f.case: f for table in tables for f in table.failed}
    return [replace(first, failed=tuple(failed.values())), *rest], notes


def on_one_scale(tables: Sequence[Judgments]) -> list[Judgments]:
    """Tables that are each judged alone, on a scale that has the levels of all."""
    first = tables[0]
    for table in tables[1:]:
        first, _ = _on_one_scale(first, table)
    return [_on_one_scale(first, table)[1] for table in tables]


def everyone(table: Judgments) -> dict[CaseId, None]:
    """The cases of a table, those that failed among them."""
    return dict.fromkeys((*table.cases, *(f.case for f in table.failed)))


def list_cases(cases: Iterable[CaseId]) -> str:
    """The first cases by name, and how many more there are."""
    names = [label(c) for c in dict.fromkeys(cases)]
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _on_one_scale(left: Judgments, right: Judgments) -> tuple[Judgments, Judgments]:
    """Both on one scale; where nobody named the levels, they are those of both together."""
    named = [table.scale for table in (left, right) if not table.scale.inferred]
    scale = named[0] if named else left.scale
    is_numeric = left.scale.is_numeric and right.scale.is_numeric
    if not named and left.scale.levels != right.scale.levels and is_numeric:
        numbers = (*left.scale.levels, *right.scale.levels)
        scale = Scale.of(levels_seen([x for x in numbers if not isinstance(x, str)]), inferred=True)
    try:
        return left.on_scale(scale), right.on_scale(scale)
    except UsageError:
        sides = " and ".join(side.scale.allowed for side in (left, right))
        message = f"the two inputs are judged on different scales, {sides}"
        raise DataError([f"{message}; if they are one, name it: --levels"]) from None


def _same_rows(
    left: Judgments, right: Judgments, intersection_only: bool, names: tuple[str, str]
) -> tuple[Judgments, Judgments]:
    """Both tables with the rows that both have, in one order; truths must agree."""
    keys_left, keys_right = _keys(left, right)
    levels = left.scale.levels
    shared, known = np.isin(keys_left, keys_right), np.isin(keys_right, keys_left)
    alone = ((names[0], left, ~shared), (names[1], right, ~known))
    problems = [
        replace(table.problem(row, f"is judged only in {side}"), line=None)
        for side, table, rows in alone
        for row in np.flatnonzero(rows).tolist()
    ]
    if problems and not intersection_only:
        raise DataError(problems)
    rows_left = np.flatnonzero(shared)
    order = np.argsort(keys_right)
    rows_right = order[np.searchsorted(keys_right[order], keys_left[rows_left])]
    if left.has_truth != right.has_truth:
        raise DataError(["only one of the two inputs has a truth"])
    a, b = left.truth[rows_left], right.truth[rows_right]
    problems = [
        replace(
            left.problem(
                int(rows_left[i]),
                f"differs, {_named(levels, a[i])} in {names[0]} and {_named(levels, b[i])} in "
                f"{names[1]}: not the same cases",
                "ground_truth",
            ),
            line=None,
        )
        for i in np.flatnonzero(a != b).tolist()
    ]
    if problems:
        raise DataError(problems)
    return left._rows(rows_left), right._rows(rows_right)


def _named(levels: Sequence[Level], rank: int) -> str:
    return "no level" if rank == NO_TRUTH else label(levels[rank])


def _keys(left: Judgments, right: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One number a row of either table, the same for the same judgment; their cases are alike."""
    keys = [table.case.astype(np.int64) for table in (left, right)]
    for name in ("item", "repeat", "rater"):
        columns = [
            Coded(table.items, table.item) if name == "item" else getattr(table, name)
            for table in (left, right)
        ]
        if None in columns and columns != [None, None]:
            raise DataError([f"only one of the two inputs has a column of {name}s"])
        place: dict[object, int] = {}
        for at, column in enumerate(columns):
            if column is not None:
                recode = [place.setdefault(value, len(place)) for value in column.values]
                keys[at] = keys[at] << 20 | column.spread(recode, 0, np.int64)
    return keys[0], keys[1]


def refuse_identical(tables: Sequence[Judgments], names: Sequence[str]) -> None:
    """Refuse sides of a comparison between which nothing can differ: one of them is a mistake.

    Runs that say they are different ones may agree in every row.
    """
    for (at, left), (k, right) in combinations(enumerate(tables), 2):
        both = f"{label(names[at])} and {label(names[k])}"
        is_one = left is right and left.source.path is not None
        if is_one or _is_same_file(left, right):
            raise UsageError(f"{both} are one and the same: give the other version in its place")
        if _has_same_rows(left, right) and not _may_agree(left, right):
            raise UsageError(
                f"{both} hold the same answers and the same confidences in every row, so nothing "
                "can differ: is one of them given twice, under two names?"
            )


def _is_same_file(left: Judgments, right: Judgments) -> bool:
    sources = left.source, right.source
    facts = [(s.sha256, s.mode, s.run_id) for s in sources]
    return sources[0].sha256 is not None and facts[0] == facts[1] and _has_same_rows(left, right)


def _may_agree(left: Judgments, right: Judgments) -> bool:
    """Whether all rows may be the same by right: of runs that say they are two, or of arrays."""
    sources = left.source, right.source
    facts = [(s.run_id, s.git_commit, s.mode) for s in sources if not s.is_long]
    are_two = len(facts) == 2 and facts[0] != facts[1]
    return are_two or any(source.path is None for source in sources)


def _has_same_rows(left: Judgments, right: Judgments) -> bool:
    if len(left) != len(right) or left.signals.keys() != right.signals.keys():
        return False
    pairs = [
        *((getattr(left, n), getattr(right, n)) for n in ("case", "item", "prediction", "outcome")),
        *((left.signals[n].values, right.signals[n].values) for n in left.signals),
    ]
    return left.cases == right.cases and all(_is_same(a, b) for a, b in pairs)


def _is_same(one: NDArray[np.generic], other: NDArray[np.generic]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _identical(left: Judgments, right: Judgments) -> list[str]:
    if _is_same_file(left, right):
        return ["the two inputs are identical: is the same file given twice?"]
    columns = ((left.prediction, right.prediction), (left.outcome, right.outcome))
    if all(np.array_equal(a, b) for a, b in columns):
        return ["the two inputs hold the same predictions, row by row"]
    return []
