"""Two tables on the same cases: what may be compared, what is left out, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from acumen.errors import DataError, Problem, label
from acumen.table.judgments import Judgments
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


def align(left: Judgments, right: Judgments, *, intersection_only: bool = False) -> Pair:
    """Both tables on their common cases that failed on neither side.

    Case sets include failed cases. Different sets are refused, naming who is only on one side,
    unless the overlap is asked for; a different truth for the same (case, item) is always refused.
    """
    noun = left.scale.case
    if left.scale.levels != right.scale.levels:
        raise DataError(["the two inputs are judged on different scales"])
    all_left, all_right = _everyone(left), _everyone(right)
    only_left = tuple(c for c in all_left if c not in all_right)
    only_right = tuple(c for c in all_right if c not in all_left)
    if not any(c in all_right for c in all_left):
        raise DataError([f"there is no common {noun}: the two inputs do not overlap"])
    if (only_left or only_right) and not intersection_only:
        lone = (list_cases(side) or "none" for side in (only_left, only_right))
        message = "the two inputs hold different {}s; only left: {}; only right: {}"
        hint = " (the overlap: --intersection-only)"
        raise DataError([message.format(noun, *lone) + hint])
    failed_left = tuple(f.case for f in left.failed if f.case in all_right)
    failed_right = tuple(f.case for f in right.failed if f.case in all_left)
    gone = {*failed_left, *failed_right}
    common = [c for c in left.included.cases if c in all_right and c not in gone]
    if not common:
        raise DataError([f"no {noun} succeeded on both sides: there is no overlap to compare"])
    warnings = []
    if gone:
        warnings.append(
            f"{len(gone)} {noun}(s) failed on a side and are excluded from both: "
            f"{list_cases((*failed_left, *failed_right))}"
        )
    if only_left or only_right:
        warnings.append(
            f"compared on the overlap: {len(only_left)} {noun}(s) only on the left and "
            f"{len(only_right)} only on the right are excluded"
        )
    a, b = _same_rows(left.of_cases(common), right.of_cases(common), intersection_only)
    cases = [common[code] for code in np.unique(a.case).tolist()]
    if not cases:
        raise DataError([f"no item is judged on both sides for any {noun}: nothing to compare"])
    if len(cases) < len(common):
        # a case without rows would still count as one when cases are drawn
        apart = [c for c in common if c not in set(cases)]
        warnings.append(
            f"{len(apart)} {noun}(s) share no item and are excluded: {list_cases(apart)}"
        )
        a, b = a.of_cases(cases), b.of_cases(cases)
    warnings += _identical(a, b)
    return Pair(a, b, only_left, only_right, failed_left, failed_right, tuple(warnings))


def _everyone(table: Judgments) -> dict[CaseId, None]:
    return dict.fromkeys((*table.cases, *(f.case for f in table.failed)))


def list_cases(cases: Iterable[CaseId]) -> str:
    """The first cases by name, and how many more there are."""
    names = [label(c) for c in dict.fromkeys(cases)]
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _same_rows(
    left: Judgments, right: Judgments, intersection_only: bool
) -> tuple[Judgments, Judgments]:
    """Both tables with the rows that both have, in one order; truths must agree."""
    keys_left, keys_right = _keys(left), _keys(right)
    noun, levels = left.scale.case, left.scale.levels
    alone = {
        "left": [key for key in keys_left if key not in keys_right],
        "right": [key for key in keys_right if key not in keys_left],
    }
    problems = [
        Problem(f"is judged only on the {side}", *key, noun=noun)
        for side, keys in alone.items()
        for key in keys
    ]
    if problems and not intersection_only:
        raise DataError(problems)
    common = [key for key in keys_left if key in keys_right]
    rows_left = np.array([keys_left[key] for key in common], np.int64)
    rows_right = np.array([keys_right[key] for key in common], np.int64)
    a, b = left.truth[rows_left], right.truth[rows_right]
    problems = [
        Problem(
            f"differs, {label(levels[a[i]])} on the left and {label(levels[b[i]])} on the right: "
            "not the same cases",
            *common[i],
            field="ground_truth",
            noun=noun,
        )
        for i in np.flatnonzero(a != b).tolist()
    ]
    if problems:
        raise DataError(problems)
    return left.take(rows_left), right.take(rows_right)


def _keys(table: Judgments) -> dict[tuple[CaseId, str], int]:
    return {
        (table.cases[c], table.items[i]): row
        for row, (c, i) in enumerate(zip(table.case.tolist(), table.item.tolist(), strict=True))
    }


def _identical(left: Judgments, right: Judgments) -> list[str]:
    same_file = left.source.sha256 is not None and left.source.sha256 == right.source.sha256
    if same_file and left.source.mode == right.source.mode:
        return ["the two inputs are identical: is the same file given twice?"]
    columns = ((left.prediction, right.prediction), (left.outcome, right.outcome))
    if all(np.array_equal(a, b) for a, b in columns):
        return ["the two inputs hold the same predictions, row by row"]
    return []
